/** Things by a text that clients choose, of which the last ones that were asked for are kept. */

/** Kept of the last, and as many before them. */
const MOST = 2000;
/** Characters of a key, at most. */
const LONGEST = 500;

export class KeptByKey<T> {
  #last = new Map<string, T>();
  /** Dropped as a whole when there are too many again: what is asked for meanwhile moves to the others. */
  #older = new Map<string, T>();

  get(key: string): T | undefined {
    const known = this.#last.get(key);
    if (known !== undefined) return known;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, one: T): void {
    if (key.length > LONGEST) return;
    if (this.#last.size >= MOST) {
      this.#older = this.#last;
      this.#last = new Map();
    }
    this.#last.set(key, one);
  }

  /** How many are kept. */
  get size(): number {
    return this.#last.size + this.#older.size;
  }
}
