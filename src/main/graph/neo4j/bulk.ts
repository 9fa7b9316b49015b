/** Opening a Neo4j database to read or fill all of it. */
import type { BulkReader, BulkWriter } from '../bulk.js';
import type { Graph } from '../graph.js';
import { OpenableGraph } from '../optimistic/index.js';
import { Neo4jBulkReader } from './bulk/bulk-reader.js';
import { Neo4jBulkWriter } from './bulk/bulk-writer.js';
import { Neo4jGraph } from './engine.js';
import { DEFAULT_TIMEOUT, type Neo4jOptions } from './connection/options.js';

/** Opens the graph, which makes what is missing in the database, as a server does when it starts. */
async function open(options: Neo4jOptions, unfinished: boolean): Promise<Neo4jGraph> {
  const graph = new Neo4jGraph(options);
  await graph.start({ unfinished });
  return graph;
}

async function started<T extends Neo4jBulkReader>(one: T): Promise<T> {
  try {
    await one.start();
    return one;
  } catch (error) {
    await one.close();
    throw error;
  }
}

/** Opens a database to read all of it. Servers on it should be stopped: it is not locked. Throws `GraphError`. */
export async function openNeo4jReader(options: Neo4jOptions): Promise<BulkReader> {
  await (await open(options, false)).close();
  return started(new Neo4jBulkReader(options));
}

/** Opens a database to fill it. Throws `GraphError`. */
export async function openNeo4jWriter(options: Neo4jOptions): Promise<BulkWriter> {
  await (await open(options, true)).close();
  return started(new Neo4jBulkWriter(options, () => opened(options)));
}

async function opened(options: Neo4jOptions): Promise<Graph> {
  return new OpenableGraph(await open(options, true), { timeout: options.queryTimeout ?? DEFAULT_TIMEOUT });
}
