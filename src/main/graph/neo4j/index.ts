/** The Neo4j engine of the graph. */
import type { Graph } from '../graph.js';
import { OpenableGraph } from '../optimistic/index.js';
import { Neo4jGraph } from './engine.js';
import { DEFAULT_TIMEOUT, type Neo4jOptions } from './connection/options.js';

export type { Neo4jOptions } from './connection/options.js';

/**
 * Connects to a database of a Neo4j server or cluster and prepares it if need be.
 *
 * ```ts
 * const graph = await openNeo4jGraph({ url: 'bolt://127.0.0.1:7687', user: 'neo4j', password, database: 'neo4j' });
 * const node = await graph.write((tx) => tx.createNode({ id: newId(), type: 'Project', properties: { name: 'Kara' } }));
 * await graph.close();
 * ```
 *
 * Throws `GraphError`: `unreachable` (the server does not answer; trying again may help), `unavailable` (wrong user or
 * password, no such database, too old; the message says which), `not_writable` (a read-only follower or user).
 */
export async function openNeo4jGraph(options: Neo4jOptions): Promise<Graph> {
  const graph = new Neo4jGraph(options);
  await graph.start();
  const { queryTimeout: timeout = DEFAULT_TIMEOUT, observer } = options;
  return new OpenableGraph(graph, { timeout, observer });
}
