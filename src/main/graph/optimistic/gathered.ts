/** What lists of a transaction that gathers are made of, and what they ask for. */
import type { AccessRule } from '../access.js';
import type { ReadTransaction, WriteTransaction } from '../graph.js';
import type { GraphNode } from '../types.js';
import type { Overlay } from './own-writes/overlay.js';
import type { ReadSet } from './read-set.js';

/** What gathering needs of the transaction that it is a part of. */
export interface GatheringHost {
  /** The number of the last unit that reads see for certain. */
  readonly committed: number;
  /** Reads what is committed. */
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** Reads as if all were written that is gathered. `remember` is called with the number of the last unit that it sees. */
  whatIf<T>(remember: (since: number) => void, work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** Becomes the writer for good; all that is gathered is written before. */
  directly<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
}

/** A transaction that gathers, as its lists see it. */
export interface Gathered {
  readonly host: GatheringHost;
  readonly overlay: Overlay;
  readonly reads: ReadSet;
  nodes(ids: readonly string[]): Promise<(GraphNode | undefined)[]>;
  typeOf(id: string): Promise<string | undefined>;
  permitted(nodes: readonly GraphNode[], rule: AccessRule): Promise<boolean[]>;
}
