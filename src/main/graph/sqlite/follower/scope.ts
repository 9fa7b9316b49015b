/** One transaction that reads, in a thread that does not write. */
import type { TransactionOptions } from '../../graph.js';
import { ReadScope } from '../reading/read-scope.js';
import type { States } from './states.js';

export class FollowerScope extends ReadScope {
  /** Each read sees what is committed. */
  readonly #isMoving: boolean;

  constructor(
    options: TransactionOptions,
    timeout: number,
    private readonly states: States,
  ) {
    super(options, timeout, options.snapshot === true ? states : undefined);
    this.#isMoving = options.snapshot !== true;
  }

  /** At the beginning of each read, and after each turn. */
  override check(): void {
    super.check();
    if (this.#isMoving) this.states.refresh();
  }

  override scanned(): void {
    super.scanned();
    if (this.#isMoving && !this.over) this.states.refresh();
  }
}
