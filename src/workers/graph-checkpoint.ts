/**
 * Copies the graph's write-ahead log into the database file. This connection syncs what has to be synced: the
 * log before the copying, the database after it.
 */
import Sqlite from 'better-sqlite3';

export interface CheckpointJob {
  readonly file: string;
  /**
   * `passive`: as much as can be done beside a writer. `rest`: what is left, so that the log can start over; the
   * writer must be paused. `truncate`: everything, and an empty log; at the end.
   */
  readonly mode: 'passive' | 'rest' | 'truncate';
  /** Milliseconds to wait for readers of the log (`rest` only). */
  readonly wait: number;
}

let connection: { file: string; db: Sqlite.Database } | undefined;

function connect(file: string): Sqlite.Database {
  if (connection?.file !== file) {
    connection?.db.close();
    const db = new Sqlite(file);
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

export default function checkpoint(job: CheckpointJob): CheckpointResult {
  const db = connect(job.file);
  db.pragma(`busy_timeout = ${String(job.wait)}`);
  const mode = job.mode === 'passive' || job.wait === 0 ? 'PASSIVE' : job.mode === 'rest' ? 'RESTART' : 'TRUNCATE';
  const [result] = db.pragma(`wal_checkpoint(${mode})`) as { busy: number; log: number; checkpointed: number }[];
  const complete = result !== undefined && result.busy === 0 && result.log === result.checkpointed;
  if (job.mode === 'truncate') {
    db.close();
    connection = undefined;
  }
  return { complete, log: result?.log ?? 0 };
}
