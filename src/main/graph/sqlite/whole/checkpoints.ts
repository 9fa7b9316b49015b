/** When the write-ahead log is copied into the database; the copying itself is done in whole/copy-log.ts. */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Piscina } from 'piscina';
import { GraphError } from '../../errors.js';
import { type Connection, markTime } from '../connection/connection.js';
import { type CheckpointJob, type CheckpointOutcome, type CheckpointResult, copyLog } from './copy-log.js';
import type { GroupCommit } from '../writing/group-commit.js';
import type { WalSync } from './wal-sync.js';
import type { NoteKeeper } from './note.js';
import type { Room } from './room.js';
import { workerFile } from '../../../../shared/worker-path.js';
import { workerPool } from '../../../../shared/worker-pool.js';

/*
 * From which length of the log on what happens is for the room on the disk to say (whole/room.ts). Where there is enough, copying starts at
 * 160 MB: it takes processor and disk from writers; at a quarter of this a tenth fewer objects were created, one at a time by many clients.
 */
const FORCE_WAIT = 10_000;
/** Milliseconds after which threads are asked again for the states that they hold, while readers are waited for. */
const ASK = 20;
/** Milliseconds that readers of the log are waited for when its file is to be shortened. */
const SHORTEN_WAIT = 500;
/** Frames that may be left to copy, and to sync, while writers are paused. */
const SMALL_REST = 500;
/** Bytes of a log that is copied on the loop when the graph closes: sooner than a thread has begun. */
const SHORT_LOG = 4 * 1024 * 1024;
/** How often copying beside the traffic tries to get there. */
const ROUNDS = 4;

const syncFile = promisify(fdatasync);

function result({ failure, ...done }: CheckpointOutcome): CheckpointResult {
  if (failure === undefined) return done;
  const code = failure.code === 'SQLITE_FULL' ? 'storage_full' : 'unavailable';
  throw new GraphError(code, `The log cannot be copied into the database: ${failure.message}.`);
}

export class Checkpoints {
  #pool: Piscina | undefined;
  #running: Promise<void> | undefined;
  #commits = 0;
  #stopped = false;
  /** Told before the log is to start over: whoever keeps an old state on purpose gives it up. */
  onExclusive: (() => void) | undefined;
  /** The same, while others write and while nobody does; a promise: it waits for other threads. */
  letGo: (() => Promise<void> | undefined) | undefined;
  /** Of the database. Open as long as SQLite's own: closing any descriptor of a file drops all the process's locks on it. */
  readonly #fd: number;

  constructor(
    private readonly file: string,
    private readonly writer: Connection,
    private readonly commit: GroupCommit,
    private readonly sync: WalSync,
    private readonly note: NoteKeeper,
    private readonly room: Room,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#fd = openSync(file, 'r');
  }

  /** After each commit; looks at the log now and then. */
  committed(): void {
    // A listener of the commit may have begun the next transaction already; the next commit looks again.
    if (
      ++this.#commits < (this.room.tight ? 1 : 16) ||
      this.#running !== undefined ||
      this.#stopped ||
      this.writer.inTransaction
    )
      return;
    this.#commits = 0;
    const { log, copied } = this.#state();
    if (log - copied < this.room.log.passive) return;
    this.#running = (this.room.tight ? this.#shorten() : this.#checkpoint()).catch(this.onError).finally(() => {
      this.#running = undefined;
    });
  }

  /** Copies the whole log and gives back what its file has of the disk, as far as nobody reads it. */
  async shorten(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    if (this.#stopped) return;
    this.#running = this.#shorten().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async #shorten(): Promise<void> {
    await this.note.pause();
    try {
      await this.letGo?.();
      await this.commit.exclusive(async () => {
        this.onExclusive?.();
        await this.letGo?.();
        const { complete } = await this.#run('shorten', SHORTEN_WAIT);
        if (!complete) return;
        await this.letGo?.();
        await this.#startOver();
      });
    } finally {
      this.note.resume();
    }
  }

  /** Frames in the log; undefined: not to be told within a transaction. */
  frames(): number | undefined {
    return this.writer.inTransaction ? undefined : this.#state().log;
  }

  /** NOOP only reports; it takes microseconds. Not possible within a transaction. */
  #state(): { log: number; copied: number } {
    const row = this.writer.get('PRAGMA wal_checkpoint(NOOP)', []);
    return { log: Number(row?.[1] ?? 0), copied: Number(row?.[2] ?? 0) };
  }

  /** Copies as told. Where there is no room for that, the reserve gives it. */
  async #run(mode: CheckpointJob['mode'], wait: number): Promise<CheckpointResult> {
    if (wait === 0) return this.#tried(mode, wait);
    // Threads that read hold the newest state, which is in the log, for as long as nobody writes.
    const asking = setInterval(() => void this.letGo?.(), ASK);
    try {
      return await this.#tried(mode, wait);
    } finally {
      clearInterval(asking);
    }
  }

  async #tried(mode: CheckpointJob['mode'], wait: number): Promise<CheckpointResult> {
    const first = await this.#work(mode, wait);
    if (first.failure?.code !== 'SQLITE_FULL') return result(first);
    await this.room.release();
    return result(await this.#work(mode, wait));
  }

  #work(mode: CheckpointJob['mode'], wait: number): Promise<CheckpointOutcome> {
    this.#pool ??= workerPool({
      filename: workerFile('graph/checkpoint'),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 60_000,
    });
    const job: CheckpointJob = { file: this.file, mode, wait };
    return this.#pool.run(job) as Promise<CheckpointOutcome>;
  }

  async #checkpoint(): Promise<void> {
    await this.note.pause();
    try {
      await this.#copy();
    } finally {
      this.note.resume();
    }
  }

  async #copy(): Promise<void> {
    for (let round = 1; ; round++) {
      const { complete, log } = await this.#run('passive', 0);
      if (!complete && log < this.room.log.restart) return;
      /*
       * SQLite syncs the database only when nothing is left to copy, which is while writers are paused. What is synced
       * here already does not have to be then; what arrived in the meantime is little after a round or two.
       */
      await syncFile(this.#fd);
      if (round === ROUNDS || (this.#left() ?? SMALL_REST) < SMALL_REST) break;
    }
    await this.letGo?.();
    await this.commit.exclusive(async () => {
      this.onExclusive?.();
      await this.letGo?.();
      const log = this.#state().log;
      const rest = await this.#run('rest', log > this.room.log.force ? FORCE_WAIT : 0);
      if (!rest.complete) return;
      // Who has begun since reads the database alone.
      await this.letGo?.();
      await this.#startOver();
    });
  }

  async #isShort(): Promise<boolean> {
    const { size } = await stat(`${this.file}-wal`).catch(() => ({ size: Infinity }));
    return size <= SHORT_LOG;
  }

  /** Frames not yet copied; undefined: not to be told within a transaction. */
  #left(): number | undefined {
    if (this.writer.inTransaction) return undefined;
    const { log, copied } = this.#state();
    return log - copied;
  }

  /**
   * The first write after a complete checkpoint starts the log over. Its new header must be on disk before any other
   * frame is overwritten: a crash could otherwise leave old frames that look valid. SQLite would sync it in the middle
   * of that write, on the loop; done by another connection it would cost the writer its page cache. So the writer makes
   * one change of one page without that sync, and writers wait for the group sync. If power fails in between, header and
   * head of the frame are in one sector: either both are new, or the frame fits neither its old head nor what follows,
   * and the log counts as empty, as it may: everything in it is in the database.
   */
  async #startOver(): Promise<void> {
    const { writer } = this;
    writer.db.pragma('synchronous = OFF');
    try {
      markTime(writer);
    } finally {
      writer.db.pragma('synchronous = NORMAL');
    }
    await this.sync.settled();
  }

  /** After SQLite's connections. */
  closeFile(): void {
    closeSync(this.#fd);
  }

  /** The last checkpoint, after the last commit: the log is empty afterwards. */
  async close(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    try {
      // Who still reads it is waited for by the thread.
      const done = (await this.#isShort()) && copyLog({ file: this.file, mode: 'truncate', wait: 1 }).complete;
      if (!done) await this.#run('truncate', 2000);
    } catch (error) {
      // All of it is in the log, which the next start reads.
      if (!(error instanceof GraphError) || error.code !== 'storage_full') throw error;
    } finally {
      await this.#pool?.destroy();
    }
  }
}
