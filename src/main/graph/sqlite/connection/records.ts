/**
 * How ids stand in the tables, the one place that knows (docs/design/sqlite.md, "Records"): one of 32 lower-case hexadecimal digits is
 * a blob of its 16 bytes, any other is the text itself. SQL makes texts of what is read: a blob that is handed to JavaScript costs more
 * than the text of its digits. `rel` and `node` are read through the columns that stand here.
 */
import { raw, type Sql, sql } from './sql.js';
import type { SqlValue } from './values.js';

/** What a character is worth as a hexadecimal digit in lower case; 255: it is none. */
const WORTH = new Uint8Array(256).fill(255);
for (let digit = 0; digit < 16; digit++) WORTH[digit.toString(16).charCodeAt(0)] = digit;
const REUSED = Buffer.alloc(16);
/** From here on ids are bound as one list, as in `list`. */
const MANY = 16;

/** An id as it is stored, to be bound. */
export function storedId(id: string): string | Buffer {
  if (id.length !== 32) return id;
  const bytes = Buffer.allocUnsafe(16);
  return written(id, bytes) ? bytes : id;
}

/** The same for a statement that is run before another id is asked for: no memory is taken. */
export function boundId(id: string): string | Buffer {
  return id.length === 32 && written(id, REUSED) ? REUSED : id;
}

/** False: it has a character that is no digit. */
function written(id: string, bytes: Buffer): boolean {
  for (let i = 0; i < 16; i++) {
    const high = WORTH[id.charCodeAt(2 * i)] ?? 255;
    const low = WORTH[id.charCodeAt(2 * i + 1)] ?? 255;
    if ((high | low) > 15) return false;
    bytes[i] = (high << 4) | low;
  }
  return true;
}

/** SQL of the same: of an expression that gives the text of an id. */
export function storedIn(text: string): string {
  return `iif(octet_length(${text})=32 AND ${text} NOT GLOB '*[^0-9a-f]*',unhex(${text}),${text})`;
}

/** SQL of the text of the id in a row (blobs come after all texts: `typeof` would be a call of a function); without affinity, so that '5' is not 5. */
export function idOf(alias: string): string {
  return `iif(${alias}.id>=x'',lower(hex(${alias}.id)),${alias}.id)`;
}

/** Ids as they are stored, for IN. */
export function idList(ids: readonly string[]): Sql {
  if (ids.length > MANY) return sql`SELECT ${raw(storedIn('value'))} FROM json_each(${JSON.stringify(ids)})`;
  const params: SqlValue[] = ids.map(storedId);
  return { text: params.map(() => '?').join(','), params };
}

/** Key of the node with an id, as a select. */
export function keyOf(id: string): Sql {
  return sql`SELECT pk FROM node WHERE id=${storedId(id)}`;
}

/** Keys of the nodes with these ids, as a select. */
export function keysOf(ids: readonly string[]): Sql {
  return sql`SELECT pk FROM node WHERE id IN (${idList(ids)})`;
}

/** Columns of a row of either table with what is not in its JSON (stamps.ts), and the JSON last. */
const properties = (alias: string): string => `${alias}.made,${alias}.maker,${alias}.changed,${alias}.props`;

/** Key, id, type and properties of a row of `node`; `NODE_AT` tells where the last begin. */
export function nodeColumns(alias: string): string {
  return `${alias}.pk,${idOf(alias)},${alias}.type,${properties(alias)}`;
}

/** The same where the id is known: SQL need not make its text. */
export function nodeColumnsOfKnown(alias: string): string {
  return `${alias}.pk,NULL,${alias}.type,${properties(alias)}`;
}

/** Type and properties alone. */
export function contentColumns(alias: string): string {
  return `${alias}.type,${properties(alias)}`;
}

/** Key, id, type, type of relationship, ids of the ends and properties of a row of `rel` r, whose ends are a and b; see `REL_AT`. */
export const REL_COLUMNS = `r.pk,${idOf('r')},r.type,r.relType,${idOf('a')},${idOf('b')},${properties('r')}`;

/** Where the properties begin in rows of these columns, and how many columns they are. */
export const NODE_AT = 3;
export const REL_AT = 6;
export const CONTENT_AT = 1;
export const WIDTH = 4;

/**
 * `rel_out` and `rel_in` hold everything one step needs, in the order of linking: `pk` comes before the other end, so that a page of a
 * node with 100,000 relationships reads a page's worth of entries. `id` and `props` of `rel` have no affinity: a number stays one.
 */
export const RECORD_TABLES = `
CREATE TABLE node(pk INTEGER PRIMARY KEY, id NOT NULL UNIQUE, type INTEGER NOT NULL,
  made INTEGER, maker INTEGER, changed INTEGER, props TEXT NOT NULL);
CREATE TABLE rel(pk INTEGER PRIMARY KEY, id NOT NULL UNIQUE, type INTEGER NOT NULL, relType INTEGER NOT NULL,
  source INTEGER NOT NULL, target INTEGER NOT NULL, made INTEGER, maker INTEGER, changed INTEGER, props);
`;
export const RECORD_INDEXES = `
CREATE INDEX node_type ON node(type);
CREATE INDEX rel_type ON rel(type);
CREATE INDEX rel_out ON rel(source, relType, pk, target);
CREATE INDEX rel_in ON rel(target, relType, pk, source);
`;
