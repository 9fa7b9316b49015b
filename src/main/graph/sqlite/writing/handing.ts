/** Which batches are recorded for the writer's thread, and how one that is recorded comes back to the loop. */
import type { Connection } from '../connection/connection.js';
import type { Unit } from './unit.js';
import type { SqlValue } from '../connection/values.js';
import { replay, type WriteRecord } from './write-record.js';
import { LARGE, type ThreadOptions, WriterThread } from './writer-thread.js';

/** Units in a batch from which on the next one may be recorded. */
const MANY_UNITS = 8;
/** Batches on the loop after one that could not stay recorded: at first, and at most. */
const PAUSE = 32;
const MAX_PAUSE = 1024;

export class Handing {
  #thread: WriterThread | undefined;
  /** Units of the last batch that was committed. */
  #lastUnits = 0;
  /** Batches to be written on the loop before one is recorded again, and how many it will be the next time. */
  #onLoop = 0;
  #pause = PAUSE;

  constructor(
    /** Absent: all is written on the loop. */
    private readonly options: ThreadOptions | undefined,
    /** The thread has ended while it had something in work: nobody knows what is committed. */
    private readonly lost: (error: Error) => void,
  ) {
    if (options?.from === 0) this.#start(options);
  }

  /** Size of a record from which on it is a piece of a large transaction: about 800 numbers and characters an operation. */
  get piece(): number {
    return (this.options?.largeFrom ?? LARGE) * 800;
  }

  get thread(): WriterThread | undefined {
    return this.#thread;
  }

  get busy(): boolean {
    return this.#thread?.busy === true;
  }

  get syncing(): boolean {
    return this.#thread?.syncing === true;
  }

  /** Whether batches may be recorded just now; while the thread is at work, the next one is. */
  get possible(): boolean {
    return this.options !== undefined && this.options.statements?.all !== true;
  }

  /** The thread, when the next batch is to be recorded for it. It is started when it would be used for the first time. */
  forNext(): WriterThread | undefined {
    const { options } = this;
    if (options === undefined || !this.possible) return undefined;
    // Whoever would write on the loop has to wait for it.
    if (this.busy) return this.#thread;
    if (this.#lastUnits < (options.from ?? MANY_UNITS)) return undefined;
    if (this.#onLoop > 0) {
      this.#onLoop--;
      return undefined;
    }
    const thread = this.#thread ?? this.#start(options);
    return thread.ready ? thread : undefined;
  }

  /** The thread for a batch in pieces, while it has nothing; undefined: there is none, or it is not to be used. */
  async forPieces(): Promise<WriterThread | undefined> {
    const { options } = this;
    if (options === undefined || !this.possible) return undefined;
    const thread = this.#thread ?? this.#start(options);
    await thread.started;
    return thread.ready ? thread : undefined;
  }

  /** A batch of so many units is committed, or handed over. One that is small by chance changes nothing. */
  committing(units: number): void {
    this.#lastUnits = Math.max(units, this.#lastUnits * 0.8);
  }

  /** A batch could stay recorded. */
  handedOver(): void {
    this.#pause = PAUSE;
  }

  /** A batch could not stay recorded: two connections that write in turns lose their page caches. */
  cameBack(): void {
    if (this.options?.from !== 0) this.#onLoop = this.#pause;
    this.#pause = Math.min(MAX_PAUSE, this.#pause * 2);
  }

  /** Resolves when the thread has told something, or is no more. */
  async news(): Promise<void> {
    await this.#thread?.news();
  }

  #start(options: ThreadOptions): WriterThread {
    this.#thread = new WriterThread(options, (error, working) => {
      this.#onLoop = Infinity;
      // What it had in work may be committed or not, and names and numbers of rows with it.
      if (working) this.lost(error);
      else options.onError(error);
    });
    return this.#thread;
  }
}

/**
 * Runs on the loop what is recorded, in a transaction that it opens. `unit`: the one that is recording; `secured`: there are others before it,
 * so what it has written is behind a savepoint afterwards, and its open levels are behind theirs.
 */
export function bringBack(connection: Connection, record: WriteRecord, unit: Unit | undefined, secured: boolean): void {
  const run = (statement: number, params: readonly SqlValue[]): void => {
    connection.run(record.textOf(statement), params);
  };
  connection.run('BEGIN IMMEDIATE', []);
  let at = unit?.recordMark ?? record.mark;
  replay(record, run, undefined, at);
  if (unit === undefined) return;
  if (secured) {
    connection.run('SAVEPOINT unit', []);
    unit.securedWhole();
  }
  for (const [i, level] of unit.levels.entries()) {
    replay(record, run, at, level);
    connection.run(`SAVEPOINT level${String(i + 1)}`, []);
    at = level;
  }
  replay(record, run, at);
}
