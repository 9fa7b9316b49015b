/** One connection with its prepared statements. */
import type Sqlite from 'better-sqlite3';
import { GraphError } from '../../errors.js';
import type { StatementLog } from '../../statement-log.js';
import { Library } from './library.js';
import { registerFunctions, type ScanGuard } from './functions.js';
import type { SqlValue } from './values.js';

export type Row = SqlValue[];
type Statement = Sqlite.Statement<SqlValue[], Row>;

/** Statements kept a connection; shapes of queries are few, so this is seldom reached. */
const MAX_STATEMENTS = 400;

export interface ConnectionOptions {
  readonly readonly?: boolean;
  readonly cacheMegabytes: number;
  readonly guard: ScanGuard;
  readonly statements?: StatementLog | undefined;
}

export class Connection {
  readonly db: Sqlite.Database;
  /** Told when the database turns out to be damaged. */
  onDamage: ((error: Error) => void) | undefined;
  /** Told when there is no room for what was to be written. */
  onFull: (() => void) | undefined;
  readonly #statements = new Map<string, Statement>();
  readonly #log: StatementLog | undefined;

  constructor(file: string, options: ConnectionOptions) {
    this.db = new Library(file, { readonly: options.readonly ?? false, timeout: 2000 });
    this.#log = options.statements;
    registerFunctions(this.db, options.guard);
    this.db.pragma(`cache_size = ${String(-Math.round(options.cacheMegabytes * 1024))}`);
  }

  get inTransaction(): boolean {
    return this.db.inTransaction;
  }

  /** Rows are arrays: building objects by column name costs more than the query itself. */
  statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined && !known.busy) return known;
    const statement = this.db.prepare<SqlValue[], Row>(sql);
    if (statement.reader) statement.raw(true);
    if (known !== undefined) return statement;
    if (this.#statements.size >= MAX_STATEMENTS) {
      // Oldest first; a statement still in use elsewhere is simply prepared again later.
      for (const key of this.#statements.keys()) {
        this.#statements.delete(key);
        if (this.#statements.size < MAX_STATEMENTS * 0.75) break;
      }
    }
    this.#statements.set(sql, statement);
    return statement;
  }

  all(sql: string, params: readonly SqlValue[]): Row[] {
    return this.#logged(sql, (statement) => statement.all(...params));
  }

  /** The first rows, until what their last columns hold comes to more than `most` characters; whether there may be more. */
  some(sql: string, params: readonly SqlValue[], most: number): { readonly rows: Row[]; readonly cut: boolean } {
    return this.#logged(sql, (statement) => {
      const rows: Row[] = [];
      let size = 0;
      for (const row of statement.iterate(...params)) {
        rows.push(row);
        size += sizeOfRow(row);
        if (size > most) return { rows, cut: true };
      }
      return { rows, cut: false };
    });
  }

  get(sql: string, params: readonly SqlValue[]): Row | undefined {
    return this.#logged(sql, (statement) => statement.get(...params));
  }

  run(sql: string, params: readonly SqlValue[]): number {
    return this.#logged(sql, (statement) => statement.run(...params)).changes;
  }

  /** Runs a statement whose outcome nobody needs, as `Writer.write`. */
  write(sql: string, params: readonly SqlValue[]): void {
    this.run(sql, params);
  }

  /** Runs an insert; the key of the new row. */
  insert(sql: string, params: readonly SqlValue[]): number {
    return Number(this.#logged(sql, (statement) => statement.run(...params)).lastInsertRowid);
  }

  #logged<T>(sql: string, work: (statement: Statement) => T): T {
    const since = this.#log === undefined ? 0 : performance.now();
    try {
      return work(this.statement(sql));
    } catch (error) {
      if (this.onDamage !== undefined && isDamage(error)) this.onDamage(graphError(error));
      if (error instanceof Library.SqliteError && error.code === 'SQLITE_FULL') this.onFull?.();
      throw error;
    } finally {
      this.#log?.ran(sql, since);
    }
  }

  close(): void {
    this.#statements.clear();
    this.db.close();
  }
}

/** Characters of the properties of a row, which stand in its last column. */
export function sizeOfRow(row: Row): number {
  const text = row[row.length - 1];
  return typeof text === 'string' ? text.length : 0;
}

/**
 * Writes page 1, and nothing else, with a new schema cookie. The first frame of each log, so that a database that is older than its
 * log can be told (whole/whole.ts); other connections read the schema again.
 */
export function markTime({ db }: Connection | { readonly db: Sqlite.Database }): void {
  const cookie = Number(db.pragma('schema_version', { simple: true }));
  // Setting it is for those who know what they do: it must grow, as it does with any change of the schema.
  db.unsafeMode(true);
  try {
    db.pragma(`schema_version = ${String(cookie + 1)}`);
  } finally {
    db.unsafeMode(false);
  }
}

/** Settings of a connection that writes for the service; see group-commit.ts for why they are enough. */
export function prepareWriter({ db }: Connection): void {
  db.pragma('synchronous = NORMAL');
  db.pragma('wal_autocheckpoint = 0');
  // Savepoints keep copies of pages; in memory they cost a copy, in files a write.
  db.pragma('temp_store = MEMORY');
}

/** Whether SQLite has found that the file is not what it has written. */
export function isDamage(error: unknown): boolean {
  return error instanceof Library.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

/** Turns what SQLite throws into the graph's own errors; anything else stays as it is. */
export function graphError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error), { cause: error });
  if (!(error instanceof Library.SqliteError)) return error;
  const cause = { cause: error };
  if (error.code.startsWith('SQLITE_FULL')) {
    return new GraphError('storage_full', 'The disk of the database is full.', undefined, cause);
  }
  if (error.code.startsWith('SQLITE_IOERR')) {
    return new GraphError('unavailable', `The database cannot be read or written: ${error.message}`, undefined, cause);
  }
  if (error.code.startsWith('SQLITE_READONLY') || error.code.startsWith('SQLITE_CANTOPEN')) {
    return new GraphError('not_writable', `The database cannot be written: ${error.message}`, undefined, cause);
  }
  if (isDamage(error)) {
    return new GraphError('damaged', `The database is damaged: ${error.message}.`, undefined, cause);
  }
  if (error.code.startsWith('SQLITE_BUSY')) {
    return new GraphError('locked', `The database is in use: ${error.message}`, undefined, cause);
  }
  if (
    error.message.includes('too large') ||
    error.message.includes('too many') ||
    error.message.includes('too complex')
  ) {
    return new GraphError('invalid_query', `The query is too large: ${error.message}`, undefined, cause);
  }
  return error;
}
