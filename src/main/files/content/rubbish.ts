/** Content that a commit has no use for any more goes after it, in the background. */
import type { Graph } from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import { together } from '../../../shared/together.js';
import type { Place } from './place.js';

const log = logger('files.content');

/** Contents removed at the same time. */
const REMOVING = 4;

export class Rubbish {
  readonly #places: Place[] = [];
  #clearing: Promise<void> | undefined;
  /** Until when nothing is removed (milliseconds since 1970), and what wakes who waits for that. */
  #keptUntil = 0;
  #wake: (() => void) | undefined;

  /** `remove` never fails: what cannot be removed is left to the sweep. */
  constructor(
    private readonly graph: Graph,
    private readonly remove: (place: Place) => Promise<void>,
  ) {}

  /** During a commit. */
  add(place: Place): void {
    this.#places.push(place);
    if (this.#clearing === undefined) this.#beginToClear();
  }

  /** Nothing is removed for so many milliseconds from now on: somebody copies what there is. */
  keep(milliseconds: number): void {
    this.#keptUntil = Date.now() + milliseconds;
    if (milliseconds <= 0) this.#wake?.();
  }

  /** Resolves when nothing waits to be removed; what somebody wanted to be kept is not any more. */
  async idle(): Promise<void> {
    this.keep(0);
    while (this.#clearing !== undefined) await this.#clearing;
  }

  #beginToClear(): void {
    this.#clearing = this.#clear().finally(() => {
      this.#clearing = undefined;
      if (this.#places.length > 0) this.#beginToClear();
    });
  }

  async #clear(): Promise<void> {
    // After the commit that this follows from has ended.
    await Promise.resolve();
    while (this.#places.length > 0) {
      await this.#untilAllowed();
      const batch = this.#places.splice(0);
      try {
        // A power cut must not take the commit back and leave its files without content.
        await this.graph.durable();
      } catch (error) {
        log.warn('content of files that are gone is left to the sweep', error);
        continue;
      }
      await together(batch, REMOVING, this.remove);
    }
  }

  async #untilAllowed(): Promise<void> {
    for (let left; (left = this.#keptUntil - Date.now()) > 0;) {
      const wait = left;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, wait).unref();
      });
    }
  }
}
