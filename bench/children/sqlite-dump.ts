/**
 * The baseline of data exports: all rows of the tables of objects and relationships as statements of SQL in a file, by `.dump` of the sqlite3 shell where
 * there is one, else by better-sqlite3 as that writes them. One process of nothing else.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { serve } from '../child.js';

export interface DumpOrder {
  /** Copy of the server's database file. */
  readonly file: string;
  readonly to: string;
}

const PIECE = 256 * 1024;

/** Answers objects a second: rows of the table of nodes. */
serve<DumpOrder, number>(({ file, to }) => {
  const out = openSync(to, 'w');
  const begun = performance.now();
  const shell = spawnSync('sqlite3', ['-readonly', file, '.dump node rel'], { stdio: ['ignore', out, 'ignore'] });
  if (shell.error !== undefined || shell.status !== 0) dump(file, out);
  const seconds = (performance.now() - begun) / 1000;
  closeSync(out);
  const db = new Library(file, { readonly: true });
  const objects = Number(db.prepare('SELECT count(*) FROM node').pluck().get());
  db.close();
  return objects / seconds;
});

function dump(file: string, out: number): void {
  const db = new Library(file, { readonly: true });
  let text = '';
  for (const table of ['node', 'rel']) {
    for (const row of db.prepare<[], unknown[]>(`SELECT * FROM ${table}`).raw().iterate()) {
      text += `INSERT INTO ${table} VALUES(${row.map(literal).join(',')});\n`;
      if (text.length < PIECE) continue;
      writeSync(out, text);
      text = '';
    }
  }
  writeSync(out, text);
  db.close();
}

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (Buffer.isBuffer(value)) return `X'${value.toString('hex')}'`;
  return typeof value === 'number' ? String(value) : 'NULL';
}
