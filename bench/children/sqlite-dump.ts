/**
 * The baseline of data exports: all rows of the tables of objects and relationships as statements of SQL in a file, as `.dump` of the sqlite3 shell writes
 * them, by better-sqlite3. One process of nothing else.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { serve } from '../child.js';

export interface DumpOrder {
  /** Copy of the server's database file. */
  readonly file: string;
  readonly to: string;
}

const PIECE = 256 * 1024;

/** Answers rows a second. */
serve<DumpOrder, number>(({ file, to }) => {
  const db = new Library(file, { readonly: true });
  const out = openSync(to, 'w');
  const begun = performance.now();
  let rows = 0;
  let text = '';
  for (const table of ['node', 'rel']) {
    for (const row of db.prepare<[], unknown[]>(`SELECT * FROM ${table}`).raw().iterate()) {
      text += `INSERT INTO ${table} VALUES(${row.map(literal).join(',')});\n`;
      rows++;
      if (text.length < PIECE) continue;
      writeSync(out, text);
      text = '';
    }
  }
  writeSync(out, text);
  closeSync(out);
  const rate = (1000 * rows) / (performance.now() - begun);
  db.close();
  return rate;
});

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return typeof value === 'number' ? String(value) : 'NULL';
}
