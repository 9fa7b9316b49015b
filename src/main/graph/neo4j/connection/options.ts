import type { TransactionObserver } from '../../graph.js';
import type { StatementLog } from '../../statement-log.js';

export const DEFAULT_TIMEOUT = 30_000;

/** Where nobody else is told about errors in background work. */
export function logError(error: unknown): void {
  process.stderr.write(`graph: ${error instanceof Error ? error.message : String(error)}\n`);
}

/** Settings of the Neo4j engine. */
export interface Neo4jOptions {
  /** `bolt://` one server, `neo4j://` a cluster; with `+s` encrypted. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Name of the database; absent: the user's home database, which costs a look-up. */
  readonly database?: string;
  /** Connections at most (50). */
  readonly poolSize?: number;
  /** Milliseconds to wait for a connection to be made (5,000). */
  readonly connectTimeout?: number;
  /** Milliseconds to wait for a free connection (10,000). */
  readonly acquireTimeout?: number;
  /** Default time limit of a transaction in milliseconds (30,000); 0: none. */
  readonly queryTimeout?: number;
  /** Milliseconds for which an index that is wanted no more is kept (600,000). */
  readonly indexGrace?: number;
  /** Nodes from which on an index of the parts of texts is made for a key when a part is looked for (20,000). */
  readonly partsFrom?: number;
  /** Told about every statement. */
  readonly statements?: StatementLog;
  /** Told how long transactions took. */
  readonly observer?: TransactionObserver;
  /** Told about errors in background work; default: standard error. */
  readonly onError?: (error: unknown) => void;
}
