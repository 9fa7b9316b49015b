/**
 * Makes a database of an older format one of this version's, whose records are smaller (docs/design/sqlite.md, "Records"): everything is written to a new file
 * beside it, which takes its place when it is on the disk. Whatever ends the process before leaves the database as it was, and the
 * next start begins anew.
 */
import { existsSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { syncPath } from '../../../../shared/sync-path.js';
import { Connection, type Row } from '../connection/connection.js';
import { Library } from '../connection/library.js';
import { Names } from '../connection/names.js';
import { idOf, RECORD_INDEXES, RECORD_TABLES, storedId } from '../connection/records.js';
import { packNode, packRelationship, textOfRow, unpack } from '../connection/stamps.js';

const CACHE_MEGABYTES = 64;
/** Records that are converted before the loop gets a turn. */
const PART = 5000;
/** The same in characters of JSON, and the last record. */
const PART_CHARACTERS = 2_000_000;
/** Milliseconds between two lines about how far it is. */
const TELL = 2000;

const INSERT_NODE = 'INSERT INTO main.node(pk,id,type,made,maker,changed,props) VALUES (?,?,?,?,?,?,?)';
const INSERT_REL =
  'INSERT INTO main.rel(pk,id,type,relType,source,target,made,maker,changed,props) VALUES (?,?,?,?,?,?,?,?,?,?)';
/** What stands beside the JSON since format 7. */
const BESIDE = { 6: 'NULL,NULL,NULL,props', 7: 'made,maker,changed,props' } as const;
type OlderFormat = keyof typeof BESIDE;
const PAGE = `WHERE pk>? ORDER BY pk LIMIT ${String(PART)}`;
const NODES = (format: OlderFormat): string => `SELECT pk,${idOf('node')},type,${BESIDE[format]} FROM old.node ${PAGE}`;
const NODE_AT = 3;
const RELATIONSHIPS = (format: OlderFormat): string =>
  `SELECT pk,${idOf('rel')},type,relType,source,target,${BESIDE[format]} FROM old.rel ${PAGE}`;
const REL_AT = 6;

export interface Converting {
  /** The database; no connection to it is open. */
  readonly file: string;
  /** What the new file gets for good. */
  readonly pragmas: { readonly page_size: number; readonly application_id: number; readonly user_version: number };
  /** Hears how far it is. */
  readonly tell: (line: string) => void;
}

/** Where the new file is while it is made. */
function newFile(file: string): string {
  return `${file}-new`;
}

/** Removes what a conversion that was ended left behind. */
export function removeUnfinished(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(newFile(file) + end, { force: true });
}

/** Throws what SQLite throws; the database is then as it was. */
export async function convert({ file, pragmas, tell }: Converting): Promise<void> {
  removeUnfinished(file);
  settleLog(file);
  const began = performance.now();
  tell(
    `the database is converted to format ${String(pragmas.user_version)}: its records get smaller. Only then it is served`,
  );
  const made = newFile(file);
  try {
    const connection = new Connection(made, { cacheMegabytes: CACHE_MEGABYTES, guard: { check: () => undefined } });
    try {
      await fill(connection, file, pragmas, tell);
    } finally {
      connection.close();
    }
    await syncPath(made);
    // The log of the old one must not be taken for that of the new one.
    settleLog(file);
    renameSync(made, file);
  } catch (error) {
    removeUnfinished(file);
    throw error;
  }
  const megabytes = (statSync(file).size / 1048576).toFixed(1);
  tell(`the database is converted: ${megabytes} MB, ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

async function fill(
  connection: Connection,
  file: string,
  { page_size, application_id, user_version }: Converting['pragmas'],
  tell: (line: string) => void,
): Promise<void> {
  const { db } = connection;
  db.pragma(`page_size = ${String(page_size)}`);
  db.pragma('auto_vacuum = NONE');
  // Until it is synced as a whole nobody relies on it.
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.pragma(`application_id = ${String(application_id)}`);
  // Tables of full-text indexes are made as what they are made of, as VACUUM does it.
  db.unsafeMode(true);
  db.prepare('ATTACH ? AS old').run(file);
  const cookie = Number(db.pragma('old.schema_version', { simple: true }));
  db.exec('BEGIN');
  db.exec(RECORD_TABLES);
  copyOthers(db);
  const names = new Names();
  names.load(connection);
  const numbers = names.numbering(connection);
  const format = Number(db.pragma('old.user_version', { simple: true })) === 6 ? 6 : 7;
  const progress = new Progress(db, tell);
  await each(connection, NODES(format), progress, (row) => {
    const [pk, id, type] = row;
    const packed = packNode(unpack(row, NODE_AT, names.textOf), textOfRow(row, NODE_AT, names.textOf), numbers);
    connection.run(INSERT_NODE, [pk ?? 0, storedId(String(id)), type ?? 0, ...packed]);
  });
  await each(connection, RELATIONSHIPS(format), progress, (row) => {
    const [pk, id, type, relType, source, target] = row;
    const text = textOfRow(row, REL_AT, names.textOf);
    const packed = packRelationship(unpack(row, REL_AT, names.textOf), text, numbers);
    const ends = [source ?? 0, target ?? 0];
    connection.run(INSERT_REL, [pk ?? 0, storedId(String(id)), type ?? 0, relType ?? 0, ...ends, ...packed]);
  });
  tell('indexes of the records');
  db.exec(RECORD_INDEXES);
  db.exec('COMMIT');
  db.exec('DETACH old');
  db.pragma(`user_version = ${String(user_version)}`);
  db.pragma(`schema_version = ${String(cookie + 1)}`);
  db.pragma('journal_mode = WAL');
}

/** All that is neither a record nor an index of records: tables with their rows, then indexes, then virtual tables as entries of the schema. */
function copyOthers(db: Sqlite.Database): void {
  const others = db
    .prepare<[], { type: string; name: string; sql: string; rootpage: number }>(
      `SELECT type,name,sql,rootpage FROM old.sqlite_schema WHERE sql IS NOT NULL AND tbl_name NOT IN ('node','rel') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .all();
  const tables = others.filter(({ type, rootpage }) => type === 'table' && rootpage !== 0);
  for (const { name, sql } of tables) {
    db.exec(sql);
    const quoted = `"${name.replaceAll('"', '""')}"`;
    db.exec(`INSERT INTO main.${quoted} SELECT * FROM old.${quoted}`);
  }
  for (const { sql } of others.filter(({ type }) => type === 'index')) db.exec(sql);
  if (db.prepare("SELECT 1 FROM old.sqlite_schema WHERE name='sqlite_sequence'").get() !== undefined) {
    db.exec('DELETE FROM main.sqlite_sequence; INSERT INTO main.sqlite_sequence SELECT * FROM old.sqlite_sequence');
  }
  db.pragma('writable_schema = ON');
  db.exec(
    "INSERT INTO main.sqlite_schema SELECT * FROM old.sqlite_schema WHERE type IN ('view','trigger') OR (type='table' AND rootpage=0)",
  );
  db.pragma('writable_schema = OFF');
}

/** Calls `write` for each row, in the order of keys; the loop gets turns, and no more is in memory than is written in one. */
async function each(
  connection: Connection,
  select: string,
  progress: Progress,
  write: (row: Row) => void,
): Promise<void> {
  for (let above = -1; ;) {
    const { rows, cut } = connection.some(select, [above], PART_CHARACTERS);
    for (const row of rows) write(row);
    if (rows.length < PART && !cut) return;
    above = Number(rows[rows.length - 1]?.[0]);
    progress.done(rows.length);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

class Progress {
  readonly #all: number;
  #done = 0;
  #told = performance.now();

  constructor(
    db: Sqlite.Database,
    private readonly tell: (line: string) => void,
  ) {
    // By the greatest keys, as counting would read all of it.
    const most = db.prepare(
      'SELECT coalesce((SELECT max(pk) FROM old.node),0)+coalesce((SELECT max(pk) FROM old.rel),0)',
    );
    this.#all = Number(most.pluck().get());
  }

  done(records: number): void {
    this.#done += records;
    if (performance.now() - this.#told < TELL) return;
    this.#told = performance.now();
    this.tell(`${String(this.#done)} of about ${String(this.#all)} records are converted`);
  }
}

/** Leaves the database without a log. */
function settleLog(file: string): void {
  const db = new Library(file, { timeout: 2000 });
  try {
    db.pragma('synchronous = FULL');
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
  const log = `${file}-wal`;
  if (existsSync(log) && statSync(log).size > 0) throw new Error(`The log ${log} cannot be taken into its database.`);
  rmSync(log, { force: true });
  // Nobody is to take it for one whose log is missing (whole.ts).
  const now = new Date();
  utimesSync(file, now, now);
}
