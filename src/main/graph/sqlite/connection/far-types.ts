/**
 * The types of nodes that relationships of a name have ever led to, from either end (docs/design/sqlite.md 15). Each of them is a name with a number like
 * any other (names.ts): given in the transaction that first links such a node, or gives a linked one another type, and gone with it. As nothing is ever taken off
 * the list, it holds for every state that somebody may read; at worst it has types that are gone.
 */
const PREFIX = '\u0001far';
/** A name that leads to more types than this tells nothing, and they are not listed any more. */
const MOST = 16;
/** All of them; when there are more none is added, and nothing is told any more. */
const MOST_IN_ALL = 4000;

/** The column of `rel` in which the far node stands. */
export type FarEnd = 'source' | 'target';

/** Whether a name is such a type; no name of a type or a key begins like that. */
export function isFarType(name: string): boolean {
  return name.startsWith(PREFIX);
}

export class FarTypes {
  readonly #types = new Map<string, Set<number>>();
  #count = 0;
  /** The list has all there are, which those of older releases have not; set when they have been looked for. */
  complete = false;

  /** A name of this kind is there, or there no more. */
  put(name: string): void {
    const [of, type] = parse(name);
    const types = this.#types.get(of);
    if (types === undefined) this.#types.set(of, new Set([type]));
    else types.add(type);
    this.#count++;
  }

  drop(name: string): void {
    const [of, type] = parse(name);
    if (this.#types.get(of)?.delete(type) === true) this.#count--;
  }

  clear(): void {
    this.#types.clear();
    this.#count = 0;
  }

  /** All types that nodes at this end of relationships of a name may have; undefined: nobody knows. */
  of(relType: number, end: FarEnd): ReadonlySet<number> | undefined {
    if (!this.complete || this.#count >= MOST_IN_ALL) return undefined;
    const types = this.#types.get(keyOf(relType, end)) ?? NONE;
    return types.size < MOST ? types : undefined;
  }

  /** The name that has to be given before a node of a type stands at this end; undefined: it is there, or need not be. */
  missing(relType: number, end: FarEnd, type: number): string | undefined {
    const types = this.#types.get(keyOf(relType, end));
    if (types?.has(type) === true || (types?.size ?? 0) >= MOST || this.#count >= MOST_IN_ALL) return undefined;
    return nameOf(keyOf(relType, end), type);
  }

  /** The same before nodes of a type get another one: they may stand wherever those of the type do. */
  missingFor(before: number, after: number): string[] {
    const names: string[] = [];
    for (const [of, types] of this.#types) {
      if (types.has(before) && !types.has(after) && types.size < MOST) names.push(nameOf(of, after));
    }
    return names.slice(0, Math.max(0, MOST_IN_ALL - this.#count));
  }
}

const NONE: ReadonlySet<number> = new Set();

function keyOf(relType: number, end: FarEnd): string {
  return `${end} ${String(relType)}`;
}

function nameOf(of: string, type: number): string {
  return `${PREFIX} ${of} ${String(type)}`;
}

function parse(name: string): readonly [of: string, type: number] {
  const [, end = '', relType = '', type = ''] = name.split(' ');
  return [`${end} ${relType}`, Number(type)];
}
