/**
 * Indexes of the schema. One index a key, on the common label, `type` and the key, serves all types: a label and key
 * each would be thousands. Made and dropped in the background, because that waits for open transactions.
 */
import { createHash } from 'node:crypto';
import type { IndexDefinition } from '../types.js';
import { INDEXED_LENGTH, LONG } from './codec.js';
import type { Database } from './database.js';
import { COMMON, META, propertyName, quoted, relationshipLabel } from './names.js';
import type { Statement } from './statement.js';

/** Prefix of the names of indexes on keys. */
export const KEY_INDEXES = 'svc_key_';
const PAUSE = 100;
const ATTEMPTS = 5;
/** Milliseconds a statement may take; building an index goes on by itself. */
const PATIENCE = 60_000;
const ANY_LONG =
  `MATCH (n:${COMMON}) WHERE n[$long] IS NULL AND ` +
  `CASE WHEN n[$name] >= '' THEN size(n[$name]) ELSE 0 END > ${String(INDEXED_LENGTH)} RETURN 1 LIMIT 1`;
const LIST: Statement = {
  text: 'SHOW INDEXES YIELD name, state WHERE name STARTS WITH $prefix RETURN name, state',
  params: { prefix: KEY_INDEXES },
};

function nameOf(prefix: string, property: string): string {
  return prefix + createHash('sha256').update(property).digest('hex').slice(0, 32);
}

export class Indexes {
  /** Keys wanted, by the name of their index. */
  #wanted = new Map<string, string>();
  #keys: ReadonlySet<string> = new Set();
  #ready: ReadonlySet<string> = new Set();
  /** Types of relationships whose indexes are to be made. */
  readonly #relTypes: string[] = [];
  #work: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Whether an index holds or will hold values of this key. */
  wanted(key: string): boolean {
    return this.#keys.has(key);
  }

  ready(key: string): boolean {
    return this.#ready.has(key);
  }

  set(definitions: readonly IndexDefinition[]): void {
    const keys = new Set(definitions.map((one) => one.key).filter((key) => key !== 'id' && key !== 'type'));
    this.#keys = keys;
    this.#wanted = new Map([...keys].map((key) => [nameOf(KEY_INDEXES, propertyName(key)), key]));
    this.#ready = new Set([...this.#ready].filter((key) => keys.has(key)));
    this.#background(() => this.#reconcile());
  }

  /** An index on the ids of relationships of each of these types. */
  relationships(relTypes: readonly string[]): void {
    this.#relTypes.push(...relTypes);
    this.#background(async () => {
      const all = this.#relTypes.splice(0);
      await this.#together(
        all.map((relType) => {
          const label = relationshipLabel(relType);
          return `CREATE RANGE INDEX ${nameOf('svc_rel_', relType)} IF NOT EXISTS FOR ()-[r:${label}]-() ON (r.id)`;
        }),
      );
    });
  }

  async settled(): Promise<void> {
    await this.#work;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#work;
  }

  #background(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#stopped) return;
      try {
        await work();
      } catch (error) {
        this.onError(error);
      }
    });
  }

  async #run(text: string, params: Statement['params'] = {}): Promise<readonly (readonly unknown[])[]> {
    return this.database.run({ text, params }, { deadline: Date.now() + PATIENCE }, true);
  }

  async #reconcile(): Promise<void> {
    const wanted = this.#wanted;
    const existing = new Map(
      (await this.database.run(LIST, { deadline: Date.now() + PATIENCE })).map(([name, state]) => [name, state]),
    );
    const dropped = [...existing].filter(([name, state]) => !wanted.has(String(name)) || state === 'FAILED');
    await this.#together(dropped.map(([name]) => `DROP INDEX ${quoted(String(name))} IF EXISTS`));
    const lacking = [...wanted].filter(([name]) => !existing.has(name) || existing.get(name) === 'FAILED');
    for (const [, key] of lacking) {
      if (this.#stopped || this.#wanted !== wanted) return;
      await this.#cutLong(key);
    }
    await this.#together(
      lacking.map(([name, key]) => {
        const property = quoted(propertyName(key));
        return `CREATE RANGE INDEX ${name} IF NOT EXISTS FOR (n:${COMMON}) ON (n.type, n.${property})`;
      }),
    );
    await this.#online(wanted);
  }

  /**
   * In one transaction: Neo4j forgets the plans of all statements with each change of its schema. Another instance may be
   * making the same indexes, which fails although the statements say IF NOT EXISTS.
   */
  async #together(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.database.runTogether(texts);
        return;
      } catch (error) {
        if (attempt === ATTEMPTS || this.#stopped) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE * attempt * (1 + Math.random())));
      }
    }
  }

  /** Texts that were stored whole before there was an index would make building it fail. */
  async #cutLong(key: string): Promise<void> {
    const name = propertyName(key);
    const [v, long] = [`n.${quoted(name)}`, `n.${quoted(LONG + name)}`];
    // One text for all keys, so that it is planned once; hardly any key has long values.
    const [some] = await this.#run(ANY_LONG, { name, long: LONG + name });
    if (some === undefined) return;
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
      let building = 0;
      const ready = new Set<string>();
      for (const [name, state] of await this.database.run(LIST, { deadline: Date.now() + PATIENCE })) {
        const key = wanted.get(String(name));
        if (key === undefined) continue;
        if (state === 'ONLINE') ready.add(key);
        else if (state === 'POPULATING') building++;
        else this.onError(new Error(`Neo4j could not build the index on "${key}".`));
      }
      if (this.#wanted === wanted) this.#ready = ready;
      if (building === 0) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}
