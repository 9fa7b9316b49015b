import type { ObjectTransaction } from '../../writing/object-transaction.js';

/**
 * Work for `validate` that is the same for all objects of a transaction, done once: a thousand methods in one request
 * must not look through all methods a thousand times. Nothing changes any more while objects are validated.
 */
export function oncePerTransaction<T>(
  work: (objects: ObjectTransaction) => Promise<T>,
): (objects: ObjectTransaction) => Promise<T> {
  const results = new WeakMap<ObjectTransaction, Promise<T>>();
  return (objects) => {
    let result = results.get(objects);
    if (result === undefined) results.set(objects, (result = work(objects)));
    return result;
  };
}

/** Adds to the list under a key. */
export function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
