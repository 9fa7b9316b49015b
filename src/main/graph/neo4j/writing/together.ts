/** The end of a transaction in one round trip. */
import type { Statement } from '../connection/statement.js';
import type { Unit } from './unit.js';
import type { Writes } from './writes.js';

/** Sends what is gathered and the last statements of a transaction, for one round trip. The first error is the reason of all others. */
export async function together(writes: Writes, unit: Unit, last: readonly (Statement | undefined)[]): Promise<void> {
  const sent: Promise<unknown>[] = [writes.flush()];
  for (const one of last) if (one !== undefined) sent.push(unit.run(one));
  for (const result of await Promise.allSettled(sent)) if (result.status === 'rejected') throw result.reason;
}
