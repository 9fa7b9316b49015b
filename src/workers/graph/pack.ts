/** Makes segments of the index of parts of texts (substrings/segment.ts): of all nodes of a type, of those that were written since, of others; tells which nodes are gone. */
import { fold } from '../../main/graph/sqlite/connection/functions.js';
import type { Connection } from '../../main/graph/sqlite/connection/connection.js';
import { keysOf } from '../../main/graph/sqlite/connection/records.js';
import { sql } from '../../main/graph/sqlite/connection/sql.js';
import { valueExpression } from '../../main/graph/sqlite/connection/stamps.js';
import { threadCheck, threadConnection } from '../../main/graph/sqlite/scans/thread-connection.js';
import { addLiving, expectedSize, Gathered, type Segment } from '../../main/graph/sqlite/substrings/segment.js';

export type PackWork =
  /** Of the property of all nodes of a type; `most`: bytes of memory, with more there is nothing. `key`: the number of `keyText`. */
  | { readonly do: 'all'; readonly type: number; readonly key: number; readonly most: number }
  /** Of the nodes with these keys or ids. */
  | {
      readonly do: 'some';
      readonly type: number;
      readonly keyText: string;
      readonly keys: readonly number[];
      readonly ids: readonly string[];
      readonly most: number;
    }
  /** One of several. */
  | { readonly do: 'merge'; readonly segments: readonly Segment[] }
  /** Which of the nodes of a segment are gone. */
  | { readonly do: 'gone'; readonly type: number; readonly segments: readonly Segment[] };

export type PackJob = PackWork & { readonly file: string; readonly cacheMegabytes: number };

export interface Packed {
  /** Undefined: it would be too large, or there is nothing in it. */
  readonly segment?: Segment | undefined;
  readonly tooLarge?: boolean;
  /** Keys of the nodes that were asked for by id, or are gone. */
  readonly keys?: readonly number[];
}

const SELECT = `SELECT node,value FROM prop_index WHERE type=? AND key=? AND typeof(value)='text'`;
const COUNT = `SELECT count(*),coalesce(sum(octet_length(value)),0) FROM prop_index WHERE type=? AND key=? AND typeof(value)='text'`;

export default function pack(job: PackJob): Packed {
  threadCheck(() => undefined);
  if (job.do === 'merge') return merged(job.segments);
  const connection = threadConnection(job.file, job.cacheMegabytes);
  // All statements see one state.
  connection.run('BEGIN', []);
  try {
    if (job.do === 'gone') return { keys: gone(connection, job) };
    return job.do === 'all' ? all(connection, job) : some(connection, job);
  } finally {
    connection.run('COMMIT', []);
  }
}

function all(connection: Connection, { type, key, most }: Extract<PackWork, { do: 'all' }>): Packed {
  const [count = 0, length = 0] = (connection.get(COUNT, [type, key]) ?? []).map(Number);
  if (expectedSize(count, length) > most) return { tooLarge: true };
  const gathered = new Gathered(length + 64);
  for (const [node, value] of connection.statement(SELECT).iterate(type, key))
    gathered.add(Number(node), fold(String(value)));
  return madeOf(gathered);
}

function some(connection: Connection, { type, keyText, keys, ids, most }: Extract<PackWork, { do: 'some' }>): Packed {
  const found = new Set<number>();
  if (ids.length > 0) {
    const { text, params } = keysOf(ids);
    for (const [pk] of connection.all(text, params)) found.add(Number(pk));
  }
  const wanted = JSON.stringify([...new Set([...keys, ...found])]);
  const value = valueExpression('n', keyText);
  const { text, params } =
    sql`SELECT n.pk,${value} FROM node n WHERE n.pk IN (SELECT value FROM json_each(${wanted})) AND n.type=${type} AND typeof(${value})='text'`;
  const gathered = new Gathered();
  for (const [pk, one] of connection.statement(text).iterate(...params)) {
    gathered.add(Number(pk), fold(String(one)));
    if (gathered.length > most) return { tooLarge: true };
  }
  return { ...madeOf(gathered), keys: [...found] };
}

function merged(segments: readonly Segment[]): Packed {
  const gathered = new Gathered(segments.reduce((sum, { bytes }) => sum + bytes.length, 64));
  for (const segment of segments) addLiving(segment, gathered);
  return madeOf(gathered);
}

function madeOf(gathered: Gathered): Packed {
  if (gathered.count === 0) return {};
  const segment = gathered.segment();
  return segment === undefined ? { tooLarge: true } : { segment };
}

function gone(connection: Connection, { type, segments }: Extract<PackWork, { do: 'gone' }>): number[] {
  const there = new Set<number>();
  for (const [pk] of connection.statement('SELECT pk FROM node WHERE type=?').iterate(type)) there.add(Number(pk));
  return segments.flatMap(({ first, keys }) => {
    const missing: number[] = [];
    for (const key of keys) if (!there.has(first + key)) missing.push(first + key);
    return missing;
  });
}
