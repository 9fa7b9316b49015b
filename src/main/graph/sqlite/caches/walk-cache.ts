/**
 * Keys that short walks along an index found, and lists of all that somebody may see: readers of one site ask for the
 * same few pages again and again, and a page far from the beginning costs a step for each entry before it. Measured: a
 * third of the time of a sorted page. What was found holds until something of the types it depends on is committed.
 */
import type { Sql } from '../connection/sql.js';

/** Walks kept, and keys in them: of the last ones that were asked for, and as many of those before them. */
const MAX_WALKS = 1000;
const MAX_KEYS = 1_000_000;
/** Characters of a name, at most: it holds all values of its statement. */
const LONGEST_NAME = 20_000;
/** More keys than this are kept as plain numbers of 8 bytes. */
const MANY = 1000;

/** Keys in order. */
export type Keys = readonly number[] | Float64Array;

interface Walk {
  readonly keys: Keys;
  /** How many were asked for. */
  readonly upTo: number;
  readonly types: readonly number[] | undefined;
  readonly mark: number;
}

export class WalkCache {
  #walks = new Map<string, Walk>();
  /** Dropped as a whole when there are too many again: what is asked for meanwhile moves to the others. */
  #older = new Map<string, Walk>();
  /** Number of changes to nodes of a type and to what is said about access to them, ever. */
  readonly #changes = new Map<number, number>();
  #commits = 0;
  /** How often all was forgotten: then what is on its way to be kept is out of date, whatever it depends on. */
  #cleared = 0;
  #keys = 0;

  /** Grows with each commit that concerns nodes of these types; undefined: with each commit. */
  mark(types: readonly number[] | undefined): number {
    if (types === undefined) return this.#commits;
    let mark = this.#cleared;
    for (const type of types) mark += this.#changes.get(type) ?? 0;
    return mark;
  }

  /** All keys of a walk. `slack`: changes that do not matter, for what was only an estimate. */
  get(name: string, slack: (keys: Keys) => number = none): Keys | undefined {
    const walk = this.#find(name);
    return walk !== undefined && this.#holds(walk, slack(walk.keys)) && isWhole(walk) ? walk.keys : undefined;
  }

  /** As many keys of a walk as are kept, and whether these are `enough` or all there are. */
  first(name: string, enough: number): { readonly keys: Keys; readonly suffices: boolean } | undefined {
    const walk = this.#find(name);
    if (walk === undefined || !this.#holds(walk, 0)) return undefined;
    return { keys: walk.keys, suffices: walk.keys.length >= enough || isWhole(walk) };
  }

  /**
   * Keeps what was found for nodes of these types when `mark` was theirs; undefined: it depends on more. `upTo`: how many keys were
   * asked for.
   */
  put(name: string, keys: Keys, types?: readonly number[], mark = this.mark(types), upTo = Infinity): void {
    const kept = keys.length > MANY && Array.isArray(keys) ? Float64Array.from(keys) : keys;
    this.#keep(name, { keys: kept, upTo, types, mark });
  }

  #find(name: string): Walk | undefined {
    const walk = this.#walks.get(name);
    if (walk !== undefined) return walk;
    const older = this.#older.get(name);
    if (older !== undefined) {
      this.#older.delete(name);
      this.#keep(name, older);
    }
    return older;
  }

  #keep(name: string, walk: Walk): void {
    if (name.length > LONGEST_NAME) return;
    const before = this.#walks.get(name);
    this.#keys += weight(name, walk) - (before === undefined ? 0 : weight(name, before));
    if (this.#walks.size >= MAX_WALKS || this.#keys > MAX_KEYS) {
      this.#older = this.#walks;
      this.#walks = new Map();
      this.#keys = weight(name, walk);
    }
    this.#walks.set(name, walk);
  }

  #holds(walk: Walk, slack: number): boolean {
    return this.mark(walk.types) - walk.mark <= slack;
  }

  /** All is forgotten; what is being looked for is not kept either. */
  clear(): void {
    this.#walks.clear();
    this.#older.clear();
    this.#keys = 0;
    this.#cleared++;
    this.#commits++;
  }

  /** Something was committed: so many changes by type. */
  committed(changes: ReadonlyMap<number, number>): void {
    this.#commits++;
    for (const [type, count] of changes) this.#changes.set(type, (this.#changes.get(type) ?? 0) + count);
  }
}

/** In keys of 8 bytes. */
function weight(name: string, { keys }: Walk): number {
  return keys.length + name.length / 4;
}

const none = (): number => 0;

/** There are no more keys than these. */
function isWhole({ keys, upTo }: Walk): boolean {
  return keys.length < upTo;
}

/** The same for the same statement with the same values only. */
export function walkName({ text, params }: Sql): string {
  let name = text;
  for (const value of params) {
    const shown = String(value);
    // The length keeps two values from reading as one other.
    name += `\n${typeof value} ${String(shown.length)} ${shown}`;
  }
  return name;
}
