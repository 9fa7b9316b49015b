export {
  ALLOWED,
  allowsItself,
  FLAG_KEYS,
  OWNS,
  PUBLIC,
  SECURITY,
  USERS,
  type AccessRule,
  type FlagKey,
  type PropagationStep,
  type Right,
  type Step,
} from './access.js';
export { KeptNode } from './kept-node.js';
export type * from './types.js';
export type * from './query.js';
export type * from './graph.js';
export type * from './commits/between-instances.js';
export type * from './making.js';
export { SYSTEM_ORIGIN } from './commits/commit.js';
export type * from './commits/commit.js';
export { type ChangeKind, changesOf, kindsOf } from './commits/change-kinds.js';
export type * from './commits/notice.js';
export { noticed } from './commits/notice.js';
export { Cache, Caches, type CacheFacts, type CacheOptions } from './commits/caches.js';
export type * from './columns.js';
export type * from './cypher.js';
export type {
  Belongings,
  BulkBatch,
  BulkCounts,
  BulkItem,
  BulkKind,
  BulkReader,
  BulkWriter,
  TraitsByType,
} from './bulk.js';
export { BULK_KINDS } from './bulk.js';
export { canonicalText } from './canonical.js';
export { sizeOfEntity } from './entity-size.js';
export { elsewhereErrors, isElsewhere, writerElsewhere, GraphError, type GraphErrorCode } from './errors.js';
export { newId } from './ids.js';
export {
  foreignCypher,
  openNeo4jFollower,
  openNeo4jGraph,
  openNeo4jReader,
  openNeo4jWriter,
  type Neo4jFollowerOptions,
  type Neo4jOptions,
} from './neo4j/on-demand.js';
export { openSqliteReader, openSqliteWriter } from './sqlite/bulk.js';
export { settleSqlite, SqliteSnapshot, type NamedContent } from './sqlite/whole/snapshot.js';
export { checkSqliteGraph, type Finding } from './sqlite/whole/check.js';
export { openSqliteGraph, type SqliteOptions } from './sqlite/index.js';
export { openSqliteFollower, type FollowerOptions } from './sqlite/follower/index.js';
export { parseTextQuery, type TextQuery } from './text/text-query.js';
export { edits, fits } from './text/text-words.js';
export { StatementLog, type LoggedStatement } from './statement-log.js';
export type { Seat } from './seats/seat.js';
