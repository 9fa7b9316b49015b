/** A batch of entities made into something else where it is read (graph/making.ts): a module makes bytes of rows as they are stored. */
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { CONTENT_AT, contentColumns, NODE_AT, REL_AT } from '../../main/graph/sqlite/connection/records.js';
import { textOfRow, unpack } from '../../main/graph/sqlite/connection/stamps.js';
import { type Connection, type Row, sizeOfRow } from '../../main/graph/sqlite/connection/connection.js';
import { namesOf, threadCheck, threadConnection } from '../../main/graph/sqlite/scans/thread-connection.js';
import type { SqlValue } from '../../main/graph/sqlite/connection/values.js';
import type { Maker, StoredEntity, StoredLink } from '../../main/graph/making.js';
import type { PropertyMap } from '../../main/graph/types.js';

/** Characters of properties after which a batch ends. */
const LARGE_BATCH = 2_000_000;
/** Entities that are made something of at once. */
const PART = 256;

export interface MakeJob {
  readonly file: string;
  readonly cacheMegabytes: number;
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Rows that the statement gives at most; when it gives fewer, there are no more. */
  readonly rows: number;
  readonly table: 'node' | 'rel';
  /** Numbers of types of relationships. */
  readonly incoming: readonly number[];
  readonly module: string;
  readonly about: unknown;
}

export type MakeResult =
  | {
      readonly bytes: Uint8Array;
      readonly entities: number;
      /** Key of the last row; undefined: there are no more. */
      readonly last: number | undefined;
    }
  | { readonly code: string; readonly message: string };

const INCOMING = `SELECT w.key,r.source,${contentColumns('r')} FROM json_each(?) w CROSS JOIN rel r INDEXED BY rel_in
  WHERE r.target=w.value AND r.relType=? ORDER BY w.key,r.pk`;

const SOURCE = `SELECT ${contentColumns('n')} FROM node n WHERE n.pk=?`;

export default async function make(job: MakeJob): Promise<MakeResult> {
  const { default: maker } = (await import(job.module)) as { readonly default: Maker };
  threadCheck(() => undefined);
  try {
    const connection = threadConnection(job.file, job.cacheMegabytes);
    const reader = new Reader(connection);
    const parts: Uint8Array[] = [];
    let entities = 0;
    const take = (rows: readonly Row[]): void => {
      const made = maker(
        job.table === 'node' ? reader.nodes(rows, job.incoming) : reader.relationships(rows),
        job.about,
      );
      parts.push(made.bytes);
      entities += made.entities;
    };
    let rows: Row[] = [];
    let count = 0;
    let size = 0;
    let last: number | undefined;
    for (const row of connection.statement(job.sql).iterate(...job.params)) {
      count++;
      size += sizeOfRow(row);
      last = Number(row[0]);
      // What is made at once stays in the young part of the heap.
      if (rows.push(row) >= PART) {
        take(rows);
        rows = [];
      }
      if (size > LARGE_BATCH) break;
    }
    if (rows.length > 0) take(rows);
    const bytes = together(parts);
    const isAll = count < job.rows && size <= LARGE_BATCH;
    return handedOver({ bytes, entities, last: isAll ? undefined : last }, [bytes.buffer]);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return { code: String(error.code), message: error.message };
  }
}

/** In memory of their own: what is transferred takes all of its memory with it. */
function together(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A result that goes to the loop without being copied. */
function handedOver(result: MakeResult, memory: readonly ArrayBufferLike[]): MakeResult {
  return move({ [transferableSymbol]: memory, [valueSymbol]: result }) as unknown as MakeResult;
}

/** Rows of one batch: what is looked up for them is kept as long. */
class Reader {
  readonly #name: (number: number) => string;
  readonly #sources = new Map<number, PropertyMap>();

  constructor(readonly connection: Connection) {
    this.#name = namesOf(connection);
  }

  nodes(rows: readonly Row[], types: readonly number[]): StoredEntity[] {
    const incoming = this.#incoming(rows, types);
    return rows.map((row, i) => ({
      kind: 'node',
      id: String(row[1]),
      type: this.#name(Number(row[2])),
      text: textOfRow(row, NODE_AT, this.#name),
      incoming: incoming?.[i] ?? NONE,
    }));
  }

  relationships(rows: readonly Row[]): StoredEntity[] {
    return rows.map((row) => ({
      kind: 'relationship',
      id: String(row[1]),
      type: this.#name(Number(row[2])),
      relType: this.#name(Number(row[3])),
      sourceId: String(row[4]),
      targetId: String(row[5]),
      text: textOfRow(row, REL_AT, this.#name),
    }));
  }

  #incoming(rows: readonly Row[], types: readonly number[]): (StoredLink[] | undefined)[] | undefined {
    if (types.length === 0 || rows.length === 0) return undefined;
    const keys = JSON.stringify(rows.map(([pk]) => pk));
    const found: (StoredLink[] | undefined)[] = [];
    for (const type of types) {
      const relType = this.#name(type);
      for (const row of this.connection.all(INCOMING, [keys, type])) {
        const [at, source] = row;
        const text = textOfRow(row, 2 + CONTENT_AT, this.#name);
        const link = { relType, text, source: this.#source(Number(source)) };
        (found[Number(at)] ??= []).push(link);
      }
    }
    return found;
  }

  #source(key: number): PropertyMap {
    let source = this.#sources.get(key);
    if (source === undefined) {
      const row = this.connection.get(SOURCE, [key]);
      source = row === undefined ? {} : unpack(row, CONTENT_AT, this.#name);
      this.#sources.set(key, source);
    }
    return source;
  }
}

const NONE: readonly StoredLink[] = [];
