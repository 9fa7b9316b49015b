/** What is made of many nodes in the thread that reads them, so that neither the nodes nor the work reach the loop. */

/** Stored properties of a node. */
export type Stored = Readonly<Record<string, unknown>>;

/** Of some nodes all that is needed may be one value each, which an index can tell without the nodes. */
export interface DigestedQuery<Query> {
  readonly query: Query;
  /** The stored key that is needed; absent: all of the node. The query is sorted by it. */
  readonly only?: string;
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

export interface Digester {
  /**
   * Takes a node of the query with this number in the list; answers text that is to be sent, or the empty text. Where one key is needed
   * there is no id, and nothing but the value of that key.
   */
  take(query: number, id: string, properties: Stored): string;
  /** What is to be sent when all nodes were taken, in pieces. */
  end(): Iterable<string>;
}

/** What is asked cannot be answered; the message is for who asked. */
export class DigestError extends Error {
  override readonly name = 'DigestError';
}

/** Characters that are gathered before they are sent. */
export const DIGEST_PIECE = 64 * 1024;
