/** Work of one instance, one after the other: writers that wait hold no connection and no lock of the database. */
import { aborted, timedOut } from './errors.js';
import { FAR, type Limits } from './limits.js';

export class Queue {
  #last: Promise<unknown> = Promise.resolve();
  /** Work that waits, or is being done. */
  length = 0;

  /** Runs `work` after all before it. Cancelled, or at its deadline, while it waits, it never runs. */
  run<T>(work: () => Promise<T>, limits: Limits = { deadline: FAR }): Promise<T> {
    const { deadline, signal } = limits;
    return new Promise<T>((resolve, reject) => {
      let over = false;
      const leave = (reason: Error): void => {
        over = true;
        settle();
        reject(reason);
      };
      const cancel = (): void => {
        leave(aborted());
      };
      const timer =
        deadline === FAR
          ? undefined
          : setTimeout(
              () => {
                leave(timedOut());
              },
              Math.max(0, deadline - Date.now()),
            );
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      };
      signal?.addEventListener('abort', cancel);
      this.length++;
      const turn = async (): Promise<void> => {
        try {
          if (over) return;
          settle();
          if (signal?.aborted === true) reject(aborted());
          else await work().then(resolve, reject);
        } finally {
          this.length--;
        }
      };
      this.#last = this.#last.then(turn);
    });
  }

  /** Resolves when all that were queued are done. */
  async drained(): Promise<void> {
    await this.#last;
  }
}
