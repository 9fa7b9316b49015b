/**
 * A checksum of many entities that does not depend on the order in which they are read, and that can be gone on with:
 * the sum of the first 128 bits of the SHA-256 of each, modulo 2^128. An entity's place in the order of creation is
 * part of it.
 */
import { hash } from 'node:crypto';
import { type BulkItem, canonicalText } from '../graph/index.js';

const MASK = 2n ** 128n - 1n;

/** A checksum as text can keep it. */
export interface SavedChecksum {
  readonly count: number;
  readonly sum: string;
}

export class Checksum {
  #count: number;
  #sum: bigint;

  constructor(saved?: SavedChecksum) {
    this.#count = saved?.count ?? 0;
    this.#sum = BigInt(`0x${saved?.sum ?? '0'}`);
  }

  add({ position, entity }: BulkItem): void {
    const digest = hash('sha256', `${String(position)} ${canonicalText(entity)}`, 'buffer');
    this.#count++;
    this.#sum = (this.#sum + ((digest.readBigUInt64BE(0) << 64n) | digest.readBigUInt64BE(8))) & MASK;
  }

  /** Adds what another checksum is of. */
  include(other: Checksum): void {
    this.#count += other.#count;
    this.#sum = (this.#sum + other.#sum) & MASK;
  }

  get count(): number {
    return this.#count;
  }

  equals(other: Checksum): boolean {
    return this.#count === other.#count && this.#sum === other.#sum;
  }

  save(): SavedChecksum {
    return { count: this.#count, sum: this.#sum.toString(16) };
  }
}
