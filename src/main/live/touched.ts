/** What commits have touched since the last round: objects, and how. */
import type { ChangeNotice } from '../graph/index.js';

/** Objects that are kept one by one; with more of them nobody is told which. */
const MOST = 50_000;

/** What a round looks at. */
export interface Round {
  /** Commits up to this one are in it. */
  readonly number: number;
  /** Undefined: anything may have changed. */
  readonly changes: readonly ChangeNotice[] | undefined;
}

export class Touched {
  #changes: ChangeNotice[] | undefined = [];
  #number = 0;

  get isEmpty(): boolean {
    return this.#changes?.length === 0;
  }

  add(number: number, changes: readonly ChangeNotice[] | 'everything'): void {
    this.#number = Math.max(this.#number, number);
    if (changes === 'everything' || (this.#changes?.length ?? MOST) + changes.length > MOST) this.#changes = undefined;
    else this.#changes?.push(...changes);
  }

  /** All there is; it begins anew. */
  take(): Round {
    const round = { number: this.#number, changes: this.#changes };
    this.#changes = [];
    return round;
  }
}
