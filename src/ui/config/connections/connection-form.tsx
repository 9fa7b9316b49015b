/** Where a database is and how to get into it, with a test that says what is wrong. */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { server, type Connection, type ConnectionInput, type Driver } from '../asking.js';

export const NO_CONNECTION: Connection = {
  path: 'db',
  url: 'bolt://localhost:7687',
  username: 'neo4j',
  password: '',
  databasename: 'neo4j',
};

/** What is sent of what is entered: nothing that another driver needs, and no empty password, which is the saved one. */
export function sentOf(
  driver: Driver,
  { path, password, ...rest }: Connection,
): ConnectionInput & { readonly driver: Driver } {
  if (driver === 'embedded') return { driver, path };
  return password === '' ? { driver, ...rest } : { driver, ...rest, password };
}

export function ConnectionForm({
  driver,
  value,
  onChange,
  saved,
  problems = NONE,
}: {
  readonly driver: Driver;
  readonly value: Connection;
  readonly onChange: (value: Connection) => void;
  /** The name of the connection that is changed; absent: it is a new one. */
  readonly saved?: string;
  /** What is wrong with what is entered, by the field. */
  readonly problems?: ReadonlyMap<string, string>;
}): ReactNode {
  const { busy, problem, run } = useWork();
  const [result, setResult] = useState<{ readonly ok: boolean; readonly message: string }>();
  const field = (name: keyof Connection): Pick<Parameters<typeof TextField>[0], 'value' | 'onChange' | 'problem'> => ({
    value: value[name],
    onChange: (text) => {
      setResult(undefined);
      onChange({ ...value, [name]: text });
    },
    problem: problems.get(name) ?? (problem?.fields.has(name) === true ? problem.message : undefined),
  });
  const isShown = [...(problem?.fields ?? [])].some((name) => name in value);
  return (
    <div className="connection">
      {driver === 'embedded' ? (
        <TextField label="Folder" help="From the folder of svc.conf on, or in full." {...field('path')} />
      ) : (
        <>
          <TextField
            label="Address"
            help="bolt:// for a server, neo4j:// for a cluster; with +s encrypted."
            {...field('url')}
          />
          <TextField label="User" {...field('username')} />
          <TextField
            label="Password"
            type="password"
            autoComplete="new-password"
            {...field('password')}
            {...(saved === undefined ? {} : { help: 'Empty: the one that is saved.' })}
          />
          <TextField label="Database" {...field('databasename')} />
        </>
      )}
      <Button
        type="button"
        disabled={busy}
        onClick={() => {
          void run(async () => {
            setResult(await server.test({ ...(saved === undefined ? {} : { name: saved }), ...sentOf(driver, value) }));
          });
        }}
      >
        {busy ? 'Asking the database …' : 'Test the connection'}
      </Button>
      {result === undefined ? null : <Notice kind={result.ok ? 'good' : 'wrong'}>{result.message}</Notice>}
      {problem === undefined || isShown ? null : <Notice kind="wrong">{problem.message}</Notice>}
    </div>
  );
}

const NONE: ReadonlyMap<string, string> = new Map();
