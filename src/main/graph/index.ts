export type * from './types.js';
export type * from './query.js';
export type * from './graph.js';
export { GraphError, type GraphErrorCode } from './errors.js';
export { newId } from './ids.js';
export { openNeo4jGraph, type Neo4jOptions } from './neo4j/index.js';
export { openSqliteGraph, type SqliteOptions } from './sqlite/index.js';
export { StatementLog, type LoggedStatement } from './statement-log.js';
