/** Reading and filling a whole SQLite database. A position in the order of creation is the row number, less one. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import {
  BATCH_BYTES,
  BATCH_ITEMS,
  type Belongings,
  type BulkBatch,
  type BulkCounts,
  type BulkItem,
  type BulkKind,
  type BulkReader,
  type BulkWriter,
} from '../bulk.js';
import { GraphError } from '../errors.js';
import type { GraphNode, GraphRelationship } from '../types.js';
import { COLUMN_TABLES } from './columns/state.js';
import { AccessTable } from './indexes/access-table.js';
import { CounterDelta } from './indexes/counters.js';
import { encodeProperties } from './connection/codec.js';
import { Connection, graphError, markTime, type Row, sizeOfRow } from './connection/connection.js';
import { COPY_MARK, type DirectoryLock, openFiles } from './files.js';
import { Names } from './connection/names.js';
import { NODE_AT, nodeColumns, REL_AT, REL_COLUMNS, storedId } from './connection/records.js';
import { type Numbering, packNode, packRelationship, unpack } from './connection/stamps.js';
import { NOTE_PREFIX } from './notes.js';
import { GIVE_UP } from './indexes/text-indexes.js';
import type { SqlValue } from './connection/values.js';

const CACHE_MEGABYTES = 64;
const NODES = `SELECT ${nodeColumns('n')} FROM node n WHERE n.pk>? ORDER BY n.pk`;
const RELATIONSHIPS = `SELECT ${REL_COLUMNS} FROM rel r CROSS JOIN node a ON a.pk=r.source
  CROSS JOIN node b ON b.pk=r.target WHERE r.pk>? ORDER BY r.pk`;
const INSERT_NODE = 'INSERT INTO node(pk,id,type,made,maker,changed,props) VALUES (?,?,?,?,?,?,?)';
const INSERT_REL = `INSERT INTO rel(pk,id,type,relType,source,target,made,maker,changed,props)
  SELECT ?,?,?,?,a.pk,b.pk,?,?,?,? FROM node a CROSS JOIN node b WHERE a.id=? AND b.id=?`;
/** What the engine keeps besides the entities; all but `access_entry` is made again when the database is opened. */
const DERIVED = ['prop_index', 'index_state', 'counter', 'flag', 'access_entry', 'journal', ...COLUMN_TABLES];
const AFTER_NOTES = 'note;';
const SET_FLAG = 'INSERT OR REPLACE INTO flag(name, value) VALUES (?, ?)';
const POSITION_TAKEN = 'SQLITE_CONSTRAINT_PRIMARYKEY';

interface Opened {
  readonly path: string;
  readonly file: string;
  readonly lock: DirectoryLock;
}

/** Opens a database to read all of it; nobody else can use it meanwhile. Throws `GraphError`. */
export async function openSqliteReader(path: string): Promise<BulkReader> {
  if (!existsSync(join(path, 'graph.db'))) throw new GraphError('not_found', `There is no database in ${path}.`, path);
  return new SqliteBulk({ path, ...(await openFiles(path)) });
}

/** Opens a database to fill it, making it if there is none. Throws `GraphError`. */
export async function openSqliteWriter(path: string): Promise<BulkWriter> {
  return new SqliteBulk({ path, ...(await openFiles(path, { unfinished: true })) });
}

class SqliteBulk implements BulkWriter {
  readonly identity: string;
  readonly #connection: Connection;
  readonly #lock: DirectoryLock;
  readonly #names = new Names();
  readonly #access: AccessTable;
  readonly #numbers: Numbering;

  constructor({ path, file, lock }: Opened) {
    this.#lock = lock;
    this.identity = `sqlite ${realpathSync(path)}`;
    try {
      this.#connection = new Connection(file, { cacheMegabytes: CACHE_MEGABYTES, guard: { check: () => undefined } });
      this.#connection.db.pragma('synchronous = FULL');
      this.#names.load(this.#connection);
      this.#numbers = this.#names.numbering(this.#connection);
      this.#access = new AccessTable(this.#connection, this.#names);
    } catch (error) {
      lock.release();
      throw graphError(error);
    }
  }

  async counts(): Promise<BulkCounts> {
    const count = (table: string): ReadonlyMap<string, number> => {
      const rows = this.#all(`SELECT type,count(*) FROM ${table} GROUP BY type`);
      return new Map(rows.map(([type, n]) => [this.#names.textOf(Number(type)), Number(n)]));
    };
    return { nodes: count('node'), relationships: count('rel') };
  }

  /** Every start of a server on the database notes its time. */
  async revision(): Promise<string> {
    const [row] = this.#all(
      "SELECT (SELECT max(pk) FROM node),(SELECT max(pk) FROM rel),(SELECT value FROM flag WHERE name='opened')",
    );
    return JSON.stringify(row);
  }

  async belongings(): Promise<Belongings> {
    const rows = this.#all('SELECT substr(name, ?), value FROM flag WHERE name >= ? AND name < ?', [
      NOTE_PREFIX.length + 1,
      NOTE_PREFIX,
      AFTER_NOTES,
    ]);
    const [commit] = this.#all("SELECT value FROM flag WHERE name = 'commit'");
    return {
      notes: new Map(rows.map(([name, text]) => [String(name), String(text)])),
      commit: Number(commit?.[0] ?? 0),
    };
  }

  async *read(kind: BulkKind, after?: string): AsyncGenerator<BulkBatch> {
    let last = after === undefined ? 0 : Number(after);
    for (;;) {
      const items = this.#page(kind, last);
      if (items.length === 0) return;
      last = (items[items.length - 1]?.position ?? 0) + 1;
      // A turn of the loop: signals and the other side get theirs.
      await new Promise((resolve) => setImmediate(resolve));
      yield { items, cursor: String(last) };
    }
  }

  #page(kind: BulkKind, above: number): BulkItem[] {
    const nodes = kind === 'nodes';
    const items: BulkItem[] = [];
    let bytes = 0;
    try {
      for (const row of this.#connection.statement(nodes ? NODES : RELATIONSHIPS).iterate(above)) {
        items.push({ position: Number(row[0]) - 1, entity: nodes ? this.#nodeOf(row) : this.#relationshipOf(row) });
        bytes += sizeOfRow(row);
        if (items.length === BATCH_ITEMS || bytes > BATCH_BYTES) break;
      }
    } catch (error) {
      throw graphError(error);
    }
    return items;
  }

  #nodeOf(row: Row): GraphNode {
    const [, id, type] = row;
    return {
      kind: 'node',
      id: String(id),
      type: this.#names.textOf(Number(type)),
      properties: unpack(row, NODE_AT, this.#names.textOf),
    };
  }

  #relationshipOf(row: Row): GraphRelationship {
    const [, id, type, relType, sourceId, targetId] = row;
    return {
      kind: 'relationship',
      id: String(id),
      type: this.#names.textOf(Number(type)),
      relType: this.#names.textOf(Number(relType)),
      sourceId: String(sourceId),
      targetId: String(targetId),
      properties: unpack(row, REL_AT, this.#names.textOf),
    };
  }

  async mark(): Promise<string | undefined> {
    if (this.#all('SELECT 1 FROM sqlite_schema WHERE name=?', [COPY_MARK]).length === 0) return undefined;
    return String(this.#all(`SELECT mark FROM ${COPY_MARK}`)[0]?.[0]);
  }

  async isEmpty(): Promise<boolean> {
    return this.#all('SELECT 1 WHERE EXISTS (SELECT 1 FROM node) OR EXISTS (SELECT 1 FROM rel)').length === 0;
  }

  async clear(): Promise<void> {
    markTime(this.#connection);
    this.#transaction(() => {
      // Without conditions SQLite gives whole tables back at once, row by row only where it must.
      for (const table of ['rel', 'node', 'name_table', ...DERIVED]) this.#run(`DELETE FROM ${table}`);
      this.#run(GIVE_UP);
      this.#run(`DROP TABLE IF EXISTS ${COPY_MARK}`);
    });
    this.#names.clear();
  }

  async begin(mark: string): Promise<void> {
    markTime(this.#connection);
    this.#transaction(() => {
      for (const table of DERIVED) this.#run(`DELETE FROM ${table}`);
      this.#run(GIVE_UP);
      this.#run(`CREATE TABLE ${COPY_MARK}(mark TEXT NOT NULL)`);
      this.#run(`INSERT INTO ${COPY_MARK}(mark) VALUES (?)`, [mark]);
    });
  }

  async write(items: readonly BulkItem[], mark: string): Promise<void> {
    this.#transaction(() => {
      for (const item of items) this.#insert(item);
      this.#run(`UPDATE ${COPY_MARK} SET mark=?`, [mark]);
    });
  }

  #insert({ position, entity }: BulkItem): void {
    const type = this.#names.intern(entity.type, this.#connection);
    const { properties } = entity;
    const text = encodeProperties(properties);
    if (entity.kind === 'node') {
      this.#run(INSERT_NODE, [position + 1, storedId(entity.id), type, ...packNode(properties, text, this.#numbers)]);
      // Numbers are counted when the copy is opened.
      this.#access.added(type, position + 1, entity.properties, new CounterDelta());
      return;
    }
    const { id, sourceId, targetId } = entity;
    const relType = this.#names.intern(entity.relType, this.#connection);
    const ends = [storedId(sourceId), storedId(targetId)];
    const packed = packRelationship(properties, text, this.#numbers);
    const row = [position + 1, storedId(id), type, relType, ...packed, ...ends];
    if (this.#run(INSERT_REL, row) !== 1) {
      throw new GraphError('not_found', `An end of the relationship ${id} is not there.`, id);
    }
    this.#access.linkedByKey(position + 1, entity);
  }

  async setMark(mark: string): Promise<void> {
    await this.write([], mark);
  }

  /** The next row gets the next number by itself. */
  async finish(_next: number, { notes, commit }: Belongings): Promise<void> {
    this.#transaction(() => {
      const flags: [string, SqlValue][] = [...notes].map(([name, text]) => [NOTE_PREFIX + name, text]);
      for (const flag of [...flags, ['commit', commit] as const]) this.#run(SET_FLAG, flag);
      this.#run(`DROP TABLE ${COPY_MARK}`);
    });
  }

  async close(): Promise<void> {
    this.#connection.close();
    this.#lock.release();
  }

  #transaction(work: () => void): void {
    this.#run('BEGIN IMMEDIATE');
    try {
      work();
      this.#run('COMMIT');
      this.#names.committed();
    } catch (error) {
      if (this.#connection.inTransaction) this.#run('ROLLBACK');
      this.#names.forget(0);
      throw error;
    }
  }

  #all(sql: string, params: readonly SqlValue[] = []): Row[] {
    try {
      return this.#connection.all(sql, params);
    } catch (error) {
      throw graphError(error);
    }
  }

  #run(sql: string, params: readonly SqlValue[] = []): number {
    try {
      return this.#connection.run(sql, params);
    } catch (error) {
      throw taken(error) ?? graphError(error);
    }
  }
}

/** Ids and positions are unique in what we write ourselves; other clients of a Neo4j can do as they like. */
function taken(error: unknown): GraphError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('SQLITE_CONSTRAINT')) return undefined;
  const what = code === POSITION_TAKEN ? 'position in the order of creation' : 'id';
  return new GraphError('already_taken', `Two entities have the same ${what}.`, undefined, { cause: error });
}
