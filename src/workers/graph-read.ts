/**
 * Long reads of the graph: runs one select, or a full-text search, on a read-only connection of this thread and posts its rows in
 * batches. The main thread grants batches through `control`, so a slow consumer holds the scan back instead of
 * filling memory, and stops it through the same memory: better-sqlite3 has no interrupt.
 */
import type { MessagePort } from 'node:worker_threads';
import { type Row, sizeOfRow } from '../main/graph/sqlite/connection/connection.js';
import { GRANTED, STOP } from '../main/graph/sqlite/reading/scan-control.js';
import { threadCheck, threadConnection } from '../main/graph/sqlite/reading/thread-connection.js';
import { searchParts, type TextSearch } from '../main/graph/sqlite/indexes/text-search.js';
import type { SqlValue } from '../main/graph/sqlite/connection/values.js';

/** Characters of properties from which on a batch is posted, however few rows it has. */
const LARGE_BATCH = 2_000_000;

export interface ReadJob {
  readonly file: string;
  readonly cacheMegabytes: number;
  readonly what: { readonly sql: string; readonly params: readonly SqlValue[] } | { readonly search: TextSearch };
  /** Milliseconds since 1970 at which the job gives up. */
  readonly deadline: number;
  readonly batch: number;
  /** Only the first column is wanted. */
  readonly firstColumn: boolean;
  readonly control: Int32Array;
  readonly port: MessagePort;
}

/** What is posted: batches, then one end. */
export type ReadMessage =
  | { readonly rows: unknown[] }
  | { readonly end: 'done' | 'timeout' | 'stopped' }
  | { readonly end: 'error'; readonly code: string; readonly message: string };

class Ended extends Error {
  constructor(readonly end: 'timeout' | 'stopped') {
    super(end);
  }
}

function rowsOf(job: ReadJob, check: () => void): Iterable<Row> {
  const { what } = job;
  const from = threadConnection(job.file, job.cacheMegabytes);
  if (!('search' in what)) return from.statement(what.sql).iterate(...what.params);
  // In one transaction: what is written meanwhile may go from one part to another.
  from.run('BEGIN', []);
  try {
    const steps = searchParts(from, what.search);
    for (;;) {
      check();
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  } finally {
    from.run('COMMIT', []);
  }
}

export default function read(job: ReadJob): void {
  const { control, port, deadline } = job;
  let sent = 0;
  const check = (): void => {
    if (Atomics.load(control, STOP) !== 0) throw new Ended('stopped');
    if (Date.now() > deadline) throw new Ended('timeout');
  };
  threadCheck(check);
  const post = (message: ReadMessage): void => {
    port.postMessage(message);
  };
  const send = (rows: unknown[]): void => {
    for (;;) {
      check();
      const granted = Atomics.load(control, GRANTED);
      if (sent < granted) break;
      Atomics.wait(control, GRANTED, granted, 100);
    }
    sent++;
    post({ rows });
  };
  try {
    check();
    let rows: unknown[] = [];
    let size = 0;
    for (const row of rowsOf(job, check)) {
      rows.push(job.firstColumn ? row[0] : row);
      if (!job.firstColumn) size += sizeOfRow(row);
      if (rows.length >= job.batch || size >= LARGE_BATCH) {
        send(rows);
        rows = [];
        size = 0;
      }
    }
    if (rows.length > 0) send(rows);
    post({ end: 'done' });
  } catch (error) {
    if (error instanceof Ended) post({ end: error.end });
    else {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      post({ end: 'error', code, message: error instanceof Error ? error.message : String(error) });
    }
  } finally {
    threadCheck(() => undefined);
    port.close();
  }
}
