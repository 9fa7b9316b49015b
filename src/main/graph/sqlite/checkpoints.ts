/** When the write-ahead log is copied into the database; the copying itself is done in workers/graph-checkpoint.ts. */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { Piscina } from 'piscina';
import type { CheckpointJob, CheckpointResult } from '../../../workers/graph-checkpoint.js';
import type { Connection } from './connection.js';
import type { GroupCommit } from './group-commit.js';
import type { WalSync } from './wal-sync.js';
import { workerFile } from '../../../shared/worker-path.js';

/**
 * Frames of 4 KB not yet copied at which copying starts (160 MB). Copying takes processor and disk from writers; at a quarter of this
 * a tenth fewer objects were created, one at a time by many clients.
 */
const PASSIVE_AT = 40_000;
/** Frames in the log at which writers are paused so that it can start over (256 MB). */
const RESTART_AT = 64_000;
/** Frames at which writers even wait for readers of the log (512 MB). */
const FORCE_AT = 128_000;
const FORCE_WAIT = 10_000;
/** Frames that may be left to copy, and to sync, while writers are paused. */
const SMALL_REST = 500;
/** How often copying beside the traffic tries to get there. */
const ROUNDS = 4;

const syncFile = promisify(fdatasync);

export class Checkpoints {
  #pool: Piscina | undefined;
  #running: Promise<void> | undefined;
  #commits = 0;
  #stopped = false;
  /** Of the database. Open as long as SQLite's own: closing any descriptor of a file drops all the process's locks on it. */
  readonly #fd: number;

  constructor(
    private readonly file: string,
    private readonly writer: Connection,
    private readonly commit: GroupCommit,
    private readonly sync: WalSync,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#fd = openSync(file, 'r');
  }

  /** After each commit; looks at the log now and then. */
  committed(): void {
    // A listener of the commit may have begun the next transaction already; the next commit looks again.
    if (++this.#commits < 16 || this.#running !== undefined || this.#stopped || this.writer.inTransaction) return;
    this.#commits = 0;
    const { log, copied } = this.#state();
    if (log - copied < PASSIVE_AT) return;
    this.#running = this.#checkpoint()
      .catch(this.onError)
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** NOOP only reports; it takes microseconds. Not possible within a transaction. */
  #state(): { log: number; copied: number } {
    const row = this.writer.get('PRAGMA wal_checkpoint(NOOP)', []);
    return { log: Number(row?.[1] ?? 0), copied: Number(row?.[2] ?? 0) };
  }

  #run(mode: CheckpointJob['mode'], wait: number): Promise<CheckpointResult> {
    this.#pool ??= new Piscina({
      filename: workerFile('graph-checkpoint'),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 60_000,
    });
    const job: CheckpointJob = { file: this.file, mode, wait };
    return this.#pool.run(job) as Promise<CheckpointResult>;
  }

  async #checkpoint(): Promise<void> {
    for (let round = 1; ; round++) {
      const { complete, log } = await this.#run('passive', 0);
      if (!complete && log < RESTART_AT) return;
      /*
       * SQLite syncs the database only when nothing is left to copy, which is while writers are paused. What is synced
       * here already does not have to be then; what arrived in the meantime is little after a round or two.
       */
      await syncFile(this.#fd);
      if (round === ROUNDS || (this.#left() ?? SMALL_REST) < SMALL_REST) break;
    }
    await this.commit.exclusive(async () => {
      const log = this.#state().log;
      const rest = await this.#run('rest', log > FORCE_AT ? FORCE_WAIT : 0);
      if (rest.complete) await this.#startOver();
    });
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
      writer.run(
        "INSERT OR REPLACE INTO flag(name, value) VALUES ('restarts', 1 + coalesce((SELECT value FROM flag WHERE name = 'restarts'), 0))",
        [],
      );
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
      await this.#run('truncate', 2000);
    } finally {
      await this.#pool?.destroy();
    }
  }
}
