import type { Reach } from './reach.js';

/** A statement and its parameters. Values only ever appear as parameters, names only quoted (names.ts). */
export interface Statement {
  readonly text: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Collects the parameters of a statement while its text is written. */
export class Parameters {
  readonly values: Record<string, unknown> = {};
  readonly #lists = new Map<readonly string[], string>();
  #count = 0;

  /** `reach`: what is known of rules that look for rights further away. */
  constructor(readonly reach?: Reach) {}

  /** Binds a value and returns what stands for it in the text. */
  bind(value: unknown): string {
    const name = `p${String(this.#count++)}`;
    this.values[name] = value;
    return '$' + name;
  }

  /**
   * Binds texts to compare with by IN, the same list once. There are always at least two: Neo4j plans a statement anew
   * for lists of none, of one, of up to 10, of up to 100 and so on, and most users are in no group or in one.
   */
  among(texts: readonly string[]): string {
    let name = this.#lists.get(texts);
    if (name === undefined) {
      const all: (string | null)[] = [...new Set(texts)].map((one) => one.toWellFormed());
      while (all.length < 2) all.push(all[0] ?? null);
      this.#lists.set(texts, (name = this.bind(all)));
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
