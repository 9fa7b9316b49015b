import type { ReadTransaction } from '../../graph.js';
import { Running } from '../../running.js';
import type { ReadScope } from './read-scope.js';
import { Reads } from './reads.js';
import type { Store } from './store.js';

/** The transactions that read, of one engine. */
export class RunningReads extends Running {
  /** Runs one, which is over when `work` is. Throws what that throws, and `GraphError` when the scope is over before. */
  async run<T>(store: Store, scope: ReadScope, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    this.begin();
    try {
      scope.check();
      return await work(new Reads(store, scope));
    } finally {
      scope.end();
      this.end();
    }
  }
}
