/**
 * Where the boundary of a multipart body lies: Node's own search, in native code, in the place of the one in JavaScript
 * that busboy brings (docs/design/docs/interface/files.md 3).
 */
import type { Busboy } from 'busboy';
import { LONG_PART } from '../../../shared/text-search.js';

/** Takes what lies between two boundaries, in pieces; `isMatch`: behind this piece there is one. */
type Take = (isMatch: boolean, data: Buffer | undefined, start: number, end: number, isDataSafe: boolean) => void;

const NOTHING = Buffer.alloc(0);
/**
 * Up to seven bytes Node looks for by going from one first byte to the next, as fast as memory is read; more by a table, which takes
 * three times as long for most contents.
 */
const QUICK_BYTES = 7;
/** In shorter chunks finding out how to look costs more than it saves. */
const SHORT_CHUNK = 4096;
/** From one first byte in 60 on the first way is the slower one, ten times where a quarter of all are: told by some of the bytes. */
const PLACES = 256;
const MANY = 5;

export class BoundarySearch {
  /** The end of what has come, as far as it may be the beginning of a boundary. */
  #tail = NOTHING;
  readonly #beginning: Buffer;

  /** `needle`: what is looked for, with the line break before it. */
  constructor(
    private readonly needle: Buffer,
    private readonly take: Take,
  ) {
    this.#beginning = needle.subarray(0, QUICK_BYTES);
  }

  push(chunk: Buffer): void {
    let at = 0;
    if (this.#tail.length > 0) {
      const behind = this.#acrossSeam(chunk);
      if (behind === undefined) return;
      at = behind;
    }
    const { needle } = this;
    // Beginnings that may turn out to be none before the second way is gone.
    let quick = chunk.length < SHORT_CHUNK || this.#hasManyFirstBytes(chunk) ? 0 : chunk.length / SHORT_CHUNK;
    for (let from = at; ;) {
      const found = chunk.indexOf(quick > 0 ? this.#beginning : needle, from);
      if (found < 0) break;
      if (quick > 0 && !chunk.subarray(found, found + needle.length).equals(needle)) {
        quick--;
        from = found + 1;
        continue;
      }
      this.#found(chunk, at, found);
      at = from = found + needle.length;
    }
    this.#rest(chunk, at);
  }

  /** At places that no sender knows beforehand. */
  #hasManyFirstBytes(chunk: Buffer): boolean {
    const [first] = this.needle;
    let seed = Math.trunc(Math.random() * 2 ** 32);
    let count = 0;
    for (let i = 0; i < PLACES; i++) {
      // A call of Math.random() for each would take longer than the search.
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      if (chunk[(seed >>> 8) % chunk.length] === first) count++;
    }
    return count >= MANY;
  }

  /** There is no more: what was held back is no boundary. */
  destroy(): void {
    const tail = this.#tail;
    this.#tail = NOTHING;
    if (tail.length > 0) this.take(false, tail, 0, tail.length, true);
  }

  /** Decides about the tail with the chunk that follows it; where to go on in the chunk, undefined: at none. */
  #acrossSeam(chunk: Buffer): number | undefined {
    const { needle } = this;
    const tail = this.#tail;
    const seam = Buffer.concat([tail, chunk.subarray(0, needle.length - 1)]);
    const found = seam.indexOf(needle);
    this.#tail = NOTHING;
    if (found >= 0) {
      this.#found(seam, 0, found);
      return found + needle.length - tail.length;
    }
    if (chunk.length < needle.length - 1) {
      this.#rest(seam, 0);
      return undefined;
    }
    this.take(false, tail, 0, tail.length, true);
    return 0;
  }

  #found(data: Buffer, from: number, to: number): void {
    if (to > from) this.take(true, data, from, to, true);
    else this.take(true, undefined, 0, 0, true);
  }

  #rest(data: Buffer, from: number): void {
    const { needle } = this;
    let end = Math.max(from, data.length - needle.length + 1);
    while (end < data.length && !this.#begins(data, end)) end++;
    if (end > from) this.take(false, data, from, end, true);
    // A copy: a few bytes must not keep a chunk.
    if (end < data.length) this.#tail = Buffer.from(data.subarray(end));
  }

  /** Whether the rest of the data is the beginning of the needle. A call of native code a byte would cost more than this. */
  #begins(data: Buffer, at: number): boolean {
    for (let i = 0; at + i < data.length; i++) if (data[at + i] !== this.needle[i]) return false;
    return true;
  }
}

/** Fields of busboy's own that are no part of its interface. */
interface Insides {
  _bparser?: { readonly _needle?: Buffer; readonly _cb?: Take } | BoundarySearch;
}

/** Puts the native search into a new parser; false: it keeps its own, for its boundary is too long, or it is not what it was. */
export function searchNatively(parser: Busboy): boolean {
  const insides = parser as unknown as Insides;
  const own = insides._bparser;
  if (own === undefined || own instanceof BoundarySearch) return false;
  const { _needle: needle, _cb: take } = own;
  if (!Buffer.isBuffer(needle) || typeof take !== 'function') return false;
  // Boundaries have at most 70 characters (RFC 2046, 5.1.1); the parser's own search cannot be slowed down by others.
  if (needle.length >= LONG_PART) return false;
  const search = new BoundarySearch(needle, take);
  // As busboy does itself: the first boundary may be the first line.
  search.push(Buffer.from('\r\n'));
  insides._bparser = search;
  return true;
}
