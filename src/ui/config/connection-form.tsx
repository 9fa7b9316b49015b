/** A connection to Neo4j, and a test that says what is wrong with it. */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../common/parts.js';
import { useWork } from '../common/work.js';
import { server, type Connection } from './asking.js';

export const NO_CONNECTION: Connection = {
  url: 'bolt://localhost:7687',
  username: 'neo4j',
  password: '',
  databasename: 'neo4j',
};

export function ConnectionForm({
  value,
  onChange,
  passwordHelp,
}: {
  readonly value: Connection;
  readonly onChange: (value: Connection) => void;
  readonly passwordHelp?: string;
}): ReactNode {
  const { busy, problem, run } = useWork();
  const [result, setResult] = useState<{ readonly ok: boolean; readonly message: string }>();
  const change = (part: Partial<Connection>): void => {
    setResult(undefined);
    onChange({ ...value, ...part });
  };
  const test = (): void => {
    void run(async () => {
      const { password, ...rest } = value;
      // Nothing entered: the one that is saved.
      setResult(await server.test(password === '' ? rest : value));
    });
  };
  return (
    <div className="connection">
      <TextField
        label="Address"
        value={value.url}
        onChange={(url) => {
          change({ url });
        }}
        help="bolt:// for a server, neo4j:// for a cluster; with +s encrypted."
        problem={problem?.fields.has('url') === true ? problem.message : undefined}
      />
      <TextField
        label="User"
        value={value.username}
        onChange={(username) => {
          change({ username });
        }}
      />
      <TextField
        label="Password"
        type="password"
        value={value.password}
        onChange={(password) => {
          change({ password });
        }}
        {...(passwordHelp === undefined ? {} : { help: passwordHelp })}
      />
      <TextField
        label="Database"
        value={value.databasename}
        onChange={(databasename) => {
          change({ databasename });
        }}
      />
      <Button type="button" onClick={test} disabled={busy}>
        {busy ? 'Asking the database …' : 'Test the connection'}
      </Button>
      {result === undefined ? null : <Notice kind={result.ok ? 'good' : 'wrong'}>{result.message}</Notice>}
      {problem !== undefined && !problem.fields.has('url') ? <Notice kind="wrong">{problem.message}</Notice> : null}
    </div>
  );
}
