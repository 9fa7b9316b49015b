/**
 * The background work of full-text indexes: building and dropping them, merging what was written, and giving up parts that hold little. How far it is stands in
 * `text_index`, so a restart goes on with it.
 */
import type { StoredValue } from '../../types.js';
import { CONTENT_AT, contentColumns } from '../connection/records.js';
import { unpack } from '../connection/stamps.js';
import type { Connection } from '../connection/connection.js';
import type { GroupCommit } from '../writing/group-commit.js';
import type { Names } from '../connection/names.js';
import { tableOfKind } from '../connection/parts.js';
import type { TextParts } from './text-parts.js';
import type { Writer } from '../writing/writer.js';

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
export function textOf(value: StoredValue | undefined): string | undefined {
  const text = Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(' ') : value;
  return typeof text === 'string' && text !== '' ? text.slice(0, MAX_TEXT) : undefined;
}

/** Those that are recorded, as a connection sees them. */
export function storedIndexes(connection: Connection | Writer): TextIndex[] {
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

/** What it needs of the definitions. */
export interface TextIndexHost {
  readonly writer: Writer;
  readonly names: Names;
  readonly commit: GroupCommit;
  readonly parts: TextParts;
  /** As they were read last. */
  all(): readonly TextIndex[];
  /** The state of one has changed. */
  reload(): void;
  onError(error: unknown): void;
}

export class TextIndexWork {
  #work: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(private readonly host: TextIndexHost) {}

  get isBusy(): boolean {
    return this.#work !== undefined;
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

  /** Does what there is to do, unless it does so already. */
  start(): void {
    if (this.#work !== undefined || this.#stopped || this.#next() === undefined) return;
    this.#work = this.#run()
      .catch((error: unknown) => {
        this.host.onError(error);
        const again = (): void => {
          this.start();
        };
        this.#retry = setTimeout(again, RETRY).unref();
      })
      .finally(() => {
        this.#work = undefined;
      });
  }

  /** The next step of the background work: it answers whether the state of an index has changed. */
  #next(): (() => boolean) | undefined {
    const { toMerge, sparse } = this.host.parts;
    if (toMerge !== undefined) {
      return () => {
        this.host.parts.merge(toMerge);
        return false;
      };
    }
    const open = this.host.all().filter(({ state }) => state !== 'ready');
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
      const changed = await this.host.commit.run(
        (unit) => {
          unit.begin();
          return Promise.resolve(now());
        },
        { timeout: 0, onLoop: true },
      );
      if (changed) this.host.reload();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** True when the state of the index has changed: `set` may have overtaken what is known in memory. */
  #step(id: number): boolean {
    const index = storedIndexes(this.host.writer).find((one) => one.id === id);
    if (index === undefined || index.state === 'ready') return true;
    return index.state === 'dropping' ? this.#drop(index) : this.#build(index);
  }

  #build(index: TextIndex): boolean {
    const todo = [...index.todo];
    let above = index.nextPk;
    const some = `SELECT pk FROM ${tableOfKind(index.kind)} WHERE type = ? AND pk > ? ORDER BY pk LIMIT ${String(AT_ONCE)}`;
    const isLate = lateness();
    while (todo[0] !== undefined && !isLate()) {
      const type = this.host.names.idOf(todo[0]);
      const keys = type === undefined ? [] : this.host.writer.all(some, [type, above]);
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
    this.host.writer.run('UPDATE text_index SET state = ?, todo = ?, next_pk = ? WHERE id = ?', [
      done ? 'ready' : index.state,
      JSON.stringify(todo),
      above,
      index.id,
    ]);
    return done;
  }

  /** Brings what is in an index of an entity in line with what is stored of it. */
  #refresh({ id, kind, key, types }: TextIndex, pk: number): void {
    const row = this.host.writer.get(`SELECT ${contentColumns('e')} FROM ${tableOfKind(kind)} e WHERE e.pk = ?`, [pk]);
    const isIn = row !== undefined && types.has(this.host.names.textOf(Number(row[0])));
    this.host.parts.put(id, pk, isIn ? textOf(unpack(row, CONTENT_AT, this.host.names.textOf)[key]) : undefined);
  }

  /** Moves texts of a part that holds little to the one that is written to. */
  #move(part: number): void {
    const isLate = lateness();
    do {
      const some = this.host.parts.some(part, AT_ONCE);
      if (some === undefined) return;
      const index = storedIndexes(this.host.writer).find(({ id }) => id === some.owner);
      if (some.keys.length === 0 || index === undefined || index.state === 'dropping') {
        this.host.parts.remove(part);
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
      if (!this.host.parts.empty(index.id)) continue;
      this.host.writer.run('DELETE FROM text_index WHERE id = ?', [index.id]);
      return true;
    }
    return false;
  }
}

function lateness(): () => boolean {
  const began = performance.now();
  return () => performance.now() - began >= STEP_TIME;
}
