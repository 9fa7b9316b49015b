/** A graph whose reads are those of a follower beside it: what the main thread and front-end threads promise together. */
import { type Graph, openSqliteFollower, type FollowerOptions } from '../../src/main/graph/index.js';

/** Writes, and what belongs to them, go to `graph`; each read to a follower, as a request does it. */
export function followed(graph: Graph, options: FollowerOptions = {}): Graph {
  if (graph.seat === undefined) throw new Error('no seat');
  const seat = graph.seat();
  if (seat.engine !== 'sqlite') throw new Error('no seat of the embedded database');
  const follower = openSqliteFollower(seat, options);
  const read: Graph['read'] = async (work, limits) => {
    await follower.current();
    return follower.read(work, limits);
  };
  return new Proxy(graph, {
    get: (_, name) => {
      if (name === 'read') return read;
      if (name === 'explain') return follower.explain.bind(follower);
      if (name === 'close')
        return async () => {
          await Promise.all([follower.close(), graph.close()]);
        };
      const value: unknown = Reflect.get(graph, name, graph);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(graph) : value;
    },
  });
}
