/** The files of a database: making sure of the directory, of being alone, and of the format. */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { logger } from '../../../shared/log.js';
import { syncPath } from '../../../shared/sync-path.js';
import { Library } from './connection/library.js';
import { GraphError, unfinishedCopy } from '../errors.js';
import { releaseReserve } from './whole/room.js';
import { convert, removeUnfinished } from './whole/conversion.js';
import { checkCommits, checkWhole } from './whole/whole.js';
import { ACCESS_SCHEMA, buildAccessTable } from './indexes/access-table.js';
import { RECORD_INDEXES, RECORD_TABLES } from './connection/records.js';
import { COLUMN_SCHEMA } from './columns/state.js';
import { JOURNAL_SCHEMA } from './journals.js';
import { graphError, isDamage, markTime } from './connection/connection.js';
import { TEXT_SCHEMA } from './indexes/text-indexes.js';

const log = logger('graph');

/** "svcG"; lets `file` and humans tell what a graph.db is. */
const APPLICATION_ID = 0x73766347;
/** 2: `access_entry`; 3: flags in it; 4: `text_index`; 5: `journal`; 6: `column_state`; 7: records (docs/design/sqlite.md); 8: shapes. */
export const FORMAT = 8;
/** The last one to which a database is brought in place. */
const IN_PLACE = 6;
/** Measured against 8192: reads and inserts a second are alike, waits for a commit in bulk loads shorter. */
const PAGE_SIZE = 4096;
/** Pages of a database that are all looked at when it is opened (32 MB): some 100 ms. Larger ones have `svc graph check`. */
const QUICK = 8192;

/* `prop_index` is one table for all property indexes, so an index can come and go without DDL. */
const SCHEMA = `
CREATE TABLE name_table(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
${RECORD_TABLES}${RECORD_INDEXES}CREATE TABLE prop_index(type INTEGER NOT NULL, key INTEGER NOT NULL, value NOT NULL, node INTEGER NOT NULL,
  PRIMARY KEY(type, key, value, node)) WITHOUT ROWID;
CREATE TABLE index_state(type INTEGER NOT NULL, key INTEGER NOT NULL, state TEXT NOT NULL, next_pk INTEGER NOT NULL,
  PRIMARY KEY(type, key)) WITHOUT ROWID;
CREATE TABLE counter(kind TEXT NOT NULL, type INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(kind, type)) WITHOUT ROWID;
CREATE TABLE flag(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
${ACCESS_SCHEMA}${TEXT_SCHEMA}${JOURNAL_SCHEMA}${COLUMN_SCHEMA}`;

/** The table that a database has while a copy fills it (bulk.ts). */
export const COPY_MARK = 'copy_mark';

/** The lock on a database directory, held for the life of a graph. */
export interface DirectoryLock {
  release(): void;
}

/**
 * A transaction that stays open on a tiny database of its own: the kernel drops its fcntl lock when the process
 * dies, however it dies. SQLite keeps track of these locks within the process, too. Nothing may open `lock.db` or
 * `graph.db` other than through SQLite: closing any descriptor of a file drops the process's fcntl locks on it.
 */
function lockDirectory(path: string): DirectoryLock {
  const db = new Library(join(path, 'lock.db'), { timeout: 0 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (error instanceof Library.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new GraphError('locked', `The database in ${path} is in use by another process.`, path, { cause: error });
    }
    throw error;
  }
  return {
    release: () => {
      db.close();
    },
  };
}

/** The lock on a directory that is only read. Throws `GraphError`. */
export function lockForReading(path: string): DirectoryLock {
  try {
    return lockDirectory(path);
  } catch (error) {
    throw openingError(path, error);
  }
}

/** Even a lock takes a page of the disk while it is held. */
async function lockWithRoom(path: string): Promise<DirectoryLock> {
  try {
    return lockDirectory(path);
  } catch (error) {
    if (!(error instanceof Library.SqliteError) || error.code !== 'SQLITE_FULL') throw error;
    await releaseReserve(path);
    return lockDirectory(path);
  }
}

function checkDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    if (!statSync(path).isDirectory()) throw new Error('not a directory');
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new GraphError('not_writable', `The database directory ${path} cannot be written.`, path, { cause: error });
  }
}

/** All or nothing, and durable: the file then has the last format that is brought about in place. */
function upgrade(db: Sqlite.Database, format: number): void {
  db.pragma('synchronous = FULL');
  markTime({ db });
  db.transaction(() => {
    if (format < 3) buildAccessTable(db, format);
    if (format < 4) db.exec(TEXT_SCHEMA);
    if (format < 5) db.exec(JOURNAL_SCHEMA);
    if (format < 6) db.exec(COLUMN_SCHEMA);
    db.pragma(`user_version = ${String(IN_PLACE)}`);
  }).immediate();
}

/**
 * Creates the file when there is none (fully synced), else checks that it is ours and not newer than we are. Answers whether it has an
 * older format than this version uses.
 */
async function prepareFile(path: string, file: string, unfinished: boolean): Promise<boolean> {
  const fresh = !existsSync(file);
  const db = new Library(file, { timeout: 2000 });
  try {
    // An interrupted creation leaves a file without a format; it has no data, so creating goes on.
    const format = fresh ? 0 : Number(db.pragma('user_version', { simple: true }));
    if (format > FORMAT) {
      throw new GraphError(
        'too_new',
        `The database in ${path} has format ${String(format)}; this version knows formats up to ${String(FORMAT)}.`,
        path,
      );
    }
    if (format >= 1) {
      if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
        throw new GraphError('damaged', `${file} is not a database of this service.`, path);
      }
      if (!unfinished && db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(COPY_MARK) !== undefined) {
        throw unfinishedCopy(`The database in ${path}`);
      }
      if (
        Number(db.pragma('page_count', { simple: true })) <= QUICK &&
        db.pragma('quick_check(1)', { simple: true }) !== 'ok'
      ) {
        throw damaged(path, 'its pages do not fit together');
      }
      if (format < IN_PLACE) upgrade(db, format);
      return format < FORMAT;
    }
    if (!fresh && Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()) > 0) {
      throw new GraphError('damaged', `${file} is not a database of this service.`, path);
    }
    db.pragma('synchronous = FULL');
    db.pragma(`page_size = ${String(PAGE_SIZE)}`);
    db.pragma('auto_vacuum = NONE');
    db.pragma('journal_mode = WAL');
    db.exec(
      `BEGIN IMMEDIATE; ${SCHEMA} PRAGMA application_id = ${String(APPLICATION_ID)};` +
        `PRAGMA user_version = ${String(FORMAT)}; COMMIT;`,
    );
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
  await syncPath(path);
  return false;
}

export interface OpenedFiles {
  readonly file: string;
  readonly lock: DirectoryLock;
  /** A line for the log about what was found. */
  readonly notice: string | undefined;
}

/**
 * Takes the lock, makes sure that the files are whole, and leaves a database file of the current format. `unfinished`: it may
 * be the target of a copy that has not been finished.
 */
export async function openFiles(path: string, { unfinished = false } = {}): Promise<OpenedFiles> {
  checkDirectory(path);
  const file = join(path, 'graph.db');
  let lock: DirectoryLock;
  try {
    lock = await lockWithRoom(path);
  } catch (error) {
    throw openingError(path, error);
  }
  try {
    const notice = await checkWhole(path, file);
    await releaseReserve(path);
    await checkCommits(path, file);
    removeUnfinished(file);
    if (await prepareFile(path, file, unfinished)) {
      await convert({
        file,
        pragmas: { page_size: PAGE_SIZE, application_id: APPLICATION_ID, user_version: FORMAT },
        tell: (line) => {
          log.info(line);
        },
      });
      await syncPath(path);
    }
    return { file, lock, notice };
  } catch (error) {
    lock.release();
    throw openingError(path, error);
  }
}

function damaged(path: string, how: string, cause?: unknown): GraphError {
  const what = `The database in ${path} is damaged (${how}): look at it with \`svc graph check\`, or restore it from a backup.`;
  return new GraphError('damaged', what, path, { cause });
}

/** The error of opening the database in `path`, as whoever starts the server can use it. */
export function openingError(path: string, error: unknown): unknown {
  const denied = (error as NodeJS.ErrnoException).code;
  if (error instanceof Library.SqliteError) {
    if (/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(error.code)) return notWritable(path, error);
    if (isDamage(error)) return damaged(path, error.message, error);
    if (error.code === 'SQLITE_FULL') return full(path, error);
    return graphError(error);
  }
  return denied === 'EACCES' || denied === 'EPERM' || denied === 'EROFS' ? notWritable(path, error) : error;
}

function full(path: string, cause: unknown): GraphError {
  const what = `The disk of the database in ${path} is full: free some space, 2 MB at least.`;
  return new GraphError('storage_full', what, path, { cause });
}

function notWritable(path: string, cause: unknown): GraphError {
  const what = `The database in ${path} cannot be written: its folder and files must belong to the user of the server.`;
  return new GraphError('not_writable', what, path, { cause });
}
