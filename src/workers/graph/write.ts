/** The writer's thread: runs the record of a batch of transactions, commits and syncs it, one after the other. The loop hears of it by messages. */
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Connection, graphError, prepareWriter } from '../../main/graph/sqlite/connection/connection.js';
import { GraphError } from '../../main/graph/errors.js';
import type { SqlValue } from '../../main/graph/sqlite/connection/values.js';
import { GroupedWrites } from '../../main/graph/sqlite/writing/grouped-writes.js';
import { type Recorded, replay } from '../../main/graph/sqlite/writing/write-record.js';

export interface WriterData {
  readonly file: string;
  readonly cacheMegabytes: number;
  readonly port: MessagePort;
}

/** What is to be done with a record when it has run. */
export type WriterEnd = 'commit' | 'more' | 'take back';

/** A record of a whole batch, or a piece of one; `undefined` as a message ends the thread. */
export interface WriterJob {
  /** `more`: another piece follows in the same transaction. `take back`: nothing of it is to be written, pieces before it included. */
  readonly end: WriterEnd;
  /** Statements that were not sent before, in the order of their numbers. */
  readonly statements: readonly string[];
  readonly record: Recorded;
  /** Milliseconds from which a statement is slow. */
  readonly slow: number;
}

/** The end of a job: it is committed, or run and waiting for the next piece; with a failure, nothing of it is written. */
export interface WriterCommit {
  readonly end: WriterEnd;
  readonly failure: { readonly code: string; readonly message: string } | undefined;
  /** Statements that were slow, and their milliseconds. */
  readonly slow: readonly (readonly [text: string, milliseconds: number])[];
}

/** After the commit of a job: it is durable, or, with an error, the log could not be synced. */
export interface WriterSync {
  readonly error: { readonly code: string | undefined; readonly message: string } | undefined;
}

const { file, cacheMegabytes, port } = workerData as WriterData;
const connection = new Connection(file, { cacheMegabytes, guard: { check: () => undefined } });
prepareWriter(connection);
/** The log is there, as the loop has written to it. Closed after SQLite's own descriptors only: the locks of the process go with any of them. */
const log = openSync(`${file}-wal`, 'r+');
const statements: string[] = [];
/** Why nothing of the batch whose pieces come will be written. */
let lost: WriterCommit['failure'];

/** Megabytes of pages while a large transaction is written: what does not fit is written, and read again, several times. */
const LARGE_CACHE = 128;
let cached = cacheMegabytes;

function cache(megabytes: number): void {
  if (megabytes === cached) return;
  cached = megabytes;
  connection.db.pragma(`cache_size = ${String(-megabytes * 1024)}`);
  connection.db.pragma('shrink_memory');
}

function run(job: WriterJob): WriterCommit {
  const { end } = job;
  statements.push(...job.statements);
  const slow: [string, number][] = [];
  let since = performance.now();
  const execute = (sql: string, params: readonly SqlValue[]): void => {
    connection.run(sql, params);
    const now = performance.now();
    if (now - since >= job.slow) slow.push([sql, now - since]);
    since = now;
  };
  let failure = lost;
  if (failure !== undefined || end === 'take back') {
    if (connection.inTransaction) connection.run('ROLLBACK', []);
    lost = end === 'more' ? failure : undefined;
    return { end, failure, slow };
  }
  try {
    if (end === 'more' && !connection.inTransaction) {
      cache(LARGE_CACHE);
      execute('BEGIN IMMEDIATE', []);
    }
    const large = end === 'more' || connection.inTransaction;
    if (!large) execute('BEGIN IMMEDIATE', []);
    const grouped = new GroupedWrites(execute);
    replay(job.record, (statement, params) => {
      const sql = statements[statement] ?? '';
      if (large) grouped.add(sql, params);
      else execute(sql, params);
    });
    grouped.flush();
    if (end === 'commit') execute('COMMIT', []);
  } catch (thrown) {
    if (connection.inTransaction) connection.run('ROLLBACK', []);
    const error = graphError(thrown);
    failure = { code: error instanceof GraphError ? error.code : 'unavailable', message: error.message };
    if (end === 'more') lost = failure;
  }
  return { end, failure, slow };
}

/**
 * Synchronous: nothing else is for this thread to do meanwhile, and where all processors are busy each thread that takes part (one of
 * libuv's pool would) waits for its turn on one of them; a fifth of all objects a second was lost by that.
 */
function sync(): WriterSync {
  try {
    fdatasyncSync(log);
    return { error: undefined };
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    return { error: { code, message } };
  }
}

port.on('message', (job: WriterJob | undefined) => {
  if (job === undefined) {
    connection.close();
    closeSync(log);
    port.close();
    return;
  }
  const commit = run(job);
  port.postMessage(commit);
  if (commit.end === 'commit' && commit.failure === undefined) port.postMessage(sync());
  if (!connection.inTransaction) cache(cacheMegabytes);
});
parentPort?.postMessage('ready');
