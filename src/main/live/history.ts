/** What was committed of late, for those who come back to an instance that has not told them of it (docs/interface/live.md 4). */
import type { ChangeNotice } from '../graph/index.js';

/** Changes that are kept. */
const MOST = 20_000;

interface Entry {
  /** Number of the last commit in it. */
  readonly number: number;
  readonly changes: readonly ChangeNotice[];
}

export class History {
  readonly #entries: Entry[] = [];
  #count = 0;

  /** What came up to the number `from` is not known. */
  constructor(private from: number) {}

  add(number: number, changes: readonly ChangeNotice[] | 'everything'): void {
    if (changes === 'everything' || changes.length > MOST) {
      this.#entries.length = 0;
      this.#count = 0;
      this.from = Math.max(this.from, number);
      return;
    }
    this.#entries.push({ number, changes });
    this.#count += changes.length;
    let gone = 0;
    while (this.#count > MOST) {
      const first = this.#entries[gone++];
      if (first === undefined) break;
      this.#count -= first.changes.length;
      this.from = Math.max(this.from, first.number);
    }
    if (gone > 0) this.#entries.splice(0, gone);
  }

  /** What came behind that commit; undefined: that is not known any more, or none of that number is. */
  since(number: number): readonly ChangeNotice[] | undefined {
    if (number < this.from) return undefined;
    return this.#entries.filter((one) => one.number > number).flatMap(({ changes }) => changes);
  }
}
