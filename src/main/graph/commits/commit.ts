/** What a transaction says of itself once it is committed: plain data, which can cross threads and instances. */
import type { Change } from '../types.js';

/** Through which door of the service a transaction came. */
export type Door = 'rest' | 'script' | 'upload' | 'import' | 'deployment' | 'job' | 'login' | 'command' | 'system';

/** Who set a transaction off, and how. */
export interface Origin {
  readonly door: Door;
  /** Id of the acting user; absent: nobody who is known, or the service itself. */
  readonly userId?: string | undefined;
  readonly userName?: string | undefined;
  /** What it was for, in a few words, where the door alone does not tell: the name of a method, of a job. */
  readonly reason?: string | undefined;
  /** Those who listen to what is committed (live events) are not told. */
  readonly isSilent?: boolean;
}

/** Of what the service does by itself. */
export const SYSTEM_ORIGIN: Origin = { door: 'system' };

/** Whose turn it is for what such a transaction does; undefined: the service's own. */
export function turnOf(origin: Origin | undefined): string | undefined {
  if (origin === undefined) return undefined;
  const { door, userId } = origin;
  if (userId !== undefined) return userId;
  return door === 'system' ? undefined : `/${door}`;
}

/** A transaction at its end, when its changes are known and it may still be refused. */
export interface Ending {
  /** The commit number that it gets when it is committed: it names the transaction. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly origin: Origin;
  /** In the order in which they were made, old and new values included. */
  readonly changes: readonly Change[];
}

/**
 * A committed transaction. Numbers grow by one with each that has changed something; they are kept in the database, so they go
 * on after a start, and instances on one database share them.
 */
export type Commit = Ending;

/** What a commit has done to one entity, without any values: plain data for other instances. */
export interface Touched {
  readonly kind: 'node' | 'relationship';
  readonly id: string;
  /** Its type before; absent: it was not there. */
  readonly before?: string;
  /** Its type after; absent: it is not there any more. */
  readonly after?: string;
  /** Stored keys whose values differ; absent: any may. */
  readonly keys?: readonly string[];
  /** Of a relationship: its type in the database and its ends. */
  readonly link?: readonly [relType: string, sourceId: string, targetId: string];
}

/** Compares what open transactions have read with all that is committed, whoever does it. */
export interface CommitFollower {
  /** Whether there are such transactions just now; what others commit while there are none need not be told. */
  readonly isRead: boolean;
  /** Others have committed this; `everything`: nobody knows what. In their order, before the next work of this graph that writes. */
  foreign(touched: readonly Touched[] | 'everything'): void;
  /** A transaction of this graph is committed that has this list of changes, an empty one, so that `onCommit` does not tell of it. */
  isCommitted(changes: readonly Change[]): void;
}

/** A record that belongs to a transaction and is no object: it is there when the transaction is, and never otherwise. */
export interface JournalRecord {
  /** Grows with each record of its journal, with gaps. */
  readonly position: number;
  /** Number of the commit it came with. */
  readonly number: number;
  readonly text: string;
}

/**
 * Asked before the end of each transaction that has changed something; what it answers is written into its journal within the
 * same transaction. It must be quick and must not wait; who has much to say of many changes gives his texts one after the other,
 * and others run in between. When it throws the transaction fails with what it threw, and nothing is written.
 */
export type JournalWriter = (ending: Ending) => Iterable<string>;

/** Records by name, kept until they are removed: an outbox for what must happen after a commit, whatever happens in between. */
export interface Journal {
  /** Those after a position, oldest first. */
  read(after: number, limit: number): Promise<JournalRecord[]>;
  /** Removes those up to a position. */
  remove(upTo: number): Promise<void>;
  /** Ends writing; what is there stays. */
  stop(): void;
}
