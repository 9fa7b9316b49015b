/** The baseline of parts of names: SQLite looking through one bare column of the same names, in a process of nothing else. */
import type Sqlite from 'better-sqlite3';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { serve } from '../child.js';
import { part, someNames, things } from '../growth/things.js';

export interface ScanOrder {
  readonly objects: number;
  readonly seconds: number;
}

interface Table {
  readonly find: Sqlite.Statement<[string]>;
  readonly parts: readonly string[];
}

const open = new Map<number, Table>();

function table(objects: number): Table {
  const db = new Library(':memory:');
  db.exec('CREATE TABLE names (name TEXT)');
  const insert = db.prepare('INSERT INTO names VALUES (?)');
  db.transaction(() => {
    for (const { name } of things(objects)) insert.run(name);
  })();
  const find = db.prepare<[string]>("SELECT rowid FROM names WHERE name LIKE '%' || ? || '%'");
  return { find, parts: someNames(objects, 500).map(part) };
}

/** Answers the processor time of a scan, in microseconds. */
serve<ScanOrder, number>(({ objects, seconds }) => {
  const { find, parts } = open.get(objects) ?? table(objects);
  open.set(objects, { find, parts });
  const [begin, end] = [process.cpuUsage(), performance.now() + seconds * 1000];
  let count = 0;
  for (; count === 0 || performance.now() < end; count++)
    if (find.all(parts[count % parts.length] ?? '').length === 0) throw new Error('a name was not found');
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / count;
});
