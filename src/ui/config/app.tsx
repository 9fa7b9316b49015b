/** The page: a login, the wizard, or the areas. */
import { type ReactNode, useEffect, useState } from 'react';
import { Notice } from '../common/parts.js';
import { useLoaded } from '../common/work.js';
import { Areas } from './areas.js';
import { server, type State } from './asking.js';
import { Login } from './access/login.js';
import { Wizard } from './access/wizard.js';

export function App(): ReactNode {
  const { value: state, again, problem } = useLoaded(server.state);
  // The wizard stays until its last page has been read.
  const [inWizard, setInWizard] = useState(false);
  useEffect(() => {
    if (state !== undefined) document.title = `Configuration · ${nameOf(state)}`;
    if (state?.loggedIn === true && state.setup === 'incomplete') setInWizard(true);
  }, [state]);
  if (problem !== undefined)
    return (
      <Alone title="Configuration">
        <Notice kind="wrong">{problem.message}</Notice>
      </Alone>
    );
  if (state === undefined) return null;
  if (!state.loggedIn)
    return (
      <Alone title={nameOf(state)}>
        <Login setup={state.setup} onLogin={again} />
      </Alone>
    );
  if (inWizard)
    return (
      <Alone title={nameOf(state)} wide>
        <Wizard
          onEnd={() => {
            setInWizard(false);
            again();
          }}
        />
      </Alone>
    );
  return <Areas state={state} name={nameOf(state)} onLogout={again} />;
}

function nameOf({ title, instance, stage }: State): string {
  const name = instance === '' ? title : instance;
  return stage === '' ? name : `${name} (${stage})`;
}

/** One card in the middle. */
function Alone({
  title,
  wide = false,
  children,
}: {
  readonly title: string;
  readonly wide?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <main className={wide ? 'alone wide' : 'alone'}>
      <h1>
        <small>Configuration</small>
        {title}
      </h1>
      {children}
    </main>
  );
}
