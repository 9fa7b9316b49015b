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
import type { Ending } from '../commit.js';
import { GraphError } from '../errors.js';
import { graphError } from './connection.js';
import type { CounterDelta } from './counters.js';
import type { Names } from './names.js';
import type { CachedNode } from './node-cache.js';
import { nextTurn, type Pace } from './pace.js';
import { Unit, type UnitHost } from './unit.js';
import type { Waiting, WalSync } from './wal-sync.js';
import { WriteRecord } from './write-record.js';
import type { ThreadOptions } from './writer-thread.js';
import type { Room } from './whole/room.js';
import type { Writer } from './writer.js';
import { Batch, type Committed } from './writing/batch.js';
import { bringBack, Handing } from './writing/handing.js';
import { aborted, limited, thrown, type UnitOptions } from './writing/limits.js';
import { Layers } from './writing/pending.js';

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

export interface CommitHooks {
  /** A unit has done its work and changed something; what this writes belongs to it. Throws to refuse it. */
  ending?(unit: Unit, ending: Ending): void;
  /** Synchronously, as soon as a COMMIT is known. */
  committed(commit: Committed): void;
  /** Nothing is acknowledged any more, for a reason that nobody foresaw. */
  broken?(error: Error): void;
}

export class GroupCommit implements UnitHost {
  #queue: (() => Promise<void>)[] = [];
  #running = false;
  #batch: Batch | undefined;
  #current: Unit | undefined;
  readonly #handing: Handing;
  /** The batch that the thread is writing. */
  #handed: Batch | undefined;
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
    threadOptions?: ThreadOptions,
  ) {
    sync.onIdle = () => {
      this.#commitIfIdle();
    };
    writer.check = () => {
      if (this.apart) throw new Error('the connection on the loop does not show what was written before');
    };
    this.#handing = new Handing(threadOptions, (error) => {
      sync.failed(error);
    });
  }

  /** True when a batch that is not committed has written to the entity: caches must not answer for it within transactions. */
  touches(id: string): boolean {
    return this.#batch?.touched.has(id) === true || this.#handed?.touched.has(id) === true;
  }

  touch(id: string): void {
    this.#batch?.touched.add(id);
  }

  get recording(): boolean {
    return this.writer.record !== undefined;
  }

  /** What a unit sees of what is not committed, where that is in memory. */
  layers(unit: Unit): Layers {
    const layers = [unit.pending];
    if (this.#batch !== undefined) layers.push(this.#batch.pending);
    if (this.#handed !== undefined) layers.push(this.#handed.pending);
    return new Layers(layers.filter((one) => !one.isEmpty));
  }

  /** The same for one node: null: it is gone; undefined: no layer has it. */
  pendingNode(unit: Unit, id: string): CachedNode | null | undefined {
    const found =
      unit.pending.nodes.get(id) ?? this.#batch?.pending.nodes.get(id) ?? this.#handed?.pending.nodes.get(id);
    return found === undefined ? undefined : (found.now ?? null);
  }

  /** Whether a batch that is not committed has written entries of rights of this node. */
  writesEntries(node: number): boolean {
    for (const batch of [this.#batch, this.#handed]) {
      const entries = batch?.entries ?? [];
      for (let i = 1; i < entries.length; i += 2) if (entries[i] === node) return true;
    }
    return false;
  }

  /** To be awaited, when it is something, before a unit writes. */
  ready(unit: Unit): Promise<void> | undefined {
    if (this.#batch !== undefined) return this.writer.record?.tooLong === true ? this.shown(unit) : undefined;
    return this.#handing.busy && !this.#mayRecord(unit) ? this.#idle(unit) : undefined;
  }

  /**
   * To be awaited, when it is something, before a unit uses the writer's connection: afterwards this shows all that was written, and the
   * unit writes there to its end. Throws when what was written before is lost.
   */
  shown(unit: Unit): Promise<void> | undefined {
    unit.onLoop = true;
    return this.apart ? this.#show(unit) : undefined;
  }

  async #show(unit: Unit): Promise<void> {
    await this.#idle(unit);
    // Another step of the same unit may have been faster.
    if (this.writer.record !== undefined) this.#bringBack();
  }

  /** Resolves when the thread has no batch. */
  async #idle(unit: Unit): Promise<void> {
    while (this.#handed !== undefined) await this.#handing.news();
    unit.check();
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
          if (options.onLoop === true) await this.shown(unit);
          value = await limited(unit, work, options);
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
    await this.#handing.thread?.started;
  }

  /** Ends the thread; after `drained`. */
  async close(): Promise<void> {
    await this.#handing.thread?.close();
  }

  #enqueue(job: () => Promise<void>): void {
    this.#queue.push(job);
    if (!this.#running) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#running = true;
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
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
    this.#number = batch.last ?? this.#number;
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
    if (this.#handing.busy) return true;
    if (this.writer.record !== undefined && (this.#batch?.waiting.length ?? 0) >= EAGER_UNITS) return false;
    return this.sync.busy || this.#handing.syncing;
  }

  /** Commits although a sync may be running. While the thread has another batch, units wait, and the loop does other things. */
  async #commitNext(): Promise<void> {
    const batch = this.#batch;
    while (this.#handing.busy && this.#batch === batch) await this.#handing.news();
    if (this.#batch === batch) this.#commit();
  }

  /** Afterwards all is committed that was written, between two units. */
  async #commitAll(): Promise<void> {
    await this.#commitNext();
    while (this.#handing.busy) await this.#handing.news();
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
    if (this.#batch === undefined) this.#open(unit);
    unit.namesMark = this.names.mark;
    unit.recordMark = this.writer.record?.mark;
    // The others' commit waits for this unit now; until it writes they need not wait longer than this.
    unit.begun = true;
  }

  #mayRecord(unit: Unit): boolean {
    return !unit.onLoop && this.room?.tight !== true && this.#handing.possible;
  }

  #open(unit: Unit): void {
    const { writer } = this;
    const thread = this.#mayRecord(unit) ? this.#handing.forNext() : undefined;
    if (thread === undefined) {
      writer.check();
      writer.connection.run('BEGIN IMMEDIATE', []);
    } else writer.record = new WriteRecord(thread.numbers);
    this.#batch = new Batch();
  }

  secure(unit: Unit): void {
    // What is recorded is cut off instead.
    if (this.#batch === undefined || this.#batch.units === 0 || this.writer.record !== undefined) return;
    this.writer.connection.run('SAVEPOINT unit', []);
    unit.savepoint = true;
  }

  /** Runs on the loop what is recorded, while the thread has nothing. Throws when it is lost. */
  #bringBack(): void {
    const { connection, record } = this.writer;
    if (record === undefined) return;
    this.#handing.cameBack();
    this.writer.record = undefined;
    const unit = this.#current?.begun === true ? this.#current : undefined;
    try {
      bringBack(connection, record, unit, (this.#batch?.units ?? 0) > 0);
      this.#batch?.show(unit);
      if (unit !== undefined) unit.levels.length = 0;
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
    const last = this.#batch?.last ?? this.#handed?.last ?? this.#number;
    const ending = { number: last + 1, time: Date.now(), origin: unit.origin, changes: unit.changes };
    this.hooks.ending?.(unit, ending);
    unit.commit = ending;
  }

  #finish(unit: Unit, waiting: Waiting): void {
    const batch = this.#batch;
    if (batch === undefined) {
      this.#acknowledgeReaders([waiting]);
      return;
    }
    if (unit.begun) {
      if (unit.savepoint && !this.#release(waiting)) return;
      batch.units++;
      if (unit.commit !== undefined) batch.commits.push(unit.commit);
      batch.delta.addAll(unit.delta);
      batch.take(unit);
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

  /** The batch has written nothing: whoever only read in it need not wait for it. */
  #dropBatch(): void {
    const readers = this.#batch?.waiting ?? [];
    this.#clearBatch();
    this.#acknowledgeReaders(readers);
  }

  /** They may have read what the thread is writing. */
  #acknowledgeReaders(readers: readonly Waiting[]): void {
    if (this.#handed === undefined) for (const one of readers) one.resolve();
    else this.#handed.waiting.push(...readers);
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
    if (this.writer.record !== undefined && this.#handing.thread?.ready !== true) {
      // The thread is no more, or about to end.
      try {
        this.#bringBack();
      } catch {
        // All who wait have been told.
        return;
      }
    }
    const { record } = this.writer;
    const number = batch.last;
    if (batch.units === 0) {
      if (record === undefined) connection.run('ROLLBACK', []);
      this.#dropBatch();
      return;
    }
    this.#handing.committing(batch.units);
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
    this.#handing.handedOver();
    this.#handing.thread?.run(record, {
      committed: (failure) => {
        this.#handed = undefined;
        if (failure === undefined) {
          this.#committed(batch);
          this.#commitIfIdle();
          return;
        }
        if (failure.code === 'storage_full') this.writer.connection.onFull?.();
        if (failure.code === 'damaged') this.writer.connection.onDamage?.(failure);
        // What was read and recorded meanwhile may rely on what is lost.
        this.#current?.end(failure);
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
