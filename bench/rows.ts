/** The rows that the server writes for one object, written again under new ids by better-sqlite3 alone. */
import type Sqlite from 'better-sqlite3';
import { Library } from '../src/main/graph/sqlite/connection/library.js';
import { newId } from '../src/main/graph/index.js';

type Value = string | number | bigint | Buffer | null;
type Row = Record<string, Value>;

/** All rows of one object, ready to be bound; what differs from object to object is set before. */
interface Template {
  readonly node: Bound;
  readonly relationships: readonly { readonly row: Bound; readonly source: boolean; readonly target: boolean }[];
  readonly entries: readonly Entry[];
}

/** A row about a node in one of the tables that the engine keeps besides the objects. */
interface Entry {
  readonly table: (typeof ENTRIES)[number];
  readonly row: Bound;
}

/** Values of one row and where some of them are. */
interface Bound {
  readonly statement: Sqlite.Statement<Value[]>;
  readonly values: Value[];
  readonly at: Readonly<Record<string, number>>;
}

/** Indexed values; owners and grants. */
const ENTRIES = ['prop_index', 'access_entry'] as const;
/** Objects whose rows are inserted again and again under new ids. */
const TEMPLATES = 2000;
/** What the server has (`database.cache.megabytes`). */
const CACHE_MEGABYTES = 64;
/** Pages of the log after which the server copies them into the database too. */
const CHECKPOINT_PAGES = 10_000;

export class Rows {
  private readonly db: Sqlite.Database;
  private readonly templates: readonly Template[];
  private readonly statements = new Map<string, Sqlite.Statement<Value[]>>();
  private next = 0;

  constructor(file: string) {
    this.db = new Library(file);
    this.db.pragma('journal_mode = WAL');
    this.db.pragma('synchronous = FULL');
    this.db.pragma(`cache_size = ${String(-1024 * CACHE_MEGABYTES)}`);
    this.db.pragma(`wal_autocheckpoint = ${String(CHECKPOINT_PAGES)}`);
    const related = this.db.prepare<[Value, Value], Row>(
      'SELECT * FROM rel WHERE source = ? OR target = ? ORDER BY pk',
    );
    const nodes = this.db.prepare<[number], Row>('SELECT * FROM node ORDER BY pk DESC LIMIT ?').all(TEMPLATES);
    // The keys of these tables do not begin with the node, so one pass for all.
    const entries = new Map<Value, Entry[]>(nodes.map((n) => [n['pk'] ?? null, []]));
    for (const table of ENTRIES) {
      for (const row of this.db.prepare<[], Row>(`SELECT * FROM ${table}`).iterate()) {
        entries.get(row['node'] ?? null)?.push({ table, row: this.bind(table, row) });
      }
    }
    this.templates = nodes.map((node) => {
      const pk = node['pk'] ?? null;
      const relationships = related.all(pk, pk).map((row) => ({
        row: this.bind('rel', { ...row, pk: null }),
        source: row['source'] === pk,
        target: row['target'] === pk,
      }));
      return { node: this.bind('node', { ...node, pk: null }), relationships, entries: entries.get(pk) ?? [] };
    });
  }

  private bind(table: string, row: Row): Bound {
    const columns = Object.keys(row);
    const sql = `INSERT INTO ${table}(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare<Value[]>(sql);
      this.statements.set(sql, statement);
    }
    return { statement, values: Object.values(row), at: Object.fromEntries(columns.map((c, i) => [c, i])) };
  }

  private insertObject(): void {
    const template = this.templates[this.next++ % this.templates.length];
    if (template === undefined) throw new Error('the database holds no object');
    set(template.node, 'id', Buffer.from(newId(), 'hex'));
    const pk = insert(template.node);
    for (const { row, source, target } of template.relationships) {
      set(row, 'id', Buffer.from(newId(), 'hex'));
      if (source) set(row, 'source', pk);
      if (target) set(row, 'target', pk);
      insert(row);
    }
    for (const { row } of template.entries) {
      set(row, 'node', pk);
      insert(row);
    }
  }

  /** Such a transaction, to be called. */
  transaction(objects: number): () => void {
    return this.db.transaction(() => {
      for (let i = 0; i < objects; i++) this.insertObject();
    });
  }

  run(perTransaction: number, seconds: number): number {
    const transaction = this.transaction(perTransaction);
    const begin = performance.now();
    const until = begin + seconds * 1000;
    let objects = 0;
    while (performance.now() < until) {
      transaction();
      objects += perTransaction;
    }
    return objects / ((performance.now() - begin) / 1000);
  }

  /** Rows of the first template. */
  counts(): Record<string, number> {
    const [first] = this.templates;
    const counts: Record<string, number> = { node: 1, rel: first?.relationships.length ?? 0 };
    for (const one of ENTRIES) counts[one] = first?.entries.filter(({ table }) => table === one).length ?? 0;
    return counts;
  }
}

function set(row: Bound, column: string, value: Value): void {
  const at = row.at[column];
  if (at === undefined) throw new Error(`the table has no column ${column}: the bench does not know this database`);
  row.values[at] = value;
}

function insert(row: Bound): number | bigint {
  return row.statement.run(...row.values).lastInsertRowid;
}
