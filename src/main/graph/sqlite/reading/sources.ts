/**
 * What reads need of those who write. On the main thread these are the writer's own parts; a thread that only reads has a small one of each
 * (follower/).
 */
import type { NodeQuery } from '../../query.js';
import type { CachedNode } from '../caches/cached-node.js';
import type { ColumnQuery } from '../columns/column-query.js';
import type { Connection } from '../connection/connection.js';
import type { CounterDelta } from '../indexes/counters.js';
import type { TextIndex } from '../indexes/text-index-work.js';
import type { Plan } from '../query/plan.js';
import type { Layers } from '../writing/pending.js';
import type { Unit } from '../writing/unit.js';

/** What is written and not committed yet (`GroupCommit`). */
export interface Uncommitted {
  /** There is something. */
  readonly open: boolean;
  /** Some of it is nowhere but in memory. */
  readonly apart: boolean;
  /** A thread commits some of it at a time that nobody here knows. */
  readonly committing: boolean;
  touches(id: string): boolean;
  pendingNode(unit: Unit, id: string): CachedNode | null | undefined;
  layers(unit: Unit): Layers;
  deltas(): CounterDelta[];
  writesEntries(node: number): boolean;
  shown(unit: Unit): Promise<void> | undefined;
}

/** Where states are kept that are not the newest (`Snapshots`). */
export interface KeptStates {
  readonly ahead: Connection | undefined;
}

/** Which properties are indexed (`PropertyIndex`). */
export interface IndexedProperties {
  readonly version: number;
  ready(type: number, key: string): number | undefined;
}

/** The full-text indexes (`TextIndexes`). */
export interface SearchedTexts {
  byName(name: string): TextIndex | undefined;
}

/** What columns answer (`Columns`). */
export interface QueriedColumns {
  query(query: NodeQuery, compile: (query: NodeQuery) => Plan): ColumnQuery | undefined;
}
