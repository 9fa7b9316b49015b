import type { Actor, ObjectAccess } from '../model/actor.js';
import { ObjectTransaction } from './transaction.js';

/**
 * Work within a transaction that is checked at its own end, and taken back by itself when it fails; what it has written is committed
 * with all the rest. Rejects with what the work throws, or with what the rules of the schema say.
 */
export async function nested<T>(
  outer: ObjectTransaction,
  actor: Actor,
  access: ObjectAccess,
  work: (objects: ObjectTransaction) => Promise<T>,
): Promise<T> {
  const { tx, schema, options, lifecycle, switches } = outer;
  const inner = new ObjectTransaction(tx, schema, actor, access, { ...options, switches }, lifecycle);
  const begin = tx.changes().length;
  inner.settled.push([0, begin]);
  try {
    const value = await tx.savepoint(async () => {
      const result = await work(inner);
      await inner.finish();
      return result;
    });
    // Methods of users have run for these.
    outer.adopt(inner, begin);
    for (const one of inner.created) outer.created.push(one);
    outer.onEnd((committed) => {
      inner.ended(committed);
    });
    return value;
  } catch (error) {
    inner.ended(false);
    throw error;
  } finally {
    outer.lookAgain();
  }
}
