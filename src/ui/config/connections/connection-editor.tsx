/** A connection that is new, or changed. */
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { server, type Connection, type Connections, type Driver, type KnownConnection } from '../asking.js';
import { ConnectionForm, NO_CONNECTION, sentOf } from './connection-form.js';
import { DriverChoice } from './driver-choice.js';

export function ConnectionEditor({
  known,
  onSaved,
  onCancel,
}: {
  /** Absent: it is a new one. */
  readonly known?: KnownConnection;
  readonly onSaved: (connections: Connections) => void;
  readonly onCancel: () => void;
}): ReactNode {
  const [name, setName] = useState('');
  const [driver, setDriver] = useState<Driver>(known?.driver ?? 'neo4j');
  const [value, setValue] = useState<Connection>({
    path: known?.path ?? NO_CONNECTION.path,
    url: known?.url ?? NO_CONNECTION.url,
    username: known?.username ?? NO_CONNECTION.username,
    password: '',
    databasename: known?.databasename ?? NO_CONNECTION.databasename,
  });
  const { busy, problem, run } = useWork();
  const problems = new Map([...(problem?.fields ?? [])].map((field) => [field, problem?.message ?? '']));
  const isShown = [...problems.keys()].some((field) => field === 'name' || field in value);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      const input = { name: known?.name ?? name, ...sentOf(driver, value) };
      onSaved(await server.connection(known === undefined ? 'add' : 'save', input));
    });
  };
  return (
    <form onSubmit={save} aria-label={known === undefined ? 'New connection' : `Change ${known.name}`}>
      {known === undefined ? (
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          help="Letters, digits and dashes."
          problem={problems.get('name')}
        />
      ) : null}
      <DriverChoice value={driver} onChange={setDriver} />
      <ConnectionForm
        driver={driver}
        value={value}
        onChange={setValue}
        problems={problems}
        {...(known?.driver === driver ? { saved: known.name } : {})}
      />
      {problem === undefined || isShown ? null : <Notice kind="wrong">{problem.message}</Notice>}
      <div className="row">
        <Button kind="main" type="submit" disabled={busy || (known === undefined && name === '')}>
          {known === undefined ? 'Add' : 'Save'}
        </Button>
        <Button type="button" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
