/** How the text of an object is laid out: for each way one object that stands for it, by which texts are kept with their objects (`KeptNode`). */

/** Levels up to which texts are kept: what is deeper is seldom written twice at the same level. */
const DEEPEST = 8;

export class Forms {
  readonly #forms: (object | undefined)[] = [];

  /** The form of what stands at this level; undefined: it is not kept. */
  at(level: number, serializeNulls: boolean): object | undefined {
    if (level > DEEPEST) return undefined;
    return (this.#forms[2 * level + (serializeNulls ? 1 : 0)] ??= {});
  }
}
