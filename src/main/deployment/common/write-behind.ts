/** One batch is written while the next one is read. */
export class WriteBehind {
  #written = Promise.resolve();

  /** Begins to write when the batch before is written. Rejects with what that one failed with. */
  async next(write: () => Promise<void>): Promise<void> {
    await this.#written;
    this.#written = write();
    // Who waits for it comes later.
    this.#written.catch(() => undefined);
  }

  /** Nothing is being written any more. To be awaited whatever ends the reading; rejects with what the last one failed with. */
  end(): Promise<void> {
    return this.#written;
  }
}
