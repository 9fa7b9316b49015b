/**
 * Full-text indexes: what texts are in them, kept by every write of an entity of their types. Indexes are built and dropped in
 * the background; how far that is stands in `text_index`, so a restart goes on with it. Their tables: text-parts.ts.
 */
import type { Kept, Steps } from '../../graph.js';
import type { PropertyMap, StoredValue, TextIndexDefinition } from '../../types.js';
import { CONTENT_AT, contentColumns } from '../connection/records.js';
import { unpack } from '../connection/stamps.js';
import type { Connection } from '../connection/connection.js';
import type { GroupCommit } from '../writing/group-commit.js';
import type { Names } from '../connection/names.js';
import { tableOfKind } from '../connection/parts.js';
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

/** Characters of a text that are indexed: taking a text apart is work of the event loop, 4 ms for so many. */
const MAX_TEXT = 100_000;
/** Milliseconds of the event loop a step of the background work aims at. */
const STEP_TIME = 4;
/** Entities that are looked at together in a step. */
const AT_ONCE = 64;
/** Milliseconds after which background work that failed is tried again. */
const RETRY = 10_000;

/** `filling`: in use, while types are added. `dropping`: its tables are being removed, its name is free. */
type State = 'building' | 'filling' | 'ready' | 'dropping';

export interface TextIndex {
  readonly id: number;
  readonly name: string | undefined;
  readonly kind: 'nodes' | 'relationships';
  readonly key: string;
  readonly types: ReadonlySet<string>;
  readonly state: State;
  /** As recorded when it was read. */
  readonly todo: readonly string[];
  readonly nextPk: number;
}

/** What of a value is looked for. */
function textOf(value: StoredValue | undefined): string | undefined {
  const text = Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(' ') : value;
  return typeof text === 'string' && text !== '' ? text.slice(0, MAX_TEXT) : undefined;
}

/** Those that the database has. */
export function storedTexts(connection: Connection | Writer): TextIndex[] {
  const rows = connection.all(
    'SELECT id, name, kind, key, types, state, todo, next_pk FROM text_index ORDER BY id',
    [],
  );
  return rows.map(([id, name, kind, key, types, state, todo, nextPk]) => ({
    id: Number(id),
    name: typeof name === 'string' ? name : undefined,
    kind: kind === 'nodes' ? 'nodes' : 'relationships',
    key: String(key),
    types: new Set(JSON.parse(String(types)) as string[]),
    state: String(state) as State,
    todo: JSON.parse(String(todo)) as string[],
    nextPk: Number(nextPk),
  }));
}

export class TextIndexes {
  #all: readonly TextIndex[] = [];
  /** Those that writes keep, by kind and type. */
  #kept: ReadonlyMap<string, readonly TextIndex[]> = new Map();
  #work: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;
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
      this.#start();
    });
  }

  /** When the database is opened. */
  load(): void {
    this.#parts.load();
    this.#reload();
  }

  #reload(): void {
    // What is committed: other transactions may be writing.
    this.#all = this.#stored(this.reader);
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
    this.#start();
  }

  #stored(connection: Connection | Writer = this.writer): TextIndex[] {
    return storedTexts(connection);
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
        for (const index of this.#stored()) {
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
          const index = this.#stored().find((one) => one.name === name && one.state !== 'dropping');
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
      while (this.#all.some((one) => one.name === name && one.state === 'building') && this.#work !== undefined)
        await this.#work;
      await steps.done(1);
    }
  }

  /** What makes all of them anew when the database is emptied but for what is kept: to be run with that. */
  clearing(kept: Kept): Write[] {
    const writes: Write[] = [];
    // The thread has nothing: all that is stored is committed.
    for (const { id, name, kind, key, types, state } of this.#stored(this.reader)) {
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
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.settled();
  }

  #start(): void {
    if (this.#work !== undefined || this.#stopped || this.#next() === undefined) return;
    this.#work = this.#run()
      .catch((error: unknown) => {
        this.onError(error);
        const again = (): void => {
          this.#start();
        };
        this.#retry = setTimeout(again, RETRY).unref();
      })
      .finally(() => {
        this.#work = undefined;
      });
  }

  /** The next step of the background work: it answers whether the state of an index has changed. */
  #next(): (() => boolean) | undefined {
    const { toMerge, sparse } = this.#parts;
    if (toMerge !== undefined) {
      return () => {
        this.#parts.merge(toMerge);
        return false;
      };
    }
    const open = this.#all.filter(({ state }) => state !== 'ready');
    // What is waited for comes before what is to go.
    const unfinished = open.find(({ state }) => state !== 'dropping');
    if (unfinished !== undefined) return () => this.#step(unfinished.id);
    if (sparse !== undefined) {
      return () => {
        this.#move(sparse);
        return false;
      };
    }
    const [toDrop] = open;
    return toDrop === undefined ? undefined : () => this.#step(toDrop.id);
  }

  async #run(): Promise<void> {
    for (let step = this.#next(); step !== undefined && !this.#stopped; step = this.#next()) {
      const now = step;
      const changed = await this.commit.run(
        (unit) => {
          unit.begin();
          return Promise.resolve(now());
        },
        { timeout: 0, onLoop: true },
      );
      if (changed) this.#reload();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** True when the state of the index has changed: `set` may have overtaken what is known in memory. */
  #step(id: number): boolean {
    const index = this.#stored().find((one) => one.id === id);
    if (index === undefined || index.state === 'ready') return true;
    return index.state === 'dropping' ? this.#drop(index) : this.#build(index);
  }

  #build(index: TextIndex): boolean {
    const todo = [...index.todo];
    let above = index.nextPk;
    const some = `SELECT pk FROM ${tableOfKind(index.kind)} WHERE type = ? AND pk > ? ORDER BY pk LIMIT ${String(AT_ONCE)}`;
    const isLate = lateness();
    while (todo[0] !== undefined && !isLate()) {
      const type = this.names.idOf(todo[0]);
      const keys = type === undefined ? [] : this.writer.all(some, [type, above]);
      for (const [pk] of keys) {
        above = Number(pk);
        this.#refresh(index, above);
        if (isLate()) break;
      }
      if (keys.length > 0) continue;
      todo.shift();
      above = 0;
    }
    const done = todo.length === 0;
    this.writer.run('UPDATE text_index SET state = ?, todo = ?, next_pk = ? WHERE id = ?', [
      done ? 'ready' : index.state,
      JSON.stringify(todo),
      above,
      index.id,
    ]);
    return done;
  }

  /** Brings what is in an index of an entity in line with what is stored of it. */
  #refresh({ id, kind, key, types }: TextIndex, pk: number): void {
    const row = this.writer.get(`SELECT ${contentColumns('e')} FROM ${tableOfKind(kind)} e WHERE e.pk = ?`, [pk]);
    const isIn = row !== undefined && types.has(this.names.textOf(Number(row[0])));
    this.#parts.put(id, pk, isIn ? textOf(unpack(row, CONTENT_AT, this.names.textOf)[key]) : undefined);
  }

  /** Moves texts of a part that holds little to the one that is written to. */
  #move(part: number): void {
    const isLate = lateness();
    do {
      const some = this.#parts.some(part, AT_ONCE);
      if (some === undefined) return;
      const index = this.#stored().find(({ id }) => id === some.owner);
      if (some.keys.length === 0 || index === undefined || index.state === 'dropping') {
        this.#parts.remove(part);
        return;
      }
      for (const pk of some.keys) {
        this.#refresh(index, pk);
        if (isLate()) break;
      }
    } while (!isLate());
  }

  #drop(index: TextIndex): boolean {
    const isLate = lateness();
    while (!isLate()) {
      if (!this.#parts.empty(index.id)) continue;
      this.writer.run('DELETE FROM text_index WHERE id = ?', [index.id]);
      return true;
    }
    return false;
  }
}

function lateness(): () => boolean {
  const began = performance.now();
  return () => performance.now() - began >= STEP_TIME;
}
