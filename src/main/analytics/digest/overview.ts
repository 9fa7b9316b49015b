/** Which actions there are, how many events, from when to when (docs/interface/analytics.md 2). */
import { type ColumnBlock, DigestError, type Digester, type Stored } from '../../../shared/digest.js';
import { timeIn } from './event.js';
import { timeFormatter } from './listing.js';
import { ownText } from './pairs.js';
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
  take(query: number, _id: string, properties: Stored): string {
    const { action } = properties;
    const timestamp = query === 0 ? timeIn(properties) : undefined;
    if (query === 0) this.#count++;
    if (timestamp !== undefined) {
      if (timestamp < this.#first) this.#first = timestamp;
      if (timestamp > this.#last) this.#last = timestamp;
    }
    if (query === 1 && typeof action === 'string' && action !== this.#before) {
      this.#before = action;
      this.#add(action);
    }
    return '';
  }

  takeColumns(query: number, block: ColumnBlock): void {
    const { rows, taken } = block;
    if (query === 0) {
      const numbers = block.numbers();
      for (let i = 0; i < rows; i++) {
        if (taken !== undefined && taken[i] === 0) continue;
        this.#count++;
        const timestamp = numbers[i] ?? NaN;
        if (timestamp < this.#first) this.#first = timestamp;
        if (timestamp > this.#last) this.#last = timestamp;
      }
      return;
    }
    const actions = block.texts('action');
    const { codes } = actions;
    const seen = new Uint8Array(actions.values);
    for (let i = 0; i < rows; i++) if (taken === undefined || taken[i] !== 0) seen[codes[i] ?? 0] = 1;
    for (let code = 1; code < seen.length; code++) if (seen[code] !== 0) this.#add(ownText(actions.text(code) ?? ''));
  }

  #add(action: string): void {
    this.#actions.add(action);
    if (this.#actions.size > MOST_ACTIONS) {
      throw new DigestError(`There are more than ${String(MOST_ACTIONS)} different actions: ask for one of them.`);
    }
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
