/** Those who wait until an instance has come to a commit: whoever was told a number reads what was written then, and later. */
import { GraphError } from '../errors.js';

/** Limits of a wait. */
export interface ArrivalOptions {
  /** Milliseconds; 0: none. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly number: number;
  readonly resolve: () => void;
  readonly reject: (error: GraphError) => void;
}

export class Arrivals {
  readonly #waiting = new Set<Waiting>();
  #number = 0;
  #closed = false;

  /** All who keep something have been told of the commits up to this one. */
  arrived(number: number): void {
    if (number <= this.#number) return;
    this.#number = number;
    for (const one of this.#waiting) if (one.number <= number) one.resolve();
  }

  /** Resolves when `arrived` has told this number, or a later one. Throws `GraphError` `query_timeout`, `aborted`, `closed`. */
  reached(number: number, { timeout, signal }: ArrivalOptions): Promise<void> {
    if (number <= this.#number) return Promise.resolve();
    if (this.#closed) return Promise.reject(closed());
    if (signal?.aborted === true) return Promise.reject(aborted());
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(waiting);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        number,
        resolve: () => {
          end();
          resolve();
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      const onAbort = (): void => {
        waiting.reject(aborted());
      };
      const late = new GraphError(
        'query_timeout',
        `Commit ${String(number)} was not seen within ${String(timeout)} ms.`,
      );
      const timer =
        timeout > 0
          ? setTimeout(() => {
              waiting.reject(late);
            }, timeout)
          : undefined;
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiting);
    });
  }

  /** Nothing will arrive any more. */
  close(): void {
    this.#closed = true;
    for (const one of this.#waiting) one.reject(closed());
  }
}

function aborted(): GraphError {
  return new GraphError('aborted', 'The wait was cancelled.');
}

function closed(): GraphError {
  return new GraphError('closed', 'The graph is closed.');
}
