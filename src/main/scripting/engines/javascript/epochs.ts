import type { ScriptContext } from '../../run/run.js';

/** What an isolate was told of objects holds for an epoch: as long as the same run acts, and nothing has changed in its transaction. */
export class Epochs {
  #number = 0;
  #run: unknown;
  #changes = -1;

  /** As it was told last. */
  get last(): number {
    return this.#number;
  }

  /** That of a context, as it is now. */
  now({ run }: ScriptContext): number {
    const { changes } = run.transaction;
    if (this.#run !== run || this.#changes !== changes) {
      this.#run = run;
      this.#changes = changes;
      this.#number++;
    }
    return this.#number;
  }
}
