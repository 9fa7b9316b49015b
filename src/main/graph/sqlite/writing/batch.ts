/** Transactions that share one physical transaction, and what the others hear of it. */
import type { Commit } from '../../commits/commit.js';
import { CounterDelta } from '../indexes/counters.js';
import type { CachedNode } from '../caches/cached-node.js';
import type { Unit } from './unit.js';
import type { Waiting } from '../whole/wal-sync.js';
import type { Pending } from './pending.js';

/** What a commit has changed. */
export interface Committed {
  /** Of the units that have changed something, in order. */
  readonly commits: readonly Commit[];
  readonly delta: CounterDelta;
  /** It has emptied the database: anything may be another. */
  readonly isWhole: boolean;
  /** Ids of nodes that were written; perhaps some too many. */
  readonly touched: Iterable<string>;
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
  readonly #touched = new Set<string>();
  readonly entries: number[] = [];
  readonly #entryNodes = new Set<number>();
  /** What its units have recorded, while all of it is. */
  pending: Pending | undefined;
  /** The thread has a part of it already: it cannot come back to the loop. */
  inPieces = false;
  isWhole = false;
  /** Units that wrote something and ended well. */
  units = 0;

  /** Takes over what a unit has recorded, at its end. */
  take(unit: Unit): void {
    if (unit.isWhole) this.isWhole = true;
    const { pending } = unit;
    if (pending === undefined) return;
    if (this.pending === undefined) this.pending = pending;
    else this.pending.add(pending);
  }

  /** From now on it is written on the loop, where the connection shows all of it. */
  show(unit: Unit | undefined): void {
    for (const id of this.pending?.nodes.keys() ?? []) this.#touched.add(id);
    this.pending = undefined;
    if (unit?.pending === undefined) return;
    for (const id of unit.pending.nodes.keys()) this.#touched.add(id);
    unit.pending = undefined;
  }

  wroteEntries(type: number, node: number): void {
    this.entries.push(type, node);
    this.#entryNodes.add(node);
  }

  writesEntries(node: number): boolean {
    return this.#entryNodes.has(node);
  }

  touch(id: string): void {
    this.#touched.add(id);
  }

  touches(id: string): boolean {
    return this.#touched.has(id) || this.pending?.nodes.has(id) === true;
  }

  get touched(): Iterable<string> {
    return this.pending === undefined
      ? this.#touched
      : this.#touched.size === 0
        ? this.pending.nodes.keys()
        : [...this.#touched, ...this.pending.nodes.keys()];
  }

  latest(id: string): CachedNode | undefined {
    return this.pending?.nodes.get(id)?.now;
  }

  /** Number of its last commit. */
  get last(): number | undefined {
    return this.commits.at(-1)?.number;
  }
}
