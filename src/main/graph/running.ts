/** What is running, of one engine: who closes it waits for that. */
export class Running {
  #count = 0;
  #done: (() => void) | undefined;

  /** To be followed by `end`, whatever happens. */
  begin(): void {
    this.#count++;
  }

  end(): void {
    if (--this.#count === 0) this.#done?.();
  }

  /** Resolves when nothing is running. */
  async over(): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#done = resolve;
    });
  }
}
