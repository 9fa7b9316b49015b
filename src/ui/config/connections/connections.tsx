/** Connections to databases: the one in use, and others that are kept. */
import { type ReactNode, useState } from 'react';
import { Button, Notice } from '../../common/parts.js';
import { useLoaded } from '../../common/work.js';
import { server, type Connections } from '../asking.js';
import { Command } from './command.js';
import { ConnectionCard } from './connection-card.js';
import { ConnectionEditor } from './connection-editor.js';

export function ConnectionsArea({ onChanged }: { readonly onChanged: () => void }): ReactNode {
  const { value: known, set, problem } = useLoaded(server.connections);
  const [isAdding, setAdding] = useState(false);
  const changed = (now: Connections): void => {
    set(now);
    onChanged();
  };
  const chosen = known?.connections.find((one) => one.chosen);
  return (
    <section>
      <div className="bar">
        <h2>Connections to databases</h2>
        {isAdding ? null : (
          <Button
            onClick={() => {
              setAdding(true);
            }}
          >
            Add a connection
          </Button>
        )}
      </div>
      {problem === undefined ? null : <Notice kind="wrong">{problem.message}</Notice>}
      {known?.copy === undefined ? null : (
        <div className="notice note" role="status">
          <p>
            The server still runs with <code>{known.running}</code>, and takes <b>{chosen?.name}</b> at its next start.
            The data stay where they are. To take them along, stop the server, run this, and start it again:
          </p>
          <Command text={known.copy} />
        </div>
      )}
      {isAdding ? (
        <section className="card" aria-label="A new connection">
          <h3>A new connection</h3>
          <ConnectionEditor
            onSaved={(now) => {
              setAdding(false);
              changed(now);
            }}
            onCancel={() => {
              setAdding(false);
            }}
          />
        </section>
      ) : null}
      {known?.connections.map((one) => (
        <ConnectionCard key={one.name} connection={one} onChanged={changed} />
      ))}
    </section>
  );
}
