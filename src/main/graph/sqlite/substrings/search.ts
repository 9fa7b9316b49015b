/** Looks for a part of a text in a segment: the shortest lists of its bytes name blocks, and those are looked through. */
import { BETWEEN, bitsOf, BLOCK, GRAM, gramNumber, isDead, type Segment } from './segment.js';

/** Where in a text the part is to be. */
export type Place = 'within' | 'start' | 'end';

/** What looking at a block costs, measured by what an entry of a list does. */
const LOOKING = 150;
/** Blocks that are looked at for a portion, at first, when a page may be all that is asked for, and then: about a millisecond. */
const [FIRST, AT_ONCE] = [100, 600];
/** Bytes likewise, where so many blocks have a part that all bytes are looked through. */
const BYTES_AT_ONCE = 1 << 19;
/** One in so many blocks is that. */
const DENSE = 8;

export interface Portion {
  /** Keys, ascending, above those of the portion before. */
  readonly keys: readonly number[];
  /** The block that the next portion begins with; undefined: this was the last one. */
  readonly next: number | undefined;
}

/** Keys of nodes whose text has a part (folded, in UTF-8, of three bytes at least), in portions that each take about a millisecond at most. */
export function* portions(segment: Segment, part: Buffer, place: Place): Generator<Portion, undefined> {
  const blocks = part.length < GRAM ? withAnyEnd(segment, part) : withAll(segment, part);
  if (blocks.length * DENSE > segment.starts.length) {
    yield* throughAll(segment, part, place);
    return;
  }
  for (let i = 0, length = FIRST; i === 0 || i < blocks.length; length = AT_ONCE) {
    const keys: number[] = [];
    const end = Math.min(i + length, blocks.length);
    for (; i < end; i++) look(segment, blocks[i] ?? 0, part, place, keys);
    yield { keys, next: blocks[i] };
    if (blocks.length === 0) return;
  }
}

/** The same by looking through all bytes. */
function* throughAll(segment: Segment, part: Buffer, place: Place): Generator<Portion, undefined> {
  const { bytes, starts } = segment;
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let keys: number[] = [];
  let block = 0;
  let [length, end] = [FIRST, BYTES_AT_ONCE];
  for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, starts[block])) {
    while ((starts[block + 1] ?? Infinity) <= at) block++;
    if (length === 0 || at >= end) {
      yield { keys, next: block };
      [keys, length, end] = [[], AT_ONCE, at + BYTES_AT_ONCE];
    }
    look(segment, block, part, place, keys);
    length--;
    if (++block >= starts.length - 1) break;
  }
  yield { keys, next: undefined };
}

/** All keys of a segment up to this one are in blocks before this. */
export function lastBefore({ first, keys }: Segment, block: number): number {
  return block === 0 ? -Infinity : first + (keys[block * BLOCK - 1] ?? 0);
}

/** Blocks that have a part of three bytes and whatever follows, ascending. */
function withAnyEnd({ offsets, postings }: Segment, part: Uint8Array): Uint32Array {
  const bits = bitsOf({ offsets });
  let gram = 0;
  for (const byte of part) gram = (gram << 8) | byte;
  const lists = new Set<number>();
  let length = 0;
  for (let end = 0; end <= BETWEEN; end++) {
    const number = gramNumber((gram << 8) | end, bits);
    if (lists.has(number)) continue;
    lists.add(number);
    length += (offsets[number + 1] ?? 0) - (offsets[number] ?? 0);
  }
  const all = new Uint32Array(length);
  let count = 0;
  for (const number of lists) {
    count += decode(new Walk(postings, offsets[number] ?? 0, offsets[number + 1] ?? 0), all, count);
  }
  const sorted = all.subarray(0, count).sort();
  let kept = 0;
  for (let i = 0; i < count; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[kept++] = sorted[i] ?? 0;
  return sorted.subarray(0, kept);
}

/** A walk along a list of blocks, ascending. */
class Walk {
  block = -1;

  constructor(
    private readonly postings: Uint8Array,
    private at: number,
    private readonly end: number,
  ) {}

  /** Goes to the next block; false: there is none. */
  next(): boolean {
    if (this.at >= this.end) return false;
    const { postings } = this;
    let byte = postings[this.at++] ?? 0;
    let distance = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = postings[this.at++] ?? 0;
      distance |= (byte & 0x7f) << shift;
    }
    this.block += distance;
    return true;
  }
}

/** Writes the blocks of a list to a place; their number. */
function decode(walk: Walk, to: Uint32Array, place: number): number {
  let count = 0;
  while (walk.next()) to[place + count++] = walk.block;
  return count;
}

/** Blocks that have all of a part's bytes, ascending, as far as lists are worth reading. */
function withAll(segment: Segment, part: Uint8Array): Uint32Array {
  const { offsets, postings, starts } = segment;
  const bits = bitsOf(segment);
  const grams = new Set<number>();
  let gram = 0;
  for (let i = 0; i < part.length; i++) {
    gram = (gram << 8) | (part[i] ?? 0);
    if (i >= GRAM - 1) grams.add(gramNumber(gram, bits));
  }
  const lists: { readonly from: number; readonly end: number; readonly length: number }[] = [];
  for (const number of grams) {
    const [from = 0, end = 0] = [offsets[number], offsets[number + 1]];
    if (from === end) return new Uint32Array();
    lists.push({ from, end, length: end - from });
  }
  lists.sort((a, b) => a.length - b.length);
  const [shortest, ...others] = lists;
  if (shortest === undefined) return new Uint32Array();
  const found = new Uint32Array(shortest.length);
  let count = decode(new Walk(postings, shortest.from, shortest.end), found, 0);
  for (const { from, end, length } of others) {
    // What it takes out must be worth what it takes to read.
    if (length >= count * LOOKING * (1 - Math.min(1, length / starts.length))) break;
    count = common(found, count, new Walk(postings, from, end));
  }
  return found.subarray(0, count);
}

/** Keeps those of the first `count` blocks that are in a list as well; their number. */
function common(found: Uint32Array, count: number, walk: Walk): number {
  let kept = 0;
  let i = 0;
  let wanted = found[0] ?? 0;
  while (walk.next()) {
    const { block } = walk;
    while (wanted < block) {
      if (++i >= count) return kept;
      wanted = found[i] ?? 0;
    }
    if (wanted > block) continue;
    found[kept++] = block;
    if (++i >= count) return kept;
    wanted = found[i] ?? 0;
  }
  return kept;
}

/** Adds the keys of a block whose text has the part. */
function look(segment: Segment, block: number, part: Uint8Array, place: Place, found: number[]): void {
  const { bytes, starts } = segment;
  const end = starts[block + 1] ?? 0;
  const head = part[0];
  const size = part.length;
  let row = block * BLOCK - 1;
  for (let at = starts[block] ?? 0; at < end; at++) {
    const byte = bytes[at];
    if (byte === BETWEEN) row++;
    if (byte !== head || at + size > end) continue;
    let i = 1;
    while (i < size && bytes[at + i] === part[i]) i++;
    if (i < size) continue;
    if (place === 'start' && bytes[at - 1] !== BETWEEN) continue;
    if (place === 'end' && at + size < end && bytes[at + size] !== BETWEEN) continue;
    if (!isDead(segment, row)) found.push(segment.first + (segment.keys[row] ?? 0));
    // Once is enough.
    at += size;
    while (at < end && bytes[at] !== BETWEEN) at++;
    at--;
  }
}
