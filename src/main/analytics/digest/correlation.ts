/** Events compared with those of another action (docs/interface/analytics.md 7). */
import type { JavaPattern } from '../../../shared/java-pattern.js';
import { DigestError } from '../../../shared/digest.js';
import type { LoggedEvent } from './event.js';
import { capturing } from './expressions.js';
import type { Correlation } from './question.js';

/** Keys, and characters of keys, that are held. */
const MOST_KEYS = 2_000_000;
const MOST_CHARACTERS = 100_000_000;

export class Correlated {
  readonly #pattern: JavaPattern | undefined;
  readonly #keys = new Set<string>();
  #characters = 0;

  /** Throws `DigestError`. */
  constructor(private readonly correlation: Correlation) {
    const { pattern } = correlation;
    this.#pattern = pattern === undefined ? undefined : capturing(pattern, 'correlate');
  }

  /** Takes an event of the action that others are compared with. */
  add(event: LoggedEvent): void {
    const key = this.#keyOf(event);
    if (key === undefined || this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#characters += key.length;
    if (this.#keys.size > MOST_KEYS || this.#characters > MOST_CHARACTERS) {
      throw new DigestError(
        `correlate: the events of ${this.correlation.action} have too many different values to be compared.`,
      );
    }
  }

  /** Whether an event is included. */
  takes(event: LoggedEvent): boolean {
    const key = this.#keyOf(event);
    const known = key !== undefined && this.#keys.has(key);
    return this.correlation.operator === 'not' ? !known : known;
  }

  /** What an event has in common with those that it correlates with; undefined: nothing. */
  #keyOf(event: LoggedEvent): string | undefined {
    const { subject, object, message } = event;
    if (this.#pattern === undefined) return pairOf(subject, object);
    const value = message === undefined ? undefined : this.#pattern.firstGroup(message);
    if (value === undefined || value === null) return undefined;
    switch (this.correlation.operator) {
      case 'andSubject':
        return pairOf(value, subject);
      case 'andObject':
        return pairOf(value, object);
      default:
        return value;
    }
  }
}

/** One text for two; undefined when one is missing. */
function pairOf(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || other === undefined ? undefined : `${String(one.length)} ${one}${other}`;
}
