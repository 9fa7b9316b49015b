/** The time that a unit has: by its own limit, and as the writer that others wait for. */
import { GraphError } from '../../errors.js';
import type { Unit } from './unit.js';

/** Milliseconds between two looks at whether others wait, once a unit has been the writer for long. */
const LOOK = 50;

export interface UnitLimits {
  /** Milliseconds; 0: none. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Hold {
  /** Milliseconds; 0: none. */
  readonly most: number;
  readonly othersWait: () => boolean;
}

export function aborted(): GraphError {
  return new GraphError('aborted', 'The transaction was cancelled.');
}

function late(timeout: number): GraphError {
  return new GraphError('query_timeout', `The transaction took longer than ${String(timeout)} ms.`);
}

function heldTooLong(most: number): GraphError {
  const why = `it was the only one that could write for more than ${String(most)} ms, and others waited`;
  return new GraphError(
    'writer_timeout',
    `The transaction was ended: ${why} (database.writer.timeout). Nothing was written; smaller ones may do.`,
  );
}

/** Runs the work until it ends, a time limit passes or the signal fires; a unit cut short is ended at once. */
export async function limited<T>(
  unit: Unit,
  work: (unit: Unit) => Promise<T>,
  { timeout, signal }: UnitLimits,
  { most, othersWait }: Hold,
): Promise<T> {
  if (timeout <= 0 && most <= 0 && signal === undefined) return work(unit);
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      const cut = (error: GraphError): void => {
        unit.end(error);
        reject(error);
      };
      // One timer for both: every write has one.
      const wait = (held: number): void => {
        const next = most <= 0 ? Infinity : held < most ? most - held : LOOK;
        const left = Math.min(next, timeout <= 0 ? Infinity : timeout - held);
        if (left !== Infinity) timer = setTimeout(look, Math.ceil(left));
      };
      const look = (): void => {
        // A timer may fire a little early.
        const held = Math.ceil(performance.now() - began) + 1;
        if (timeout > 0 && held >= timeout) cut(late(timeout));
        else if (most > 0 && held >= most && othersWait()) cut(heldTooLong(most));
        else wait(held);
      };
      wait(0);
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
