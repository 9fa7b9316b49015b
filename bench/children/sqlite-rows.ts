/**
 * The baseline of writing: better-sqlite3 inserting the rows that the server writes for one object, into a copy of the
 * server's own database, so into the same tables with the same indexes and as much in them. One process of nothing else.
 */
import { serve } from '../child.js';
import { Rows } from '../rows.js';

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

const open = new Map<string, Rows>();

serve<RowsOrder, RowsResult>(({ file, perTransaction, seconds, warm }) => {
  const rows = open.get(file) ?? new Rows(file);
  open.set(file, rows);
  rows.run(perTransaction, warm);
  return { rate: rows.run(perTransaction, seconds), rows: rows.counts() };
});
