import type { CommitFollower, Journal } from '../commits/commit.js';
import type { Watcher } from '../commits/notice.js';
import { writerElsewhere } from '../errors.js';
import type { Cleared, WriteTransaction } from '../graph.js';
import type { Telling } from './telling.js';

/** The same of all engines that only read: what would write is the main thread's (`GraphError` `writer_elsewhere`). */
export abstract class Reader {
  readonly isReader = true;
  protected abstract readonly telling: Telling;

  write<T>(_work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    return refused();
  }

  /** Commits of this thread: there are none. */
  onCommit(): () => void {
    return () => undefined;
  }

  watch(watcher: Watcher): () => void {
    return this.telling.watch(watcher);
  }

  follow(follower: CommitFollower): void {
    this.telling.follow(follower);
  }

  journal(): Journal {
    throw writerElsewhere();
  }

  /** All that it writes. */
  async durable(): Promise<void> {
    // It writes nothing.
  }

  setIndexes(): Promise<void> {
    return refused();
  }

  /** Which indexes there are is the main thread's. */
  async indexesReady(): Promise<void> {
    // It builds none.
  }

  reindex(): Promise<void> {
    return refused();
  }

  clear(): Promise<Cleared | undefined> {
    return refused();
  }
}

/** For what else would write. */
export function refused(): Promise<never> {
  return Promise.reject(writerElsewhere());
}
