/**
 * Transactions that read one state although others commit in between (`TransactionOptions.snapshot`). Most end within one turn of the
 * loop, and see one state for free. Those that are open when a commit comes get a connection on which the state before it was pinned: a
 * transaction of SQLite's that reads. All who began with the same state share one.
 *
 * Caches answer for such a transaction as far as no commit has touched what they tell; else it reads the rows. What moves to a worker
 * is read there as it is committed then, and what follows is of the state of its end. Pins are few and short, as the log cannot start over while they are held: whoever reads longer,
 * or when there are many, reads what is committed from then on.
 */
import type { StatementLog } from '../../statement-log.js';
import { Connection, graphError } from '../connection/connection.js';
import { CounterDelta } from '../indexes/counters.js';
import type { Committed } from '../writing/batch.js';
import type { LoopGuard } from '../connection/loop-guard.js';

/** States kept at a time. */
const MAX_PINS = 4;
/** Milliseconds for which one is kept. */
const MAX_AGE = 2000;
/** Ids of what was changed since, at most. */
const MAX_TOUCHED = 100_000;
const CACHE_MEGABYTES = 2;

/** Of no state: what is committed at each read. */
const NONE = -1;

/** The number of the last commit that a state has. */
export const NUMBER = "SELECT value FROM flag WHERE name = 'commit'";

/** A state that is not the newest one. */
export class Pin {
  /** What was changed since; `isWhole`: all of it. */
  readonly touched = new Set<string>();
  isWhole = false;
  readonly delta = new CounterDelta();
  readonly since = performance.now();
  /** Transactions that read it. */
  holders = 0;

  constructor(
    readonly connection: Connection,
    /** What indexes there were: one that was made since has no entries here. */
    readonly indexVersion: number,
  ) {}
}

export interface SnapshotOptions {
  readonly file: string;
  readonly guard: LoopGuard;
  readonly statements: StatementLog | undefined;
  readonly indexVersion: () => number;
  readonly number: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * A transaction keeps the number of the state that it has begun with, and is known by that alone: a set of those that are open costs
 * a quarter of the time of a GET of one object, most of it for collecting what such a set has kept alive.
 */
export class Snapshots {
  /** Number of the newest state. */
  #state = 0;
  /** Transactions that see it. */
  #open = 0;
  /** By the number of their state, oldest first. */
  readonly #pins = new Map<number, Pin>();
  readonly #free: Connection[] = [];
  /** The newest state, while a commit is on its way. */
  #next: Pin | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(protected readonly options: SnapshotOptions) {}

  /** A transaction begins; the number of the state that it sees. */
  begin(): number {
    this.#open++;
    return this.#state;
  }

  /** The same after a list that may have seen the commit that is on its way: of no state that is kept. */
  beginAfter(): number {
    return this.#next === undefined ? this.begin() : NONE;
  }

  end(state: number): void {
    if (state === this.#state) {
      this.#open--;
      return;
    }
    const pin = this.#pins.get(state);
    if (pin !== undefined && --pin.holders === 0) this.#drop(state, pin);
  }

  /** Where to read a state; undefined for the newest, and for one that is not kept. */
  pinOf(state: number): Pin | undefined {
    return state === this.#state ? undefined : this.#pins.get(state);
  }

  /** Where the newest state is read while a thread is about to commit the next one, at a time that nobody here knows. */
  get ahead(): Connection | undefined {
    return this.#next?.connection;
  }

  /** Transactions that see the newest state. */
  protected get open(): number {
    return this.#open;
  }

  /** States that are kept beside it. */
  protected get kept(): number {
    return this.#pins.size;
  }

  /** Before a COMMIT. `apart`: in another thread, so that transactions may begin until it is told. */
  committing(apart: boolean): void {
    if (this.#next !== undefined || (!apart && this.#open === 0)) return;
    const [oldest] = this.#pins;
    if (oldest !== undefined && this.#pins.size >= MAX_PINS) this.#drop(...oldest);
    this.#next = this.pinned();
  }

  /** After it: who is open reads what was there before. */
  committed({ touched, delta, isWhole }: Pick<Committed, 'touched' | 'delta' | 'isWhole'>): void {
    const pin = this.#next;
    this.#next = undefined;
    // Without a pin they go on with what is committed.
    if (pin !== undefined && this.#open > 0) {
      pin.holders = this.#open;
      this.#pins.set(this.#state, pin);
      this.#timer ??= setInterval(() => {
        this.#expire();
      }, MAX_AGE / 4).unref();
    } else if (pin !== undefined) this.giveBack(pin.connection);
    this.#state++;
    this.#open = 0;
    for (const [state, one] of this.#pins) {
      if (isWhole) one.isWhole = true;
      for (const id of touched) one.touched.add(id);
      one.delta.addAll(delta);
      if (one.touched.size > MAX_TOUCHED) this.#drop(state, one);
    }
  }

  /** Whoever reads an older state reads what is committed from now on: the log is to start over. */
  dropAll(): void {
    for (const [state, pin] of this.#pins) this.#drop(state, pin);
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) this.giveBack(next.connection);
  }

  close(): void {
    this.dropAll();
    for (const connection of this.#free.splice(0)) connection.close();
  }

  /** A connection for a state. */
  protected connection(): Connection {
    const { file, guard, statements } = this.options;
    const options = { readonly: true, cacheMegabytes: CACHE_MEGABYTES, guard, statements };
    return this.#free.pop() ?? new Connection(file, options);
  }

  /** The newest state. */
  protected pinned(): Pin | undefined {
    const { indexVersion, number, onError } = this.options;
    let connection: Connection | undefined;
    try {
      connection = this.connection();
      connection.run('BEGIN', []);
      const seen = Number(connection.get(NUMBER, [])?.[0] ?? 0);
      if (seen === number()) return new Pin(connection, indexVersion());
      this.giveBack(connection);
    } catch (error) {
      connection?.close();
      // Whoever reads goes on with what is committed.
      onError(graphError(error));
    }
    return undefined;
  }

  #expire(): void {
    const oldest = performance.now() - MAX_AGE;
    for (const [state, pin] of this.#pins) if (pin.since < oldest) this.#drop(state, pin);
  }

  #drop(state: number, pin: Pin): void {
    this.#pins.delete(state);
    if (this.#pins.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.giveBack(pin.connection);
  }

  protected giveBack(connection: Connection): void {
    connection.run('COMMIT', []);
    if (this.#free.length < MAX_PINS) this.#free.push(connection);
    else connection.close();
  }
}
