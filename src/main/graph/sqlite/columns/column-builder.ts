/** Gathers nodes into the columns of a segment. */
import { FLAG_KEYS } from '../../access.js';
import type { ColumnDefinition } from '../../columns.js';
import { PART, type SegmentFacts, type TextFacts } from './segment-file.js';

/** Rows of a segment, at most: a histogram of messages is quicker the more messages a segment has in common. */
export const MOST_ROWS = 1 << 20;
/** Characters of all different texts of a segment. */
const MOST_CHARACTERS = 32 << 20;
/** Longer texts stay in their nodes. */
const LONGEST = 4096;
/** Keys are told by their distance from the first one. */
const MOST_SPAN = 0xffff_ffff;

class TextBuilder {
  /** Codes by text; 0: there is none. */
  readonly #codes = new Map<string, number>();
  #rows = new Uint32Array(1024);
  #count = 0;
  #characters = 0;

  /** How many characters that adds to its values. */
  add(text: string | undefined): number {
    if (this.#count === this.#rows.length) {
      const larger = new Uint32Array(this.#rows.length * 2);
      larger.set(this.#rows);
      this.#rows = larger;
    }
    const known = text === undefined ? 0 : this.#codes.get(text);
    this.#rows[this.#count++] = known ?? this.#codes.size + 1;
    if (text === undefined || known !== undefined) return 0;
    this.#codes.set(text, this.#codes.size + 1);
    this.#characters += text.length;
    return text.length;
  }

  facts(): TextFacts {
    const values = this.#codes.size + 1;
    return {
      values,
      width: values <= 0x100 ? 1 : values <= 0x1_0000 ? 2 : 4,
      // eslint-disable-next-line no-control-regex -- all that is one byte
      encoding: [...this.#codes.keys()].every((text) => /^[\x00-\xff]*$/.test(text)) ? 'latin1' : 'utf16le',
    };
  }

  *parts(key: string, { values, width, encoding }: TextFacts): Iterable<readonly [string, Uint8Array]> {
    const rows = this.#rows.subarray(0, this.#count);
    yield [PART.codes(key), bytesOf(width === 1 ? Uint8Array.from(rows) : width === 2 ? Uint16Array.from(rows) : rows)];
    const ends = new Uint32Array(values);
    const chars = Buffer.allocUnsafe(this.#characters * (encoding === 'latin1' ? 1 : 2));
    let [at, end, bytes] = [1, 0, 0];
    for (const text of this.#codes.keys()) {
      bytes += chars.write(text, bytes, encoding);
      end += text.length;
      ends[at++] = end;
    }
    yield [PART.ends(key), bytesOf(ends)];
    yield [PART.chars(key), chars];
  }
}

export class ColumnBuilder {
  readonly #texts: readonly (readonly [key: string, column: TextBuilder])[];
  readonly #number: string;
  readonly #keys: number[] = [];
  readonly #numbers: number[] = [];
  readonly #flags: number[] = [];
  readonly #apart: number[] = [];
  #characters = 0;
  #common = 2 ** FLAG_KEYS.length - 1;

  /** Of rows with keys above `first`. */
  constructor(
    { number, texts }: ColumnDefinition,
    private readonly first: number,
  ) {
    this.#number = number;
    this.#texts = texts.map((key) => [key, new TextBuilder()]);
  }

  /** False: the segment ends before this row. Rows come in the order of their keys. */
  add(pk: number, properties: Readonly<Record<string, unknown>>): boolean {
    if (this.rows + this.#apart.length >= MOST_ROWS || this.#characters > MOST_CHARACTERS) return false;
    if (pk - this.first > MOST_SPAN) return false;
    const number = properties[this.#number];
    const isPlain =
      (number === undefined || (typeof number === 'number' && Number.isFinite(number))) &&
      this.#texts.every(([key]) => {
        const text = properties[key];
        return text === undefined || (typeof text === 'string' && text.length <= LONGEST);
      });
    if (!isPlain) {
      this.#apart.push(pk - this.first);
      return true;
    }
    this.#keys.push(pk - this.first);
    this.#numbers.push(typeof number === 'number' ? number : NaN);
    let flags = 0;
    for (const [bit, key] of FLAG_KEYS.entries()) if (properties[key] === true) flags |= 1 << bit;
    this.#flags.push(flags);
    this.#common &= flags;
    for (const [key, column] of this.#texts) {
      const text = properties[key];
      this.#characters += column.add(typeof text === 'string' ? text : undefined);
    }
    return true;
  }

  get rows(): number {
    return this.#keys.length;
  }

  /** Those that stay in their nodes count, too. */
  get isEmpty(): boolean {
    return this.rows + this.#apart.length === 0;
  }

  facts(last: number): SegmentFacts {
    let [min, max] = [Infinity, -Infinity];
    for (const number of this.#numbers) {
      if (number < min) min = number;
      if (number > max) max = number;
    }
    const texts = Object.fromEntries(this.#texts.map(([key, column]) => [key, column.facts()]));
    // JSON has no infinities.
    const range = min > max ? { min: 1, max: 0 } : { min, max };
    return { rows: this.rows, first: this.first, last, common: this.#common, ...range, texts };
  }

  *parts({ texts }: SegmentFacts): Iterable<readonly [string, Uint8Array]> {
    yield [PART.keys, bytesOf(Uint32Array.from(this.#keys))];
    yield [PART.numbers, bytesOf(Float64Array.from(this.#numbers))];
    yield [PART.flags, Uint8Array.from(this.#flags)];
    yield [PART.apart, bytesOf(Uint32Array.from(this.#apart))];
    for (const [key, column] of this.#texts) {
      const facts = texts[key];
      if (facts !== undefined) yield* column.parts(key, facts);
    }
  }
}

function bytesOf({
  buffer,
  byteOffset,
  byteLength,
}: Uint8Array | Uint16Array | Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
