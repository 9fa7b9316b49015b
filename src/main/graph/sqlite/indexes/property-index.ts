/**
 * Which (type, key) pairs are in the property index, keeping their entries, and building and dropping them in
 * the background. A pair is maintained by every write from the moment it is wanted and used by queries once the
 * nodes from before have been added; both facts are in `index_state`, so a restart goes on where it was.
 */
import type { IndexDefinition, PropertyMap } from '../../types.js';
import type { GroupCommit } from '../writing/group-commit.js';
import type { Names } from '../connection/names.js';
import { valueExpression } from '../connection/stamps.js';
import { sql } from '../connection/sql.js';
import type { Unit } from '../writing/unit.js';
import { sameValue, sqlValue, type SqlValue } from '../connection/values.js';
import type { Writer } from '../writing/writer.js';

/** `rebuilding`: wanted again while its old entries are still being removed. */
type State = 'building' | 'ready' | 'dropping' | 'rebuilding';

interface Pair {
  readonly type: number;
  readonly key: number;
  readonly keyText: string;
  state: State;
}

/** Milliseconds of the event loop a step of the background work aims at. */
const STEP_TIME = 4;
const MIN_STEP = 32;
const MAX_STEP = 5000;
/** Entries of one node that are inserted together; each number of them is a statement of its own. */
const MAX_ROWS = 12;
/** By the number of entries. OR IGNORE: a build may have been here already. */
const INSERTS: readonly string[] = Array.from(
  { length: MAX_ROWS + 1 },
  (_, rows) =>
    'INSERT OR IGNORE INTO prop_index(type, key, value, node) VALUES ' + Array(rows).fill('(?, ?, ?, ?)').join(', '),
);

const CHANGE = 'UPDATE OR REPLACE prop_index SET value = ? WHERE type = ? AND key = ? AND value = ? AND node = ?';

export class PropertyIndex {
  readonly #pairs = new Map<string, Pair>();
  /** Pairs that writes maintain, by type. */
  #maintained = new Map<number, Pair[]>();
  #work: Promise<void> | undefined;
  #stopped = false;
  #step = 200;
  /** Told when that has changed. */
  onChange: (() => void) | undefined;
  /** Grows with what is, or is not any more, complete. */
  version = 0;

  constructor(
    private readonly writer: Writer,
    private readonly names: Names,
    private readonly commit: GroupCommit,
    private readonly onError: (error: unknown) => void,
  ) {}

  load(): void {
    for (const [type, key, state] of this.writer.all('SELECT type, key, state FROM index_state', [])) {
      this.#put(Number(type), Number(key), String(state) as State);
    }
    this.#refresh();
    this.#start();
  }

  #put(type: number, key: number, state: State): void {
    this.#pairs.set(`${String(type)}/${String(key)}`, { type, key, keyText: this.names.textOf(key), state });
  }

  #refresh(): void {
    this.version++;
    this.onChange?.();
    this.#maintained = new Map();
    for (const pair of this.#pairs.values()) {
      if (pair.state !== 'building' && pair.state !== 'ready') continue;
      const pairs = this.#maintained.get(pair.type);
      if (pairs === undefined) this.#maintained.set(pair.type, [pair]);
      else pairs.push(pair);
    }
  }

  /** Id of the key when the pair is complete. */
  ready(type: number, key: string): number | undefined {
    const pair = this.#maintained.get(type)?.find((one) => one.keyText === key);
    return pair?.state === 'ready' ? pair.key : undefined;
  }

  /** Those that are complete. */
  get pairs(): readonly { readonly type: number; readonly key: number; readonly keyText: string }[] {
    return [...this.#pairs.values()].filter(({ state }) => state === 'ready');
  }

  added(type: number, pk: number, properties: PropertyMap): void {
    this.#insert(this.#maintained.get(type) ?? [], pk, properties);
  }

  removed(type: number, pk: number, properties: PropertyMap): void {
    for (const pair of this.#maintained.get(type) ?? []) this.#delete(pair, pk, properties);
  }

  changed(type: number, pk: number, before: PropertyMap, after: PropertyMap): void {
    for (const pair of this.#maintained.get(type) ?? []) {
      const [old, next] = [before[pair.keyText], after[pair.keyText]];
      // A node that a build has not reached yet has no entry; the build will find it as it is then.
      if (!sameValue(old, next)) this.writer.write(CHANGE, [sqlValue(next), pair.type, pair.key, sqlValue(old), pk]);
    }
  }

  #insert(pairs: readonly Pair[], pk: number, properties: PropertyMap): void {
    for (let from = 0; from < pairs.length; from += MAX_ROWS) {
      const some = pairs.length <= MAX_ROWS ? pairs : pairs.slice(from, from + MAX_ROWS);
      const values: SqlValue[] = [];
      for (const { type, key, keyText } of some) values.push(type, key, sqlValue(properties[keyText]), pk);
      this.writer.write(INSERTS[some.length] ?? '', values);
    }
  }

  #delete(pair: Pair, pk: number, properties: PropertyMap): void {
    this.writer.write('DELETE FROM prop_index WHERE type = ? AND key = ? AND value = ? AND node = ?', [
      pair.type,
      pair.key,
      sqlValue(properties[pair.keyText]),
      pk,
    ]);
  }

  /** Records the complete set of wanted pairs; what that changes is done in the background. */
  async set(definitions: readonly IndexDefinition[]): Promise<void> {
    const wanted = new Map<string, { type: string; key: string }>();
    for (const { types, key } of definitions) {
      for (const type of types) wanted.set(JSON.stringify([type, key]), { type, key });
    }
    const next = await this.commit.run(
      async (unit) => {
        const states: [type: number, key: number, state: State][] = [];
        const keep = new Set<string>();
        for (const { type, key } of wanted.values()) {
          if (this.names.idOf(type) === undefined || this.names.idOf(key) === undefined) unit.begin();
          const pair = [this.names.intern(type, this.writer), this.names.intern(key, this.writer)] as const;
          const id = pair.join('/');
          keep.add(id);
          const state = this.#pairs.get(id)?.state;
          if (state === undefined) states.push([...pair, 'building']);
          else if (state === 'dropping') states.push([...pair, 'rebuilding']);
        }
        for (const [id, { type, key, state }] of this.#pairs) {
          if (!keep.has(id) && state !== 'dropping') states.push([type, key, 'dropping']);
        }
        if (states.length > 0) unit.begin();
        for (const [type, key, state] of states) {
          this.writer.run('INSERT OR REPLACE INTO index_state(type, key, state, next_pk) VALUES (?, ?, ?, 0)', [
            type,
            key,
            state,
          ]);
        }
        return Promise.resolve(states);
      },
      { timeout: 0, onLoop: true },
    );
    /*
     * In memory only now, when it is on disk. Nodes written in between are found by the build, which begins later;
     * a pair to be dropped is maintained a little longer than needed.
     */
    for (const [type, key, state] of next) this.#put(type, key, state);
    if (next.length > 0) {
      this.#refresh();
      this.#start();
    }
  }

  /** Resolves when nothing is being built or dropped. */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.settled();
  }

  #start(): void {
    if (this.#work !== undefined || this.#stopped || this.#unfinished().length === 0) return;
    this.#work = this.#run()
      .catch(this.onError)
      .finally(() => {
        this.#work = undefined;
      });
  }

  /** Dropping first: it makes room, and what is rebuilt must be empty before. */
  #unfinished(): Pair[] {
    const pairs = [...this.#pairs.values()].filter(({ state }) => state !== 'ready');
    const building = pairs.filter(({ state }) => state === 'building');
    return building.length === pairs.length ? building : pairs.filter(({ state }) => state !== 'building');
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const waiting = this.#unfinished();
      if (waiting.length === 0) return;
      // Most pairs are of types without a node, above all in a new database: many of them fit into one step.
      const done: [pair: Pair, state: State][] = [];
      await this.commit.run(
        (unit) => {
          const began = performance.now();
          for (const pair of waiting) {
            const { state } = pair;
            if (this.#advance(unit, pair)) done.push([pair, state]);
            if (performance.now() - began > STEP_TIME) break;
          }
          return Promise.resolve();
        },
        { timeout: 0, onLoop: true },
      );
      // In memory only now, when it is on disk; `set` may have overtaken it.
      for (const [pair, state] of done) {
        const current = this.#pairs.get(`${String(pair.type)}/${String(pair.key)}`);
        if (current?.state === state) this.#finished(current);
      }
      if (done.length > 0) this.#refresh();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** True when that was the rest of the pair's work. */
  #advance(unit: Unit, pair: Pair): boolean {
    const since = performance.now();
    // `set` may have overtaken this step: what is recorded counts, memory follows soon.
    const recorded = this.writer.get('SELECT state FROM index_state WHERE type = ? AND key = ?', [pair.type, pair.key]);
    if (recorded?.[0] !== pair.state) return false;
    unit.begin();
    const done = pair.state === 'building' ? this.#build(pair) : this.#drop(pair);
    this.#adapt(performance.now() - since);
    return done;
  }

  #adapt(took: number): void {
    const factor = took > STEP_TIME ? 0.5 : took < STEP_TIME / 2 ? 1.5 : 1;
    this.#step = Math.max(MIN_STEP, Math.min(MAX_STEP, Math.round(this.#step * factor)));
  }

  #finished(pair: Pair): void {
    this.version++;
    if (pair.state === 'building') pair.state = 'ready';
    else if (pair.state === 'rebuilding') pair.state = 'building';
    else this.#pairs.delete(`${String(pair.type)}/${String(pair.key)}`);
  }

  /** Adds the next nodes; true when there are no more. */
  #build({ type, key, keyText }: Pair): boolean {
    const above = Number(
      this.writer.get('SELECT next_pk FROM index_state WHERE type = ? AND key = ?', [type, key])?.[0] ?? 0,
    );
    const last = this.writer.get(
      // +0: see cutTo (sql.ts).
      'SELECT max(pk), count(*) FROM (SELECT pk FROM node WHERE type = ? AND pk > ? ORDER BY pk LIMIT ?+0)',
      [type, above, this.#step],
    );
    const upTo = last?.[0];
    if (typeof upTo === 'number') {
      const { text, params } =
        sql`INSERT OR IGNORE INTO prop_index(type, key, value, node) SELECT n.type,${key},${valueExpression('n', keyText)},n.pk FROM node n WHERE n.type=${type} AND n.pk>${above} AND n.pk<=${upTo}`;
      this.writer.run(text, params);
    }
    const done = Number(last?.[1] ?? 0) < this.#step;
    this.writer.run('UPDATE index_state SET state = ?, next_pk = ? WHERE type = ? AND key = ?', [
      done ? 'ready' : 'building',
      typeof upTo === 'number' ? upTo : above,
      type,
      key,
    ]);
    return done;
  }

  #drop({ type, key, state }: Pair): boolean {
    const removed = this.writer.run(
      // +0: see cutTo (sql.ts).
      'DELETE FROM prop_index WHERE (type, key, value, node) IN (SELECT type, key, value, node FROM prop_index WHERE type = ? AND key = ? LIMIT ?+0)',
      [type, key, this.#step],
    );
    if (removed >= this.#step) return false;
    if (state === 'rebuilding') {
      this.writer.run("UPDATE index_state SET state = 'building', next_pk = 0 WHERE type = ? AND key = ?", [type, key]);
    } else {
      this.writer.run('DELETE FROM index_state WHERE type = ? AND key = ?', [type, key]);
    }
    return true;
  }
}
