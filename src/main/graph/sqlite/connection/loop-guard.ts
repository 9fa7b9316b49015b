import { type ScanGuard, TooLong } from './functions.js';

/** Ends statements on the event loop that take longer than their budget. */
export class LoopGuard implements ScanGuard {
  #until = Infinity;

  /** `budget`: milliseconds a statement may take on the event loop before it is given to a worker. */
  constructor(readonly budget: number) {}

  check(): void {
    if (performance.now() > this.#until) throw new TooLong();
  }

  arm(budget: number): void {
    this.#until = performance.now() + budget;
  }

  disarm(): void {
    this.#until = Infinity;
  }
}
