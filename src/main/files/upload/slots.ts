/**
 * How many contents come in at the same time. Each has bytes in memory that wait for the disk, so that a thousand at once
 * would have a thousand times as much; and a disk is not faster for it. Whoever waits for his client holds no slot, so that
 * slow clients keep nobody waiting.
 */

/** Milliseconds for which a client may keep others waiting; turns of a busy loop are shorter. */
const PATIENCE = 100;

export class Slots {
  readonly #waiting: (() => void)[] = [];
  /** They have bytes in memory already. */
  readonly #begun: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  /** Resolves when there is a slot; the first to come gets the first, but who has begun comes before all that have not. */
  take(hasBegun: boolean): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    const queue = hasBegun ? this.#begun : this.#waiting;
    return new Promise((resolve) => queue.push(resolve));
  }

  give(): void {
    const next = this.#begun.shift() ?? this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

/** A slot for one content, held while there is something to do for it. */
export class Slot {
  #held = false;
  #hasBegun = false;

  constructor(private readonly slots: Slots) {}

  /** The chunks, each with a slot; without one while none comes for long. */
  async *during(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        await this.#take();
        const next = iterator.next();
        const late = this.#held ? setTimeout(this.release, PATIENCE) : undefined;
        let result;
        try {
          result = await next;
        } finally {
          clearTimeout(late);
        }
        await this.#take();
        if (result.done === true) return;
        yield result.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  /** To be called at the end, whatever it was. */
  readonly release = (): void => {
    if (!this.#held) return;
    this.#held = false;
    this.slots.give();
  };

  async #take(): Promise<void> {
    if (this.#held) return;
    await this.slots.take(this.#hasBegun);
    this.#held = this.#hasBegun = true;
  }
}
