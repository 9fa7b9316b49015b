/**
 * Names of types and keys, ids of users, shapes and types at the ends of relationships as small integers, all of them in memory. Ids of names are given inside the
 * transaction that first writes the name, so they vanish with it; they are never deleted otherwise.
 */
import type { Connection } from './connection.js';
import { type FarEnd, FarTypes, isFarType } from './far-types.js';
import { isShape } from './shapes.js';
import type { Numbering } from './stamps.js';
import type { SqlValue } from './values.js';

/** A `Connection`, or a `Writer`. */
interface Writing {
  write(sql: string, params: readonly SqlValue[]): void;
}

/** Names from which on ids of users, and shapes, get no number any more. */
const MAX_PEOPLE = 20_000;
/** Shapes that get one; what few records have gets none. */
const MAX_SHAPES = 4000;
const OFTEN = 8;
/** Shapes without a number that are counted. */
const MAX_COUNTED = 1000;

export class Names {
  readonly #ids = new Map<string, number>();
  readonly #texts: (string | undefined)[] = [];
  /** Names that the open physical transaction has added. */
  readonly #added: string[] = [];
  /** How often shapes were asked for that have no number. */
  readonly #asked = new Map<string, number>();
  /** Types at the ends of relationships. */
  readonly far = new FarTypes();
  #shapes = 0;
  #next = 1;

  load(connection: Connection): void {
    for (const [id, text] of connection.all('SELECT id, text FROM name_table', [])) {
      this.#put(Number(id), String(text));
    }
  }

  #put(id: number, text: string): void {
    this.#ids.set(text, id);
    this.#texts[id] = text;
    if (id >= this.#next) this.#next = id + 1;
    if (isShape(text)) this.#shapes++;
    else if (isFarType(text)) this.far.put(text);
  }

  /** Undefined: nothing of that name was ever written. */
  idOf(text: string): number | undefined {
    return this.#ids.get(text);
  }

  /** A property, as what reads rows is handed it. */
  readonly textOf = (id: number): string => {
    const text = this.#texts[id];
    if (text === undefined) throw new Error(`no name with the number ${String(id)}`);
    return text;
  };

  /** The text of a name that may not be there. */
  find(id: number): string | undefined {
    return this.#texts[id];
  }

  /** The id of a name, given now if need be; inside a write transaction only. */
  intern(text: string, writer: Writing): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#next;
    writer.write('INSERT INTO name_table(id, text) VALUES (?, ?)', [id, text]);
    this.#put(id, text);
    this.#added.push(text);
    return id;
  }

  /** The number of the id of a user, given now if need be; undefined: there are so many names that this one is not to be kept in memory. */
  person(id: string, writer: Writing): number | undefined {
    return this.#ids.get(id) ?? (this.#ids.size < MAX_PEOPLE ? this.intern(id, writer) : undefined);
  }

  /** Names that the open transaction has added so far. */
  get added(): readonly string[] {
    return this.#added;
  }

  /** Names that another thread has given, or that are in its database. */
  put(id: number, text: string): void {
    if (this.#texts[id] !== text) this.#put(id, text);
  }

  /** The number of a shape (shapes.ts), given when it has been asked for several times; undefined: it has none. */
  shape(text: string, writer: Writing): number | undefined {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    if (this.#ids.size >= MAX_PEOPLE || this.#shapes >= MAX_SHAPES) return undefined;
    const asked = (this.#asked.get(text) ?? 0) + 1;
    if (asked < OFTEN) {
      if (this.#asked.size >= MAX_COUNTED) this.#asked.clear();
      this.#asked.set(text, asked);
      return undefined;
    }
    this.#asked.delete(text);
    return this.intern(text, writer);
  }

  /** A node of this type stands at an end of a relationship from now on; inside a write transaction only. */
  leadsTo(relType: number, end: FarEnd, type: number, writer: Writing): void {
    const text = this.far.missing(relType, end, type);
    if (text !== undefined) this.intern(text, writer);
  }

  /** A node of one type is one of another from now on. */
  retyped(before: number, after: number, writer: Writing): void {
    for (const text of this.far.missingFor(before, after)) this.intern(text, writer);
  }

  /** Both, for who writes records. */
  numbering(writer: Writing): Numbering {
    return { person: (id) => this.person(id, writer), shape: (text) => this.shape(text, writer) };
  }

  /** For `forget`: how many names the open transaction has added so far. */
  get mark(): number {
    return this.#added.length;
  }

  /** After a rollback to where `mark` was taken. */
  forget(mark: number): void {
    this.drop(this.#added.splice(mark));
  }

  /** After names were lost with a batch that had been handed over (`committing`). */
  drop(texts: readonly string[]): void {
    for (const text of texts) {
      const id = this.#ids.get(text);
      if (this.#ids.delete(text)) {
        if (isShape(text)) this.#shapes--;
        else if (isFarType(text)) this.far.drop(text);
      }
      if (id !== undefined) this.#texts[id] = undefined;
    }
  }

  /** Takes back what was added since `mark`, where no rollback does. */
  remove(mark: number, writer: Connection): void {
    for (const text of this.#added.slice(mark)) writer.run('DELETE FROM name_table WHERE text = ?', [text]);
    this.forget(mark);
  }

  /** After all names were deleted. */
  clear(): void {
    this.#ids.clear();
    this.#texts.length = 0;
    this.#added.length = 0;
    this.far.clear();
    this.#shapes = 0;
    this.#next = 1;
  }

  committed(): void {
    this.#added.length = 0;
  }

  /** The names that the open transaction has added; it is handed over, and the next one begins. */
  committing(): string[] {
    return this.#added.splice(0);
  }
}
