/** One number that threads count together: each has a cell of its own, so that what a thread has counted can be taken back when it ends. */
export class Tally {
  #own = 0;

  /** Without `cells` nobody else counts. `thread`: whose cell of them is ours. */
  constructor(
    private readonly cells?: Int32Array,
    private readonly thread = 0,
  ) {}

  /** Of all threads. */
  get total(): number {
    const { cells } = this;
    if (cells === undefined) return this.#own;
    let sum = 0;
    for (let i = 0; i < cells.length; i++) sum += Atomics.load(cells, i);
    return sum;
  }

  /** Counts so many more, or fewer; answers the total with them. */
  add(count: number): number {
    if (this.cells === undefined) return (this.#own += count);
    Atomics.add(this.cells, this.thread, count);
    return this.total;
  }
}
