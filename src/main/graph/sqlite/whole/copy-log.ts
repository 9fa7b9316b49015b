/**
 * Copies the graph's write-ahead log into the database file, in a thread (workers/graph/checkpoint.ts) but for few frames. This
 * connection syncs what has to be synced: the log before the copying, the database after it.
 */
import type Sqlite from 'better-sqlite3';
import { Library } from '../connection/library.js';

export interface CheckpointJob {
  readonly file: string;
  /**
   * `passive`: as much as can be done beside a writer. `rest`: what is left, so that the log can start over; the
   * writer must be paused. `shorten`: everything, and an empty file. `truncate`: the same, at the end.
   */
  readonly mode: 'passive' | 'rest' | 'shorten' | 'truncate';
  /** Milliseconds to wait for readers of the log (not `passive`). */
  readonly wait: number;
}

let connection: { file: string; db: Sqlite.Database } | undefined;

function connect(file: string): Sqlite.Database {
  if (connection?.file !== file) {
    connection?.db.close();
    const db = new Library(file);
    db.pragma('synchronous = FULL');
    db.pragma('wal_autocheckpoint = 0');
    db.pragma('cache_size = -1024');
    connection = { file, db };
  }
  return connection.db;
}

export interface CheckpointResult {
  /** The whole log is in the database. */
  readonly complete: boolean;
  /** Frames in the log. */
  readonly log: number;
}

export interface CheckpointOutcome extends CheckpointResult {
  /** As data: an error of SQLite's loses its message on the way out of a thread. */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** Does it on the thread that calls it. */
export function copyLog(job: CheckpointJob): CheckpointOutcome {
  try {
    return copy(job);
  } catch (error) {
    if (!(error instanceof Library.SqliteError)) throw error;
    return { complete: false, log: 0, failure: { code: error.code, message: error.message } };
  } finally {
    if (job.mode === 'truncate') {
      connection?.db.close();
      connection = undefined;
    }
  }
}

function copy(job: CheckpointJob): CheckpointResult {
  const db = connect(job.file);
  db.pragma(`busy_timeout = ${String(job.wait)}`);
  const mode = job.mode === 'passive' || job.wait === 0 ? 'PASSIVE' : job.mode === 'rest' ? 'RESTART' : 'TRUNCATE';
  const [result] = db.pragma(`wal_checkpoint(${mode})`) as { busy: number; log: number; checkpointed: number }[];
  const complete = result !== undefined && result.busy === 0 && result.log === result.checkpointed;
  return { complete, log: result?.log ?? 0 };
}
