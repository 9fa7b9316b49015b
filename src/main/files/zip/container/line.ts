/** A queue between one who makes and one who takes, bounded by what its elements hold in memory. */

/** Bytes and elements that wait at most. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_ELEMENTS = 64;

export interface Held {
  /** Bytes in memory as long as the element is here. */
  readonly holds: number;
}

export class Line<T extends Held> {
  readonly #waiting: T[] = [];
  #held = 0;
  #ended = false;
  #failure: unknown;
  #wake: (() => void) | undefined;
  /** Nobody takes any more. */
  stopped = false;

  /** Resolves when there is room; false: nobody takes any more. */
  async add(element: T): Promise<boolean> {
    while (!this.stopped && this.#waiting.length > 0 && this.#isFull(element)) await this.#sleep();
    if (this.stopped) return false;
    this.#waiting.push(element);
    this.#held += element.holds;
    this.#notify();
    return true;
  }

  /** No more will come. `failure`: because of it. */
  end(failure?: unknown): void {
    this.#ended = true;
    this.#failure = failure;
    this.#notify();
  }

  /** The next in order; undefined: that was all. Throws what made it end. It stays here until `left`. */
  async first(): Promise<T | undefined> {
    while (this.#waiting.length === 0 && !this.#ended) await this.#sleep();
    // What is broken in the end need not be sent to its end.
    if (this.#failure !== undefined) throw this.#failure as Error;
    return this.#waiting[0];
  }

  left(): void {
    const element = this.#waiting.shift();
    if (element !== undefined) this.#held -= element.holds;
    this.#notify();
  }

  stop(): void {
    this.stopped = true;
    this.#waiting.length = 0;
    this.#notify();
  }

  #isFull({ holds }: T): boolean {
    return this.#held + holds > MOST_BYTES || this.#waiting.length >= MOST_ELEMENTS;
  }

  /** One of the two waits at a time: the line is full, or it is empty. */
  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
