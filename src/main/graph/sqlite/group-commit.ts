/**
 * Durable group commit. Logical transactions (units) run one after the other; those that queue together share one
 * physical transaction, so pages they have in common are written once. A COMMIT only appends to the write-ahead
 * log in the page cache; one asynchronous fdatasync (see wal-sync.ts) then covers all commits before it, and a
 * unit's promise settles after the sync that covers it.
 *
 * The writer's connection may therefore do without syncs of its own. What they would protect is protected by others:
 * durability by the group sync; the order "log before database" by the checkpointer, which syncs the log before it
 * copies and the database after. A crash before the group sync leaves a log whose valid prefix ends at some commit:
 * whole transactions, none of them acknowledged. The one sync that order needs in the writer is that of the log's
 * header when the log starts over (stale frames could be replayed otherwise); that is why the connection is set to
 * NORMAL, not OFF, and why the checkpointer starts the log over itself, off the loop (checkpoints.ts).
 */
import { GraphError } from '../errors.js';
import type { Change } from '../types.js';
import { type Connection, graphError } from './connection.js';
import { CounterDelta } from './counters.js';
import type { Names } from './names.js';
import { nextTurn, type Pace } from './pace.js';
import { Unit, type UnitHost } from './unit.js';
import type { Waiting, WalSync } from './wal-sync.js';

/** A batch is committed when it holds this many units, whether or not the disk is busy. */
const MAX_UNITS = 256;
/**
 * Units after which an idle disk gets its work at once, while the rest of what arrived together is still being done: writers
 * so fall into two groups, one waiting for the disk while the other is worked on.
 */
const EAGER_UNITS = 32;
/** Milliseconds after which a batch is committed although more units are waiting. */
const MAX_AGE = 2;

interface Batch {
  readonly since: number;
  readonly waiting: Waiting[];
  readonly changes: Change[][];
  readonly delta: CounterDelta;
  /** Units that wrote something and ended well. */
  units: number;
}

export interface UnitOptions {
  /** Milliseconds; 0: none. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

export interface CommitHooks {
  /** Synchronously after each COMMIT; one list a unit, in order. */
  committed(changes: readonly (readonly Change[])[], delta: CounterDelta, touched: ReadonlySet<string>): void;
}

export class GroupCommit implements UnitHost {
  #queue: (() => Promise<void>)[] = [];
  #running = false;
  #batch: Batch | undefined;
  #current: Unit | undefined;
  #touched = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #drained: (() => void)[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly names: Names,
    private readonly sync: WalSync,
    private readonly hooks: CommitHooks,
    private readonly pace: Pace,
  ) {
    sync.onIdle = () => {
      this.#commitIfIdle();
    };
  }

  get touched(): ReadonlySet<string> {
    return this.#touched;
  }

  touch(id: string): void {
    this.#touched.add(id);
  }

  /** True while the connection holds writes that are not committed: its reads are not for everyone. */
  get open(): boolean {
    return this.#batch !== undefined;
  }

  /** What the open batch adds to the counters so far, without the running unit. */
  get delta(): CounterDelta | undefined {
    return this.#batch?.delta;
  }

  /** Runs `work` when its turn comes; settles when its writes are durable, or with its error and nothing written. */
  run<T>(work: (unit: Unit) => Promise<T>, options: UnitOptions): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { signal } = options;
      const job = async (): Promise<void> => {
        if (signal !== undefined) signal.removeEventListener('abort', cancel);
        if (this.sync.failure !== undefined) {
          reject(this.sync.failure);
          return;
        }
        const unit = new Unit(this);
        this.#current = unit;
        let value: T;
        try {
          value = await limited(unit, work, options);
          unit.check();
          if (unit.depth > 0) throw new GraphError('closed', 'The transaction ended before a savepoint in it did.');
        } catch (error) {
          this.#rollback(unit);
          reject(thrown(error));
          return;
        } finally {
          unit.end();
          this.#current = undefined;
        }
        this.#finish(unit, {
          resolve: () => {
            resolve(value);
          },
          reject,
        });
      };
      const cancel = (): void => {
        const at = this.#queue.indexOf(job);
        if (at >= 0) this.#queue.splice(at, 1);
        reject(aborted());
      };
      if (signal !== undefined) {
        if (signal.aborted) {
          reject(aborted());
          return;
        }
        signal.addEventListener('abort', cancel, { once: true });
      }
      this.#enqueue(job);
    });
  }

  /** Runs `work` with the connection in no transaction and no unit running. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#enqueue(async () => {
        this.#commit();
        await work().then(resolve, reject);
      });
    });
  }

  /** Resolves when everything committed so far is durable. */
  durable(): Promise<void> {
    return this.sync.settled();
  }

  /** Resolves when the queue is empty and everything committed is durable. */
  async drained(): Promise<void> {
    if (this.#running || this.#queue.length > 0) {
      await new Promise<void>((resolve) => {
        this.#drained.push(resolve);
      });
    }
    this.#commit();
    await this.sync.settled();
  }

  #enqueue(job: () => Promise<void>): void {
    this.#queue.push(job);
    if (!this.#running) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#running = true;
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      await job();
      const batch = this.#batch;
      if (batch !== undefined) {
        const late = performance.now() - batch.since > MAX_AGE && !this.sync.busy;
        if (batch.waiting.length >= MAX_UNITS || late) this.#commit();
        else if (batch.waiting.length >= EAGER_UNITS) this.#commitIfIdle();
        else this.#commitSoon();
      }
      if (this.#queue.length > 0 && this.pace.overdue) await nextTurn();
    }
    this.#running = false;
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  /**
   * While a sync runs, committing gains nothing: no one can be acknowledged before the next one. The batch
   * stays open for more until then. A unit that runs but has not written yet does not hold the others up.
   */
  #commitIfIdle(): void {
    if (this.#batch === undefined || this.sync.busy || this.#current?.begun === true) return;
    this.#commit();
  }

  /** At the end of this turn of the loop: what arrives together shares one COMMIT. */
  #commitSoon(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      this.#commitIfIdle();
    });
  }

  begin(unit: Unit): void {
    if (this.sync.failure !== undefined) throw this.sync.failure;
    if (this.#batch === undefined) {
      this.connection.run('BEGIN IMMEDIATE', []);
      this.#batch = { since: performance.now(), waiting: [], changes: [], delta: new CounterDelta(), units: 0 };
    }
    unit.namesMark = this.names.mark;
    // The others' commit waits for this unit now; until it writes they need not wait longer than this.
    unit.begun = true;
  }

  secure(unit: Unit): void {
    if (this.#batch === undefined || this.#batch.units === 0) return;
    this.connection.run('SAVEPOINT unit', []);
    unit.savepoint = true;
  }

  #finish(unit: Unit, waiting: Waiting): void {
    const batch = this.#batch;
    if (batch === undefined) {
      waiting.resolve();
      return;
    }
    if (unit.begun) {
      if (unit.savepoint) this.connection.run('RELEASE unit', []);
      batch.units++;
      batch.changes.push(unit.changes);
      batch.delta.addAll(unit.delta);
    }
    // A unit that only read waits as well: it may have read what the batch has not committed yet.
    batch.waiting.push(waiting);
    this.#startTimer();
  }

  /** For the case that the next unit in the queue waits long before it writes. */
  #startTimer(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#commitIfIdle();
    }, MAX_AGE);
  }

  #rollback(unit: Unit): void {
    if (!unit.begun) return;
    if (!this.connection.inTransaction) {
      // SQLite has ended the transaction itself (disk full, read error): the whole batch is lost.
      this.#lost(new GraphError('unavailable', 'The transaction was ended by an error of a transaction beside it.'));
      return;
    }
    try {
      if (this.#batch !== undefined && this.#batch.units > 0) {
        if (unit.savepoint) {
          this.connection.run('ROLLBACK TO unit', []);
          this.connection.run('RELEASE unit', []);
        }
        unit.takeBack?.();
        this.names.remove(unit.namesMark, this.connection);
      } else {
        this.connection.run('ROLLBACK', []);
        this.names.forget(0);
        const readers = this.#batch?.waiting ?? [];
        this.#clearBatch();
        for (const one of readers) one.resolve();
      }
    } catch (error) {
      if (this.connection.inTransaction) this.connection.run('ROLLBACK', []);
      this.#lost(graphError(error));
    }
  }

  #lost(error: unknown): void {
    const waiting = this.#batch?.waiting ?? [];
    this.names.forget(0);
    this.#clearBatch();
    for (const one of waiting) one.reject(error);
  }

  #clearBatch(): void {
    this.#batch = undefined;
    this.#touched = new Set();
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #commit(): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    if (batch.units === 0) {
      this.connection.run('ROLLBACK', []);
      this.#clearBatch();
      for (const one of batch.waiting) one.resolve();
      return;
    }
    try {
      this.connection.run('COMMIT', []);
    } catch (error) {
      if (this.connection.inTransaction) this.connection.run('ROLLBACK', []);
      this.#lost(graphError(error));
      return;
    }
    const touched = this.#touched;
    this.#clearBatch();
    this.names.committed();
    this.hooks.committed(batch.changes, batch.delta, touched);
    this.sync.cover(batch.waiting);
  }
}

/** What the work threw, as it is; what SQLite threw, as the graph's own error. */
function thrown(error: unknown): Error {
  return error instanceof Error ? graphError(error) : (error as Error);
}

function aborted(): GraphError {
  return new GraphError('aborted', 'The transaction was cancelled.');
}

/** Runs the work until it ends, the time limit passes or the signal fires; a unit cut short is ended at once. */
async function limited<T>(unit: Unit, work: (unit: Unit) => Promise<T>, options: UnitOptions): Promise<T> {
  const { timeout, signal } = options;
  if (timeout <= 0 && signal === undefined) return work(unit);
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      const cut = (error: GraphError): void => {
        unit.end(error);
        reject(error);
      };
      if (timeout > 0) {
        timer = setTimeout(() => {
          cut(new GraphError('query_timeout', `The transaction took longer than ${String(timeout)} ms.`));
        }, timeout);
      }
      if (signal !== undefined) {
        onAbort = () => {
          cut(aborted());
        };
        signal.addEventListener('abort', onAbort, { once: true });
      }
      work(unit).then(resolve, reject);
    });
  } finally {
    if (timer !== undefined) clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
  }
}
