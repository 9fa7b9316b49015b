/** How many threads this process has, and had at most. */
export class ThreadCounts {
  #workers = 0;
  #peak = 1;

  /** To be made before the first worker is started: Node tells of each only once. */
  constructor() {
    process.on('worker', (worker) => {
      this.#workers++;
      this.#peak = Math.max(this.#peak, this.current);
      worker.once('exit', () => {
        this.#workers--;
      });
    });
  }

  /** With the loop. */
  get current(): number {
    return this.#workers + 1;
  }

  get peak(): number {
    return this.#peak;
  }
}
