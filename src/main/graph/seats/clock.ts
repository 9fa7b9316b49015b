/**
 * The clock of a database that several threads of the process read: the number of its last commit (embedded), or of the last message about it (Neo4j), that anybody may have shown, in shared memory. Whoever is about to
 * show a commit raises it before, so that who begins afterwards, on any thread, is not content with less. Numbers grow beyond 32 bits: what is kept
 * are their last 32, and two that are compared are never far apart.
 */

/** Places in it. */
const NUMBER = 0;
const OTHERS = 1;
const ASKED = 2;
const PLACES = 3;

export class Clock {
  readonly #cells: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(PLACES * Int32Array.BYTES_PER_ELEMENT)) {
    this.#cells = new Int32Array(memory);
  }

  /** The last 32 bits of it. */
  get number(): number {
    return Atomics.load(this.#cells, NUMBER);
  }

  /** Whether nobody has shown a commit after this one; nor this one, where it is not raised yet. */
  isAt(number: number): boolean {
    return Atomics.load(this.#cells, NUMBER) === (number | 0);
  }

  /** Whether somebody may have shown a commit after this one. */
  isAfter(number: number): boolean {
    return ((Atomics.load(this.#cells, NUMBER) - number) | 0) > 0;
  }

  raise(number: number): void {
    const cells = this.#cells;
    const to = number | 0;
    for (let at = Atomics.load(cells, NUMBER); ((to - at) | 0) > 0;) {
      const found = Atomics.compareExchange(cells, NUMBER, at, to);
      if (found === at) return;
      at = found;
    }
  }

  /** Grows with each message that is of no commit. */
  get others(): number {
    return Atomics.load(this.#cells, OTHERS);
  }

  /** There is such a message. */
  tell(): void {
    Atomics.add(this.#cells, OTHERS, 1);
  }

  /** Grows with each time that the main thread asks for all states to be given back. */
  get asked(): number {
    return Atomics.load(this.#cells, ASKED);
  }

  /** Asks for that; what `asked` is from now on. */
  ask(): number {
    const asked = Atomics.add(this.#cells, ASKED, 1) + 1;
    this.tell();
    return asked;
  }
}

/** Places in what the main thread and one other share. */
const HELD = 0;
const TAKEN = 1;
const OWN_PLACES = 2;
/** No state is held. */
const NONE = -1;

export class Own {
  readonly #cells: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(OWN_PLACES * Int32Array.BYTES_PER_ELEMENT)) {
    this.#cells = new Int32Array(memory);
  }

  /** A state is about to be held, and `asked` is what the thread knows of the clock's; undefined: none is any more. */
  hold(asked: number | undefined): void {
    Atomics.store(this.#cells, HELD, asked ?? NONE);
  }

  /** Whether a state is held since before this was asked. */
  holdsSince(asked: number): boolean {
    const held = Atomics.load(this.#cells, HELD);
    return held !== NONE && held !== asked;
  }

  /** The thread has taken so many bytes of messages out of its port. */
  take(bytes: number): void {
    Atomics.add(this.#cells, TAKEN, bytes);
  }

  /** Bytes that it has not taken, of so many that were sent in all. */
  left(sent: number): number {
    return (sent - Atomics.load(this.#cells, TAKEN)) >>> 0;
  }
}
