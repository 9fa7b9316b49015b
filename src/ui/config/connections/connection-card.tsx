/** One connection: where its database is, and what can be done with it. */
import { type ReactNode, useState } from 'react';
import { Badge, Button, Notice } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { server, type Connections, type KnownConnection } from '../asking.js';
import { Command } from './command.js';
import { ConnectionEditor } from './connection-editor.js';

export function ConnectionCard({
  connection,
  onChanged,
}: {
  readonly connection: KnownConnection;
  readonly onChanged: (connections: Connections) => void;
}): ReactNode {
  const { name, chosen, running, fromEnvironment, copy } = connection;
  const [asked, setAsked] = useState<'change' | 'use' | 'remove'>();
  const [result, setResult] = useState<{ readonly ok: boolean; readonly message: string }>();
  const { busy, problem, run } = useWork();
  const close = (): void => {
    setAsked(undefined);
  };
  const act = (action: 'use' | 'remove'): void => {
    void run(async () => {
      onChanged(await server.connection(action, { name }));
      close();
    });
  };
  const test = (): void => {
    void run(async () => {
      setResult(await server.test({ name }));
    });
  };
  const ask = (what: 'change' | 'use' | 'remove', text: string): ReactNode => (
    <Button
      disabled={busy}
      aria-label={`${text} ${name}`}
      onClick={() => {
        setResult(undefined);
        setAsked(what);
        // Whoever switches is told before whether the server could start with it.
        if (what === 'use') test();
      }}
    >
      {text}
    </Button>
  );
  return (
    <section className="card" aria-label={`Connection ${name}`}>
      <h3 className="badges">
        {name}
        {running ? <Badge kind="good">in use</Badge> : null}
        {chosen && !running ? <Badge kind="warn">from the next start on</Badge> : null}
        {running && !chosen ? <Badge kind="warn">until the next start</Badge> : null}
        {fromEnvironment ? <Badge kind="warn">given by the environment</Badge> : null}
      </h3>
      <p className="soft">{placeOf(connection)}</p>
      {asked === 'change' ? (
        <ConnectionEditor
          known={connection}
          onSaved={(now) => {
            close();
            onChanged(now);
          }}
          onCancel={close}
        />
      ) : null}
      {asked === 'use' ? (
        <Question
          answer="Use it from the next start on"
          kind="main"
          disabled={busy}
          onYes={() => {
            act('use');
          }}
          onCancel={close}
        >
          <p>
            The server takes this database at its next start. The data are not moved: they stay where they are, and are
            taken along by this command while the server is stopped:
          </p>
          {copy === undefined ? null : <Command text={copy} />}
        </Question>
      ) : null}
      {asked === 'remove' ? (
        <Question
          answer="Take it off"
          kind="danger"
          disabled={busy}
          onYes={() => {
            act('remove');
          }}
          onCancel={close}
        >
          <p>It is taken off this list. Its data stay where they are.</p>
        </Question>
      ) : null}
      {asked === undefined ? (
        <div className="row">
          <Button disabled={busy} aria-label={`Test ${name}`} onClick={test}>
            Test
          </Button>
          {fromEnvironment ? null : ask('change', 'Change')}
          {fromEnvironment || chosen ? null : ask('use', 'Switch to')}
          {fromEnvironment || chosen || running ? null : ask('remove', 'Remove')}
        </div>
      ) : null}
      {result === undefined ? null : <Notice kind={result.ok ? 'good' : 'wrong'}>{result.message}</Notice>}
      {problem === undefined ? null : <Notice kind="wrong">{problem.message}</Notice>}
    </section>
  );
}

/** What is to be known before something is done, and whether it is. */
function Question({
  answer,
  kind,
  disabled,
  onYes,
  onCancel,
  children,
}: {
  readonly answer: string;
  readonly kind: 'main' | 'danger';
  readonly disabled: boolean;
  readonly onYes: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="notice note" role="status">
      {children}
      <div className="row">
        <Button kind={kind} disabled={disabled} onClick={onYes}>
          {answer}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </div>
  );
}

function placeOf({ driver, folder = '', url = '', username = '', databasename = '' }: KnownConnection): string {
  if (driver === 'embedded') return `Embedded database in ${folder}`;
  return `Neo4j at ${url}, database ${databasename}, user ${username}`;
}
