/** One logical transaction as the writer sees it. */
import { GraphError } from '../errors.js';
import type { Change } from '../types.js';
import { CounterDelta } from './counters.js';

/** What a unit needs from the writer that runs it. */
export interface UnitHost {
  /** Opens the physical transaction and the unit's savepoint before the unit's first write. */
  begin(unit: Unit): void;
  /** Ids of entities that the open physical transaction has touched: caches must not answer for them. */
  readonly touched: ReadonlySet<string>;
  touch(id: string): void;
}

export class Unit {
  readonly changes: Change[] = [];
  readonly delta = new CounterDelta();
  /** Set when the first write was made. */
  begun = false;
  /** The unit has a savepoint of its own in the physical transaction (not needed for the first one in it). */
  savepoint = false;
  /** Number of names the physical transaction had added when this unit began. */
  namesMark = 0;
  #ended = false;
  #reason: GraphError | undefined;
  /** Open nested savepoints. */
  depth = 0;

  constructor(readonly host: UnitHost) {}

  /** Before each write. */
  begin(): void {
    this.check();
    if (!this.begun) this.host.begin(this);
  }

  /** Throws when the transaction is over. */
  check(): void {
    if (this.#ended) throw this.#reason ?? new GraphError('closed', 'The transaction has ended.');
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The first reason stays: a transaction that ran into its time limit says so to its own work. */
  end(reason?: GraphError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reason = reason;
  }
}
