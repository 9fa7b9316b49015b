import type { ReadTransaction } from '../../graph.js';
import type { ReadScope } from './read-scope.js';
import { Reads } from './reads.js';
import type { Store } from './store.js';

/** The transactions that read, of one engine: who closes it waits for them. */
export class RunningReads {
  #count = 0;
  #done: (() => void) | undefined;

  /** Runs one, which is over when `work` is. Throws what that throws, and `GraphError` when the scope is over before. */
  async run<T>(store: Store, scope: ReadScope, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    this.#count++;
    try {
      scope.check();
      return await work(new Reads(store, scope));
    } finally {
      scope.end();
      if (--this.#count === 0) this.#done?.();
    }
  }

  /** Resolves when none is running. */
  async over(): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#done = resolve;
    });
  }
}
