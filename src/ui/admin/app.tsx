/** The page: a login, or the areas. */
import { type ReactNode, useEffect } from 'react';
import { Notice } from '../common/parts.js';
import { useLoaded } from '../common/work.js';
import { Login } from './access/login.js';
import { Boundary } from './frame/boundary.js';
import { Frame } from './frame/frame.js';
import { loadState, type State } from './server/session.js';
import { TextsOf, useTexts } from './texts/index.js';

export function App(): ReactNode {
  return (
    <TextsOf>
      <Guarded />
    </TextsOf>
  );
}

/** Inside of the texts, so that a fault can be told in words. */
function Guarded(): ReactNode {
  const { t } = useTexts();
  return (
    <Boundary title={t('app.failed')} again={t('app.again')}>
      <Page />
    </Boundary>
  );
}

function Page(): ReactNode {
  const { t } = useTexts();
  const { value: state, again, problem } = useLoaded(loadState);
  useEffect(() => {
    if (state !== undefined) document.title = `${nameOf(state)} · ${t('app.name')}`;
  }, [state, t]);
  if (state === undefined)
    return problem === undefined ? null : (
      <main className="alone">
        <Notice kind="wrong">{t('app.offline')}</Notice>
      </main>
    );
  if (state.user === undefined)
    return (
      <main className="alone">
        <h1>
          <small>{t('app.name')}</small>
          {nameOf(state)}
        </h1>
        <Login providers={state.providers} onLogin={again} />
      </main>
    );
  return <Frame state={state} user={state.user} again={again} />;
}

function nameOf({ title, instance, stage }: State): string {
  const name = instance === '' ? title : instance;
  return stage === '' ? name : `${name} (${stage})`;
}
