/** What is read when a database is opened, and saved when it is closed. */
import { GraphError } from '../errors.js';
import { type Connection, graphError } from './connection/connection.js';
import type { Names } from './connection/names.js';
import type { Counters } from './indexes/counters.js';

/** The numbers of the last rows there are. */
export function lastRows(connection: Connection, last: { node: number; rel: number }): void {
  for (const table of ['node', 'rel'] as const) {
    last[table] = Number(connection.get(`SELECT coalesce(max(pk), 0) FROM ${table}`, [])?.[0]);
  }
}

/** Types of nodes at one end of relationships, in the order of the index of the relationships. */
const FAR_TYPES = [
  [
    'source',
    'SELECT DISTINCT r.relType,n.type FROM node n INDEXED BY node_type CROSS JOIN rel r INDEXED BY rel_out ON r.source=n.pk',
  ],
  [
    'target',
    'SELECT DISTINCT r.relType,n.type FROM node n INDEXED BY node_type CROSS JOIN rel r INDEXED BY rel_in ON r.target=n.pk',
  ],
] as const;

/**
 * The database is opened: types at the ends of relationships are looked for (about a second a million) unless whoever opened it last has listed them. A release that does not
 * list them notes the time at which it opens a database, and not that it lists them.
 */
export function opened(connection: Connection, names: Names): void {
  const flag = (name: string): unknown => connection.get('SELECT value FROM flag WHERE name = ?', [name])?.[0];
  const last = flag('opened');
  if (last === undefined || flag('far') !== last) {
    for (const [end, select] of FAR_TYPES) {
      for (const [relType, type] of connection.all(select, []))
        names.leadsTo(Number(relType), end, Number(type), connection);
    }
    names.committed();
  }
  // Writing makes sure that the log file exists.
  const now = Date.now();
  for (const name of ['opened', 'far'])
    connection.run('INSERT OR REPLACE INTO flag(name, value) VALUES (?, ?)', [name, now]);
  names.far.complete = true;
}

/** On a full disk they are not saved; the next start counts. */
export function saveCounters(connection: Connection, counters: Counters): void {
  try {
    connection.run('BEGIN IMMEDIATE', []);
    counters.save(connection);
    connection.run('COMMIT', []);
  } catch (error) {
    if (connection.inTransaction) connection.run('ROLLBACK', []);
    const reason = graphError(error);
    if (!(reason instanceof GraphError) || reason.code !== 'storage_full') throw reason;
  }
}
