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

  /** Resolves when nothing waits to be removed. */
  async idle(): Promise<void> {
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
}
