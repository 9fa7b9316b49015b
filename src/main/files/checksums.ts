/** Checksums of content, in one pass over its bytes (files.md 6). */
import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Xxh64 } from '@node-rs/xxhash';
import type { StoredValue } from '../graph/index.js';

/** What is computed beside xxHash. */
export type ChecksumName = 'crc32' | 'md5' | 'sha1' | 'sha512';
export const CHECKSUM_NAMES: readonly ChecksumName[] = ['crc32', 'md5', 'sha1', 'sha512'];

/** The algorithms that a list names, whatever separates them. */
export function checksumNames(list: string): ChecksumName[] {
  return CHECKSUM_NAMES.filter((name) => list.toLowerCase().includes(name));
}

/** A 64-bit value as the interface knows it: signed, a number where that is exact. */
function signed(value: bigint): number | bigint {
  const whole = BigInt.asIntN(64, value);
  return whole >= BigInt(Number.MIN_SAFE_INTEGER) && whole <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(whole) : whole;
}

/** Takes bytes as they pass. */
export class Checksums {
  readonly #xxh64 = new Xxh64(0n);
  readonly #hashes: [ChecksumName, Hash][] = [];
  #crc32: number | undefined;

  constructor(names: readonly ChecksumName[]) {
    for (const name of names) {
      if (name === 'crc32') this.#crc32 = 0;
      else this.#hashes.push([name, createHash(name)]);
    }
  }

  update(chunk: Buffer): void {
    this.#xxh64.update(chunk);
    if (this.#crc32 !== undefined) this.#crc32 = crc32(chunk, this.#crc32);
    for (const [, hash] of this.#hashes) hash.update(chunk);
  }

  /** Properties of the file. */
  values(): Record<string, StoredValue> {
    const values: Record<string, StoredValue> = { checksum: signed(this.#xxh64.digest()) };
    if (this.#crc32 !== undefined) values['crc32'] = this.#crc32;
    for (const [name, hash] of this.#hashes) values[name] = hash.digest('hex');
    return values;
  }
}
