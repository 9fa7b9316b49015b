/**
 * A segment of the index of parts of texts: folded texts one after the other, and for each four bytes that follow one another the blocks of texts that have
 * them. All of it is a few large arrays, which threads share. Four rather than three: lists are an eighth as long, and a part of three is looked up with each byte
 * that may follow it.
 */

/** What stands before each text: a byte that is in no text. */
export const BETWEEN = 0xff;
/** Texts of a block. A block of several makes postings shorter: most of them are one byte. */
export const BLOCK = 16;
/** Bytes that are looked up together, the last of which may be the end of the text. */
export const GRAM = 4;
/** Different numbers of them, as a power of two, at least and at most: several share one where there are more. */
const [FEWEST_BITS, MOST_BITS] = [8, 18];
/** Keys of a segment are told by how much they are above the first. */
const MOST_SPAN = 2 ** 32;

export interface Segment {
  /** In the order of their keys, in UTF-8, each behind `BETWEEN`. */
  readonly bytes: Uint8Array;
  /** Where each block begins, and where the last one ends. */
  readonly starts: Uint32Array;
  readonly first: number;
  /** Keys of the nodes, less `first`, ascending. */
  readonly keys: Uint32Array;
  /** By the number of four bytes, where its blocks begin in `postings`. */
  readonly offsets: Uint32Array;
  /** Blocks, ascending, each as its distance from the one before: seven bits a byte, the last one without the eighth. */
  readonly postings: Uint8Array;
  /** A bit for each text that is not the node's any more. */
  readonly dead: Uint8Array;
}

/** The number of four bytes, the first of which is the highest, among `2 ** bits`. */
export function gramNumber(gram: number, bits: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> (32 - bits);
}

export function bitsOf({ offsets }: Pick<Segment, 'offsets'>): number {
  return 31 - Math.clz32(offsets.length - 1);
}

export function sizeOf({ bytes, starts, keys, offsets, postings, dead }: Segment): number {
  return [bytes, starts, keys, offsets, postings, dead].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** About what a segment of so many texts with so many bytes will take, at most. */
export function expectedSize(count: number, length: number): number {
  return 2 * length + 8 * count + 4 * 2 ** MOST_BITS;
}

/** Texts on their way into a segment, in any order. */
export class Gathered {
  #bytes: Buffer;
  #at = 0;
  #count = 0;
  #starts = new Uint32Array(64);
  #keys = new Float64Array(64);

  /** `length`: bytes to be expected. */
  constructor(length = 4096) {
    this.#bytes = Buffer.allocUnsafeSlow(length);
  }

  get count(): number {
    return this.#count;
  }

  get length(): number {
    return this.#at;
  }

  /** `text` as `fold` leaves it. */
  add(key: number, text: string): void {
    const most = this.#at + text.length * 3;
    if (most > this.#bytes.length) this.#grow(this.#at + Buffer.byteLength(text));
    this.#begin(key);
    this.#at += this.#bytes.write(text, this.#at);
  }

  /** A text in UTF-8, of another segment. */
  addBytes(key: number, from: Uint8Array, start: number, end: number): void {
    if (this.#at + end - start > this.#bytes.length) this.#grow(this.#at + end - start);
    this.#begin(key);
    this.#bytes.set(from.subarray(start, end), this.#at);
    this.#at += end - start;
  }

  #begin(key: number): void {
    if (this.#count === this.#starts.length) {
      const [starts, keys] = [this.#starts, this.#keys];
      this.#starts = new Uint32Array(2 * starts.length);
      this.#starts.set(starts);
      this.#keys = new Float64Array(2 * keys.length);
      this.#keys.set(keys);
    }
    this.#starts[this.#count] = this.#at;
    this.#keys[this.#count++] = key;
  }

  #grow(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.ceil(needed * 1.5));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
  }

  /** Undefined: it cannot be, as keys are too far apart. Each key may be there once. */
  segment(): Segment | undefined {
    const count = this.#count;
    const order = this.#order();
    const [from, starts, keyOf] = [this.#bytes, this.#starts, this.#keys];
    const first = keyOf[order[0] ?? 0] ?? 0;
    const last = keyOf[order[count - 1] ?? 0] ?? 0;
    if (last - first >= MOST_SPAN) return undefined;
    const bytes = new Uint8Array(new SharedArrayBuffer(this.#at + count));
    const blocks = new Uint32Array(new SharedArrayBuffer((Math.ceil(count / BLOCK) + 1) * 4));
    const keys = new Uint32Array(new SharedArrayBuffer(count * 4));
    let at = 0;
    for (let row = 0; row < count; row++) {
      const i = order[row] ?? 0;
      if (row % BLOCK === 0) blocks[row / BLOCK] = at;
      keys[row] = (keyOf[i] ?? 0) - first;
      bytes[at++] = BETWEEN;
      const end = i + 1 < count ? starts[i + 1] : this.#at;
      const text = from.subarray(starts[i], end);
      bytes.set(text, at);
      at += text.length;
    }
    blocks[blocks.length - 1] = at;
    const dead = new Uint8Array(new SharedArrayBuffer(Math.ceil(count / 8)));
    return { bytes, starts: blocks, first, keys, dead, ...postingsOf(bytes, blocks) };
  }

  /** The places of the texts in the order of their keys. */
  #order(): ArrayLike<number> {
    const count = this.#count;
    const keys = this.#keys;
    let sorted = true;
    for (let i = 1; i < count && sorted; i++) sorted = (keys[i - 1] ?? 0) < (keys[i] ?? 0);
    const places = Uint32Array.from({ length: count }, (_, i) => i);
    return sorted ? places : places.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
  }
}

/** Two walks over all bytes: one tells how long each list becomes, the other writes them. */
function postingsOf(bytes: Uint8Array, starts: Uint32Array): Pick<Segment, 'offsets' | 'postings'> {
  const bits = Math.min(MOST_BITS, Math.max(FEWEST_BITS, 32 - Math.clz32(bytes.length >> 6)));
  const offsets = new Uint32Array(new SharedArrayBuffer((2 ** bits + 1) * 4));
  eachGram(bytes, starts, bits, (gram, distance) => {
    offsets[gram + 1] = (offsets[gram + 1] ?? 0) + lengthOf(distance);
  });
  for (let i = 1; i < offsets.length; i++) offsets[i] = (offsets[i] ?? 0) + (offsets[i - 1] ?? 0);
  const postings = new Uint8Array(new SharedArrayBuffer(offsets[offsets.length - 1] ?? 0));
  const ends = offsets.slice();
  eachGram(bytes, starts, bits, (gram, distance) => {
    let at = ends[gram] ?? 0;
    let left = distance;
    for (; left > 0x7f; left >>>= 7) postings[at++] = (left & 0x7f) | 0x80;
    postings[at++] = left;
    ends[gram] = at;
  });
  return { offsets, postings };
}

function lengthOf(distance: number): number {
  return distance < 0x80 ? 1 : distance < 0x4000 ? 2 : distance < 0x200000 ? 3 : distance < 0x10000000 ? 4 : 5;
}

/** Tells each gram once a block, and how far that is from the block before that has it; of the first block, one more than its number. */
function eachGram(
  bytes: Uint8Array,
  starts: Uint32Array,
  bits: number,
  told: (gram: number, distance: number) => void,
): void {
  /** One more than the block it was in last. */
  const last = new Uint32Array(2 ** bits);
  for (let block = 1; block < starts.length; block++) {
    const end = starts[block] ?? 0;
    let gram = 0;
    // Bytes since a text began.
    let length = 0;
    for (let at = starts[block - 1] ?? 0; at <= end; at++) {
      const byte = at === end ? BETWEEN : (bytes[at] ?? 0);
      gram = (gram << 8) | byte;
      if (++length >= GRAM) {
        const number = gramNumber(gram, bits);
        const before = last[number] ?? 0;
        if (before !== block) {
          told(number, block - before);
          last[number] = block;
        }
      }
      if (byte === BETWEEN) length = 0;
    }
  }
}

/** The row of a key; undefined: it is not here. */
export function rowOf({ first, keys }: Segment, key: number): number | undefined {
  const wanted = key - first;
  let low = 0;
  for (let high = keys.length - 1; low <= high;) {
    const middle = (low + high) >> 1;
    const found = keys[middle] ?? 0;
    if (found === wanted) return middle;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

export function isDead({ dead }: Segment, row: number): boolean {
  return ((dead[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
}

/** What it tells of a node does not hold any more. */
export function kill(segment: Segment, key: number): void {
  const row = rowOf(segment, key);
  if (row !== undefined) segment.dead[row >> 3] = (segment.dead[row >> 3] ?? 0) | (1 << (row & 7));
}

/** Adds the texts of a segment that still hold. */
export function addLiving(segment: Segment, to: Gathered): void {
  const { bytes, starts, first, keys } = segment;
  let row = 0;
  for (let block = 1; block < starts.length; block++) {
    const end = starts[block] ?? 0;
    let from = (starts[block - 1] ?? 0) + 1;
    for (; row < Math.min(block * BLOCK, keys.length); row++) {
      const between = row % BLOCK === BLOCK - 1 || row === keys.length - 1 ? end : bytes.indexOf(BETWEEN, from);
      const key = first + (keys[row] ?? 0);
      if (!isDead(segment, row)) to.addBytes(key, bytes, from, between);
      from = between + 1;
    }
  }
}
