/** Settings of the engine. */
import type { TransactionObserver } from '../graph.js';
import type { StatementLog } from '../statement-log.js';

export interface SqliteOptions {
  /** Directory of the database; made if need be. The data is in `graph.db` in it. */
  readonly path: string;
  /** Default time limit of a transaction in milliseconds (30,000); 0: none. */
  readonly queryTimeout?: number;
  /** Milliseconds for which a transaction may be the one writer while others wait (none). */
  readonly writerTimeout?: number;
  /** Threads for long reads (1). */
  readonly readerThreads?: number;
  /** Page cache of the writing connection in megabytes (64). */
  readonly cacheMegabytes?: number;
  /** Milliseconds a query may take on the event loop before it moves to a worker (2); 0: at once, for tests. */
  readonly loopBudget?: number;
  /** Transactions that come together from which on a thread writes them (8); 0: whatever can be written so, for tests. */
  readonly threadFrom?: number;
  /** Operations from which on an open transaction is written by the thread in pieces (1,000). */
  readonly largeFrom?: number;
  /** Nodes of a type from which on there is an index of parts of texts in memory (20,000). */
  readonly packFrom?: number;
  /** Memory for all of these indexes, in megabytes (96); 0: there is none. */
  readonly partsMegabytes?: number;
  /** Properties without one, as `Type.property` with the name of the concrete type. */
  readonly partsExcept?: readonly string[];
  /** For tests: bytes that an open transaction may gather (192 MB) before it becomes the writer. */
  readonly gathered?: number;
  /** For tests: changes that are remembered for open transactions (200,000). */
  readonly remembered?: number;
  /** For tests: bytes of the log at which it is copied (160 MB). */
  readonly largestLog?: number;
  /** For tests: bytes of messages that a thread that reads may have left (64 MB). */
  readonly mostLeft?: number;
  /** Told about every statement. */
  readonly statements?: StatementLog;
  /** Told how long transactions took. */
  readonly observer?: TransactionObserver;
  /** Told about errors in background work; default: standard error. */
  readonly onError?: (error: unknown) => void;
}
