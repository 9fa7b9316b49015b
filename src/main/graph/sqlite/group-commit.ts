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
import type { Commit, Ending, Origin } from '../commit.js';
import { GraphError } from '../errors.js';
import { graphError } from './connection.js';
import { CounterDelta } from './counters.js';
import type { Names } from './names.js';
import { aborted, type Hold, limited } from './limited.js';
import { nextTurn, type Pace } from './pace.js';
import { isOwn, Turns } from './turns.js';
import { Unit, type UnitHost } from './unit.js';
import type { SqlValue } from './values.js';
import type { Waiting, WalSync } from './wal-sync.js';
import { replay, WriteRecord } from './write-record.js';
import { type ThreadOptions, WriterThread } from './writer-thread.js';
import type { Room } from './whole/room.js';
import type { Writer } from './writer.js';

/** A batch is committed when it holds this many units, whether or not the disk is busy. */
const MAX_UNITS = 256;
/**
 * Units after which an idle disk gets its work at once, while the rest of what arrived together is still being done: writers
 * so fall into two groups, one waiting for the disk while the other is worked on.
 */
const EAGER_UNITS = 32;
/** Milliseconds after which a batch is committed although more units are waiting. */
const MAX_AGE = 2;

/** Units in a batch from which on the next one may be recorded for the writer's thread. */
const MANY_UNITS = 8;
/** Batches on the loop after one that could not stay recorded: at first, and at most. */
const PAUSE = 32;
const MAX_PAUSE = 1024;

const SET_NUMBER = "INSERT OR REPLACE INTO flag(name, value) VALUES ('commit', ?)";

/** What a commit has changed. */
export interface Committed {
  /** Of the units that have changed something, in order. */
  readonly commits: readonly Commit[];
  readonly delta: CounterDelta;
  /** Ids of nodes that were written; perhaps some too many. */
  readonly touched: ReadonlySet<string>;
  /** Types and nodes, in turns, whose entries of rights were written; perhaps some too many. */
  readonly entries: readonly number[];
}

class Batch implements Committed {
  readonly since = performance.now();
  readonly waiting: Waiting[] = [];
  readonly commits: Commit[] = [];
  readonly delta = new CounterDelta();
  readonly touched = new Set<string>();
  readonly entries: number[] = [];
  /** Units that wrote something and ended well. */
  units = 0;
}

export interface UnitOptions {
  /** Milliseconds; 0: none. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  readonly origin?: Origin | undefined;
}

export interface WriterLimits {
  /** Milliseconds for which a unit may be the writer while others wait for it; absent or 0: for as long as its own limit says. */
  readonly hold?: number | undefined;
}

export interface CommitHooks {
  /** A unit has done its work and changed something; what this writes belongs to it. Throws to refuse it. */
  ending?(unit: Unit, ending: Ending): void;
  /** Just before a COMMIT; `apart`: by the thread, some time after. */
  committing?(apart: boolean): void;
  /** Synchronously, as soon as a COMMIT is known. */
  committed(commit: Committed): void;
  /** Nothing is acknowledged any more, for a reason that nobody foresaw. */
  broken?(error: Error): void;
}

export class GroupCommit implements UnitHost {
  readonly #queue = new Turns<() => Promise<void>>();
  #running = false;
  #batch: Batch | undefined;
  #current: Unit | undefined;
  #thread: WriterThread | undefined;
  /** The batch that the thread is writing. */
  #handed: Batch | undefined;
  /** Units of the last batch that was committed. */
  #lastUnits = 0;
  /** Batches to be written on the loop before one is recorded again, and how many it will be the next time. */
  #onLoop = 0;
  #pause = PAUSE;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #drained: (() => void)[] = [];
  /** Where it is tight a batch is not recorded: one transaction that does not fit would take all of it with it. */
  room: Pick<Room, 'tight' | 'deleting'> | undefined;
  /** Number of the last commit; see `Commit`. */
  #number = 0;

  constructor(
    private readonly writer: Writer,
    private readonly names: Names,
    private readonly sync: WalSync,
    private readonly hooks: CommitHooks,
    private readonly pace: Pace,
    /** Absent: all is written on the loop. */
    private readonly threadOptions?: ThreadOptions,
    private readonly limits: WriterLimits = {},
  ) {
    sync.onIdle = () => {
      this.#commitIfIdle();
    };
    writer.settle = () => {
      this.#settle();
    };
    if (threadOptions?.from === 0) this.#startThread(threadOptions);
  }

  /** True when a batch that is not committed has written to the entity: caches must not answer for it within transactions. */
  touches(id: string): boolean {
    return this.#batch?.touched.has(id) === true || this.#handed?.touched.has(id) === true;
  }

  touch(id: string): void {
    this.#batch?.touched.add(id);
  }

  /** The running unit has written entries of rights of this node. */
  wroteEntries(type: number, node: number): void {
    this.#batch?.entries.push(type, node);
  }

  /** True while there are writes that are not committed: what the writer reads is not for everyone. */
  get open(): boolean {
    return this.#batch !== undefined || this.#handed !== undefined;
  }

  /** True while something is written elsewhere than on the writer's connection: to read there is to wait. */
  get apart(): boolean {
    return this.#handed !== undefined || this.writer.record !== undefined;
  }

  /** What batches that are not committed add to the counters, without the running unit. */
  deltas(): CounterDelta[] {
    const deltas: CounterDelta[] = [];
    if (this.#handed !== undefined) deltas.push(this.#handed.delta);
    if (this.#batch !== undefined) deltas.push(this.#batch.delta);
    return deltas;
  }

  get intact(): boolean {
    return this.writer.record !== undefined || this.writer.connection.inTransaction;
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
        const unit = new Unit(this, options.origin);
        this.#current = unit;
        let value: T;
        try {
          value = await limited(unit, work, options, this.#hold(options.origin));
          unit.check();
          if (unit.depth > 0) throw new GraphError('closed', 'The transaction ended before a savepoint in it did.');
          this.#end(unit);
        } catch (error) {
          const reason = thrown(error);
          this.#rollback(unit, reason);
          reject(reason);
          return;
        } finally {
          unit.end();
          this.#current = undefined;
        }
        try {
          this.#finish(unit, {
            resolve: () => {
              resolve(value);
            },
            reject,
          });
        } catch (error) {
          reject(thrown(error));
          throw error;
        }
      };
      const cancel = (): void => {
        this.#queue.remove(job, options.origin);
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

  /** Number of the last commit. */
  get number(): number {
    return this.#number;
  }

  /** Takes up the numbers where the database has left them. */
  load(): void {
    const { connection } = this.writer;
    this.#number = Number(connection.get("SELECT value FROM flag WHERE name = 'commit'", [])?.[0] ?? 0);
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

  /** For tests: resolves when the thread can be used. */
  async started(): Promise<void> {
    await this.#thread?.started;
  }

  /** Ends the thread; after `drained`. */
  async close(): Promise<void> {
    await this.#thread?.close();
  }

  /** How long a unit may be the writer while others wait; what the service does by itself may end. */
  #hold(origin: Origin | undefined): Hold {
    const most = isOwn(origin) ? 0 : (this.limits.hold ?? 0);
    return { most, othersWait: () => this.#queue.length > 0 };
  }

  #enqueue(job: () => Promise<void>, origin?: Origin): void {
    this.#queue.add(job, origin);
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
    const batch = this.#batch;
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
    this.#lost(failure);
  }

  /** The batch is in the database: all who keep something of it hear of it. */
  #committed(batch: Batch): void {
    this.#number = lastOf(batch) ?? this.#number;
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
    if (this.#batch === undefined || this.#busy || this.#current?.begun === true) return;
    this.#commit();
  }

  /** The thread writes what comes before, or a sync runs and what has gathered is little. */
  get #busy(): boolean {
    const thread = this.#thread;
    if (thread?.busy === true) return true;
    if (this.writer.record !== undefined && (this.#batch?.waiting.length ?? 0) >= EAGER_UNITS) return false;
    return this.sync.busy || thread?.syncing === true;
  }

  /** Commits although a sync may be running. While the thread has another batch, units wait, and the loop does other things. */
  async #commitNext(): Promise<void> {
    const batch = this.#batch;
    while (this.#thread?.busy === true && this.#batch === batch) await this.#thread.news();
    if (this.#batch === batch) this.#commit();
  }

  /** Afterwards all is committed that was written, between two units. */
  async #commitAll(): Promise<void> {
    await this.#commitNext();
    while (this.#thread?.busy === true) await this.#thread.news();
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
    if (this.#batch === undefined) this.#open();
    unit.namesMark = this.names.mark;
    unit.recordMark = this.writer.record?.mark;
    // The others' commit waits for this unit now; until it writes they need not wait longer than this.
    unit.begun = true;
  }

  #open(): void {
    const { writer } = this;
    const thread = this.#threadForNext();
    if (thread === undefined) {
      this.#thread?.wait();
      writer.connection.run('BEGIN IMMEDIATE', []);
    } else writer.record = new WriteRecord(thread.numbers);
    this.#batch = new Batch();
  }

  /** The thread, when the next batch is to be recorded for it. It is started when it would be used for the first time. */
  #threadForNext(): WriterThread | undefined {
    const { threadOptions } = this;
    if (threadOptions === undefined || threadOptions.statements?.all === true) return undefined;
    if (this.room?.tight === true) return undefined;
    // Whoever would write here has to wait for it.
    if (this.#thread?.busy === true) return this.#thread;
    if (this.#lastUnits < (threadOptions.from ?? MANY_UNITS)) return undefined;
    if (this.#onLoop > 0) {
      this.#onLoop--;
      return undefined;
    }
    const thread = this.#thread ?? this.#startThread(threadOptions);
    return thread.ready ? thread : undefined;
  }

  #startThread(options: ThreadOptions): WriterThread {
    this.#thread = new WriterThread(options, (error, working) => {
      this.#onLoop = Infinity;
      // What it had in work may be committed or not, and names and numbers of rows with it.
      if (working) this.sync.failed(error);
      else options.onError(error);
    });
    return this.#thread;
  }

  secure(unit: Unit): void {
    // What is recorded is cut off instead.
    if (this.#batch === undefined || this.#batch.units === 0 || this.writer.record !== undefined) return;
    this.writer.connection.run('SAVEPOINT unit', []);
    unit.savepoint = true;
  }

  /** Afterwards the thread is idle, and the connection shows all that was written. Throws when that was lost. */
  #settle(): void {
    const { writer } = this;
    if (this.#handed !== undefined) {
      this.#thread?.wait();
      this.#current?.check();
    }
    const { record } = writer;
    if (record === undefined) return;
    if (this.threadOptions?.from !== 0) this.#onLoop = this.#pause;
    this.#pause = Math.min(MAX_PAUSE, this.#pause * 2);
    writer.record = undefined;
    const unit = this.#current?.begun === true ? this.#current : undefined;
    const { connection } = writer;
    const run = (statement: number, params: readonly SqlValue[]): void => {
      connection.run(record.textOf(statement), params);
    };
    try {
      connection.run('BEGIN IMMEDIATE', []);
      const own = unit?.recordMark ?? record.mark;
      replay(record, run, undefined, own);
      if (unit !== undefined && this.#batch !== undefined && this.#batch.units > 0) {
        connection.run('SAVEPOINT unit', []);
        unit.securedWhole();
      }
      replay(record, run, own);
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK', []);
      const reason = graphError(error);
      unit?.end(reason instanceof GraphError ? reason : undefined);
      this.#lost(reason);
      throw reason;
    }
  }

  /** The work is done, and what it changed is known: the unit gets its number, which a batch that is lost gives back. */
  #end(unit: Unit): void {
    if (!unit.begun || unit.changes.length === 0) return;
    const last = lastOf(this.#batch) ?? lastOf(this.#handed) ?? this.#number;
    const ending = { number: last + 1, time: Date.now(), origin: unit.origin, changes: unit.changes };
    this.hooks.ending?.(unit, ending);
    unit.commit = ending;
  }

  #finish(unit: Unit, waiting: Waiting): void {
    const batch = this.#batch;
    if (batch === undefined) {
      waiting.resolve();
      return;
    }
    if (unit.begun) {
      if (unit.savepoint && !this.#release(waiting)) return;
      batch.units++;
      if (unit.commit !== undefined) batch.commits.push(unit.commit);
      batch.delta.addAll(unit.delta);
    }
    // A unit that only read waits as well: it may have read what the batch has not committed yet.
    batch.waiting.push(waiting);
    this.#startTimer();
  }

  /** False when SQLite refused: what the unit wrote can be neither kept nor taken back by itself, so the batch is lost. */
  #release(waiting: Waiting): boolean {
    const { connection } = this.writer;
    try {
      connection.run('RELEASE unit', []);
      return true;
    } catch (error) {
      const reason = graphError(error);
      waiting.reject(reason);
      if (connection.inTransaction) connection.run('ROLLBACK', []);
      this.#lost(reason);
      return false;
    }
  }

  /** For the case that the next unit in the queue waits long before it writes. */
  #startTimer(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#commitIfIdle();
    }, MAX_AGE);
  }

  #rollback(unit: Unit, reason: Error): void {
    const batch = this.#batch;
    // A batch that was lost took the unit with it.
    if (!unit.begun || batch === undefined) return;
    const { connection, record } = this.writer;
    if (record !== undefined && unit.recordMark !== undefined) {
      record.cut(unit.recordMark);
      this.names.forget(unit.namesMark);
      if (batch.units === 0) this.#dropBatch();
      return;
    }
    if (!connection.inTransaction) {
      // SQLite has ended the transaction itself (disk full, read error): the whole batch is lost.
      const full = reason instanceof GraphError && reason.code === 'storage_full';
      const beside = new GraphError('unavailable', 'The transaction was ended by an error of a transaction beside it.');
      this.#lost(full ? reason : beside);
      return;
    }
    try {
      if (batch.units > 0) {
        if (unit.savepoint) {
          connection.run('ROLLBACK TO unit', []);
          connection.run('RELEASE unit', []);
        }
        unit.takeBack?.();
        this.names.remove(unit.namesMark, connection);
      } else {
        connection.run('ROLLBACK', []);
        this.names.forget(0);
        this.#dropBatch();
      }
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK', []);
      this.#lost(graphError(error));
    }
  }

  /** The batch has written nothing: whoever only read in it need not wait. */
  #dropBatch(): void {
    const readers = this.#batch?.waiting ?? [];
    this.#clearBatch();
    for (const one of readers) one.resolve();
  }

  #lost(error: unknown): void {
    const waiting = this.#batch?.waiting ?? [];
    this.names.forget(0);
    this.#clearBatch();
    for (const one of waiting) one.reject(error);
  }

  #clearBatch(): void {
    this.#batch = undefined;
    this.writer.record = undefined;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #commit(): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    const { connection } = this.writer;
    if (this.writer.record !== undefined && this.#thread?.ready !== true) {
      // The thread is no more, or about to end.
      try {
        this.#settle();
      } catch {
        // All who wait have been told.
        return;
      }
    }
    const { record } = this.writer;
    const number = lastOf(batch);
    if (batch.units === 0) {
      if (record === undefined) connection.run('ROLLBACK', []);
      this.#dropBatch();
      return;
    }
    // One that is small by chance changes nothing.
    this.#lastUnits = Math.max(batch.units, this.#lastUnits * 0.8);
    this.hooks.committing?.(record !== undefined);
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
      this.#lost(graphError(error));
      return;
    }
    this.#clearBatch();
    this.names.committed();
    this.#committed(batch);
    this.sync.cover(batch.waiting);
  }

  #handOver(batch: Batch, record: WriteRecord): void {
    const names = this.names.committing();
    this.#clearBatch();
    this.#handed = batch;
    this.#pause = PAUSE;
    this.#thread?.run(record, {
      committed: (failure) => {
        this.#handed = undefined;
        if (failure === undefined) {
          this.#committed(batch);
          this.#commitIfIdle();
          return;
        }
        if (failure.code === 'storage_full') this.writer.connection.onFull?.();
        if (failure.code === 'damaged') this.writer.connection.onDamage?.(failure);
        // What was recorded meanwhile may rely on what is lost.
        if (this.#current?.begun === true) this.#current.end(failure);
        this.#lost(failure);
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

function lastOf(batch: Batch | undefined): number | undefined {
  return batch?.commits.at(-1)?.number;
}

/** What the work threw, as it is; what SQLite threw, as the graph's own error. */
function thrown(error: unknown): Error {
  return error instanceof Error ? graphError(error) : (error as Error);
}
