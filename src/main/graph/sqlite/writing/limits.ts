/** How long a unit may work, and what its errors are told as. */
import { GraphError } from '../../errors.js';
import type { Origin } from '../../commit.js';
import { graphError } from '../connection.js';
import type { Unit } from '../unit.js';

export interface UnitOptions {
  /** Milliseconds; 0: none. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  readonly origin?: Origin | undefined;
  /** It uses the writer's connection: it begins when that shows all that was written. */
  readonly onLoop?: boolean;
}

/** What the work threw, as it is; what SQLite threw, as the graph's own error. */
export function thrown(error: unknown): Error {
  return error instanceof Error ? graphError(error) : (error as Error);
}

export function aborted(): GraphError {
  return new GraphError('aborted', 'The transaction was cancelled.');
}

/** Runs the work until it ends, the time limit passes or the signal fires; a unit cut short is ended at once. */
export async function limited<T>(unit: Unit, work: (unit: Unit) => Promise<T>, options: UnitOptions): Promise<T> {
  const { timeout, signal } = options;
  if (timeout <= 0 && signal === undefined) return work(unit);
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      const cut = (error: GraphError): void => {
        unit.end(error);
        reject(error);
      };
      if (timeout > 0) {
        timer = setTimeout(() => {
          cut(new GraphError('query_timeout', `The transaction took longer than ${String(timeout)} ms.`));
        }, timeout);
      }
      if (signal !== undefined) {
        onAbort = () => {
          cut(aborted());
        };
        signal.addEventListener('abort', onAbort, { once: true });
      }
      work(unit).then(resolve, reject);
    });
  } finally {
    if (timer !== undefined) clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
  }
}
