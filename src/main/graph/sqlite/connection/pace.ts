/**
 * Work whose promises are settled at once never lets the event loop go on by itself: awaiting them is a chain of
 * microtasks. Everything that can be called in a loop asks the pace now and then whether it is time for a turn.
 */

/** Milliseconds between two turns, at most. */
const TURN_AFTER = 6;
/** Calls between two looks at the clock. */
const LOOK = 15;
/** Characters of stored text whose decoding or encoding is worth a turn of its own: some milliseconds. */
const LARGE = 500_000;

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A turn in which requests are read, too: one `setImmediate` called while reading comes before the next reading. */
export async function wholeTurn(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

export class Pace {
  #calls = 0;
  #last = 0;
  #large = false;

  /** An entity of so many characters was read or written. True when what comes next deserves a turn of its own. */
  handled(size: number): boolean {
    if (size > LARGE) this.#large = true;
    return this.#large;
  }

  /** True when the caller should await `nextTurn` once it has done its work. */
  get due(): boolean {
    if (this.#large) return this.#late();
    return (++this.#calls & LOOK) === 0 && this.#late();
  }

  /** The same for callers whose calls are few and long. */
  get overdue(): boolean {
    return this.#late();
  }

  #late(): boolean {
    const now = performance.now();
    if (now - this.#last < TURN_AFTER && !this.#large) return false;
    this.#large = false;
    this.#last = now;
    return true;
  }
}
