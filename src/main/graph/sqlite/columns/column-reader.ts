/** Segments as the thread that answers reads them, one after the other, and what of them a query takes. */
import { join } from 'node:path';
import type { ColumnBlock, TextColumn } from '../../../../shared/digest.js';
import type { Connection } from '../connection/connection.js';
import type { ColumnQuery } from './column-query.js';
import { ColumnsDamaged, PART, Scratch, SegmentFile } from './segment-file.js';
import { AGAIN_TABLE, SEGMENTS, STALE } from './state.js';

/** Rows that are read as nodes although segments have them: more are not worth it. */
const MOST_AGAIN = 200_000;
/** Rows between two looks at the time. */
const STEP = 1 << 16;

/** All is to be answered from nodes. */
export class ColumnsUseless extends Error {
  override readonly name = 'ColumnsUseless';
}

class Block implements ColumnBlock {
  taken: Uint8Array | undefined;
  #numbers: Float64Array | undefined;
  readonly #texts = new Map<string, Texts>();

  constructor(
    readonly file: SegmentFile,
    private readonly scratch: Scratch,
  ) {}

  get rows(): number {
    return this.file.facts.rows;
  }

  get min(): number {
    return this.file.facts.min;
  }

  get max(): number {
    return this.file.facts.max;
  }

  numbers(): Float64Array {
    return (this.#numbers ??= new Float64Array(this.bytes(PART.numbers).buffer, 0, this.rows));
  }

  texts(key: string): Texts {
    let known = this.#texts.get(key);
    if (known === undefined) this.#texts.set(key, (known = new Texts(this, key, this.scratch)));
    return known;
  }

  bytes(name: string): Uint8Array<ArrayBuffer> {
    return this.file.bytes(name, this.scratch);
  }

  /** All rows as long as none is left out. */
  mask(): Uint8Array {
    if (this.taken === undefined) {
      this.taken = new Uint8Array(this.scratch.of('mask', this.rows), 0, this.rows);
      this.taken.fill(1);
    }
    return this.taken;
  }
}

class Texts implements TextColumn {
  readonly values: number;
  readonly #ends: Uint32Array;
  #codes: Uint32Array | undefined;
  #whole: string | undefined;

  constructor(
    private readonly block: Block,
    private readonly key: string,
    private readonly scratch: Scratch,
  ) {
    this.values = this.#facts.values;
    this.#ends = new Uint32Array(block.bytes(PART.ends(key)).buffer, 0, this.values);
  }

  get #facts(): { readonly values: number; readonly width: 1 | 2 | 4; readonly encoding: 'latin1' | 'utf16le' } {
    const facts = this.block.file.facts.texts[this.key];
    if (facts === undefined) throw new ColumnsDamaged(`a segment has no ${this.key}`);
    return facts;
  }

  get codes(): Uint32Array {
    if (this.#codes !== undefined) return this.#codes;
    const { width } = this.#facts;
    const { rows } = this.block;
    const { buffer } = this.block.bytes(PART.codes(this.key));
    if (width === 4) return (this.#codes = new Uint32Array(buffer, 0, rows));
    // Of one kind, so that loops over them are compiled once.
    const codes = new Uint32Array(this.scratch.of(`wide ${this.key}`, rows * 4), 0, rows);
    codes.set(width === 1 ? new Uint8Array(buffer, 0, rows) : new Uint16Array(buffer, 0, rows));
    return (this.#codes = codes);
  }

  /** One text, whose parts cost nothing. */
  get #all(): string {
    if (this.#whole !== undefined) return this.#whole;
    const { buffer, byteOffset, byteLength } = this.block.bytes(PART.chars(this.key));
    return (this.#whole = Buffer.from(buffer, byteOffset, byteLength).toString(this.#facts.encoding));
  }

  text(code: number): string | undefined {
    return code === 0 ? undefined : this.#all.slice(this.#ends[code - 1], this.#ends[code]);
  }

  /** Undefined: no row has it. */
  codeOf(text: string): number | undefined {
    const ends = this.#ends;
    const { length } = text;
    let begin = 0;
    for (let code = 1; code < this.values; code++) {
      const end = ends[code] ?? 0;
      if (end - begin === length && this.#all.startsWith(text, begin)) return code;
      begin = end;
    }
    return undefined;
  }
}

export class ColumnReader {
  readonly #files: SegmentFile[] = [];
  /** Keys that have changed since they were written, in order. */
  readonly #stale: readonly number[];
  readonly #scratch = new Scratch();

  /** Within a transaction of `from`. Throws `ColumnsDamaged`, `ColumnsUseless`. */
  constructor(
    private readonly from: Connection,
    folder: string,
    private readonly check: () => void,
  ) {
    const segments = from.all(SEGMENTS, []);
    if (segments.length === 0) throw new ColumnsUseless();
    const stale = from.all(STALE, [MOST_AGAIN + 1]);
    if (stale.length > MOST_AGAIN) throw new ColumnsUseless();
    this.#stale = stale.map(([pk]) => Number(pk));
    try {
      for (const [first, last, , , name] of segments) {
        const file = new SegmentFile(join(folder, String(name)));
        this.#files.push(file);
        if (file.facts.first !== first || file.facts.last !== last)
          throw new ColumnsDamaged(`${String(name)} is another`);
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Rows of a query; then the table `column_again` has the keys of those that are to be read as nodes. */
  *blocks(query: ColumnQuery): Iterable<ColumnBlock> {
    const { from } = this;
    from.run('DELETE FROM temp.column_again', []);
    let again = 0;
    const readAgain = (key: number): void => {
      if (++again > MOST_AGAIN) throw new ColumnsUseless();
      from.run('INSERT OR IGNORE INTO temp.column_again(pk) VALUES (?)', [key]);
    };
    for (const key of this.#stale) readAgain(key);
    for (const file of this.#files) {
      this.check();
      const { first } = file.facts;
      for (const distance of uint32(file.bytes(PART.apart, this.#scratch))) readAgain(first + distance);
      const block = new Block(file, this.#scratch);
      if (block.rows > 0 && this.#narrow(block, query, readAgain)) yield block;
    }
  }

  /** Takes rows out of a block; false: none is left. */
  #narrow(block: Block, { equals, from, to, flags }: ColumnQuery, readAgain: (key: number) => void): boolean {
    const { rows, file } = block;
    if (from > -Infinity || to < Infinity) {
      if (block.min > to || block.max < from || block.min > block.max) return false;
      const numbers = block.numbers();
      // A row without a number is in no range.
      const taken = block.mask();
      for (let i = 0; i < rows; i++) {
        const number = numbers[i] ?? NaN;
        if (!(number >= from && number <= to)) taken[i] = 0;
      }
    }
    for (const [key, value] of equals) {
      const texts = block.texts(key);
      const wanted = texts.codeOf(value);
      if (wanted === undefined) return false;
      const { codes } = texts;
      const taken = block.mask();
      for (let i = 0; i < rows; i++) if (codes[i] !== wanted) taken[i] = 0;
      this.check();
    }
    const { first, last, common } = file.facts;
    const stale = this.#staleIn(first, last);
    const mustLook = flags !== undefined && (common & flags) === 0;
    if (stale.length === 0 && !mustLook) return true;
    const keys = uint32(block.bytes(PART.keys));
    const taken = block.mask();
    for (const key of stale) {
      const at = placeOf(keys, key - first);
      if (at !== undefined) taken[at] = 0;
    }
    if (!mustLook) return true;
    const bits = block.bytes(PART.flags);
    for (let i = 0; i < rows; i++) {
      if (i % STEP === 0) this.check();
      if (taken[i] === 0 || ((bits[i] ?? 0) & flags) !== 0) continue;
      taken[i] = 0;
      readAgain(first + (keys[i] ?? 0));
    }
    return true;
  }

  #staleIn(first: number, last: number): readonly number[] {
    const stale = this.#stale;
    return stale.slice(placeAbove(stale, first), placeAbove(stale, last));
  }

  close(): void {
    for (const file of this.#files.splice(0)) file.close();
  }
}

/** Before the transaction begins. */
export function prepareForColumns(from: Connection): void {
  from.db.pragma('temp_store = MEMORY');
  from.db.exec(AGAIN_TABLE);
}

function uint32({ buffer, byteLength }: Uint8Array<ArrayBuffer>): Uint32Array {
  return new Uint32Array(buffer, 0, byteLength / 4);
}

/** How many of sorted numbers are not above one. */
function placeAbove(sorted: ArrayLike<number>, key: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placeOf(sorted: ArrayLike<number>, key: number): number | undefined {
  const at = placeAbove(sorted, key) - 1;
  return at >= 0 && sorted[at] === key ? at : undefined;
}
