/** What the reads of one transaction may. */
import type { Unit } from '../writing/unit.js';
import type { Pin } from './snapshots.js';

/** Whose reads these are. */
export interface ReadContext {
  /** Present in a write transaction: reads see its writes. */
  readonly unit?: Unit;
  /** An older state, which is to be read. */
  readonly pin?: Pin | undefined;
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** As in `TransactionOptions`. */
  readonly asker?: string | undefined;
  /** The same. */
  readonly small?: boolean;
  /** A deadline for a part of a stream: its limit is on computing, not on a slow consumer. */
  renewed(): number;
  /** Throws when the transaction is over, cancelled or out of time. */
  check(): void;
  /** As in `ScanLimits`. */
  scanned?(): void;
}
