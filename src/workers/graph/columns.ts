/** Makes segments of columns of the nodes in a range of keys, as one state of the database has them, and writes them to files that are durable. */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { ColumnDefinition } from '../../main/graph/columns.js';
import { ColumnBuilder } from '../../main/graph/sqlite/columns/column-builder.js';
import { segmentBytes } from '../../main/graph/sqlite/columns/segment-file.js';
import { NODE_AT, nodeColumns } from '../../main/graph/sqlite/connection/records.js';
import { unpackUnkept } from '../../main/graph/sqlite/connection/stamps.js';
import { namesOf, threadCheck, threadConnection } from '../../main/graph/sqlite/scans/thread-connection.js';
import { syncPath } from '../../shared/sync-path.js';
import { setThreadPriority } from '../../shared/thread-priority.js';

export interface ColumnsJob {
  readonly file: string;
  readonly cacheMegabytes: number;
  /** Where files go; it is there. */
  readonly folder: string;
  readonly definition: ColumnDefinition;
  /** Numbers of its types. */
  readonly types: readonly number[];
  /** Keys above the first one, and up to the last. */
  readonly first: number;
  readonly last: number;
  /** Not zero: nobody waits any more. */
  readonly stopped: Int32Array;
}

export interface MadeSegment {
  readonly first: number;
  readonly last: number;
  /** Nodes that it is of. */
  readonly amount: number;
  /** It has ended by a limit. */
  readonly isFull: boolean;
  /** Its name. */
  readonly file: string;
}

export interface MadeColumns {
  /** In the order of keys, without gap, from the first to the last. Those without a node have no file. */
  readonly segments: readonly MadeSegment[];
  /** Number of the last mark of a stale row that they know of. */
  readonly seen: number;
}

/** Nobody waits for it. */
const NICE = 10;
setThreadPriority(NICE);

class Stopped extends Error {}

/** Undefined: it was stopped. */
export default async function makeColumns(job: ColumnsJob): Promise<MadeColumns | undefined> {
  const check = (): void => {
    if (Atomics.load(job.stopped, 0) !== 0) throw new Stopped();
  };
  threadCheck(check);
  const from = threadConnection(job.file, job.cacheMegabytes);
  const segments: MadeSegment[] = [];
  from.run('BEGIN', []);
  const textOf = namesOf(from);
  try {
    const seen = Number(from.get('SELECT coalesce(max(n),0) FROM column_stale', [])?.[0]);
    let { first } = job;
    let builder = new ColumnBuilder(job.definition, first);
    let amount = 0;
    const end = async (last: number, isFull: boolean): Promise<void> => {
      const file = amount === 0 ? '' : await written(job.folder, builder, last);
      segments.push({ first, last, amount, isFull, file });
      first = last;
      builder = new ColumnBuilder(job.definition, first);
      amount = 0;
    };
    const marks = job.types.map(() => '?').join(',');
    // The unary plus: all types in the order of keys, which one walk of the index gives for one type.
    const type = job.types.length === 1 ? 'type' : '+type';
    const sql = `SELECT ${nodeColumns('n')} FROM node n WHERE ${type} IN (${marks}) AND n.pk>? AND n.pk<=? ORDER BY n.pk LIMIT 1024`;
    let last = first;
    for (;;) {
      check();
      const rows = from.all(sql, [...job.types, last, job.last]);
      if (rows.length === 0) break;
      last = Number(rows.at(-1)?.[0]);
      for (const row of rows) {
        const [pk] = row;
        const properties = unpackUnkept(row, NODE_AT, textOf);
        if (!builder.add(Number(pk), properties)) {
          await end(Number(pk) - 1, true);
          builder.add(Number(pk), properties);
        }
        amount++;
      }
    }
    await end(job.last, false);
    return { segments, seen };
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    throw error;
  } finally {
    from.run('COMMIT', []);
    threadCheck(() => undefined);
  }
}

async function written(folder: string, builder: ColumnBuilder, last: number): Promise<string> {
  const facts = builder.facts(last);
  const name = `${String(facts.first)}-${randomBytes(8).toString('hex')}`;
  const path = join(folder, name);
  const file = await open(path, 'wx');
  try {
    for (const bytes of segmentBytes(facts, builder.parts(facts))) await writeAll(file, bytes);
    await file.datasync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await syncPath(folder);
  return name;
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}
