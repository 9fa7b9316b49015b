/**
 * How a run of scripts ends: what it has written is committed, or taken back (docs/interface/script-runtime.md 3.1); or it is run again, when others have
 * changed meanwhile what it has read.
 */
import type { Locking } from '../../../graph/index.js';
import { repeatedly } from '../../../schema/index.js';
import { GENERAL_MESSAGE, Refusal } from '../../language/errors.js';
import type { ScriptRun } from '../run.js';

/** The script called `rollbackTransaction()`: nothing is wrong, and nothing is written. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack';
  constructor() {
    super('rolled back by the script');
  }
}

/** What scripts said is wrong ends their transaction. Throws `Refusal` 422 when they said something. */
export function failFor(run: ScriptRun): void {
  if (run.tokens.length > 0) throw new Refusal(422, GENERAL_MESSAGE, [...run.tokens]);
}

/** Commits what the work of a run has written, or takes it back: when it throws, or its scripts said that something is wrong. */
export async function ending<T>(run: ScriptRun, work: () => Promise<T>): Promise<T> {
  const { transaction } = run;
  try {
    const value = await work();
    failFor(run);
    if (run.rolledBack) await transaction.rollBack(new RolledBack());
    else await transaction.commit();
    return value;
  } catch (error) {
    await transaction.rollBack(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

/** A run that may have to begin anew: each time with nothing of the time before. */
export interface Repeatable<T> {
  /** A new run. */
  readonly begin: (locking: Locking) => ScriptRun;
  readonly work: (run: ScriptRun) => Promise<T>;
  /** What it does must not be done twice: it is the writer from its first write on. */
  readonly once?: boolean;
  /** Nobody waits for it any more. */
  readonly isOver?: () => boolean;
}

/**
 * Runs work, and commits what it has written, or takes it back; again from the beginning as long as others come in between, unless its
 * scripts have reached out. Throws what `ending` and `repeatedly` do.
 */
export async function repeating<T>({ begin, work, once = false, isOver }: Repeatable<T>): Promise<T> {
  if (once) return released(begin('first-write'), work);
  return repeatedly((locking) => {
    const run = begin(locking);
    const { transaction } = run;
    return {
      run: () => released(run, work),
      get overtaken() {
        return transaction.overtaken;
      },
      get outside() {
        return transaction.outside;
      },
      overtakerSeen: () => transaction.overtakerSeen(),
    };
  }, isOver);
}

/** What a run that fails wrote into its answer goes. */
async function released<T>(run: ScriptRun, work: (run: ScriptRun) => Promise<T>): Promise<T> {
  try {
    return await ending(run, () => work(run));
  } catch (error) {
    await run.response.body?.release();
    throw error;
  }
}
