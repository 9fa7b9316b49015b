/**
 * The baseline of writing: better-sqlite3 inserting the rows that the server writes for one object, into a copy of the
 * server's own database, so into the same tables with the same indexes and as much in them. One process of nothing else.
 */
import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { serve } from '../child.js';

export interface RowsOrder {
  /** Copy of the server's database file. */
  readonly file: string;
  readonly perTransaction: number;
  readonly seconds: number;
  readonly warm: number;
}

export interface RowsResult {
  /** Objects a second. */
  readonly rate: number;
  /** Rows of one object, by table. */
  readonly rows: Readonly<Record<string, number>>;
}

type Value = string | number | bigint | Buffer | null;
type Row = Record<string, Value>;

/** All rows of one object; `pk` is the one of its node row. */
interface Template {
  readonly pk: Value;
  readonly node: Row;
  readonly relationships: readonly Row[];
  readonly entries: readonly Row[];
}

/** Objects whose rows are inserted again and again under new ids. */
const TEMPLATES = 2000;
/** What the server has (`database.cache.megabytes`). */
const CACHE_MEGABYTES = 64;

class Rows {
  private readonly db: Sqlite.Database;
  private readonly templates: readonly Template[];
  private readonly statements = new Map<string, Sqlite.Statement>();
  private next = 0;

  constructor(file: string) {
    this.db = new Sqlite(file);
    this.db.pragma('journal_mode = WAL');
    this.db.pragma('synchronous = FULL');
    this.db.pragma(`cache_size = ${String(-1024 * CACHE_MEGABYTES)}`);
    const related = this.db.prepare<[Value, Value], Row>(
      'SELECT * FROM rel WHERE source = ? OR target = ? ORDER BY pk',
    );
    // The primary key of the index does not begin with the node, so one pass for all.
    const nodes = this.db.prepare<[number], Row>('SELECT * FROM node ORDER BY pk DESC LIMIT ?').all(TEMPLATES);
    const entries = new Map<Value, Row[]>(nodes.map((n) => [n['pk'] ?? null, []]));
    for (const row of this.db.prepare<[], Row>('SELECT * FROM prop_index').iterate())
      entries.get(row['node'] ?? null)?.push(row);
    this.templates = nodes.map((node) => {
      const pk = node['pk'] ?? null;
      return { pk, node, relationships: related.all(pk, pk), entries: entries.get(pk) ?? [] };
    });
  }

  private insert(table: string, row: Row): number | bigint {
    let statement = this.statements.get(table);
    if (statement === undefined) {
      const columns = Object.keys(row);
      statement = this.db.prepare(
        `INSERT INTO ${table}(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      );
      this.statements.set(table, statement);
    }
    return statement.run(...Object.values(row)).lastInsertRowid;
  }

  private insertObject(): void {
    const template = this.templates[this.next++ % this.templates.length];
    if (template === undefined) throw new Error('the database holds no object');
    const id = (): string => randomBytes(16).toString('hex');
    const pk = this.insert('node', { ...template.node, pk: null, id: id() });
    for (const row of template.relationships) {
      const end = (name: string): Value => (row[name] === template.pk ? pk : (row[name] ?? null));
      this.insert('rel', { ...row, pk: null, id: id(), source: end('source'), target: end('target') });
    }
    for (const row of template.entries) this.insert('prop_index', { ...row, node: pk });
  }

  run(perTransaction: number, seconds: number): number {
    const transaction = this.db.transaction(() => {
      for (let i = 0; i < perTransaction; i++) this.insertObject();
    });
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
    return { node: 1, rel: first?.relationships.length ?? 0, prop_index: first?.entries.length ?? 0 };
  }
}

const open = new Map<string, Rows>();

serve<RowsOrder, RowsResult>(({ file, perTransaction, seconds, warm }) => {
  const rows = open.get(file) ?? new Rows(file);
  open.set(file, rows);
  rows.run(perTransaction, warm);
  return { rate: rows.run(perTransaction, seconds), rows: rows.counts() };
});
