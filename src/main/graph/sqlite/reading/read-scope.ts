/** One transaction that reads: its time, its state, its end. */
import type { TransactionOptions } from '../../graph.js';
import { GraphError } from '../../errors.js';
import type { ReadContext } from './read-context.js';
import type { Pin, Snapshots } from './snapshots.js';

/** A time that never comes, in milliseconds since 1970. */
export const FAR = 8.64e15;

/**
 * What one transaction that reads is allowed. A class, because a getter in an object literal makes V8 a shape for each object,
 * and that keeps the request alive until the next full collection: a third of the time of a short read.
 */
export class ReadScope implements ReadContext {
  readonly deadline: number;
  over = false;
  #state: number;

  constructor(
    private readonly options: TransactionOptions,
    private readonly timeout: number,
    /** Absent: each read sees what is committed. */
    private readonly snapshots: Snapshots | undefined,
  ) {
    this.deadline = this.renewed();
    this.#state = snapshots?.begin() ?? 0;
  }

  get pin(): Pin | undefined {
    return this.snapshots?.pinOf(this.#state);
  }

  /** From a list that a worker has made on, all is of one state again, and of none that is older than that list. */
  scanned(): void {
    if (this.snapshots === undefined || this.over) return;
    this.snapshots.end(this.#state);
    this.#state = this.snapshots.beginAfter();
  }

  end(): void {
    this.over = true;
    this.snapshots?.end(this.#state);
  }

  /** Made on demand by some, see `TransactionOptions`. */
  get signal(): AbortSignal | undefined {
    return this.options.signal;
  }

  get asker(): string | undefined {
    const { asker } = this.options;
    return typeof asker === 'function' ? asker() : asker;
  }

  renewed(): number {
    return this.timeout > 0 ? Date.now() + this.timeout : FAR;
  }

  check(): void {
    if (this.over) throw new GraphError('closed', 'The transaction has ended.');
    const { options } = this;
    if (options.cancelled === undefined ? options.signal?.aborted === true : options.cancelled()) {
      throw new GraphError('aborted', 'The transaction was cancelled.');
    }
  }
}
