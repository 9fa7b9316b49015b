/** The SQLite engine of the graph. */
import type { Graph } from '../graph.js';
import { OpenableGraph } from '../optimistic/index.js';
import { DEFAULT_TIMEOUT, SqliteGraph } from './engine.js';
import type { SqliteOptions } from './options.js';
import { openFiles } from './files.js';
import { LARGE } from './writing/writer-thread.js';

export type { SqliteOptions } from './options.js';

/**
 * Opens the database in a directory, making it if there is none.
 *
 * ```ts
 * const graph = await openSqliteGraph({ path: '/var/lib/svc/graph' });
 * const node = await graph.write((tx) => tx.createNode({ id: newId(), type: 'Project', properties: { name: 'Kara' } }));
 * await graph.close();
 * ```
 *
 * Throws `GraphError`: `locked` (another process has it), `too_new` (written by a newer version), `not_writable`,
 * `storage_full`, `damaged`, `log_damaged`, `log_mismatch`, `unfinished`.
 */
export async function openSqliteGraph(options: SqliteOptions): Promise<Graph> {
  const graph = new SqliteGraph(options, await openFiles(options.path));
  await graph.start();
  const { queryTimeout: timeout = DEFAULT_TIMEOUT, gathered, remembered, largeFrom: large = LARGE, observer } = options;
  return new OpenableGraph(graph, { timeout, gathered, remembered, large, observer });
}
