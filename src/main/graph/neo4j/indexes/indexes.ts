/**
 * Indexes of the schema. One index a key, on the common label, `type` and the key, serves all types: a label and key
 * each would be thousands. Made and dropped in the background, because that waits for open transactions.
 */
import { type GraphError, noTextIndex, textIndexBeingBuilt } from '../../errors.js';
import type { IndexDefinition, TextIndexDefinition } from '../../types.js';
import { INDEXED_LENGTH, LONG } from '../connection/codec.js';
import type { Database } from '../connection/database.js';
import { COMMON, keyOf, META, propertyName, quoted, relationshipLabel } from '../connection/names.js';
import { listed, type Statement } from '../connection/statement.js';
import { nameOf, PART_INDEXES, PartIndexes } from './part-indexes.js';
import { TEXT_INDEXES, type TextIndex, textIndexOf } from './text-indexes.js';

/** Prefix of the names of indexes on keys. */
export const KEY_INDEXES = 'svc_key_';
const PAUSE = 100;
const ATTEMPTS = 5;
/**
 * Milliseconds a change of indexes waits for locks at its first attempt; then twice as long each time, until it outlasts a query that
 * runs into its time limit.
 */
const FIRST_PATIENCE = 1000;
const MOST_PATIENCE = 40_000;
/** Milliseconds between attempts, so that those who waited meanwhile get on. */
const GAP = 500;
/** Milliseconds a statement may take; building an index goes on by itself. */
const PATIENCE = 60_000;
/** Keys that are looked through together. */
const KEYS_AT_ONCE = 25;
const ANY_LONG =
  `UNWIND $keys.all AS k CALL { WITH k MATCH (n:${COMMON}) WHERE n[k.long] IS NULL AND ` +
  `CASE WHEN n[k.name] >= '' THEN size(n[k.name]) ELSE 0 END > ${String(INDEXED_LENGTH)} RETURN 1 AS one LIMIT 1 } RETURN k.name`;
const LIST: Statement = {
  text:
    'SHOW INDEXES YIELD name, state, properties WHERE name STARTS WITH $keys OR name STARTS WITH $texts ' +
    'OR name STARTS WITH $parts ' +
    'RETURN name, state, properties[1]',
  params: { keys: KEY_INDEXES, texts: TEXT_INDEXES, parts: PART_INDEXES },
};
/**
 * Milliseconds for which an index that nobody wants any more is kept: with each that is made or dropped Neo4j forgets how
 * it runs all statements, and another instance may not have heard of the change.
 */
const GRACE = 600_000;
/** For the same reason indexes that are asked for within so many milliseconds are made together. */
const GATHERING_KEYS = 2000;
const GATHERING_TYPES = 10_000;
/** Milliseconds after which background work that failed is done again. */
const RETRY = 60_000;
/** What a timer of Node can wait for. */
const MOST_DELAY = 2 ** 31 - 1;

/** What is known of indexes, as it crosses threads. */
export interface IndexFacts {
  /** Keys whose index can be used. */
  readonly ready: readonly string[];
  /** Those of them that have one of the parts of texts, too. */
  readonly parts: readonly string[];
  /** Full-text indexes that can be used, by the name they are asked by; undefined: nothing can be in it. */
  readonly texts: readonly (readonly [name: string, index: TextIndex | undefined])[];
}

/** Work that is done some time after it was first asked for, once. */
class Later {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly delay: number,
    private readonly work: () => void,
  ) {}

  start(delay = this.delay): void {
    const run = (): void => {
      this.now();
    };
    this.#timer ??= setTimeout(run, Math.min(delay, MOST_DELAY)).unref();
  }

  /** Does it at once if it is waiting. */
  now(): void {
    if (this.#timer === undefined) return;
    this.cancel();
    this.work();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

export class Indexes {
  /** Keys wanted, by the name of their index. */
  #wanted = new Map<string, string>();
  /** Full-text indexes wanted, by the name they are asked by; undefined: of no type. */
  #texts: ReadonlyMap<string, TextIndex | undefined> = new Map();
  /** Statements that make them, by their names in the database. */
  #textsWanted: ReadonlyMap<string, string> = new Map();
  #textsReady: ReadonlySet<string> = new Set();
  #keys: ReadonlySet<string> = new Set();
  /** Until when a key that is wanted no more may still get an index, by an instance that has not heard of it yet. */
  readonly #left = new Map<string, number>();
  /** Keys of the indexes that are there, or about to be. */
  #existing: ReadonlySet<string> = new Set();
  /** When an index that is there was found to be wanted no more, by name. */
  readonly #unwanted = new Map<string, number>();
  readonly #parts: PartIndexes;
  readonly #keysLater = new Later(GATHERING_KEYS, () => this.#background(() => this.#reconcile()));
  readonly #relTypesLater = new Later(GATHERING_TYPES, () => this.#background(() => this.#makeRelationships()));
  /** What could not be made or dropped is done again some time later, whoever asks for it meanwhile. */
  readonly #failedLater = new Later(RETRY, () => this.#background(() => this.#reconcile()));
  readonly #dropsLater = new Later(0, () => this.#background(() => this.#reconcile()));
  #ready: ReadonlySet<string> = new Set();
  /** Types of relationships whose indexes are to be made. */
  readonly #relTypes: string[] = [];
  #work: Promise<void> = Promise.resolve();
  #patience = FIRST_PATIENCE;
  #stopped = false;
  /** Called when others can be used than before, perhaps. */
  onFacts: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
    private readonly grace = GRACE,
    partsFrom?: number,
  ) {
    this.#parts = new PartIndexes(() => {
      this.#keysLater.start();
    }, partsFrom);
  }

  /** What can be used now. */
  get facts(): IndexFacts {
    const ready = [...this.#ready];
    const texts = [...this.#texts].filter(([, index]) => index === undefined || this.#textsReady.has(index.name));
    return { ready, parts: this.#parts.readyOf(ready), texts };
  }

  /** Learns what is there. Before the first write: values must fit into indexes, wanted or not. */
  async load(): Promise<void> {
    await this.#list();
  }

  /** Whether an index holds or will hold values of this key. */
  holds(key: string): boolean {
    if (this.#keys.has(key) || this.#existing.has(key)) return true;
    return this.#left.size > 0 && (this.#left.get(key) ?? 0) > Date.now();
  }

  ready(key: string): boolean {
    return this.#ready.has(key);
  }

  /** Whether the parts of texts at a key can be looked for in an index; one is made where that pays. */
  parts(key: string): boolean {
    return this.#ready.has(key) && this.#parts.ready(key);
  }

  set(definitions: readonly IndexDefinition[], texts: readonly TextIndexDefinition[]): void {
    // Of equal names the first counts.
    this.#texts = new Map([...texts].reverse().map((one) => [one.name, textIndexOf(one)]));
    this.#textsWanted = new Map(
      [...this.#texts.values()].flatMap((one) => (one === undefined ? [] : [[one.name, one.create]])),
    );
    const keys = new Set(definitions.map((one) => one.key).filter((key) => key !== 'id' && key !== 'type'));
    for (const key of this.#keys) if (!keys.has(key)) this.#left.set(key, Date.now() + this.grace);
    for (const key of keys) this.#left.delete(key);
    this.#keys = keys;
    this.#wanted = new Map([...keys].map((key) => [nameOf(KEY_INDEXES, propertyName(key)), key]));
    this.#ready = new Set([...this.#ready].filter((key) => keys.has(key)));
    this.onFacts?.();
    this.#keysLater.start();
  }

  /**
   * The full-text index that is asked for by this name; undefined: nothing can be in it. It is not waited for: who has begun to write
   * would keep it from being made.
   */
  text(name: string): TextIndex | undefined {
    if (!this.#texts.has(name)) throw noTextIndex(name);
    const index = this.#texts.get(name);
    if (index === undefined || this.#textsReady.has(index.name)) return index;
    this.#keysLater.now();
    throw textIndexBeingBuilt(name);
  }

  /** A full-text index that is not there any more: somebody has dropped it. It is made again; the error to answer with. */
  lost({ name }: TextIndex, asked: string): GraphError {
    this.#textsReady = new Set([...this.#textsReady].filter((one) => one !== name));
    this.onFacts?.();
    this.#keysLater.start();
    this.#keysLater.now();
    return textIndexBeingBuilt(asked);
  }

  /** An index on the ids of relationships of each of these types. */
  relationships(relTypes: readonly string[]): void {
    this.#relTypes.push(...relTypes);
    if (this.#relTypes.length > 0) this.#relTypesLater.start();
  }

  async #makeRelationships(): Promise<void> {
    const all = this.#relTypes.splice(0);
    const texts = all.map((relType) => {
      const label = relationshipLabel(relType);
      return `CREATE RANGE INDEX ${nameOf('svc_rel_', relType)} IF NOT EXISTS FOR ()-[r:${label}]-() ON (r.id)`;
    });
    try {
      await this.#together(texts);
    } catch (error) {
      this.relationships(all);
      throw error;
    }
  }

  /**
   * Makes what is missing or has failed, and of full-text indexes those of these types (absent: all) anew, when `texts` is asked for.
   * Throws `GraphError`.
   */
  renew(texts: boolean, types?: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#background(async () => {
        try {
          const isMeant = (one: TextIndex): boolean =>
            types === undefined || one.types.some((type) => types.includes(type));
          const again = texts
            ? [...this.#texts.values()].flatMap((one) => (one !== undefined && isMeant(one) ? one.name : []))
            : [];
          await this.#drop(again);
          await this.#reconcile();
          if (this.#relTypes.length > 0) await this.#makeRelationships();
          resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }

  /** Resolves when all is made that has been asked for. */
  async settled(): Promise<void> {
    this.#keysLater.now();
    this.#relTypesLater.now();
    await this.#work;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const later of [this.#dropsLater, this.#failedLater, this.#keysLater, this.#relTypesLater]) later.cancel();
    await this.#work;
  }

  #background(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#stopped) return;
      try {
        await work();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.onError(
          new Error(`Indexes could not be changed, which is tried again in a minute: ${why}`, { cause: error }),
        );
        this.#failedLater.start();
      }
    });
  }

  async #run(text: string, params: Statement['params'], patience = PATIENCE): Promise<readonly (readonly unknown[])[]> {
    return this.database.run({ text, params }, { deadline: Date.now() + patience }, true);
  }

  /** States of the indexes that are there, by name. */
  async #list(): Promise<Map<string, string>> {
    const rows = await this.#run(LIST.text, LIST.params);
    this.#existing = new Set(
      rows.flatMap(([, , property]) => (typeof property === 'string' ? (keyOf(property) ?? []) : [])),
    );
    return new Map(rows.map(([name, state]) => [String(name), String(state)]));
  }

  async #reconcile(): Promise<void> {
    const wanted = this.#wanted;
    const existing = await this.#list();
    // Before the changes, which may have to wait: others are asked for already.
    this.#learn(existing, wanted);
    const failed = [...existing].filter(([, state]) => state === 'FAILED').map(([name]) => name);
    await this.#drop(failed);
    const isLacking = ([name]: readonly [string, string]): boolean => !existing.has(name) || failed.includes(name);
    const lacking = [...wanted].filter(isLacking);
    const parts = await this.#parts.lacking([...wanted.values()], existing, (text) => this.#run(text, {}));
    const texts = [...this.#textsWanted].filter(isLacking);
    await this.#cutLong(
      lacking.map(([, key]) => key),
      wanted,
    );
    if (this.#stopped || this.#wanted !== wanted) return;
    // Making them waits for open transactions, and others write meanwhile.
    this.#existing = new Set([...this.#existing, ...lacking.map(([, key]) => key)]);
    await this.#together([
      ...lacking.map(([name, key]) => {
        const property = quoted(propertyName(key));
        return `CREATE RANGE INDEX ${name} IF NOT EXISTS FOR (n:${COMMON}) ON (n.type, n.${property})`;
      }),
      ...texts.map(([, create]) => create),
      ...parts,
    ]);
    await this.#online(wanted);
    if (this.#wanted === wanted) await this.#drop(this.#overdue(existing.keys()));
  }

  #isWanted(name: string): boolean {
    return this.#wanted.has(name) || this.#textsWanted.has(name) || this.#parts.isWanted(name);
  }

  async #drop(names: readonly string[]): Promise<void> {
    await this.#together(names.map((name) => `DROP INDEX ${quoted(name)} IF EXISTS`));
  }

  /** Indexes that have been wanted no more for long enough; for the others this is done again when they have. */
  #overdue(existing: Iterable<string>): string[] {
    const now = Date.now();
    const names = new Set(existing);
    for (const name of this.#unwanted.keys()) {
      if (!names.has(name) || this.#isWanted(name)) this.#unwanted.delete(name);
    }
    for (const name of names) {
      if (!this.#isWanted(name) && !this.#unwanted.has(name)) this.#unwanted.set(name, now);
    }
    for (const [key, until] of this.#left) if (until <= now) this.#left.delete(key);
    const overdue = [...this.#unwanted].filter(([, since]) => now - since >= this.grace).map(([name]) => name);
    const later = [...this.#unwanted.values(), ...[...this.#left.values()].map((until) => until - this.grace)];
    const [next] = later.filter((since) => now - since < this.grace).sort((a, b) => a - b);
    this.#dropsLater.cancel();
    if (next !== undefined) this.#dropsLater.start(next + this.grace - now);
    return overdue;
  }

  /**
   * In one transaction: Neo4j forgets the plans of all statements with each change of its schema. Another instance may be
   * making the same indexes, which fails although the statements say IF NOT EXISTS.
   *
   * Not waiting long, and then anew: reads wait as long as this does. One that waits for another to plan the same statement
   * can hold a lock that this waits for, while the other waits for this; Neo4j (5.26) does not see such a deadlock.
   */
  async #together(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.database.runTogether(texts, this.#patience);
        this.#patience = FIRST_PATIENCE;
        return;
      } catch (error) {
        this.#patience = Math.min(this.#patience * 2, MOST_PATIENCE);
        if (attempt === ATTEMPTS || this.#stopped) throw error;
        await new Promise((resolve) => setTimeout(resolve, GAP * (1 + Math.random())));
      }
    }
  }

  /** Texts that were stored whole before there was an index would make building it fail. */
  async #cutLong(keys: readonly string[], wanted: ReadonlyMap<string, string>): Promise<void> {
    for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
      const names = keys.slice(from, from + KEYS_AT_ONCE).map(propertyName);
      const asked = listed(names.map((name) => ({ name, long: LONG + name })));
      // Hardly any key has long values.
      for (const [name] of await this.#run(ANY_LONG, { keys: asked }, PATIENCE * names.length)) {
        if (this.#stopped || this.#wanted !== wanted) return;
        await this.#cut(String(name));
      }
    }
  }

  async #cut(name: string): Promise<void> {
    const [v, long] = [`n.${quoted(name)}`, `n.${quoted(LONG + name)}`];
    const most = String(INDEXED_LENGTH);
    // Under the writers' lock: a value must not change between being read and being cut.
    const lock = `MATCH (m:${META} {name: 'writer'}) SET m.lock = $long WITH m`;
    const match = `${lock} MATCH (n:${COMMON}) WHERE ${long} IS NULL AND CASE WHEN ${v} >= '' THEN size(${v}) ELSE 0 END > ${most}`;
    for (;;) {
      const [row] = await this.#run(
        `${match} WITH n LIMIT 500 SET ${long} = ${v} SET ${v} = left(${long}, ${most}) RETURN count(*)`,
        { long },
      );
      if (Number(row?.[0] ?? 0) < 500) return;
    }
  }

  async #online(wanted: ReadonlyMap<string, string>): Promise<void> {
    while (!this.#stopped && this.#wanted === wanted) {
      const states = await this.#list();
      this.#learn(states, wanted);
      let building = 0;
      for (const [name, state] of states) {
        if (state === 'ONLINE' || !this.#isWanted(name)) continue;
        if (state === 'POPULATING') building++;
        else {
          const key = wanted.get(name);
          this.onError(new Error(`Neo4j could not build the index ${key === undefined ? name : `on "${key}"`}.`));
          // Without one on a key queries are slow; without this one nobody can search.
          if (this.#textsWanted.has(name)) this.#failedLater.start();
        }
      }
      if (building === 0) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  /** Takes down which of the wanted indexes can be used. */
  #learn(states: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): void {
    if (this.#wanted !== wanted) return;
    const online = [...states].filter(([, state]) => state === 'ONLINE').map(([name]) => name);
    this.#ready = new Set(online.flatMap((name) => wanted.get(name) ?? []));
    this.#parts.learn(online);
    this.#textsReady = new Set(online.filter((name) => this.#textsWanted.has(name)));
    this.onFacts?.();
  }
}
