/** How a run of scripts ends: what it has written is committed, or taken back (scripting.md 8.1). */
import { GENERAL_MESSAGE, ScriptError } from './errors.js';
import type { ScriptRun } from './run.js';

/** The script called `rollbackTransaction()`: nothing is wrong, and nothing is written. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack';
  constructor() {
    super('rolled back by the script');
  }
}

/** What scripts said is wrong ends their transaction. Throws `ScriptError` 422 when they said something. */
export function failFor(run: ScriptRun): void {
  if (run.tokens.length > 0) throw new ScriptError(422, GENERAL_MESSAGE, [...run.tokens]);
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
