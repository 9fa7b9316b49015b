import type { ObjectTransaction } from '../../schema/index.js';

/** How some things are written together. */
export interface Batching<T> {
  readonly write: (objects: ObjectTransaction, item: T) => Promise<void>;
  readonly written: (items: readonly T[]) => void;
  /** A transaction with some of them was refused; they come again, or have failed. */
  readonly refused?: () => void;
  readonly failed: (item: T, error: unknown) => void;
}

/** Writes some things in one transaction; when that is refused, each in its own. Throws when the signal is aborted. */
export async function writeTogether<T>(
  items: readonly T[],
  transaction: (work: (objects: ObjectTransaction) => Promise<void>) => Promise<void>,
  signal: AbortSignal,
  how: Batching<T>,
): Promise<void> {
  if (items.length === 0) return;
  try {
    await transaction(async (objects) => {
      for (const item of items) await how.write(objects, item);
    });
    how.written(items);
  } catch (error) {
    how.refused?.();
    signal.throwIfAborted();
    const [only, ...more] = items;
    if (only === undefined) return;
    if (more.length === 0) how.failed(only, error);
    else for (const item of items) await writeTogether([item], transaction, signal, how);
  }
}
