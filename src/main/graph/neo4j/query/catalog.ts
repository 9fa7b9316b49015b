/**
 * Which types of the schema's relationships use which types of the database. Neo4j finds relationships by its own type
 * only, while queries name the schema's; so the pairs in use are kept, as nodes, in the database itself.
 */
import { CATALOG } from '../connection/names.js';
import type { Statement, Values } from '../connection/statement.js';

type Run = (statement: Statement) => Promise<Values[]>;

/** A type of the schema and one of the database. */
export type Pair = readonly [type: string, relType: string];

const LOAD: Statement = { text: `MATCH (c:${CATALOG}) RETURN c.type, c.relType`, params: {} };

export class Catalog {
  readonly #relTypes = new Map<string, Set<string>>();
  readonly #types = new Map<string, Set<string>>();
  /** Pairs that are known to be in the database. */
  readonly #stored = new Set<string>();

  /** Those that have come to be known since somebody asked. */
  #added: Pair[] = [];

  async load(run: Run): Promise<void> {
    for (const [type, relType] of await run(LOAD)) this.add(String(type), String(relType));
  }

  /** A pair that is in the database. */
  add(type: string, relType: string): void {
    this.note(type, relType);
    this.stored(type, relType);
  }

  /** Looks again when one of the types is not known: another instance may have made the first of its kind. */
  async ensure(types: readonly string[] | undefined, run: Run): Promise<void> {
    if (types?.some((type) => !this.#relTypes.has(type)) === true) await this.load(run);
  }

  note(type: string, relType: string): void {
    add(this.#relTypes, type, relType);
    add(this.#types, relType, type);
  }

  isStored(type: string, relType: string): boolean {
    return this.#stored.has(JSON.stringify([type, relType]));
  }

  stored(type: string, relType: string): void {
    if (this.isStored(type, relType)) return;
    this.#stored.add(JSON.stringify([type, relType]));
    this.#added.push([type, relType]);
  }

  /** Pairs in the database that have come to be known since this was asked last. */
  takeAdded(): readonly Pair[] {
    const added = this.#added;
    if (added.length > 0) this.#added = [];
    return added;
  }

  relTypes(types: readonly string[]): readonly string[] {
    return [...new Set(types.flatMap((type) => [...(this.#relTypes.get(type) ?? [])]))];
  }

  sharing(relType: string): ReadonlySet<string> {
    return this.#types.get(relType) ?? new Set();
  }

  /** All types of relationships in the database. */
  get all(): readonly string[] {
    return [...this.#types.keys()];
  }
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([value]));
  else set.add(value);
}
