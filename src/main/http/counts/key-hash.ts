/** Places of keys in tables of shared memory. */

/** Places that one key may have. */
export const WAYS = 8;

export interface Place {
  /** The first of its `WAYS` places. */
  readonly from: number;
  /** Tells keys apart that have the same places; never 0. */
  readonly mark: number;
}

/** `seed` is the process's, so that nobody can make up keys that fall together. `places`: a power of two. */
export function placeOf(key: string, seed: number, places: number): Place {
  let a = seed | 0;
  let b = ~seed;
  for (let i = 0; i < key.length; i++) {
    const char = key.charCodeAt(i);
    a = Math.imul(a ^ char, 0x01000193);
    b = Math.imul(b ^ char, 0x5bd1e995);
    b ^= b >>> 15;
  }
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d);
  b = Math.imul(b ^ (b >>> 13), 0x2c1b3c6d);
  a ^= a >>> 15;
  b ^= b >>> 16;
  return { from: (a >>> 0) & (places - WAYS), mark: b === 0 ? 1 : b };
}
