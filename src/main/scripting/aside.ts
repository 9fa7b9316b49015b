/** Scripts of one request whose changes stand or fall by themselves (scripting.md 5.5, `doInNewTransaction`). */
import type { WriteTransaction } from '../graph/index.js';
import { ending, failFor, RolledBack } from './ending.js';
import { ScriptRun } from './run.js';
import type { Caller } from './scripting.js';
import { ScriptTransaction } from './transaction.js';

/** Which run a transaction of the graph belongs to: what it sets off belongs to the same one. */
export type RunsByTransaction = Pick<WeakMap<WriteTransaction, ScriptRun>, 'get' | 'set' | 'delete'>;

/**
 * Runs work beside a run that waits for it: in a transaction of its own, or, when the run has written already, in a part of its
 * transaction that is taken back by itself (there is one writer at a time, who would wait for himself). Rejects with what the work
 * throws.
 */
export async function runAside<T>(
  outer: ScriptRun,
  caller: Caller,
  runs: RunsByTransaction,
  work: (inner: ScriptRun) => Promise<T>,
): Promise<T> {
  try {
    // Also where the outer one is the writer, though it has written nothing: there is one at a time.
    return outer.transaction.writes ? await within(outer, caller, runs, work) : await apart(outer, runs, work);
  } finally {
    // Objects that either of them holds may have changed, or changed back.
    outer.entities.expire();
  }
}

async function apart<T>(outer: ScriptRun, runs: RunsByTransaction, work: (inner: ScriptRun) => Promise<T>): Promise<T> {
  const transaction = ScriptTransaction.beside(outer.parts, outer.transaction);
  const inner = ScriptRun.beside(outer, transaction);
  transaction.onBegin = (tx) => {
    runs.set(tx, inner);
  };
  try {
    return await ending(inner, () => work(inner));
  } finally {
    const { number, outside } = transaction;
    if (outside !== undefined) outer.transaction.reachesOut(outside);
    if (number > 0) {
      outer.transaction.reachesOut('doInNewTransaction()');
      outer.transaction.allow(number);
    }
    handOver(inner, outer);
  }
}

async function within<T>(
  outer: ScriptRun,
  { actor, access }: Caller,
  runs: RunsByTransaction,
  work: (inner: ScriptRun) => Promise<T>,
): Promise<T> {
  let result: { readonly value: T } | undefined;
  let restore = (): void => undefined;
  try {
    return await outer.transaction.nested(actor, access, async (objects) => {
      const inner = ScriptRun.beside(outer, ScriptTransaction.within(outer.parts, objects));
      const before = runs.get(objects.tx);
      runs.set(objects.tx, inner);
      restore = () => {
        if (before === undefined) runs.delete(objects.tx);
        else runs.set(objects.tx, before);
        handOver(inner, outer);
        const { outside } = inner.transaction;
        if (outside !== undefined) outer.transaction.reachesOut(outside);
      };
      const value = await work(inner);
      failFor(inner);
      result = { value };
      if (inner.rolledBack) throw new RolledBack();
      return value;
    });
  } catch (error) {
    if (error instanceof RolledBack && result !== undefined) return result.value;
    throw error;
  } finally {
    restore();
  }
}

function handOver(inner: ScriptRun, outer: ScriptRun): void {
  inner.entities.expire();
  outer.printed += inner.printed;
  outer.locale = inner.locale;
}
