/** The container of ZIP files (APPNOTE.TXT 6.3.10): what stands before, between and behind the files in it. */

const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const END = 0x06054b50;

/** From here on a 32-bit field says "look into the Zip64 field". */
const MOST_32 = 0xffffffff;
const MOST_16 = 0xffff;
/** Deflate makes what it cannot compress a little larger. */
const LARGE = 0xfff00000;

const UTF8 = 1 << 11;
const SIZES_FOLLOW = 1 << 3;
/** Made on Unix, by version 6.3: file modes are in the upper half of the external attributes. */
const MADE_BY = (3 << 8) | 63;
const FILE_MODE = 0o100644;
const FOLDER_MODE = 0o040755;
const FOLDER_ATTRIBUTE = 0x10;
const EXTRA_64 = 0x0001;
const EXTRA_TIME = 0x5455;
const EXTRA_AES = 0x9901;
const ENCRYPTED = 1;
/** The method of what is encrypted by AES; the real one stands in a field of its own. */
const BY_AES = 99;

export const STORED = 0;
export const DEFLATED = 8;

/** What is known of a file before its bytes. */
export interface Heading {
  /** Path with slashes, in UTF-8; that of a folder ends with one. */
  readonly name: Buffer;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly method: typeof STORED | typeof DEFLATED;
  readonly isFolder: boolean;
  /** Bytes it most likely has: decides on the width of what follows. */
  readonly expected: number;
  /** How its bytes are encrypted; absent: they are not. */
  readonly sealed?: 'standard' | 'aes';
}

export interface Sums {
  readonly crc: number;
  readonly size: number;
  readonly packed: number;
}

/** Whether the sizes of a file may need 64 bits. */
export function isLarge({ expected }: Heading): boolean {
  return expected >= LARGE;
}

/** The header of a file. Without `sums` they follow behind its bytes: `descriptor`. */
export function localHeader(heading: Heading, sums: Sums | undefined): Buffer {
  const large = isLarge(heading);
  const wideField = large ? wide(sums?.size ?? 0, sums?.packed ?? 0) : EMPTY;
  const extra = Buffer.concat([wideField, timeField(heading), sealField(heading)]);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(LOCAL, 0);
  header.writeUInt16LE(versionFor(heading, large), 4);
  header.writeUInt16LE(flags(heading, sums === undefined), 6);
  header.writeUInt16LE(methodOf(heading), 8);
  header.writeUInt32LE(dosTime(heading.modified), 10);
  header.writeUInt32LE(shownCrc(heading, sums?.crc ?? 0), 14);
  header.writeUInt32LE(large ? MOST_32 : (sums?.packed ?? 0), 18);
  header.writeUInt32LE(large ? MOST_32 : (sums?.size ?? 0), 22);
  header.writeUInt16LE(heading.name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, heading.name, extra]);
}

/** What follows the bytes of a file whose header could not tell. */
export function descriptor(heading: Heading, { crc, size, packed }: Sums): Buffer {
  const large = isLarge(heading);
  const bytes = Buffer.alloc(large ? 24 : 16);
  bytes.writeUInt32LE(DESCRIPTOR, 0);
  bytes.writeUInt32LE(shownCrc(heading, crc), 4);
  if (large) {
    bytes.writeBigUInt64LE(BigInt(packed), 8);
    bytes.writeBigUInt64LE(BigInt(size), 16);
  } else {
    bytes.writeUInt32LE(packed, 8);
    bytes.writeUInt32LE(size, 12);
  }
  return bytes;
}

const BLOCK = 64 * 1024;
const EMPTY = Buffer.alloc(0);

/** The directory at the end of the container, as it grows: one record a file, in few buffers. */
export class Directory {
  readonly #blocks: Buffer[] = [];
  #block = Buffer.alloc(BLOCK);
  #used = 0;
  #entries = 0;
  #size = 0;

  add(heading: Heading, { crc, size, packed }: Sums, offset: number, followed: boolean): void {
    const fields: number[] = [];
    const narrow = (value: number): number => {
      if (value < MOST_32) return value;
      fields.push(value);
      return MOST_32;
    };
    // The order of the Zip64 field is fixed: size, packed size, offset.
    const [size32, packed32, offset32] = [narrow(size), narrow(packed), narrow(offset)];
    const wideField = fields.length > 0 ? wide(...fields) : EMPTY;
    const extra = Buffer.concat([wideField, timeField(heading), sealField(heading)]);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(CENTRAL, 0);
    record.writeUInt16LE(MADE_BY, 4);
    record.writeUInt16LE(versionFor(heading, fields.length > 0 || isLarge(heading)), 6);
    record.writeUInt16LE(flags(heading, followed), 8);
    record.writeUInt16LE(methodOf(heading), 10);
    record.writeUInt32LE(dosTime(heading.modified), 12);
    record.writeUInt32LE(shownCrc(heading, crc), 16);
    record.writeUInt32LE(packed32, 20);
    record.writeUInt32LE(size32, 24);
    record.writeUInt16LE(heading.name.length, 28);
    record.writeUInt16LE(extra.length, 30);
    const mode = heading.isFolder ? FOLDER_MODE : FILE_MODE;
    record.writeUInt32LE(((mode << 16) | (heading.isFolder ? FOLDER_ATTRIBUTE : 0)) >>> 0, 38);
    record.writeUInt32LE(offset32, 42);
    for (const part of [record, heading.name, extra]) this.#append(part);
    this.#entries++;
  }

  /** All of it, and what ends the container. `offset`: where it begins. */
  *end(offset: number): Generator<Buffer> {
    yield* this.#blocks;
    yield this.#block.subarray(0, this.#used);
    const entries = this.#entries;
    const size = this.#size;
    if (entries >= MOST_16 || size >= MOST_32 || offset >= MOST_32) yield end64(entries, size, offset);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(END, 0);
    end.writeUInt16LE(Math.min(entries, MOST_16), 8);
    end.writeUInt16LE(Math.min(entries, MOST_16), 10);
    end.writeUInt32LE(Math.min(size, MOST_32), 12);
    end.writeUInt32LE(Math.min(offset, MOST_32), 16);
    yield end;
  }

  #append(part: Buffer): void {
    for (let at = 0; at < part.length;) {
      if (this.#used === BLOCK) {
        this.#blocks.push(this.#block);
        this.#block = Buffer.alloc(BLOCK);
        this.#used = 0;
      }
      const copied = part.copy(this.#block, this.#used, at);
      this.#used += copied;
      at += copied;
    }
    this.#size += part.length;
  }
}

function end64(entries: number, size: number, offset: number): Buffer {
  const bytes = Buffer.alloc(56 + 20);
  bytes.writeUInt32LE(END_64, 0);
  bytes.writeBigUInt64LE(44n, 4);
  bytes.writeUInt16LE(MADE_BY, 12);
  bytes.writeUInt16LE(45, 14);
  bytes.writeBigUInt64LE(BigInt(entries), 24);
  bytes.writeBigUInt64LE(BigInt(entries), 32);
  bytes.writeBigUInt64LE(BigInt(size), 40);
  bytes.writeBigUInt64LE(BigInt(offset), 48);
  bytes.writeUInt32LE(LOCATOR_64, 56);
  bytes.writeBigUInt64LE(BigInt(offset + size), 64);
  bytes.writeUInt32LE(1, 72);
  return bytes;
}

function flags({ sealed }: Heading, followed: boolean): number {
  return UTF8 | (followed ? SIZES_FOLLOW : 0) | (sealed === undefined ? 0 : ENCRYPTED);
}

/** The version of the format that a reader has to know. */
function versionFor({ sealed }: Heading, large: boolean): number {
  return sealed === 'aes' ? 51 : large ? 45 : 20;
}

function methodOf({ method, sealed }: Heading): number {
  return sealed === 'aes' ? BY_AES : method;
}

/** With AES (AE-2) there is none: it would tell of the content. */
function shownCrc({ sealed }: Heading, crc: number): number {
  return sealed === 'aes' ? 0 : crc;
}

/** Vendor version 2, "AE", 256 bits, and the method before encryption. */
function sealField({ method, sealed }: Heading): Buffer {
  if (sealed !== 'aes') return EMPTY;
  const field = Buffer.alloc(11);
  field.writeUInt16LE(EXTRA_AES, 0);
  field.writeUInt16LE(7, 2);
  field.writeUInt16LE(2, 4);
  field.write('AE', 6, 'latin1');
  field.writeUInt8(3, 8);
  field.writeUInt16LE(method, 9);
  return field;
}

/** The byte that tells a wrong password of the standard encryption: of the checksum, or of the time where that is not known yet. */
export function passwordCheck({ modified }: Heading, sums: Pick<Sums, 'crc'> | undefined): number {
  return sums === undefined ? (dosTime(modified) >>> 8) & 0xff : sums.crc >>> 24;
}

function wide(...values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + values.length * 8);
  field.writeUInt16LE(EXTRA_64, 0);
  field.writeUInt16LE(values.length * 8, 2);
  for (const [i, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + i * 8);
  return field;
}

/** The time in seconds since 1970: the other one is local, in steps of two seconds, and nobody knows of which place. */
function timeField({ modified }: Heading): Buffer {
  const field = Buffer.alloc(9);
  field.writeUInt16LE(EXTRA_TIME, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  field.writeInt32LE(Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.floor(modified / 1000))), 5);
  return field;
}

/** Date in the upper half, time in the lower. */
function dosTime(milliseconds: number): number {
  const time = new Date(milliseconds);
  const year = time.getFullYear();
  if (!(year >= 1980)) return (1 << 21) | (1 << 16);
  if (year > 2107) return ((127 << 25) | (12 << 21) | (31 << 16)) >>> 0;
  const date = ((year - 1980) << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1);
  return ((date << 16) | clock) >>> 0;
}
