/**
 * How much of long bodies is taken in one turn of the event loop. A socket hands over up to 512 KB at once, and each turn
 * all sockets that have something: without a bound every other request waits until all senders have been served.
 */

/** Bytes of a turn; the piece that reaches it is still taken. */
export const TURN_BYTES = 1024 * 1024;

/** Those who read bodies take turns here, in the order in which they come. */
export class Intake {
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  #left: number;
  #turns = false;

  constructor(private readonly turnBytes = TURN_BYTES) {
    this.#left = turnBytes;
  }

  /** To be awaited before about so many bytes are taken. */
  enter(bytes: number): Promise<void> | undefined {
    if (!this.#turns) {
      this.#turns = true;
      setImmediate(this.#turn);
    }
    if (this.#left > 0) {
      this.#left -= bytes;
      return undefined;
    }
    return new Promise((go) => this.#waiting.push({ bytes, go }));
  }

  readonly #turn = (): void => {
    this.#left = this.turnBytes;
    while (this.#left > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#left -= next.bytes;
      next.go();
    }
    // After a turn in which nobody came the next one begins with the first to come.
    this.#turns = this.#left < this.turnBytes;
    if (this.#turns) setImmediate(this.#turn);
  };
}
