/** A statement and its parameters. Values only ever appear as parameters, names only quoted (names.ts). */
export interface Statement {
  readonly text: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Collects the parameters of a statement while its text is written. */
export class Parameters {
  readonly values: Record<string, unknown> = {};
  #count = 0;

  /** Binds a value and returns what stands for it in the text. */
  bind(value: unknown): string {
    const name = `p${String(this.#count++)}`;
    this.values[name] = value;
    return '$' + name;
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
