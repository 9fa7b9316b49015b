/** Work that reads and is done again until all that it has read is of one state (docs/design/requests.md, 4). */
import type { TransactionOptions } from '../../graph.js';
import type { ReadContext } from './reads.js';
import type { States } from './states.js';
import { OfSeveralStates, WatchedReads } from './watched-reads.js';

/** Times that work is done beside those who write. */
const BESIDE = 3;

export interface OneState {
  readonly states: States;
  readonly context: ReadContext;
  /** Keeps others from writing until the answer is called, if that can be had soon. */
  readonly hold: () => Promise<() => void>;
}

/** Answers what `work` answers. What fails after it has read of several states is done again as well. */
export async function ofOneState<T>(
  { states, context, hold }: OneState,
  work: (tx: WatchedReads) => Promise<T>,
  { repeatable }: Pick<TransactionOptions, 'repeatable'>,
): Promise<T> {
  const again = (): boolean => repeatable === undefined || repeatable();
  for (let time = 1; ; time++) {
    const last = time > BESIDE;
    const confirmed = last ? await hold() : (): void => undefined;
    const reads = new WatchedReads(context, { states, unchecked: last, confirmed });
    try {
      const value = await work(reads);
      // What has left stays as it is.
      if (again()) await reads.confirm();
      return value;
    } catch (error) {
      const isSeveral = error instanceof OfSeveralStates;
      if (last || !again() || !(isSeveral || (await failedHalfway(reads)))) throw error;
      context.check();
    } finally {
      reads.end();
    }
  }
}

/** The error of the work counts, not that nobody can tell. */
async function failedHalfway(reads: WatchedReads): Promise<boolean> {
  try {
    return (await reads.differs()) === true;
  } catch {
    return false;
  }
}
