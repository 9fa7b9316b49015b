/** Where the data are, and a connection to Neo4j that is tested before it is saved. */
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Button, Notice } from '../common/parts.js';
import { useLoaded, useWork } from '../common/work.js';
import { server, type Connection, type Settings } from './asking.js';
import { DriverChoice, type Driver } from './driver-choice.js';
import { ConnectionForm, NO_CONNECTION } from './connection-form.js';

export function DatabaseArea({ onSaved }: { readonly onSaved: (settings: Settings) => void }): ReactNode {
  const { value: database, problem: loading } = useLoaded(server.database);
  const [driver, setDriver] = useState<Driver>('embedded');
  const [connection, setConnection] = useState<Connection>(NO_CONNECTION);
  const [isSaved, setSaved] = useState(false);
  const { busy, problem, run } = useWork();
  useEffect(() => {
    if (database === undefined) return;
    setDriver(database.driver);
    setConnection({
      url: database.url,
      username: database.username,
      password: '',
      databasename: database.databasename,
    });
  }, [database]);
  const failed = loading ?? problem;
  const save = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      const { password, ...rest } = connection;
      const changes: Record<string, string> = { 'database.driver': driver };
      if (driver === 'neo4j') {
        for (const [name, value] of Object.entries(rest)) changes[`database.connection.${name}`] = value;
        if (password !== '') changes['database.connection.password'] = password;
      }
      onSaved(await server.save(changes));
      setSaved(true);
    });
  };
  return (
    <form onSubmit={save}>
      <div className="bar">
        <h2>Connection to the database</h2>
      </div>
      {failed === undefined ? null : <Notice kind="wrong">{failed.message}</Notice>}
      {database === undefined ? null : (
        <section className="card">
          <p>
            The server runs with the database{' '}
            <b>{database.engine === 'neo4j' ? `Neo4j at ${database.url}` : `in ${database.path}`}</b>. Another one
            counts from the next start on, and begins empty: <code>svc graph copy</code> takes data along.
          </p>
          {database.fromEnvironment ? <Notice kind="note">The environment sets database.driver.</Notice> : null}
          <DriverChoice value={driver} onChange={setDriver} disabled={database.fromEnvironment} />
          {driver === 'neo4j' ? (
            <ConnectionForm value={connection} onChange={setConnection} passwordHelp="Empty: the one that is saved." />
          ) : null}
          <div className="row">
            <Button kind="main" type="submit" disabled={busy || database.fromEnvironment}>
              Save
            </Button>
            {isSaved ? <Notice kind="good">Saved.</Notice> : null}
          </div>
        </section>
      )}
    </form>
  );
}
