import type { AccessRule } from '../../access.js';

/** A statement and its parameters. Values only ever appear as parameters, names only quoted (names.ts). */
export interface Statement {
  readonly text: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Values of one row, in the order of RETURN. */
export type Values = readonly unknown[];

/** What is known of rules that look for rights further away (reach.ts). */
export interface KnownReach {
  /** All nodes the rule allows otherwise than by their flags; undefined: not known, or too many. */
  idsOf(rule: AccessRule): readonly string[] | undefined;
}

/**
 * A list as a parameter, for `$name.all`. In a map: for a list as such Neo4j plans a statement anew when it has one entry, up
 * to 10, up to 100 and so on, and most of our lists have any length.
 */
export function listed<T>(all: readonly T[]): { readonly all: readonly T[] } {
  return { all };
}

/** Collects the parameters of a statement while its text is written. */
export class Parameters {
  readonly values: Record<string, unknown> = {};
  readonly #lists = new Map<readonly string[], string>();
  #count = 0;

  /** `reach`: what is known of rules that look for rights further away. */
  constructor(readonly reach?: KnownReach) {}

  /** Binds a value and returns what stands for it in the text. */
  bind(value: unknown): string {
    const name = `p${String(this.#count++)}`;
    this.values[name] = value;
    return '$' + name;
  }

  /** Binds texts to compare with by IN, the same list once. */
  among(texts: readonly string[]): string {
    let name = this.#lists.get(texts);
    if (name === undefined) {
      name = `${this.bind(listed([...new Set(texts)].map((one) => one.toWellFormed())))}.all`;
      this.#lists.set(texts, name);
    }
    return name;
  }
}

/** AND or OR of conditions as a balanced tree: a long chain would overflow the stack of Neo4j's parser. */
export function combine(parts: readonly string[], operator: 'AND' | 'OR'): string {
  const [first] = parts;
  if (first === undefined) return operator === 'AND' ? 'true' : 'false';
  if (parts.length === 1) return first;
  if (parts.length <= 8) return `(${parts.join(` ${operator} `)})`;
  const half = parts.length >> 1;
  return `(${combine(parts.slice(0, half), operator)} ${operator} ${combine(parts.slice(half), operator)})`;
}
