/** Which actions there are, how many events, from when to when (docs/interface/analytics.md 2). */
import { DigestError, type Digester, type Stored } from '../../../shared/digest.js';
import { timeFormatter } from './listing.js';
import type { Overview } from './question.js';

const MOST_ACTIONS = 100_000;

export class Summary implements Digester {
  readonly #actions = new Set<string>();
  #before: string | undefined;
  #count = 0;
  #first = Infinity;
  #last = -Infinity;

  constructor(private readonly asked: Overview) {}

  /** Times come first, then actions. */
  take(query: number, _id: string, { action, timestamp }: Stored): string {
    if (query === 0) this.#count++;
    if (query === 0 && typeof timestamp === 'number') {
      if (timestamp < this.#first) this.#first = timestamp;
      if (timestamp > this.#last) this.#last = timestamp;
    }
    if (query === 1 && typeof action === 'string' && action !== this.#before) {
      this.#before = action;
      this.#actions.add(action);
      if (this.#actions.size > MOST_ACTIONS) {
        throw new DigestError(`There are more than ${String(MOST_ACTIONS)} different actions: ask for one of them.`);
      }
    }
    return '';
  }

  *end(): Iterable<string> {
    const { zone, indent } = this.asked;
    const time = timeFormatter(zone);
    const known = this.#first <= this.#last;
    const summary = {
      actions: [...this.#actions].sort(),
      entryCount: this.#count,
      firstEntry: known ? time(this.#first) : null,
      lastEntry: known ? time(this.#last) : null,
    };
    const text = JSON.stringify(summary, undefined, indent ? '\t' : undefined);
    yield indent ? `\n${text}`.replace(/\n/g, '\n\t\t') : text;
  }
}
