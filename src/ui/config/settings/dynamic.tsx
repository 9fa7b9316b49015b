/** Settings that the program does not know itself, such as those of tasks (`<task>.cronExpression`). */
import { type ReactNode, useState } from 'react';
import { Badge, Button, TextField } from '../../common/parts.js';
import type { Dynamic } from '../asking.js';
import type { Edits } from './edits.js';

/** They have an area of their own. */
const OF_CONNECTION = /.\.database\.(?:driver|path|connection\.\w+)$/;

export function DynamicSettings({
  settings,
  edits,
  onEdit,
}: {
  readonly settings: readonly Dynamic[];
  readonly edits: Edits;
  readonly onEdit: (name: string, text: string | null | undefined) => void;
}): ReactNode {
  const [name, setName] = useState('');
  const shown = settings.filter((one) => !OF_CONNECTION.test(one.name));
  const known = new Set(settings.map((one) => one.name));
  const added = Object.keys(edits).filter((key) => !known.has(key) && edits[key] !== null);
  const isName = /^[\w.-]+$/.test(name) && !known.has(name);
  return (
    <section className="card">
      <h3>Own settings</h3>
      <p className="soft">
        Names that the program does not know itself: expressions of tasks, and what scripts read by config().
      </p>
      {shown.map(({ name: key, value, isSet, source }) => (
        <div className="setting" key={key}>
          <TextField
            label={key}
            value={edits[key] === null ? '' : (edits[key] ?? value ?? '')}
            {...(value === undefined
              ? { type: 'password' as const, help: isSet === true ? 'It is set; enter a new one.' : 'It is not set.' }
              : {})}
            disabled={source === 'environment' || edits[key] === null}
            onChange={(text) => {
              onEdit(key, text === value ? undefined : text);
            }}
          />
          <div className="input">
            {source === 'environment' ? <Badge kind="warn">given by the environment</Badge> : null}
            {source === 'file' ? (
              <Button
                type="button"
                onClick={() => {
                  onEdit(key, edits[key] === null ? undefined : null);
                }}
              >
                {edits[key] === null ? 'Keep' : 'Remove'}
              </Button>
            ) : null}
          </div>
        </div>
      ))}
      {added.map((key) => (
        <div className="setting" key={key}>
          <TextField
            label={`${key} (new)`}
            value={edits[key] ?? ''}
            onChange={(text) => {
              onEdit(key, text);
            }}
          />
        </div>
      ))}
      <div className="row">
        <TextField label="Name of a new setting" value={name} onChange={setName} />
        <Button
          type="button"
          disabled={!isName}
          onClick={() => {
            onEdit(name, '');
            setName('');
          }}
        >
          Add
        </Button>
      </div>
    </section>
  );
}
