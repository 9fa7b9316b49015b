/**
 * The tables of FTS5 that hold the words of texts, without the texts. FTS5 cannot be interrupted within a statement, nor while it
 * merges what was written; so an index consists of parts that are too small for either to take long. A text that is
 * written goes to the last part; which one it is in stands in `text_entry`.
 */
import type { Writer } from '../writing/writer.js';

/**
 * `size`: of the texts in the part. `capacity`: for how much it was made. `room`: for how much more it may still be written; never more again, since what has been
 * taken out of a part stays in its table until it is merged. Numbers are never used again.
 */
export const PARTS_SCHEMA = `
CREATE TABLE IF NOT EXISTS text_part(id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, entities INTEGER NOT NULL, size INTEGER NOT NULL,
  capacity INTEGER NOT NULL, room INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS text_part_owner ON text_part(owner);
CREATE TABLE IF NOT EXISTS text_entry(owner INTEGER NOT NULL, pk INTEGER NOT NULL, part INTEGER NOT NULL, size INTEGER NOT NULL,
  PRIMARY KEY(owner, pk)) WITHOUT ROWID;`;

/** Characters of a part at first, where each text counts for some more: a search looks through so much in 1 to 25 ms. */
const PART_SIZE = 500_000;
const TEXT_SIZE = 100;
/**
 * All connections read the names of all tables again with each part that is made, 20 ms for those of 500 parts and 540 ms for
 * 2,000. So parts become larger when there are many: one more PART_SIZE with each GROWTH beyond the first SMALL_PARTS.
 */
const SMALL_PARTS = 100;
const GROWTH = 25;
/** A part that nothing is written to any more is given up, and its texts go to the last one, when it holds less than 1/SPARSE. */
const SPARSE = 4;
/** Changes of a part after which it is merged, by MERGED pages in a step: about 1 ms. */
const MERGE_AFTER = 64;
const MERGED = 4;
const ENTRIES_AT_ONCE = 200;

/** The table of a part; its words are in a table of this name and `_words`. */
export function tableOf(part: number): string {
  return `text_${String(part)}`;
}

/** How much a part holds that is made beside so many others. */
export function capacityOf(others: number): number {
  return Math.round(PART_SIZE * (1 + Math.max(0, others - SMALL_PARTS) / GROWTH));
}

export class TextParts {
  /** Changes of parts since they were merged. */
  readonly #changes = new Map<number, number>();
  readonly #toMerge = new Set<number>();
  readonly #sparse = new Set<number>();

  /** `due`: there is something to merge, or a part to give up. */
  constructor(
    private readonly writer: Writer,
    private readonly due: () => void,
  ) {}

  load(): void {
    const rows = this.writer.all(
      `SELECT id FROM text_part WHERE room <= 0 AND size * ${String(SPARSE)} < capacity`,
      [],
    );
    for (const [part] of rows) this.#sparse.add(Number(part));
  }

  /** The text of an entity in an index; undefined: none. */
  put(owner: number, pk: number, text: string | undefined): void {
    const { writer } = this;
    const before = writer.get('SELECT part, size FROM text_entry WHERE owner = ? AND pk = ?', [owner, pk]);
    if (before !== undefined) this.#takeOut(Number(before[0]), pk, Number(before[1]));
    if (text === undefined) {
      if (before !== undefined) writer.run('DELETE FROM text_entry WHERE owner = ? AND pk = ?', [owner, pk]);
      return;
    }
    const part = this.#last(owner);
    const size = text.length + TEXT_SIZE;
    writer.run(`INSERT INTO ${tableOf(part)}(rowid, text) VALUES (?, ?)`, [pk, text]);
    writer.run('INSERT OR REPLACE INTO text_entry(owner, pk, part, size) VALUES (?, ?, ?, ?)', [owner, pk, part, size]);
    const counted = 'UPDATE text_part SET entities = entities + 1, size = size + ?, room = room - ? WHERE id = ?';
    writer.run(counted, [size, size, part]);
    this.#changed(part);
  }

  #takeOut(part: number, pk: number, size: number): void {
    const { writer } = this;
    writer.run(`DELETE FROM ${tableOf(part)} WHERE rowid = ?`, [pk]);
    const counted =
      'UPDATE text_part SET entities = entities - 1, size = size - ? WHERE id = ? RETURNING size, capacity, room';
    const [left, capacity, room] = writer.get(counted, [size, part]) ?? [];
    this.#changed(part);
    if (Number(room) > 0 || Number(left) * SPARSE >= Number(capacity)) return;
    this.#sparse.add(part);
    this.#toMerge.delete(part);
    this.due();
  }

  /** The part that is written to; a new one when it is full. */
  #last(owner: number): number {
    const { writer } = this;
    const last = writer.get('SELECT id, room FROM text_part WHERE owner = ? ORDER BY id DESC LIMIT 1', [owner]);
    if (last !== undefined && Number(last[1]) > 0) return Number(last[0]);
    const capacity = capacityOf(Number(writer.get('SELECT count(*) FROM text_part', [])?.[0]));
    const made = 'INSERT INTO text_part(owner, entities, size, capacity, room) VALUES (?, 0, 0, ?, ?)';
    const part = writer.insert(made, [owner, capacity, capacity]);
    const table = tableOf(part);
    // By itself FTS5 would merge within a COMMIT, as much as there is.
    writer.exec(
      `CREATE VIRTUAL TABLE ${table} USING fts5(text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');` +
        `CREATE VIRTUAL TABLE ${table}_words USING fts5vocab(${table}, row);` +
        `INSERT INTO ${table}(${table}, rank) VALUES ('automerge', 0), ('crisismerge', 1000)`,
    );
    return part;
  }

  #changed(part: number): void {
    const changes = (this.#changes.get(part) ?? 0) + 1;
    this.#changes.set(part, changes);
    if (changes < MERGE_AFTER || this.#sparse.has(part)) return;
    this.#toMerge.add(part);
    this.due();
  }

  /** A part that has been written to so often that it is to be merged. */
  get toMerge(): number | undefined {
    return this.#toMerge.values().next().value;
  }

  /** A step of merging a part. */
  merge(part: number): void {
    const { writer } = this;
    const table = tableOf(part);
    const total = (): number => Number(writer.get('SELECT total_changes()', [])?.[0]);
    const before = total();
    this.#changes.delete(part);
    // It may have been made in a transaction that failed, or be gone.
    const exists = writer.get('SELECT 1 FROM text_part WHERE id = ?', [part]) !== undefined;
    if (exists) writer.run(`INSERT INTO ${table}(${table}, rank) VALUES ('merge', ?)`, [MERGED]);
    // As FTS5 says that there was nothing to do.
    if (total() - before < 2) this.#toMerge.delete(part);
  }

  /** A part that holds little. */
  get sparse(): number | undefined {
    return this.#sparse.values().next().value;
  }

  /** The index that a part belongs to, and some of the entities in it; undefined: there is no such part. */
  some(part: number, limit: number): { readonly owner: number; readonly keys: readonly number[] } | undefined {
    const owner = this.writer.get('SELECT owner FROM text_part WHERE id = ?', [part])?.[0];
    if (owner === undefined) {
      this.#sparse.delete(part);
      return undefined;
    }
    const rows = this.writer.all(`SELECT id FROM ${tableOf(part)}_docsize LIMIT ?+0`, [limit]);
    return { owner: Number(owner), keys: rows.map(([pk]) => Number(pk)) };
  }

  /** Removes a part in which nothing is any more, or that is not needed. */
  remove(part: number): void {
    const table = tableOf(part);
    this.writer.exec(`DROP TABLE ${table}_words; DROP TABLE ${table}`);
    this.writer.run('DELETE FROM text_part WHERE id = ?', [part]);
    for (const set of [this.#changes, this.#toMerge, this.#sparse]) set.delete(part);
  }

  /** A step of removing all parts of an index; true when nothing is left. */
  empty(owner: number): boolean {
    const part = this.writer.get('SELECT id FROM text_part WHERE owner = ? LIMIT 1', [owner])?.[0];
    if (part !== undefined) {
      this.remove(Number(part));
      return false;
    }
    const some = 'SELECT pk FROM text_entry WHERE owner = ? LIMIT ?+0';
    const removed = this.writer.run(`DELETE FROM text_entry WHERE owner = ? AND pk IN (${some})`, [
      owner,
      owner,
      ENTRIES_AT_ONCE,
    ]);
    return removed < ENTRIES_AT_ONCE;
  }
}
