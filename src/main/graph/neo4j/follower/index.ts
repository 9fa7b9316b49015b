/** A database of Neo4j in another thread of a process that uses it, which only reads. */
import type { Graph } from '../../graph.js';
import type { Neo4jSeat } from '../../seats/seat.js';
import { OpenableGraph } from '../../optimistic/index.js';
import { DEFAULT_TIMEOUT } from '../connection/options.js';
import { Neo4jFollower, type Neo4jFollowerOptions } from './engine.js';

export type { Neo4jFollowerOptions } from './engine.js';

/**
 * Opens a place that the main thread has given (`Graph.seat`), in the thread that it was handed to, with connections of its own. Whoever asks `current()`
 * first sees all that any thread has shown; what writes throws `GraphError` `writer_elsewhere`. It is no instance of its own.
 *
 * ```ts
 * const graph = await openNeo4jFollower((workerData as { seat: Neo4jSeat }).seat, { url, user, password, poolSize: 10 });
 * await graph.current();
 * const node = await graph.read((tx) => tx.node(id), { snapshot: true });
 * ```
 *
 * Throws `GraphError` `unavailable`.
 */
export async function openNeo4jFollower(seat: Neo4jSeat, options: Neo4jFollowerOptions): Promise<Graph> {
  const engine = new Neo4jFollower(seat, options);
  await engine.start();
  const { queryTimeout: timeout = DEFAULT_TIMEOUT, observer } = options;
  return new OpenableGraph(engine, { timeout, observer });
}
