/** Work that may have to begin anew, because others have changed meanwhile what it has read (docs/design/transactions.md). */
import { setTimeout as delay } from 'node:timers/promises';
import { GraphError, type Locking } from '../graph/index.js';
import { SchemaError } from './model/errors.js';

/** Attempts without the writer's lock; the one after them has it from its beginning, so that it comes to an end. */
const ATTEMPTS = 5;
/** Milliseconds, doubled with each attempt: up to so long is waited before the next one. */
const PAUSE = 4;

export interface Attempt<T> {
  /** Does the work, and commits it or takes it back. */
  run(): Promise<T>;
  /** Whether it has failed for what others have done; asked when it has failed. */
  readonly overtaken: boolean;
  /** What the work has called that nothing takes back. */
  readonly outside: string | undefined;
  /** Resolves when another attempt sees what this one was overtaken by. */
  overtakerSeen(): Promise<void>;
}

/**
 * Attempts until one ends well, or fails by itself, each with nothing of the one before. `isOver`: nobody waits any more. Throws what
 * the last attempt does; `SchemaError` of kind `conflict` for work that cannot be done again.
 */
export async function repeatedly<T>(begin: (locking: Locking) => Attempt<T>, isOver?: () => boolean): Promise<T> {
  for (let count = 1; ; count++) {
    const isLast = count > ATTEMPTS;
    const attempt = begin(isLast ? 'now' : 'last');
    try {
      return await attempt.run();
    } catch (error) {
      if (!attempt.overtaken || isLast || isOver?.() === true) throw error;
      if (attempt.outside !== undefined) throw isConflict(error) ? unrepeatable(error, attempt.outside) : error;
      await attempt.overtakerSeen();
      await delay(Math.random() * PAUSE * 2 ** count);
    }
  }
}

export function isConflict(error: unknown): error is GraphError {
  return error instanceof GraphError && error.code === 'conflict';
}

function unrepeatable({ message }: GraphError, what: string): SchemaError {
  const why = `The script was not run again by itself, because it has called ${what}.`;
  return new SchemaError(`${message} ${why}`, [{ token: 'conflict', detail: what }], 'conflict');
}
