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
import { type Origin, turnOf } from '../../commits/commit.js';
import { GraphError } from '../../errors.js';
import { graphError } from '../connection/connection.js';
import type { Names } from '../connection/names.js';
import { aborted, type Hold, limited } from './limited.js';
import { nextTurn, type Pace } from '../connection/pace.js';
import { Turns } from '../turns.js';
import { Unit } from './unit.js';
import type { WalSync } from '../whole/wal-sync.js';
import type { WriteRecord } from './write-record.js';
import type { ThreadOptions } from './writer-thread.js';
import type { Writer } from './writer.js';
import type { Batch } from './batch.js';
import { Batches, type CommitHooks } from './batches.js';
import { thrown, type UnitOptions } from './unit-options.js';

/** A batch is committed when it holds this many units, whether or not the disk is busy. */
const MAX_UNITS = 256;
/**
 * Units after which an idle disk gets its work at once, while the rest of what arrived together is still being done: writers
 * so fall into two groups, one waiting for the disk while the other is worked on.
 */
const EAGER_UNITS = 32;
/** Milliseconds after which a batch is committed although more units are waiting. */
const MAX_AGE = 2;

const SET_NUMBER = "INSERT OR REPLACE INTO flag(name, value) VALUES ('commit', ?)";

export interface WriterLimits {
  /** Milliseconds for which a unit may be the writer while others wait for it; absent or 0: for as long as its own limit says. */
  readonly hold?: number | undefined;
}

export class GroupCommit extends Batches {
  readonly #queue = new Turns<() => Promise<void>>();
  #running = false;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #drained: (() => void)[] = [];

  constructor(
    writer: Writer,
    names: Names,
    sync: WalSync,
    hooks: CommitHooks,
    private readonly pace: Pace,
    /** Absent: all is written on the loop. */
    threadOptions?: ThreadOptions,
    private readonly limits: WriterLimits = {},
  ) {
    super(writer, names, sync, hooks, threadOptions);
    sync.onIdle = () => {
      this.#commitIfIdle();
    };
  }

  /** Units that wait for their turn. */
  get waiting(): number {
    return this.#queue.length;
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
        const done = await this.#attempt(work, options, reject);
        if (done === undefined) return;
        const { unit, value } = done;
        try {
          this.finish(unit, {
            resolve: () => {
              resolve(value);
            },
            reject,
          });
        } catch (error) {
          reject(thrown(error));
          throw error;
        }
        if (unit.isWhole) await this.#commitAll();
        else if (unit.inPieces) await this.#commitNext();
      };
      const cancel = (): void => {
        this.#queue.remove(job, turnOf(options.origin));
        reject(aborted());
      };
      if (signal !== undefined) {
        if (signal.aborted) {
          reject(aborted());
          return;
        }
        signal.addEventListener('abort', cancel, { once: true });
      }
      this.#enqueue(job, options.origin);
    });
  }

  /** A unit that has done its work; undefined: it has failed, with nothing written, and `reject` has heard why. */
  async #attempt<T>(
    work: (unit: Unit) => Promise<T>,
    options: UnitOptions,
    reject: (reason: Error) => void,
  ): Promise<{ readonly unit: Unit; readonly value: T } | undefined> {
    const unit = new Unit(this, options.origin);
    this.current = unit;
    const began = performance.now();
    try {
      if (options.onLoop === true) await this.shown(unit);
      else if (options.large === true) unit.inPieces = await this.#alone();
      if (options.signal?.aborted === true) throw aborted();
      const value = await limited(unit, work, options, this.#hold(options.origin));
      unit.check();
      // Work that went on without what it was refused is not whole.
      if (unit.needsLoop) throw new GraphError('closed', 'The transaction is written elsewhere.');
      if (unit.depth > 0) throw new GraphError('closed', 'The transaction ended before a savepoint in it did.');
      const ending = this.end(unit);
      if (ending !== undefined) {
        await ending;
        unit.check();
      }
      return { unit, value };
    } catch (error) {
      const reason = thrown(error);
      this.rollback(unit, reason);
      if (unit.handed) {
        this.#refused(reason);
        await this.handing.thread?.takeBack();
      }
      if (unit.needsLoop) {
        const left = Math.max(1, options.timeout - Math.ceil(performance.now() - began));
        const timeout = options.timeout > 0 ? left : 0;
        return await this.#attempt(work, { ...options, timeout, large: false, onLoop: true }, reject);
      }
      reject(reason);
      return undefined;
    } finally {
      unit.end();
      if (this.current === unit) this.current = undefined;
    }
  }

  /** All that was written is committed, so that a unit can be handed over in pieces; false: there is no thread for that. */
  async #alone(): Promise<boolean> {
    // How large the database may become is known on the loop alone.
    const isTight = this.room?.tight === true || this.room?.limited === true;
    if (isTight || (await this.handing.forPieces()) === undefined) return false;
    await this.#commitAll();
    return true;
  }

  /** Runs `work` with the connection in no transaction, no unit running and the thread idle. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#enqueue(async () => {
        await this.#commitAll();
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
    await this.#commitAll();
    await this.sync.settled();
  }

  /**
   * Hears of what the thread has committed, if it has said so: others may know of it already. A promise: it is about to say it.
   */
  hear(): Promise<void> | undefined {
    this.handing.thread?.hear();
    return this.handed === undefined ? undefined : this.handing.news();
  }

  /** For tests: resolves when the thread can be used. */
  async started(): Promise<void> {
    await this.handing.thread?.started;
  }

  /** Ends the thread; after `drained`. */
  async close(): Promise<void> {
    await this.handing.thread?.close();
  }

  /** How long a unit may be the writer while others wait; what the service does by itself may end. */
  #hold(origin: Origin | undefined): Hold {
    const most = turnOf(origin) === undefined ? 0 : (this.limits.hold ?? 0);
    return { most, othersWait: () => this.#queue.length > 0 };
  }

  #enqueue(job: () => Promise<void>, origin?: Origin): void {
    this.#queue.add(job, turnOf(origin));
    if (!this.#running) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#running = true;
    for (let job = this.#queue.next(); job !== undefined; job = this.#queue.next()) {
      try {
        await job();
        await this.#afterUnit();
      } catch (error) {
        this.#broken(error);
      }
      if (this.#queue.length > 0 && this.pace.overdue) await nextTurn();
    }
    this.#running = false;
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  async #afterUnit(): Promise<void> {
    const batch = this.batch;
    if (batch === undefined) return;
    const late = performance.now() - batch.since > MAX_AGE && !this.#busy;
    if (batch.waiting.length >= MAX_UNITS || this.writer.record?.full === true || late) await this.#commitNext();
    else if (batch.waiting.length >= EAGER_UNITS) this.#commitIfIdle();
    else this.#commitSoon();
  }

  /** What nobody foresaw: nobody knows what is written. Everybody is told, those to come as well; nobody waits for ever. */
  #broken(error: unknown): void {
    const failure = this.sync.failed(error instanceof Error ? error : new Error(String(error)));
    this.hooks.broken?.(failure);
    this.lost(failure);
  }

  /** The batch is in the database: all who keep something of it hear of it. */
  #committed(batch: Batch): void {
    this.last = batch.last ?? this.last;
    try {
      this.hooks.committed(batch);
    } catch (error) {
      this.#broken(error);
    }
  }

  /**
   * While a sync runs, committing gains nothing: no one can be acknowledged before the next one. The batch
   * stays open for more until then. A unit that runs but has not written yet does not hold the others up.
   */
  #commitIfIdle(): void {
    // The end of what the thread does comes here again.
    if (this.batch === undefined || this.handed !== undefined || this.#busy || this.current?.begun === true) return;
    this.#commit();
  }

  /** The thread writes what comes before, or a sync runs and what has gathered is little. */
  get #busy(): boolean {
    if (this.handing.busy) return true;
    if (this.writer.record !== undefined && (this.batch?.waiting.length ?? 0) >= EAGER_UNITS) return false;
    return this.sync.busy || this.handing.syncing;
  }

  /** Commits although a sync may be running. While the thread has another batch, units wait, and the loop does other things. */
  async #commitNext(): Promise<void> {
    const batch = this.batch;
    while (this.handing.busy && this.batch === batch) await this.handing.news();
    if (this.batch === batch) this.#commit();
  }

  /** Afterwards all is committed that was written, between two units. */
  async #commitAll(): Promise<void> {
    await this.#commitNext();
    while (this.handing.busy) await this.handing.news();
  }

  /** At the end of this turn of the loop: what arrives together shares one COMMIT. */
  #commitSoon(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      this.#commitIfIdle();
    });
  }

  /** For the case that the next unit in the queue waits long before it writes. */
  protected gathered(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#commitIfIdle();
    }, MAX_AGE);
  }

  protected override clear(): void {
    super.clear();
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #commit(): void {
    const batch = this.batch;
    if (batch === undefined) return;
    const { connection } = this.writer;
    if (this.writer.record !== undefined && this.handing.thread?.ready !== true) {
      // The thread is no more, or about to end.
      if (batch.inPieces) {
        this.lost(new GraphError('unavailable', 'The thread that wrote the transaction is no more.'));
        return;
      }
      try {
        this.bringBack();
      } catch {
        // All who wait have been told.
        return;
      }
    }
    const { record } = this.writer;
    const number = batch.last;
    if (batch.units === 0) {
      if (record === undefined) connection.run('ROLLBACK', []);
      this.dropBatch();
      return;
    }
    this.handing.committing(batch.units);
    this.hooks.committing?.(record !== undefined, batch);
    if (record !== undefined) {
      if (number !== undefined) record.addLast(SET_NUMBER, number);
      this.#handOver(batch, record);
      return;
    }
    try {
      if (number !== undefined) connection.run(SET_NUMBER, [number]);
      connection.run('COMMIT', []);
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK', []);
      this.hooks.failed?.();
      this.lost(graphError(error));
      return;
    }
    this.clear();
    this.names.committed();
    this.#committed(batch);
    this.sync.cover(batch.waiting);
  }

  /** The thread could not write. */
  #refused(failure: Error): void {
    if (!(failure instanceof GraphError)) return;
    if (failure.code === 'storage_full') this.writer.connection.onFull?.();
    if (failure.code === 'damaged') this.writer.connection.onDamage?.(failure);
  }

  #handOver(batch: Batch, record: WriteRecord): void {
    const names = this.names.committing();
    this.clear();
    this.handed = batch;
    this.handing.handedOver();
    this.handing.thread?.run(record, {
      committed: (failure) => {
        this.handed = undefined;
        if (failure === undefined) {
          this.#committed(batch);
          this.#commitIfIdle();
          return;
        }
        this.hooks.failed?.();
        this.#refused(failure);
        // What was read and recorded meanwhile may rely on what is lost.
        this.current?.end(failure);
        this.lost(failure);
        this.names.drop(names);
        for (const one of batch.waiting) one.reject(failure);
      },
      durable: (error) => {
        const failure = error === undefined ? this.sync.failure : this.sync.failed(error);
        // First the next commit, then the waiters: the disk is not to wait for their continuations.
        this.#commitIfIdle();
        for (const one of batch.waiting) {
          if (failure === undefined) one.resolve();
          else one.reject(failure);
        }
      },
    });
  }
}
