/** What is made of many nodes in the thread that reads them, so that neither the nodes nor the work reach the loop. */

/** Stored properties of a node. */
export type Stored = Readonly<Record<string, unknown>>;

/** Of some nodes all that is needed may be one value each, which an index can tell without the nodes. */
export interface DigestedQuery<Query> {
  readonly query: Query;
  /** The stored key that is needed; absent: all of the node. The query is sorted by it. */
  readonly only?: string;
  /** The digester takes columns, too (`takeColumns`), where the database has them: then it takes only the rest as nodes, in any order. */
  readonly columns?: boolean;
}

export interface Digest {
  /** URL of a worker file (`workerFile`) that exports `open`, an `OpenDigester`. */
  readonly module: string;
  /** What it is to do: plain data. */
  readonly options: unknown;
}

/**
 * Begins a digest. `check` throws when the time is over or nobody waits any more; it is cheap, and called before each node anyway. What
 * throws a `DigestError` ends the digest, and its message is told to who asked.
 */
export type OpenDigester = (options: unknown, check: () => void) => Digester;

/** Texts of one property: a code for each row. */
export interface TextColumn {
  readonly codes: Uint32Array;
  /** Codes are below this; 0 is that of rows without a text. */
  readonly values: number;
  /** Undefined for 0. It may be a part of a large text: who keeps it copies it. */
  text(code: number): string | undefined;
}

/** Some rows as columns. What it gives is true until the next one is taken. */
export interface ColumnBlock {
  readonly rows: number;
  /** 1 for rows of the query, 0 for others; undefined: all are. */
  readonly taken: Uint8Array | undefined;
  /** Between these are all numbers of the rows; without any `min` is greater. */
  readonly min: number;
  readonly max: number;
  /** NaN where there is none. */
  numbers(): Float64Array;
  texts(key: string): TextColumn;
}

export interface Digester {
  /**
   * Takes a node of the query with this number in the list; answers text that is to be sent, or the empty text. Where one key is needed
   * there is no id, and nothing but the value of that key.
   */
  take(query: number, id: string, properties: Stored): string;
  /** Takes many nodes of the query with this number, which has `columns`. Nothing is sent before the end then. */
  takeColumns?(query: number, block: ColumnBlock): void;
  /** What is to be sent when all nodes were taken, in pieces. */
  end(): Iterable<string>;
}

/** What is asked cannot be answered; the message is for who asked. */
export class DigestError extends Error {
  override readonly name = 'DigestError';
}

/** Characters that are gathered before they are sent. */
export const DIGEST_PIECE = 64 * 1024;
