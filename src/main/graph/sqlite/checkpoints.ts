/** When the write-ahead log is copied into the database; the copying itself is done in workers/graph-checkpoint.ts. */
import { Piscina } from 'piscina';
import type { CheckpointJob, CheckpointResult } from '../../../workers/graph-checkpoint.js';
import type { Connection } from './connection.js';
import type { GroupCommit } from './group-commit.js';
import { workerFile } from './worker-path.js';

/** Frames of 4 KB not yet copied at which copying starts (40 MB). */
const PASSIVE_AT = 10_000;
/** Frames in the log at which writers are paused so that it can start over (64 MB). */
const RESTART_AT = 16_000;
/** Frames at which writers even wait for readers of the log (512 MB). */
const FORCE_AT = 128_000;
const FORCE_WAIT = 10_000;

export class Checkpoints {
  #pool: Piscina | undefined;
  #running: Promise<void> | undefined;
  #commits = 0;
  #stopped = false;

  constructor(
    private readonly file: string,
    private readonly writer: Connection,
    private readonly commit: GroupCommit,
    private readonly onError: (error: unknown) => void,
  ) {}

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
    const { complete, log } = await this.#run('passive', 0);
    if (!complete && log < RESTART_AT) return;
    // The rest is small after a passive run, so the writers' pause is a few milliseconds.
    await this.commit.exclusive(() => this.#run('restart', log > FORCE_AT ? FORCE_WAIT : 0));
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
