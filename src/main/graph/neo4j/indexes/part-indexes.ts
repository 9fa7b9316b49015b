/**
 * Indexes of the parts of texts (Neo4j's TEXT indexes), one a key that has an index and whose parts are looked for. Made where that pays:
 * each makes writing dearer, and making one makes Neo4j forget how it runs all statements.
 */
import { createHash } from 'node:crypto';
import { COMMON, propertyName, quoted } from '../connection/names.js';

export const PART_INDEXES = 'svc_part_';
/** Nodes from which on one is made. */
const FROM = 20_000;
/** Milliseconds for which a database counts as too small. */
const SMALL = 60_000;

/** The name of the index on a property, the same on all instances. */
export function nameOf(prefix: string, property: string): string {
  return prefix + createHash('sha256').update(property).digest('hex').slice(0, 32);
}

const partIndex = (key: string): string => nameOf(PART_INDEXES, propertyName(key));

export class PartIndexes {
  /** Keys of which parts have been looked for, or that have an index. */
  readonly #asked = new Set<string>();
  #names: ReadonlySet<string> = new Set();
  #online: ReadonlySet<string> = new Set();
  #smallUntil = 0;

  /** `make`: called when one is to be made soon. */
  constructor(
    private readonly make: () => void,
    private readonly from = FROM,
  ) {}

  ready(key: string): boolean {
    if (this.#online.has(key)) return true;
    if (Date.now() >= this.#smallUntil && !this.#asked.has(key)) {
      this.#asked.add(key);
      this.make();
    }
    return false;
  }

  /** Of these keys those whose index can be used. */
  readyOf(keys: Iterable<string>): string[] {
    return [...keys].filter((key) => this.#online.has(key));
  }

  /** Statements that make those of these keys that are asked for and not there. */
  async lacking(
    keys: readonly string[],
    existing: ReadonlyMap<string, string>,
    run: (text: string) => Promise<readonly (readonly unknown[])[]>,
  ): Promise<string[]> {
    const all = new Set(keys);
    for (const key of this.#asked) if (!all.has(key)) this.#asked.delete(key);
    // Made before this instance began, or by another one.
    for (const key of all) if (existing.has(partIndex(key))) this.#asked.add(key);
    const lacking = [...this.#asked].filter((key) => !existing.has(partIndex(key)));
    if (lacking.length > 0 && !(await this.#pays(run))) for (const key of lacking.splice(0)) this.#asked.delete(key);
    this.#names = new Set([...this.#asked].map(partIndex));
    return lacking.map(
      (key) =>
        `CREATE TEXT INDEX ${partIndex(key)} IF NOT EXISTS FOR (n:${COMMON}) ON (n.${quoted(propertyName(key))})`,
    );
  }

  async #pays(run: (text: string) => Promise<readonly (readonly unknown[])[]>): Promise<boolean> {
    const [row] = await run(`MATCH (n:${COMMON}) RETURN count(*)`);
    const pays = Number(row?.[0] ?? 0) >= this.from;
    if (!pays) this.#smallUntil = Date.now() + SMALL;
    return pays;
  }

  isWanted(name: string): boolean {
    return this.#names.has(name);
  }

  /** Takes down which of them can be used, of the names of all indexes that can. */
  learn(online: readonly string[]): void {
    const names = new Set(online);
    this.#online = new Set([...this.#asked].filter((key) => names.has(partIndex(key))));
  }
}
