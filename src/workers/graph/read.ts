/**
 * Long reads of the graph: runs one select, or a full-text search, on a read-only connection of this thread and posts its rows in
 * batches; or some selects for a digest, and posts the text that it makes of them. The main thread grants batches through `control`, so a slow consumer holds the scan back instead of
 * filling memory, and stops it through the same memory: better-sqlite3 has no interrupt.
 */
import type { MessagePort } from 'node:worker_threads';
import { DIGEST_PIECE, DigestError, type Digest, type Digester, type OpenDigester } from '../../shared/digest.js';
import type { ColumnQuery } from '../../main/graph/sqlite/columns/column-query.js';
import { ColumnReader, ColumnsUseless, prepareForColumns } from '../../main/graph/sqlite/columns/column-reader.js';
import { ColumnsDamaged } from '../../main/graph/sqlite/columns/segment-file.js';
import { NODE_AT } from '../../main/graph/sqlite/connection/records.js';
import { unpackUnkept } from '../../main/graph/sqlite/connection/stamps.js';
import { type Connection, type Row, sizeOfRow } from '../../main/graph/sqlite/connection/connection.js';
import { GRANTED, STOP } from '../../main/graph/sqlite/scans/scan-control.js';
import { namesOf, threadCheck, threadConnection } from '../../main/graph/sqlite/scans/thread-connection.js';
import { searchParts, type TextSearch } from '../../main/graph/sqlite/indexes/text-search.js';
import type { SqlValue } from '../../main/graph/sqlite/connection/values.js';

/** Characters of properties from which on a batch is posted, however few rows it has. */
const LARGE_BATCH = 2_000_000;

interface Select {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** With `only` its rows are keys with the values of that property, which an index may tell. */
interface DigestSelect extends Select {
  readonly only: string | undefined;
  readonly columns: ColumnQuery | undefined;
}

export interface ReadJob {
  readonly file: string;
  /** Where segments of columns are. */
  readonly columns: string;
  readonly cacheMegabytes: number;
  readonly what:
    Select | { readonly search: TextSearch } | { readonly selects: readonly DigestSelect[]; readonly digest: Digest };
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
  /** Segments of columns are not what they should be: it goes on without. */
  | { readonly columns: 'damaged' }
  | { readonly end: 'done' | 'timeout' | 'stopped' }
  | { readonly end: 'error'; readonly code: string; readonly message: string };

class Ended extends Error {
  constructor(readonly end: 'timeout' | 'stopped') {
    super(end);
  }
}

function rowsOf(
  from: Connection,
  what: Exclude<ReadJob['what'], { digest: Digest }>,
  check: () => void,
): Iterable<Row> {
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

/** Texts that a digest makes of the rows of its selects. */
function* textsOf(
  from: Connection,
  { selects, digest }: Extract<ReadJob['what'], { digest: Digest }>,
  open: OpenDigester,
  job: { readonly folder: string; readonly check: () => void; readonly damaged: () => void },
): Iterable<string> {
  const { folder, check, damaged } = job;
  let digester = open(digest.options, check);
  if (selects.some(({ columns }) => columns !== undefined)) prepareForColumns(from);
  let text = '';
  // In one transaction: all is of one state.
  from.run('BEGIN', []);
  const textOf = namesOf(from);
  try {
    let isKnown = false;
    try {
      isKnown = fromColumns(from, selects, digester, folder, check);
    } catch (error) {
      if (!(error instanceof ColumnsDamaged || error instanceof ColumnsUseless)) throw error;
      if (error instanceof ColumnsDamaged) damaged();
      // Nothing was sent: it begins anew.
      digester = open(digest.options, check);
    }
    let rows = 0;
    for (const [i, { sql, params, only }] of isKnown ? [] : selects.entries()) {
      for (const row of from.statement(sql).iterate(...params)) {
        // Asking costs more than some rows.
        if ((++rows & 63) === 0) check();
        text +=
          only === undefined
            ? digester.take(i, String(row[1]), unpackUnkept(row, NODE_AT, textOf))
            : digester.take(i, '', { [only]: row[1] });
        if (text.length < DIGEST_PIECE) continue;
        yield text;
        text = '';
      }
    }
  } finally {
    from.run('COMMIT', []);
  }
  for (const piece of digester.end()) {
    check();
    text += piece;
    if (text.length < DIGEST_PIECE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** Answers selects from columns, and from nodes what these do not have; false: there are no columns for them. Throws `ColumnsDamaged`, `ColumnsUseless`. */
function fromColumns(
  from: Connection,
  selects: readonly DigestSelect[],
  digester: Digester,
  folder: string,
  check: () => void,
): boolean {
  if (digester.takeColumns === undefined || selects.some(({ columns }) => columns === undefined)) return false;
  const reader = new ColumnReader(from, folder, check);
  const textOf = namesOf(from);
  try {
    for (const [i, { columns }] of selects.entries()) {
      if (columns === undefined) continue;
      for (const block of reader.blocks(columns)) digester.takeColumns(i, block);
      for (const { sql, params } of [columns.again, columns.tail]) {
        let rows = 0;
        for (const row of from.statement(sql).iterate(...params)) {
          if ((++rows & 63) === 0) check();
          digester.take(i, String(row[1]), unpackUnkept(row, NODE_AT, textOf));
        }
      }
    }
  } finally {
    reader.close();
  }
  return true;
}

export default async function read(job: ReadJob): Promise<void> {
  const { control, port, what } = job;
  let { deadline } = job;
  let patience = deadline - Date.now();
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
      const since = Date.now();
      Atomics.wait(control, GRANTED, granted, 100);
      if (!('digest' in what)) continue;
      // The limit is on computing. The consumer has as long once more: the log of the database cannot start over meanwhile.
      const waited = Date.now() - since;
      patience -= waited;
      if (patience < 0) throw new Ended('timeout');
      deadline += waited;
    }
    sent++;
    post({ rows });
  };
  try {
    check();
    let rows: unknown[] = [];
    let size = 0;
    const from = threadConnection(job.file, job.cacheMegabytes);
    if ('digest' in what) {
      const { open } = (await import(what.digest.module)) as { readonly open: OpenDigester };
      const damaged = (): void => {
        post({ columns: 'damaged' });
      };
      for (const text of textsOf(from, what, open, { folder: job.columns, check, damaged })) send([text]);
      post({ end: 'done' });
      return;
    }
    for (const row of rowsOf(from, what, check)) {
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
    else if (error instanceof DigestError) post({ end: 'error', code: 'invalid_query', message: error.message });
    else {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      post({ end: 'error', code, message: error instanceof Error ? error.message : String(error) });
    }
  } finally {
    threadCheck(() => undefined);
    port.close();
  }
}
