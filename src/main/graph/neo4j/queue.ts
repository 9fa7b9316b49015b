/** Writers of one instance, one after the other: those that wait hold no connection and no lock of the database. */
import { aborted } from './errors.js';

export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all before it. Cancelled while it waits, it never runs. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let begun = false;
      const cancel = (): void => {
        if (!begun) reject(aborted());
      };
      signal?.addEventListener('abort', cancel);
      const turn = async (): Promise<void> => {
        begun = true;
        signal?.removeEventListener('abort', cancel);
        if (signal?.aborted === true) reject(aborted());
        else await work().then(resolve, reject);
      };
      this.#last = this.#last.then(turn);
    });
  }

  /** Resolves when all that were queued are done. */
  async drained(): Promise<void> {
    await this.#last;
  }
}
