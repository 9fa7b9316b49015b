/**
 * How many nodes and relationships there are of each type, and on how many nodes of a type a visibility flag is true, in memory.
 * Saved at a clean close; after a crash they are counted from the indexes at the next opening (about 40 ms a million rows). So
 * counting costs no write anything.
 */
import { FLAG_KEYS, type FlagKey } from '../../access.js';
import type { PropertyMap } from '../../types.js';
import type { Connection } from '../connection/connection.js';

export type CounterKind = 'node' | 'rel' | 'flag';

/** What stands in the place of a type where nodes with a flag are counted. */
export function flagCounter(type: number, key: FlagKey): number {
  return type * FLAG_KEYS.length + FLAG_KEYS.indexOf(key);
}

/** A kind by which saved counters tell that numbers of flags are among them. */
export const WITH_FLAGS = 'flags';
/** The numbers of flags as the data have them, in the form of the table of counters. */
export const COUNT_FLAGS = `SELECT 'flag',type*${String(FLAG_KEYS.length)}-1-principal,count(*) FROM access_entry WHERE principal<0 GROUP BY principal,type`;

const COUNT_TYPES =
  "SELECT 'node', type, count(*) FROM node GROUP BY type UNION ALL SELECT 'rel', type, count(*) FROM rel GROUP BY type";

/** Differences that a transaction makes. */
export class CounterDelta {
  readonly node = new Map<number, number>();
  readonly rel = new Map<number, number>();
  /** By `flagCounter`. */
  readonly flag = new Map<number, number>();

  /** So many nodes of a type with these properties. */
  addFlags(type: number, properties: PropertyMap, by: number): void {
    for (const key of FLAG_KEYS) if (properties[key] === true) this.add('flag', flagCounter(type, key), by);
  }

  add(kind: CounterKind, type: number, by: number): void {
    const map = this[kind];
    map.set(type, (map.get(type) ?? 0) + by);
  }

  addAll(other: CounterDelta): void {
    for (const [type, by] of other.node) this.add('node', type, by);
    for (const [type, by] of other.rel) this.add('rel', type, by);
    for (const [type, by] of other.flag) this.add('flag', type, by);
  }

  copy(): CounterDelta {
    const copy = new CounterDelta();
    copy.addAll(this);
    return copy;
  }

  assign(other: CounterDelta): void {
    this.node.clear();
    this.rel.clear();
    this.flag.clear();
    this.addAll(other);
  }
}

export class Counters {
  readonly #committed = new CounterDelta();

  /** Takes the saved numbers if the last close was clean, and marks the database as open. */
  load(writer: Connection): void {
    const clean = writer.get("SELECT value FROM flag WHERE name = 'clean'", []) !== undefined;
    const rows = clean ? writer.all('SELECT kind, type, n FROM counter', []) : writer.all(COUNT_TYPES, []);
    if (!rows.some(([kind]) => kind === WITH_FLAGS)) rows.push(...writer.all(COUNT_FLAGS, []));
    for (const [kind, type, n] of rows) {
      if (kind === 'node' || kind === 'rel' || kind === 'flag') this.#committed.add(kind, Number(type), Number(n));
    }
    if (clean) writer.run("DELETE FROM flag WHERE name = 'clean'", []);
  }

  /** The last write of a clean close. */
  save(writer: Connection): void {
    writer.run('DELETE FROM counter', []);
    writer.run('INSERT INTO counter(kind, type, n) VALUES (?, 0, 0)', [WITH_FLAGS]);
    for (const kind of ['node', 'rel', 'flag'] as const) {
      for (const [type, n] of this.#committed[kind]) {
        writer.run('INSERT INTO counter(kind, type, n) VALUES (?, ?, ?)', [kind, type, n]);
      }
    }
    writer.run("INSERT OR REPLACE INTO flag(name, value) VALUES ('clean', 1)", []);
  }

  apply(delta: CounterDelta): void {
    this.#committed.addAll(delta);
  }

  /** What the tables say more, or less. */
  difference(connection: Connection): CounterDelta {
    const delta = new CounterDelta();
    for (const kind of ['node', 'rel', 'flag'] as const)
      for (const [type, n] of this.#committed[kind]) delta.add(kind, type, -n);
    for (const [kind, type, n] of [...connection.all(COUNT_TYPES, []), ...connection.all(COUNT_FLAGS, [])])
      delta.add(kind as CounterKind, Number(type), Number(n));
    return delta;
  }

  of(kind: CounterKind, type: number): number {
    return this.#committed[kind].get(type) ?? 0;
  }

  /** Types of which there are any. */
  types(kind: CounterKind): number[] {
    return [...this.#committed[kind]].filter(([, n]) => n > 0).map(([type]) => type);
  }

  total(kind: CounterKind): number {
    let total = 0;
    for (const n of this.#committed[kind].values()) total += n;
    return total;
  }
}
