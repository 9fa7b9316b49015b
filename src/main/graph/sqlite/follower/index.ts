/** The database of this process in another of its threads, which only reads. */
import type { Graph } from '../../graph.js';
import type { SqliteSeat } from '../../seats/seat.js';
import { OpenableGraph } from '../../optimistic/index.js';
import { FollowerGraph, type FollowerOptions } from './engine.js';

export type { FollowerOptions } from './engine.js';

/**
 * Opens a place that the main thread has given (`Graph.seat`), in the thread that it was handed to. Whoever asks `current()` first sees all that any thread has
 * shown; what writes throws `GraphError` `writer_elsewhere`.
 *
 * ```ts
 * const graph = openSqliteFollower((workerData as { seat: SqliteSeat }).seat);
 * await graph.current();
 * const node = await graph.read((tx) => tx.node(id), { snapshot: true });
 * ```
 *
 * Throws `GraphError` `unavailable`, `damaged`.
 */
export function openSqliteFollower(seat: SqliteSeat, options: FollowerOptions = {}): Graph {
  const engine = new FollowerGraph(seat, options);
  engine.start();
  const { queryTimeout: timeout = 30_000, observer } = options;
  return new OpenableGraph(engine, { timeout, observer });
}
