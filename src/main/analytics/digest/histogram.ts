import type { JavaPattern } from '../../../shared/java-pattern.js';
import { DigestError } from '../../../shared/digest.js';
import { capturing } from './expressions.js';
import { ownText } from './pairs.js';
import type { Named } from './question.js';

/** Different values, and characters of all of them. */
const MOST_VALUES = 100_000;
const MOST_CHARACTERS = 10_000_000;

/** What only an expression matches that matches any text. */
const ANYTHING = '\ue000';

/** What an expression captures of messages (docs/interface/analytics.md 6). */
export class Histogram {
  readonly #patterns: readonly JavaPattern[];
  readonly #name: string;
  readonly #values = new Set<string>();
  #characters = 0;

  /** `taken`: keys that counts of other things have. */
  constructor(
    { name, source }: Named,
    private readonly taken: ReadonlySet<string>,
  ) {
    this.#name = name;
    const rest = capturing(source, 'histogram');
    // Messages may begin with the name, as in `category:books`: then `category:(.*)` captures what is behind it, and is for these alone.
    this.#patterns =
      name === '' ? [rest] : [capturing(`${name}:${source}`, 'histogram'), ...(rest.matches(ANYTHING) ? [] : [rest])];
  }

  /** What is captured of a message; undefined: nothing. */
  valueOf(message: string): string | undefined {
    for (const pattern of this.#patterns) {
      const value = pattern.firstGroup(message);
      if (value === undefined || value === null) continue;
      this.#remember(value);
      return value;
    }
    return undefined;
  }

  #remember(value: string): void {
    if (this.#values.has(value)) return;
    this.#values.add(ownText(value));
    this.#characters += value.length;
    if (this.#values.size > MOST_VALUES || this.#characters > MOST_CHARACTERS) {
      throw new DigestError('histogram: the expression captures too many different values.');
    }
  }

  /** All that was captured, in order, with the keys they have in the answer. */
  get values(): readonly { readonly value: string; readonly name: string }[] {
    return [...this.#values]
      .sort()
      .map((value) => ({ value, name: this.taken.has(value) ? `${this.#name}:${value}` : value }));
  }
}
