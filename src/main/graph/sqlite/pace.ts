/**
 * Work whose promises are settled at once never lets the event loop go on by itself: awaiting them is a chain of
 * microtasks. Everything that can be called in a loop asks the pace now and then whether it is time for a turn.
 */

/** Milliseconds between two turns, at most. */
const TURN_AFTER = 6;
/** Calls between two looks at the clock. */
const LOOK = 15;

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export class Pace {
  #calls = 0;
  #last = 0;

  /** True when the caller should await `nextTurn` once it has done its work. */
  get due(): boolean {
    return (++this.#calls & LOOK) === 0 && this.#late();
  }

  /** The same for callers whose calls are few and long. */
  get overdue(): boolean {
    return this.#late();
  }

  #late(): boolean {
    const now = performance.now();
    if (now - this.#last < TURN_AFTER) return false;
    this.#last = now;
    return true;
  }
}
