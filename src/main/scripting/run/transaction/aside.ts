/** Scripts of one request whose changes stand or fall by themselves (docs/interface/script-runtime.md 2.3, `doInNewTransaction`). */
import type { WriteTransaction } from '../../../graph/index.js';
import { logger } from '../../../../shared/log.js';
import { ending, failFor, RolledBack } from './ending.js';
import { ScriptRun } from '../run.js';
import type { Caller } from '../caller.js';
import { ScriptTransaction } from './transaction.js';

const log = logger('scripting');
const TAKEN_BACK =
  'What a doInNewTransaction() has written is taken back: it was inside of another one, or of a scheduled function, that had ' +
  'written before it and has failed.';

/** Which run a transaction of the graph belongs to: what it sets off belongs to the same one. */
export type RunsByTransaction = Pick<WeakMap<WriteTransaction, ScriptRun>, 'get' | 'set' | 'delete'>;

/**
 * Runs work beside a run that waits for it, in a transaction of its own. There is one writer at a time, who would wait for himself:
 * beside a run that is it, the work can write nothing (`OwnTransactionRefused`). Where that run cannot be done again, and so is the
 * writer from its first write on (`doInNewTransaction` itself, scheduled functions), the work is a part of its transaction, taken back
 * by itself when it fails. Rejects with what the work throws.
 */
export async function runAside<T>(
  outer: ScriptRun,
  caller: Caller,
  runs: RunsByTransaction,
  work: (inner: ScriptRun) => Promise<T>,
): Promise<T> {
  const { holds, isOnce } = outer.transaction;
  try {
    return await (holds && isOnce ? within(outer, caller, runs, work) : apart(outer, runs, work));
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
  } catch (error) {
    throw transaction.refusal ?? error;
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
      const inner = ScriptRun.beside(outer, ScriptTransaction.within(outer.parts, objects, 'first-write'));
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
      outer.transaction.onEnd((committed) => {
        if (!committed) log.warn(TAKEN_BACK);
      });
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
