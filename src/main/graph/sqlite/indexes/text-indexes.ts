/**
 * Full-text indexes: what texts are in them, kept by every write of an entity of their types. What is done in
 * the background: text-index-work.ts; their tables: text-parts.ts.
 */
import type { Kept, Steps } from '../../graph.js';
import type { PropertyMap, TextIndexDefinition } from '../../types.js';
import type { Connection } from '../connection/connection.js';
import type { GroupCommit } from '../writing/group-commit.js';
import type { Names } from '../connection/names.js';
import { tableOfKind } from '../connection/parts.js';
import { storedIndexes, type TextIndex, textOf, TextIndexWork } from './text-index-work.js';
import { PARTS_SCHEMA, TextParts } from './text-parts.js';
import { sameValue } from '../connection/values.js';
import type { Write } from '../whole/clearing.js';
import type { Writer } from '../writing/writer.js';

/**
 * `todo`: types whose entities are still to be added, `next_pk` behind which of the first one. Numbers are never used again:
 * a search that has waited must not find another index under the number of its own.
 */
export const TEXT_SCHEMA = `
CREATE TABLE IF NOT EXISTS text_index(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, kind TEXT NOT NULL, key TEXT NOT NULL,
  types TEXT NOT NULL, state TEXT NOT NULL, todo TEXT NOT NULL, next_pk INTEGER NOT NULL);${PARTS_SCHEMA}`;

/** Gives up all indexes (or, with a condition, some): their names are free at once, their tables go in the background. */
export const GIVE_UP = "UPDATE text_index SET name = NULL, state = 'dropping'";

const CREATE = 'INSERT INTO text_index(name, kind, key, types, state, todo, next_pk) VALUES (?, ?, ?, ?, ?, ?, 0)';

export class TextIndexes {
  #all: readonly TextIndex[] = [];
  /** Those that writes keep, by kind and type. */
  #kept: ReadonlyMap<string, readonly TextIndex[]> = new Map();
  readonly #work: TextIndexWork;
  readonly #parts: TextParts;
  /** Told when there are others, or one has another state. */
  onChange: (() => void) | undefined;

  constructor(
    private readonly writer: Writer,
    private readonly reader: Connection,
    private readonly names: Names,
    private readonly commit: GroupCommit,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#parts = new TextParts(writer, () => {
      this.#work.start();
    });
    this.#work = new TextIndexWork({
      writer,
      names,
      commit,
      parts: this.#parts,
      all: () => this.#all,
      reload: () => {
        this.#reload();
      },
      onError,
    });
  }

  /** When the database is opened. */
  load(): void {
    this.#parts.load();
    this.#reload();
  }

  #reload(): void {
    // What is committed: other transactions may be writing.
    this.#all = storedIndexes(this.reader);
    const kept = new Map<string, TextIndex[]>();
    for (const one of this.#all) {
      if (one.state === 'dropping') continue;
      for (const type of one.types) {
        const place = one.kind + type;
        const others = kept.get(place);
        if (others === undefined) kept.set(place, [one]);
        else others.push(one);
      }
    }
    this.#kept = kept;
    this.onChange?.();
    this.#work.start();
  }

  byName(name: string): TextIndex | undefined {
    return this.#all.find((one) => one.name === name && one.state !== 'dropping');
  }

  get any(): boolean {
    return this.#kept.size > 0;
  }

  /** Whether writes of entities of this type are kept in an index: they need the writer's connection. */
  keeps(kind: TextIndex['kind'], type: string): boolean {
    return this.#kept.size > 0 && this.#kept.has(kind + type);
  }

  added(kind: TextIndex['kind'], type: string, pk: number, properties: PropertyMap): void {
    if (this.#kept.size === 0) return;
    for (const { id, key } of this.#kept.get(kind + type) ?? []) this.#parts.put(id, pk, textOf(properties[key]));
  }

  removed(kind: TextIndex['kind'], type: string, pk: number): void {
    if (this.#kept.size === 0) return;
    for (const { id } of this.#kept.get(kind + type) ?? []) this.#parts.put(id, pk, undefined);
  }

  changed(kind: TextIndex['kind'], type: string, pk: number, before: PropertyMap, after: PropertyMap): void {
    if (this.#kept.size === 0) return;
    for (const { id, key } of this.#kept.get(kind + type) ?? []) {
      if (!sameValue(before[key], after[key])) this.#parts.put(id, pk, textOf(after[key]));
    }
  }

  /** Records the complete set of wanted indexes; of equal names the first counts. Building and dropping is done in the background. */
  async set(definitions: readonly TextIndexDefinition[]): Promise<void> {
    const wanted = new Map([...definitions].reverse().map((one) => [one.name, one]));
    if (wanted.size === 0 && this.#all.every(({ state }) => state === 'dropping')) return;
    await this.commit.run(
      (unit) => {
        for (const index of storedIndexes(this.writer)) {
          if (index.state === 'dropping') continue;
          const definition = wanted.get(index.name ?? '');
          if (definition === undefined || definition.kind !== index.kind || definition.key !== index.key) {
            unit.begin();
            this.#giveUp(index);
            continue;
          }
          wanted.delete(definition.name);
          const types = new Set(definition.types);
          if (types.size === index.types.size && definition.types.every((type) => index.types.has(type))) continue;
          unit.begin();
          this.#retype(index, types);
        }
        for (const definition of wanted.values()) {
          unit.begin();
          this.#create(definition);
        }
        return Promise.resolve();
      },
      { timeout: 0, onLoop: true },
    );
    /*
     * Only now, when it is on disk. Entities of types that are new to an index and written in between are found by the build,
     * which begins later.
     */
    this.#reload();
  }

  #giveUp(index: TextIndex): void {
    this.writer.run(`${GIVE_UP} WHERE id = ?`, [index.id]);
  }

  /** Types that are new are added beside its use; where one has gone that may have had something, the index is made anew. */
  #retype(index: TextIndex, types: ReadonlySet<string>): void {
    const table = tableOfKind(index.kind);
    const lost = [...index.types].some((type) => {
      if (types.has(type)) return false;
      const id = this.names.idOf(type);
      return id !== undefined && this.writer.get(`SELECT 1 FROM ${table} WHERE type = ? LIMIT 1`, [id]) !== undefined;
    });
    if (lost) {
      this.#giveUp(index);
      if (index.name !== undefined) this.#create({ ...index, name: index.name, label: '', types: [...types] });
      return;
    }
    const todo = index.todo.filter((type) => types.has(type));
    // Behind what is being built, so that this goes on where it is.
    const more = [...types].filter((type) => !index.types.has(type) && !todo.includes(type));
    this.writer.run('UPDATE text_index SET types = ?, todo = ?, state = ?, next_pk = ? WHERE id = ?', [
      JSON.stringify([...types]),
      JSON.stringify([...todo, ...more]),
      index.state === 'building' ? 'building' : 'filling',
      todo.length > 0 && todo[0] === index.todo[0] ? index.nextPk : 0,
      index.id,
    ]);
  }

  #create({ name, kind, key, types }: TextIndexDefinition): void {
    this.writer.run(CREATE, [name, kind, key, JSON.stringify(types), 'building', JSON.stringify(types)]);
  }

  /** Makes those that have entities of these types (absent: all) anew; nothing is found in one until it is there again. */
  async reindex(types: readonly string[] | undefined, steps: Steps): Promise<void> {
    const again = (index: TextIndex): boolean =>
      index.state !== 'dropping' && (types === undefined || types.some((type) => index.types.has(type)));
    const names = this.#all.filter(again).flatMap(({ name }) => name ?? []);
    steps.begin('building full-text indexes', names.length);
    for (const name of names) {
      await this.commit.run(
        (unit) => {
          const index = storedIndexes(this.writer).find((one) => one.name === name && one.state !== 'dropping');
          if (index === undefined) return Promise.resolve();
          unit.begin();
          this.#giveUp(index);
          this.#create({ ...index, name, label: '', types: [...index.types] });
          return Promise.resolve();
        },
        { timeout: 0, onLoop: true },
      );
      this.#reload();
      // Old tables go in the background.
      while (this.#all.some((one) => one.name === name && one.state === 'building') && this.#work.isBusy)
        await this.#work.settled();
      await steps.done(1);
    }
  }

  /** What makes all of them anew when the database is emptied but for what is kept: to be run with that. */
  clearing(kept: Kept): Write[] {
    const writes: Write[] = [];
    // The thread has nothing: all that is stored is committed.
    for (const { id, name, kind, key, types, state } of storedIndexes(this.reader)) {
      if (state === 'dropping' || name === undefined) continue;
      const todo = kept[kind].filter((type) => types.has(type));
      const values = [name, kind, key, JSON.stringify([...types]), todo.length > 0 ? 'building' : 'ready'];
      writes.push([`${GIVE_UP} WHERE id = ?`, [id]], [CREATE, [...values, JSON.stringify(todo)]]);
    }
    return writes;
  }

  /** It is emptied. */
  cleared(): void {
    this.#reload();
  }

  /** Resolves when nothing is being built or dropped. */
  settled(): Promise<void> {
    return this.#work.settled();
  }

  stop(): Promise<void> {
    return this.#work.stop();
  }
}
