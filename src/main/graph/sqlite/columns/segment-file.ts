/**
 * The file of a segment: columns of events one behind the other, then what says where they lie (docs/design/analytics.md, Columns). It is
 * written once, as a whole, and never changed. All numbers are little-endian.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';

/** Begins with the version of the format. */
const MAGIC = Buffer.from('svccol01');
/** Behind the description: its length, its checksum, and the mark. */
const TAIL = 16;
const ALIGNED = 8;
const MOST_DESCRIPTION = 1 << 20;

export const IS_LITTLE_ENDIAN = endianness() === 'LE';

/** Of one text column: how many values there are, the one for a missing text included. */
export interface TextFacts {
  readonly values: number;
  /** Bytes of a code. */
  readonly width: 1 | 2 | 4;
  readonly encoding: 'latin1' | 'utf16le';
}

/** What a segment says of itself. */
export interface SegmentFacts {
  readonly rows: number;
  /** Keys of rows are above this, and up to `last`. */
  readonly first: number;
  readonly last: number;
  /** Flags that all rows have, as bits. */
  readonly common: number;
  /** Of the numbers that there are; without any, `min` is greater. */
  readonly min: number;
  readonly max: number;
  readonly texts: Readonly<Record<string, TextFacts>>;
}

interface Part {
  readonly at: number;
  readonly bytes: number;
  readonly crc: number;
}

interface Description extends SegmentFacts {
  readonly parts: Readonly<Record<string, Part>>;
}

/** A file that is not there, or not what was written. */
export class ColumnsDamaged extends Error {
  override readonly name = 'ColumnsDamaged';
}

/** Names of parts, beside those of texts. */
export const PART = {
  keys: 'keys',
  flags: 'flags',
  apart: 'apart',
  numbers: 'numbers',
  codes: (key: string): string => `codes ${key}`,
  ends: (key: string): string => `ends ${key}`,
  chars: (key: string): string => `chars ${key}`,
} as const;

/** Bytes of a file, piece by piece. */
export function* segmentBytes(
  facts: SegmentFacts,
  columns: Iterable<readonly [name: string, bytes: Uint8Array]>,
): Iterable<Uint8Array> {
  const parts: Record<string, Part> = {};
  let at = 0;
  for (const [name, bytes] of columns) {
    parts[name] = { at, bytes: bytes.length, crc: crc32(bytes) };
    yield bytes;
    at += bytes.length;
    const gap = -at & (ALIGNED - 1);
    if (gap > 0) yield Buffer.alloc(gap);
    at += gap;
  }
  const description = Buffer.from(JSON.stringify({ ...facts, parts } satisfies Description));
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(description.length, 0);
  tail.writeUInt32LE(crc32(description), 4);
  yield description;
  yield tail;
  yield MAGIC;
}

/** Parts of files that this thread has compared with their checksums, by file. */
const compared = new Map<string, Set<string>>();
const MOST_COMPARED = 1000;

/** Memory for what is read of one segment, used again for the next one. */
export class Scratch {
  readonly #buffers = new Map<string, ArrayBuffer>();

  /** At least so many bytes; what was in them before may still be there. */
  of(name: string, bytes: number): ArrayBuffer {
    const known = this.#buffers.get(name);
    if (known !== undefined && known.byteLength >= bytes) return known;
    const made = new ArrayBuffer(bytes);
    this.#buffers.set(name, made);
    return made;
  }
}

export class SegmentFile {
  readonly #fd: number;
  readonly #description: Description;

  /** Throws `ColumnsDamaged`. */
  constructor(private readonly path: string) {
    try {
      this.#fd = openSync(path, 'r');
    } catch (error) {
      throw new ColumnsDamaged(`${path} cannot be read`, { cause: error });
    }
    try {
      this.#description = this.#describe();
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  get facts(): SegmentFacts {
    return this.#description;
  }

  #describe(): Description {
    const { size } = fstatSync(this.#fd);
    if (size < TAIL) throw this.#damaged();
    const tail = this.#read(Buffer.alloc(TAIL), size - TAIL);
    const length = tail.readUInt32LE(0);
    if (!tail.subarray(8).equals(MAGIC) || length > MOST_DESCRIPTION || length > size - TAIL) throw this.#damaged();
    const text = this.#read(Buffer.alloc(length), size - TAIL - length);
    if (crc32(text) !== tail.readUInt32LE(4)) throw this.#damaged();
    return JSON.parse(text.toString()) as Description;
  }

  /** Bytes of a part, in the memory of `scratch`. Throws `ColumnsDamaged`. */
  bytes(name: string, scratch: Scratch): Uint8Array<ArrayBuffer> {
    const part = this.#description.parts[name];
    if (part === undefined) throw this.#damaged();
    const into = new Uint8Array(scratch.of(name, part.bytes), 0, part.bytes);
    this.#read(into, part.at);
    let known = compared.get(this.path);
    if (known?.has(name) === true) return into;
    if (crc32(into) !== part.crc) throw this.#damaged();
    if (known === undefined) {
      if (compared.size >= MOST_COMPARED) compared.clear();
      compared.set(this.path, (known = new Set()));
    }
    known.add(name);
    return into;
  }

  #read<T extends Uint8Array>(into: T, from: number): T {
    for (let at = 0; at < into.length;) {
      const read = readSync(this.#fd, into, at, into.length - at, from + at);
      if (read === 0) throw this.#damaged();
      at += read;
    }
    return into;
  }

  #damaged(): ColumnsDamaged {
    return new ColumnsDamaged(`${this.path} is damaged`);
  }

  close(): void {
    closeSync(this.#fd);
  }
}
