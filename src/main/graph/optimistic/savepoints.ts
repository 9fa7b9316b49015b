/** Savepoints of a transaction that gathers, and of one that becomes the writer while some are open. */
import { GraphError } from '../errors.js';
import type { WriteTransaction } from '../graph.js';
import { applyAll, type Operation } from './operations.js';
import type { Overlay, Restore } from './own-writes/overlay.js';

/** A savepoint of the unit that stands for one that was open when the unit began. */
interface Mirror {
  end(failure?: Error): Promise<void>;
}

interface Level {
  /** Operations before it. */
  readonly operations: number;
  readonly restore: Restore;
  mirror: Mirror | undefined;
}

export class Levels {
  readonly #levels: Level[] = [];

  get isOpen(): boolean {
    return this.#levels.length > 0;
  }

  /** A nested transaction over what is gathered. */
  async run<T>(overlay: Overlay, work: () => Promise<T>): Promise<T> {
    const level: Level = {
      operations: overlay.operations.length,
      restore: overlay.snapshot(),
      mirror: undefined,
    };
    this.#levels.push(level);
    let value: T;
    try {
      value = await work();
    } catch (error) {
      this.#close(level);
      if (level.mirror === undefined) level.restore();
      else await level.mirror.end(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
    this.#close(level);
    await level.mirror?.end();
    return value;
  }

  #close(level: Level): void {
    if (this.#levels.at(-1) !== level) {
      throw new GraphError(
        'invalid_query',
        'Two savepoints of one transaction overlap: await one before beginning the next.',
      );
    }
    this.#levels.pop();
  }

  /** Applies what is gathered in a unit, with savepoints in the places of those that are open. */
  async applyIn(tx: WriteTransaction, operations: readonly Operation[]): Promise<void> {
    let done = 0;
    for (const level of this.#levels) {
      await applyAll(tx, operations.slice(done, level.operations));
      done = level.operations;
      level.mirror = await mirrorIn(tx);
    }
    await applyAll(tx, operations.slice(done));
  }
}

function mirrorIn(tx: WriteTransaction): Promise<Mirror> {
  return new Promise((opened, failed) => {
    const work = (): Promise<void> =>
      new Promise((settle, fail) => {
        opened({
          end: async (failure) => {
            if (failure === undefined) settle();
            else fail(failure);
            await ended.catch((error: unknown) => {
              if (error !== failure) throw error;
            });
          },
        });
      });
    const ended = tx.savepoint(work);
    ended.catch(failed);
  });
}
