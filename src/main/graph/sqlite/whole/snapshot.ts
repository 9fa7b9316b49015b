/**
 * A state of an embedded database for who copies its files, whatever its server writes meanwhile (docs/design/backup.md 2). For a process of its
 * own: opening the files of a database in the process that serves it would cost SQLite its locks.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { GraphError } from '../../errors.js';
import { Library } from '../connection/library.js';
import { idOf } from '../connection/records.js';
import { raw, type Sql, sql } from '../connection/sql.js';
import { valueExpression } from '../connection/stamps.js';
import type { SqlValue } from '../connection/values.js';

const FILE = 'graph.db';
const LOG = `${FILE}-wal`;

/** A node that may be a file, and what it says of its content. */
export interface NamedContent {
  readonly id: string;
  readonly key: string | undefined;
}

export class SqliteSnapshot {
  private constructor(
    private readonly db: Sqlite.Database,
    /** Names of files in the folder, to be copied in this order before it is closed. */
    readonly files: readonly string[],
  ) {}

  /** Throws `GraphError` `not_found` where there is no database. */
  static open(folder: string): SqliteSnapshot {
    const file = join(folder, FILE);
    if (!existsSync(file)) throw new GraphError('not_found', `There is no database in ${folder}.`, folder);
    const db = new Library(file, { readonly: true });
    try {
      db.exec('BEGIN');
      // The state is that of the first read.
      db.prepare('SELECT count(*) FROM flag').get();
      return new SqliteSnapshot(db, existsSync(join(folder, LOG)) ? [FILE, LOG] : [FILE]);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Nodes that may be files: what `contentKey` says of the content, undefined where there is none but a size. */
  *contents(): Generator<NamedContent, void, undefined> {
    const [key, size] = ['contentKey', 'size'].map((name) => valueExpression('node', name)) as [Sql, Sql];
    const { text, params } =
      sql`SELECT ${raw(idOf('node'))} AS id, iif(typeof(${key})='text',${key},NULL) AS key FROM node
        WHERE typeof(${key})='text' OR (typeof(${size}) IN ('integer','real') AND ${size}>0)`;
    const rows = this.db.prepare<SqlValue[], { id: string; key: string | null }>(text).iterate(...params);
    for (const { id, key } of rows) yield { id, key: key ?? undefined };
  }

  close(): void {
    this.db.close();
  }
}

/** Has SQLite take in the log of files that were copied, and looks at all pages. Throws `GraphError` `damaged`. */
export function settleSqlite(folder: string): void {
  const file = join(folder, FILE);
  const db = new Library(file);
  try {
    db.pragma('synchronous = FULL');
    db.pragma('wal_checkpoint(TRUNCATE)');
    const found = db.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') throw new GraphError('damaged', `The restored database is damaged (${String(found)}).`, folder);
  } finally {
    db.close();
  }
}
