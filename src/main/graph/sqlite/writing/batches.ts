/** The batches of transactions that are not committed: what units see of them, and how what a unit writes gets into one, or is taken back. */
import type { Ending } from '../../commits/commit.js';
import { GraphError } from '../../errors.js';
import { graphError } from '../connection/connection.js';
import type { CounterDelta } from '../indexes/counters.js';
import type { Names } from '../connection/names.js';
import type { CachedNode } from '../caches/cached-node.js';
import type { Unit, UnitHost } from './unit.js';
import type { Waiting, WalSync } from '../whole/wal-sync.js';
import type { Room } from '../whole/room.js';
import { WriteRecord } from './write-record.js';
import type { ThreadOptions, WriterThread } from './writer-thread.js';
import type { Writer } from './writer.js';
import { Batch, type Committed } from './batch.js';
import { bringBack, Handing } from './handing.js';
import { Layers } from './pending.js';

export interface CommitHooks {
  /** A unit has done its work and changed something; what this writes belongs to it. Throws to refuse it. A promise: there is much to write. */
  ending?(unit: Unit, ending: Ending): Promise<void> | undefined;
  /** Just before a COMMIT; `apart`: by the thread, some time after. */
  committing?(apart: boolean, batch: Batch): void;
  /** It has failed. */
  failed?(): void;
  /** Synchronously, as soon as a COMMIT is known. */
  committed(commit: Committed): void;
  /** Nothing is acknowledged any more, for a reason that nobody foresaw. */
  broken?(error: Error): void;
}

export abstract class Batches implements UnitHost {
  /** The one that units write to. */
  protected batch: Batch | undefined;
  /** The one that the thread is writing. */
  protected handed: Batch | undefined;
  /** The unit that has its turn. */
  protected current: Unit | undefined;
  protected readonly handing: Handing;
  /** Where it is tight a batch is not recorded: one transaction that does not fit would take all of it with it. */
  room: Pick<Room, 'tight' | 'limited' | 'deleting'> | undefined;
  /** Number of the last commit; see `Commit`. */
  protected last = 0;

  constructor(
    protected readonly writer: Writer,
    protected readonly names: Names,
    protected readonly sync: WalSync,
    protected readonly hooks: CommitHooks,
    /** Absent: all is written on the loop. */
    threadOptions?: ThreadOptions,
  ) {
    writer.check = () => {
      if (this.apart) throw new Error('the connection on the loop does not show what was written before');
    };
    this.handing = new Handing(threadOptions, (error) => {
      sync.failed(error);
    });
  }

  /** A unit has ended well: the batch is to be committed even if no other unit ends soon. */
  protected abstract gathered(): void;

  /** True when a batch that is not committed has written to the entity: caches must not answer for it within transactions. */
  touches(id: string): boolean {
    return this.batch?.touches(id) === true || this.handed?.touches(id) === true;
  }

  touch(id: string): void {
    this.batch?.touch(id);
  }

  get recording(): boolean {
    return this.writer.record !== undefined;
  }

  /** What a unit sees of what is not committed, where that is in memory. */
  layers(unit: Unit): Layers {
    const layers = [unit.pending, this.batch?.pending, this.handed?.pending];
    return new Layers(layers.filter((one) => one !== undefined));
  }

  /** The same for one node: null: it is gone; undefined: no layer has it. */
  pendingNode(unit: Unit, id: string): CachedNode | null | undefined {
    const found =
      unit.pending?.nodes.get(id) ?? this.batch?.pending?.nodes.get(id) ?? this.handed?.pending?.nodes.get(id);
    return found === undefined ? undefined : (found.now ?? null);
  }

  /** Whether a batch that is not committed has written entries of rights of this node. */
  writesEntries(node: number): boolean {
    return this.batch?.writesEntries(node) === true || this.handed?.writesEntries(node) === true;
  }

  /** To be awaited, when it is something, before a unit writes. */
  ready(unit: Unit): Promise<void> | undefined {
    if (this.batch !== undefined) {
      const { record } = this.writer;
      if (unit.inPieces && unit.depth === 0 && record !== undefined) {
        return record.size > this.handing.piece ? this.#handPiece(unit, record) : undefined;
      }
      return record?.tooLong === true ? this.shown(unit) : undefined;
    }
    return this.handing.busy && !this.#mayRecord(unit) ? this.#idle(unit) : undefined;
  }

  /**
   * To be awaited, when it is something, before a unit uses the writer's connection: afterwards this shows all that was written, and the
   * unit writes there to its end. Throws when what was written before is lost.
   */
  shown(unit: Unit): Promise<void> | undefined {
    if (unit.handed) {
      unit.needsLoop = true;
      return Promise.reject(new GraphError('closed', 'The transaction is written elsewhere.'));
    }
    unit.onLoop = true;
    return this.apart ? this.#show(unit) : undefined;
  }

  /** The thread begins with what a unit that is handed over in pieces has recorded, however little that is, while the unit goes on. */
  handPiece(unit: Unit): Promise<void> | undefined {
    const { record } = this.writer;
    return unit.inPieces && unit.depth === 0 && record !== undefined ? this.#handPiece(unit, record) : undefined;
  }

  /** The thread runs what is recorded; what comes is recorded anew. */
  #handPiece(unit: Unit, record: WriteRecord): Promise<void> | undefined {
    const { thread } = this.handing;
    if (thread === undefined) return undefined;
    const room = thread.piece(record);
    unit.handed = true;
    if (this.batch !== undefined) this.batch.inPieces = true;
    this.writer.record = new WriteRecord(thread.numbers);
    unit.recordMark = this.writer.record.mark;
    return room;
  }

  async #show(unit: Unit): Promise<void> {
    await this.#idle(unit);
    // Another step of the same unit may have been faster.
    if (this.writer.record !== undefined) this.bringBack();
  }

  /** Resolves when the thread has no batch. */
  async #idle(unit: Unit): Promise<void> {
    while (this.handed !== undefined) await this.handing.news();
    unit.check();
  }

  /** The running unit has written entries of rights of this node. */
  wroteEntries(type: number, node: number): void {
    this.batch?.wroteEntries(type, node);
  }

  /** True while there are writes that are not committed: what the writer reads is not for everyone. */
  get open(): boolean {
    return this.batch !== undefined || this.handed !== undefined;
  }

  /** True while something is written elsewhere than on the writer's connection: to read there is to wait. */
  get apart(): boolean {
    return this.handed !== undefined || this.writer.record !== undefined;
  }

  /** True while a thread has a batch that it commits at a time that nobody here knows. */
  get committing(): boolean {
    return this.handed !== undefined;
  }

  /** What batches that are not committed add to the counters, without the running unit. */
  deltas(): CounterDelta[] {
    const deltas: CounterDelta[] = [];
    if (this.handed !== undefined) deltas.push(this.handed.delta);
    if (this.batch !== undefined) deltas.push(this.batch.delta);
    return deltas;
  }

  get intact(): boolean {
    return this.writer.record !== undefined || this.writer.connection.inTransaction;
  }

  /** Number of the last commit. */
  get number(): number {
    return this.last;
  }

  /** Takes up the numbers where the database has left them. */
  load(): void {
    const { connection } = this.writer;
    this.last = Number(connection.get("SELECT value FROM flag WHERE name = 'commit'", [])?.[0] ?? 0);
  }

  begin(unit: Unit): void {
    if (this.sync.failure !== undefined) throw this.sync.failure;
    if (this.batch === undefined) this.#open(unit);
    unit.namesMark = this.names.mark;
    unit.recordMark = this.writer.record?.mark;
    // The others' commit waits for this unit now; until it writes they need not wait longer than this.
    unit.begun = true;
  }

  #mayRecord(unit: Unit): boolean {
    return !unit.onLoop && this.room?.tight !== true && this.handing.possible;
  }

  #open(unit: Unit): void {
    const { writer } = this;
    const thread = this.#mayRecord(unit) ? this.#threadFor(unit) : undefined;
    if (thread === undefined) {
      writer.check();
      writer.connection.run('BEGIN IMMEDIATE', []);
    } else writer.record = new WriteRecord(thread.numbers);
    this.batch = new Batch();
  }

  #threadFor(unit: Unit): WriterThread | undefined {
    return unit.inPieces ? this.handing.thread : this.handing.forNext();
  }

  secure(unit: Unit): void {
    // What is recorded is cut off instead.
    if (this.batch === undefined || this.batch.units === 0 || this.writer.record !== undefined) return;
    this.writer.connection.run('SAVEPOINT unit', []);
    unit.savepoint = true;
  }

  /** Runs on the loop what is recorded, while the thread has nothing. Throws when it is lost. */
  protected bringBack(): void {
    const { connection, record } = this.writer;
    if (record === undefined) return;
    this.handing.cameBack();
    this.writer.record = undefined;
    const unit = this.current?.begun === true ? this.current : undefined;
    try {
      bringBack(connection, record, unit, (this.batch?.units ?? 0) > 0);
      this.batch?.show(unit);
      if (unit !== undefined) unit.levels.length = 0;
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK', []);
      const reason = graphError(error);
      unit?.end(reason instanceof GraphError ? reason : undefined);
      this.lost(reason);
      throw reason;
    }
  }

  /** The work is done, and what it changed is known: the unit gets its number, which a batch that is lost gives back. To be awaited, when it is something. */
  protected end(unit: Unit): Promise<void> | undefined {
    if (!unit.begun || (unit.changes.length === 0 && !unit.isWhole)) return undefined;
    const last = this.batch?.last ?? this.handed?.last ?? this.last;
    const ending = { number: last + 1, time: Date.now(), origin: unit.origin, changes: unit.changes };
    const writing = this.hooks.ending?.(unit, ending);
    unit.commit = ending;
    return writing;
  }

  protected finish(unit: Unit, waiting: Waiting): void {
    const batch = this.batch;
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
    this.gathered();
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
      this.lost(reason);
      return false;
    }
  }

  protected rollback(unit: Unit, reason: Error): void {
    const batch = this.batch;
    // A batch that was lost took the unit with it.
    if (!unit.begun || batch === undefined) return;
    const { connection, record } = this.writer;
    if (record !== undefined && unit.recordMark !== undefined) {
      record.cut(unit.recordMark);
      this.names.forget(unit.namesMark);
      if (batch.units === 0) this.dropBatch();
      return;
    }
    if (!connection.inTransaction) {
      // SQLite has ended the transaction itself (disk full, read error): the whole batch is lost.
      const full = reason instanceof GraphError && reason.code === 'storage_full';
      const beside = new GraphError('unavailable', 'The transaction was ended by an error of a transaction beside it.');
      this.lost(full ? reason : beside);
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
        this.dropBatch();
      }
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK', []);
      this.lost(graphError(error));
    }
  }

  /** The batch has written nothing: whoever only read in it need not wait for it. */
  protected dropBatch(): void {
    const readers = this.batch?.waiting ?? [];
    this.clear();
    this.#acknowledgeReaders(readers);
  }

  /** They may have read what the thread is writing. */
  #acknowledgeReaders(readers: readonly Waiting[]): void {
    if (this.handed === undefined) for (const one of readers) one.resolve();
    else this.handed.waiting.push(...readers);
  }

  protected lost(error: unknown): void {
    const waiting = this.batch?.waiting ?? [];
    this.names.forget(0);
    this.clear();
    for (const one of waiting) one.reject(error);
  }

  /** There is no batch to write to any more. */
  protected clear(): void {
    this.batch = undefined;
    this.writer.record = undefined;
  }
}
