/** The Neo4j engine, loaded by who uses it: with its driver it is a third of all the modules of a start. */
import type { BulkReader, BulkWriter } from '../bulk.js';
import type { CypherResult, CypherStatement } from '../cypher.js';
import type { Graph } from '../graph.js';
import type { Neo4jSeat } from '../seats/seat.js';
import type { Neo4jFollowerOptions } from './follower/index.js';
import type { ForeignDatabase } from './foreign.js';
import type { Neo4jOptions } from './index.js';

export type { ForeignDatabase, Neo4jFollowerOptions, Neo4jOptions };

/** Opens a database. Throws `GraphError`. */
export async function openNeo4jGraph(options: Neo4jOptions): Promise<Graph> {
  return (await import('./index.js')).openNeo4jGraph(options);
}

/** Opens a place that the main thread has given; see follower/index.ts. Throws `GraphError`. */
export async function openNeo4jFollower(seat: Neo4jSeat, options: Neo4jFollowerOptions): Promise<Graph> {
  return (await import('./follower/index.js')).openNeo4jFollower(seat, options);
}

/** Opens a database to read all of it. Throws `GraphError`. */
export async function openNeo4jReader(options: Neo4jOptions): Promise<BulkReader> {
  return (await import('./bulk.js')).openNeo4jReader(options);
}

/** Runs a statement on a database that is not the service's own, within `time` ms. Throws `GraphError`. */
export async function foreignCypher(
  database: ForeignDatabase,
  statement: CypherStatement,
  time: number,
  signal: AbortSignal,
): Promise<CypherResult> {
  return (await import('./foreign.js')).foreignCypher(database, statement, time, signal);
}

/** Opens a database to fill it. Throws `GraphError`. */
export async function openNeo4jWriter(options: Neo4jOptions): Promise<BulkWriter> {
  return (await import('./bulk.js')).openNeo4jWriter(options);
}
