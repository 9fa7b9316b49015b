/** What transactions gather is kept in memory until they end: how much one may have, and all of them together. */

/** Bytes, about. */
const ONE = 192 * 1024 * 1024;
const ALL = 2 * ONE;

export class GatheredMemory {
  #taken = 0;

  constructor(
    private readonly one = ONE,
    private readonly all = Math.max(ALL, one),
  ) {}

  /** The share of a transaction that begins. */
  open(): GatheredShare {
    return new GatheredShare((bytes) => (this.#taken += bytes), this.one, this.all);
  }
}

export class GatheredShare {
  #bytes = 0;
  #all = 0;

  constructor(
    private readonly add: (bytes: number) => number,
    private readonly one: number,
    private readonly most: number,
  ) {}

  /** It has gathered so much by now. */
  is(bytes: number): void {
    this.#all = this.add(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  /** Going on gathering would take more memory than there is for that. */
  get isFull(): boolean {
    return this.#bytes >= this.one || this.#all >= this.most;
  }
}
