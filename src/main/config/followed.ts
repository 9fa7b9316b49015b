/** Where settings are followed that take a moment to hold, as in other threads (docs/design/threads.md 11). */
export class Followed {
  readonly #running = new Set<Promise<void>>();

  /** What has just changed is in force when this has ended. It must not reject, and has to end by itself. */
  until(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  /** Resolves when all that has changed until now is in force. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
