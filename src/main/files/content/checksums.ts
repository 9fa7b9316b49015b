/** Checksums of content, in one pass over its bytes (docs/interface/files.md 7). */
import { crc32 } from 'node:zlib';
import { Xxh64 } from '@node-rs/xxhash';
import type { StoredValue } from '../../graph/index.js';
import type { HashStream, HashThreads } from './hash-threads.js';

/** What is computed beside xxHash. */
export type ChecksumName = 'crc32' | 'md5' | 'sha1' | 'sha512';
export const CHECKSUM_NAMES: readonly ChecksumName[] = ['crc32', 'md5', 'sha1', 'sha512'];

/** The algorithms that a list names, whatever separates them. */
export function checksumNames(list: string): ChecksumName[] {
  return CHECKSUM_NAMES.filter((name) => list.toLowerCase().includes(name));
}

/** A 64-bit value as the interface knows it: signed, a number where that is exact. */
export function signed(value: bigint): number | bigint {
  const whole = BigInt.asIntN(64, value);
  return whole >= BigInt(Number.MIN_SAFE_INTEGER) && whole <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(whole) : whole;
}

/** Takes bytes as they pass. xxHash and CRC-32 cost less than handing bytes to a thread; the others have threads. */
export class Checksums {
  readonly #xxh64 = new Xxh64(0n);
  readonly #heavy: HashStream | undefined;
  #crc32: number | undefined;

  constructor(names: readonly ChecksumName[], threads: HashThreads) {
    if (names.includes('crc32')) this.#crc32 = 0;
    const heavy = names.filter((name) => name !== 'crc32');
    if (heavy.length > 0) this.#heavy = threads.open(heavy);
  }

  /** A promise when the threads are behind. */
  update(chunk: Buffer): Promise<void> | undefined {
    this.#xxh64.update(chunk);
    if (this.#crc32 !== undefined) this.#crc32 = crc32(chunk, this.#crc32);
    return this.#heavy?.update(chunk);
  }

  /** Properties of the file. */
  async values(): Promise<Record<string, StoredValue>> {
    return {
      checksum: signed(this.#xxh64.digest()),
      ...(this.#crc32 === undefined ? {} : { crc32: this.#crc32 }),
      ...(await this.#heavy?.values()),
    };
  }

  /** Nobody wants the values. */
  drop(): void {
    this.#heavy?.drop();
  }
}
