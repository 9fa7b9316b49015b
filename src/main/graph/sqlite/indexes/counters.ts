/**
 * How many nodes and relationships there are of each type, in memory. Saved at a clean close; after a crash they
 * are counted from the type indexes at the next opening (about 40 ms a million rows). So counting costs no write anything.
 */
import type { Connection } from '../connection/connection.js';

export type CounterKind = 'node' | 'rel';

/** Differences that a transaction makes. */
export class CounterDelta {
  readonly node = new Map<number, number>();
  readonly rel = new Map<number, number>();

  add(kind: CounterKind, type: number, by: number): void {
    const map = this[kind];
    map.set(type, (map.get(type) ?? 0) + by);
  }

  addAll(other: CounterDelta): void {
    for (const [type, by] of other.node) this.add('node', type, by);
    for (const [type, by] of other.rel) this.add('rel', type, by);
  }

  copy(): CounterDelta {
    const copy = new CounterDelta();
    copy.addAll(this);
    return copy;
  }

  assign(other: CounterDelta): void {
    this.node.clear();
    this.rel.clear();
    this.addAll(other);
  }
}

export class Counters {
  readonly #committed = new CounterDelta();

  /** Takes the saved numbers if the last close was clean, and marks the database as open. */
  load(writer: Connection): void {
    const clean = writer.get("SELECT value FROM flag WHERE name = 'clean'", []) !== undefined;
    const rows = clean
      ? writer.all('SELECT kind, type, n FROM counter', [])
      : writer.all(
          "SELECT 'node', type, count(*) FROM node GROUP BY type UNION ALL SELECT 'rel', type, count(*) FROM rel GROUP BY type",
          [],
        );
    for (const [kind, type, n] of rows) this.#committed.add(kind === 'rel' ? 'rel' : 'node', Number(type), Number(n));
    if (clean) writer.run("DELETE FROM flag WHERE name = 'clean'", []);
  }

  /** The last write of a clean close. */
  save(writer: Connection): void {
    writer.run('DELETE FROM counter', []);
    for (const kind of ['node', 'rel'] as const) {
      for (const [type, n] of this.#committed[kind]) {
        writer.run('INSERT INTO counter(kind, type, n) VALUES (?, ?, ?)', [kind, type, n]);
      }
    }
    writer.run("INSERT OR REPLACE INTO flag(name, value) VALUES ('clean', 1)", []);
  }

  apply(delta: CounterDelta): void {
    this.#committed.addAll(delta);
  }

  of(kind: CounterKind, type: number): number {
    return this.#committed[kind].get(type) ?? 0;
  }

  total(kind: CounterKind): number {
    let total = 0;
    for (const n of this.#committed[kind].values()) total += n;
    return total;
  }
}
