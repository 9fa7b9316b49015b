/**
 * Moving whole databases, engine by engine (`svc graph copy`). Unlike `Graph` it shows and keeps the position of each
 * entity in the order of creation, can go on behind any batch, and asks for no indexes of the schema. Memory does not
 * grow with the database: readers give the next batch when it is asked for, a batch has about `BATCH_BYTES` at most.
 */
import type { Graph } from './graph.js';
import type { GraphEntity, PropertyMap } from './types.js';

export const BULK_KINDS = ['nodes', 'relationships'] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

/** An entity and its place in the order in which those of its kind were created, from 0 on, with gaps. */
export interface BulkItem {
  readonly position: number;
  readonly entity: GraphEntity;
}

export interface BulkBatch {
  readonly items: readonly BulkItem[];
  /** What `read` takes to go on behind this batch. */
  readonly cursor: string;
}

/** Number of entities by the type of the schema. */
export type BulkCounts = Readonly<Record<BulkKind, ReadonlyMap<string, number>>>;

/** What a database says of itself as a whole: its notes, and the number of its last commit (`Graph.commitNumber`). */
export interface Belongings {
  readonly notes: ReadonlyMap<string, string>;
  readonly commit: number;
}

export type TraitsByType = ReadonlyMap<string, readonly string[]>;

/** Reads a whole database. Throws `GraphError`. */
export interface BulkReader {
  /** Two readers with the same text read the same database. */
  readonly identity: string;
  counts(): Promise<BulkCounts>;
  /** Changes when something else writes to the database. */
  revision(): Promise<string>;
  belongings(): Promise<Belongings>;
  /** All entities of a kind, each once, in an order that stays the same as long as the database does. */
  read(kind: BulkKind, after?: string): AsyncIterable<BulkBatch>;
  close(): Promise<void>;
}

/**
 * Fills a database. From `begin` to `finish` it holds a mark, a text that says how far the copy is, and neither engine
 * serves it.
 */
export interface BulkWriter extends BulkReader {
  /** The mark of an unfinished copy. */
  mark(): Promise<string | undefined>;
  isEmpty(): Promise<boolean>;
  /** Removes everything; told how much so far. */
  clear(removed: (count: number) => void): Promise<void>;
  begin(mark: string): Promise<void>;
  /** Writes entities of one kind and the mark that holds with them, durably, both or neither. */
  write(items: readonly BulkItem[], mark: string): Promise<void>;
  /** Replaces the mark alone. */
  setMark(mark: string): Promise<void>;
  /**
   * Gives nodes what others see of the traits of their types, where an engine keeps that. `traitsIn` answers all traits by
   * type from the graph as it will be served; undefined: nobody knows.
   */
  setTraits?(traitsIn: (graph: Graph) => Promise<TraitsByType | undefined>): Promise<void>;
  /** Takes the mark away. `next`: the first position that is free. The copy belongs to what its source belongs to. */
  finish(next: number, belongings: Belongings): Promise<void>;
}

export const BATCH_ITEMS = 2000;
export const BATCH_BYTES = 4_000_000;

/** About how much memory an entity takes. */
export function roughSize(properties: PropertyMap): number {
  let size = 200;
  for (const key in properties) {
    const value = properties[key];
    if (typeof value === 'string') size += value.length;
    else if (typeof value === 'object') for (const one of value) size += typeof one === 'string' ? one.length : 8;
    size += key.length + 8;
  }
  return size;
}
