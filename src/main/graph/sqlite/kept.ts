/** What is read when a database is opened, and saved when it is closed. */
import { GraphError } from '../errors.js';
import { type Connection, graphError } from './connection/connection.js';
import type { Counters } from './indexes/counters.js';

/** The numbers of the last rows there are. */
export function lastRows(connection: Connection, last: { node: number; rel: number }): void {
  for (const table of ['node', 'rel'] as const) {
    last[table] = Number(connection.get(`SELECT coalesce(max(pk), 0) FROM ${table}`, [])?.[0]);
  }
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
