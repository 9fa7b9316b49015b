/**
 * The last state of a database that any thread of this process has shown, in shared memory. In a cluster a server may be behind others: a read has to wait
 * there for what was shown, whichever thread has shown it. Bookmarks of another form stay with the thread that got them.
 */
import { bookmarkOf, DATABASE_BYTES, partsOf } from './bookmarks.js';

const NUMBER_BYTES = BigInt64Array.BYTES_PER_ELEMENT;

export class Shown {
  readonly #number: BigInt64Array;
  readonly #database: Uint8Array;

  constructor(readonly memory = new SharedArrayBuffer(NUMBER_BYTES + DATABASE_BYTES)) {
    this.#number = new BigInt64Array(memory, 0, 1);
    this.#database = new Uint8Array(memory, NUMBER_BYTES);
  }

  /** These have come with an answer. */
  take(bookmarks: readonly string[]): void {
    for (const bookmark of bookmarks) {
      const parts = partsOf(bookmark);
      if (parts === undefined) continue;
      const to = BigInt(parts.transaction);
      for (let at = Atomics.load(this.#number, 0); to > at;) {
        // All that come here are of one database, and whoever sees the number sees its name.
        this.#database.set(parts.database);
        const found = Atomics.compareExchange(this.#number, 0, at, to);
        if (found === at) break;
        at = found;
      }
    }
  }

  /** What a read has to wait for. */
  get bookmarks(): string[] {
    const number = Atomics.load(this.#number, 0);
    return number === 0n ? [] : [bookmarkOf(this.#database, number)];
  }
}
