/** Transactions that share one physical transaction, and what the others hear of it. */
import type { Commit } from '../../commit.js';
import { CounterDelta } from '../counters.js';
import type { CachedNode } from '../node-cache.js';
import type { Unit } from '../unit.js';
import type { Waiting } from '../wal-sync.js';
import type { Pending } from './pending.js';

/** What a commit has changed. */
export interface Committed {
  /** Of the units that have changed something, in order. */
  readonly commits: readonly Commit[];
  readonly delta: CounterDelta;
  /** Ids of nodes that were written; perhaps some too many. */
  readonly touched: ReadonlySet<string>;
  /** Types and nodes, in turns, whose entries of rights were written; perhaps some too many. */
  readonly entries: readonly number[];
  /** A node as it is now, where that is known. */
  latest(id: string): CachedNode | undefined;
}

export class Batch implements Committed {
  readonly since = performance.now();
  readonly waiting: Waiting[] = [];
  readonly commits: Commit[] = [];
  readonly delta = new CounterDelta();
  readonly touched = new Set<string>();
  readonly entries: number[] = [];
  /** What its units have recorded, while all of it is. */
  pending: Pending | undefined;
  /** The thread has a part of it already: it cannot come back to the loop. */
  inPieces = false;
  /** Units that wrote something and ended well. */
  units = 0;

  /** Takes over what a unit has recorded, at its end. */
  take(unit: Unit): void {
    const { pending } = unit;
    if (pending === undefined) return;
    this.#touch(pending);
    if (this.pending === undefined) this.pending = pending;
    else this.pending.add(pending);
  }

  /** From now on it is written on the loop, where the connection shows all of it. */
  show(unit: Unit | undefined): void {
    // What is in `pending` is touched already.
    this.pending = undefined;
    if (unit?.pending === undefined) return;
    this.#touch(unit.pending);
    unit.pending = undefined;
  }

  #touch({ nodes }: Pending): void {
    for (const id of nodes.keys()) this.touched.add(id);
  }

  latest(id: string): CachedNode | undefined {
    return this.pending?.nodes.get(id)?.now;
  }

  /** Number of its last commit. */
  get last(): number | undefined {
    return this.commits.at(-1)?.number;
  }
}
