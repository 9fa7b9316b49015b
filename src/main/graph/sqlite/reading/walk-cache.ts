/**
 * Keys that short walks along an index found, and lists of all that somebody may see: readers of one site ask for the
 * same few pages again and again, and a page far from the beginning costs a step for each entry before it. Measured: a
 * third of the time of a sorted page. What was found holds until something of the types it depends on is committed.
 */
import type { Sql } from '../connection/sql.js';

/** Walks kept, and keys in them; when there are more all are dropped, which costs less than an order of use. */
const MAX_WALKS = 1000;
const MAX_KEYS = 1_000_000;

interface Walk {
  readonly keys: readonly number[];
  readonly types: readonly number[] | undefined;
  readonly mark: number;
}

export class WalkCache {
  readonly #walks = new Map<string, Walk>();
  /** Number of changes to nodes of a type and to what is said about access to them, ever. */
  readonly #changes = new Map<number, number>();
  #commits = 0;
  #keys = 0;

  /** Grows with each commit that concerns nodes of these types; undefined: with each commit. */
  mark(types: readonly number[] | undefined): number {
    if (types === undefined) return this.#commits;
    let mark = 0;
    for (const type of types) mark += this.#changes.get(type) ?? 0;
    return mark;
  }

  /** `slack`: changes that do not matter, for what was only an estimate. */
  get(name: string, slack: (keys: readonly number[]) => number = none): readonly number[] | undefined {
    const walk = this.#walks.get(name);
    if (walk === undefined || this.mark(walk.types) - walk.mark > slack(walk.keys)) return undefined;
    return walk.keys;
  }

  /** Keeps what was found for nodes of these types when `mark` was theirs; undefined: it depends on more. */
  put(name: string, keys: readonly number[], types?: readonly number[], mark = this.mark(types)): void {
    this.#keys += keys.length - (this.#walks.get(name)?.keys.length ?? 0);
    if (this.#walks.size >= MAX_WALKS || this.#keys > MAX_KEYS) {
      this.#walks.clear();
      this.#keys = keys.length;
    }
    this.#walks.set(name, { keys, types, mark });
  }

  /** Something was committed: so many changes by type. */
  committed(changes: ReadonlyMap<number, number>): void {
    this.#commits++;
    for (const [type, count] of changes) this.#changes.set(type, (this.#changes.get(type) ?? 0) + count);
  }
}

const none = (): number => 0;

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
