/** First-time setup: where the data are, and the superuser's password (contract, First-time setup 3). */
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { server, type Connection, type Driver } from '../asking.js';
import { ConnectionForm, NO_CONNECTION, sentOf } from '../connections/connection-form.js';
import { DriverChoice } from '../connections/driver-choice.js';
import { Restart } from '../running/restart.js';

const SHORTEST = 8;

export function Wizard({ onEnd }: { readonly onEnd: () => void }): ReactNode {
  const [driver, setDriver] = useState<Driver>('embedded');
  const [connection, setConnection] = useState<Connection>(NO_CONNECTION);
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  /** The connection that does not answer, which is taken all the same when it is asked for once more. */
  const [failing, setFailing] = useState<{ readonly connection: Connection; readonly message: string }>();
  const [restartNeeded, setRestartNeeded] = useState<readonly string[]>();
  const { busy, problem, run } = useWork();
  const failure = failing?.connection === connection ? failing.message : undefined;
  const differs = again !== '' && again !== password;
  const isReady = password.length >= SHORTEST && password === again;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      if (driver === 'neo4j' && failure === undefined) {
        const { ok, message } = await server.test(sentOf(driver, connection));
        setFailing(ok ? undefined : { connection, message });
        if (!ok) return;
      }
      const database = driver === 'embedded' ? { driver } : sentOf(driver, connection);
      setRestartNeeded((await server.finish({ password, database })).restartNeeded);
    });
  };

  if (restartNeeded !== undefined)
    return (
      <div className="card">
        <h2>The setup is complete</h2>
        {restartNeeded.length > 0 ? (
          <>
            <p>The server still runs with its old database. It has to start again to use the new one.</p>
            <Restart onBack={onEnd} />
          </>
        ) : (
          <div className="row">
            <a className="button main" href="/svc/">
              Open svc
            </a>
            <Button onClick={onEnd}>All settings</Button>
          </div>
        )}
      </div>
    );

  return (
    <form onSubmit={submit}>
      <section className="card">
        <h2>1. Where are the data?</h2>
        <DriverChoice value={driver} onChange={setDriver} />
        {driver === 'neo4j' ? <ConnectionForm driver={driver} value={connection} onChange={setConnection} /> : null}
      </section>
      <section className="card">
        <h2>2. Superuser password</h2>
        <p className="soft">
          It opens these pages, and lets the superuser do everything. The server keeps it in svc.conf, which only its
          owner may read.
        </p>
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          help={`At least ${String(SHORTEST)} characters.`}
        />
        <TextField
          label="The same again"
          type="password"
          autoComplete="new-password"
          value={again}
          onChange={setAgain}
          problem={differs ? 'It is another one.' : undefined}
        />
      </section>
      {problem === undefined ? null : <Notice kind="wrong">{problem.message}</Notice>}
      {driver === 'neo4j' && failure !== undefined ? (
        <Notice kind="wrong">
          {failure} The server cannot start again with this connection. Finish once more to take it all the same.
        </Notice>
      ) : null}
      <Button kind="main" type="submit" disabled={busy || !isReady}>
        Finish
      </Button>
    </form>
  );
}
