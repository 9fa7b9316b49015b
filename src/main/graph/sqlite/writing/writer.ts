/**
 * The writing connection as write code sees it: what it writes may be recorded for the writer's thread; it is read only where it
 * shows all that was written before (docs/design/writer.md).
 */
import type Sqlite from 'better-sqlite3';
import type { Connection, Row } from '../connection/connection.js';
import type { SqlValue } from '../connection/values.js';
import type { WriteRecord } from './write-record.js';

export class Writer {
  /** Takes what is written, while the open batch is recorded. Set by the group commit. */
  record: WriteRecord | undefined;
  /** Throws while something is written elsewhere: whoever needs the connection asks for it before (`GroupCommit.shown`). */
  check: () => void = () => undefined;

  constructor(public connection: Connection) {}

  /** Runs a statement whose outcome nobody needs, now or later. Inside a write transaction only. */
  write(sql: string, params: readonly SqlValue[]): void {
    if (this.record === undefined) this.run(sql, params);
    else this.record.add(sql, params);
  }

  all(sql: string, params: readonly SqlValue[]): Row[] {
    this.check();
    return this.connection.all(sql, params);
  }

  some(sql: string, params: readonly SqlValue[], most: number): { readonly rows: Row[]; readonly cut: boolean } {
    this.check();
    return this.connection.some(sql, params, most);
  }

  get(sql: string, params: readonly SqlValue[]): Row | undefined {
    this.check();
    return this.connection.get(sql, params);
  }

  /** Number of rows that were changed. */
  run(sql: string, params: readonly SqlValue[]): number {
    this.check();
    return this.connection.run(sql, params);
  }

  /** Runs an insert; the key of the new row. */
  insert(sql: string, params: readonly SqlValue[]): number {
    this.check();
    return this.connection.insert(sql, params);
  }

  /** A query with integers in full, which are slower: a statement of its own. */
  exact(sql: string): Sqlite.Statement<SqlValue[], SqlValue[]> {
    this.check();
    return this.connection.db.prepare<SqlValue[], SqlValue[]>(sql).raw(true).safeIntegers(true);
  }

  /** Statements without values. */
  exec(sql: string): void {
    this.check();
    this.connection.db.exec(sql);
  }
}
