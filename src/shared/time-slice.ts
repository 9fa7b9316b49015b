import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time on the loop after which long work lets others run, milliseconds. */
const SLICE = 8;

/**
 * Keeps long work on the event loop from holding it up: ask `due` between steps, and await `pause` when it is true.
 */
export class TimeSlice {
  private end = performance.now() + SLICE;

  get due(): boolean {
    return performance.now() >= this.end;
  }

  /** Lets the loop run once. */
  async pause(): Promise<void> {
    await nextTurn();
    this.restart();
  }

  /** For who has let others run in another way. */
  restart(): void {
    this.end = performance.now() + SLICE;
  }
}
