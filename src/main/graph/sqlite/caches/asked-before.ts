/**
 * Which keys were asked for lately, each in a place of its own in a small table: who is to be kept in memory only when asked for again. Two keys
 * that share a place forget each other, which costs a reading and nothing else.
 */

/** Places, a power of two: of a million keys that are asked for at random, one is remembered for about as many others. */
const PLACES = 1 << 16;
const SPREAD = 0x9e3779b1;
const SHIFT = 16;

export class AskedBefore {
  /** Keys are beyond 32 bits in no database that fits on a disk; of larger ones the lower bits stand here. */
  #places: Int32Array | undefined;

  /** Whether a key was asked for before; it is remembered from now on. */
  again(key: number): boolean {
    const places = (this.#places ??= new Int32Array(PLACES));
    const at = Math.imul(key, SPREAD) >>> SHIFT;
    const known = places[at] === (key | 0);
    places[at] = key;
    return known;
  }

  clear(): void {
    this.#places = undefined;
  }
}
