import { placeOf, WAYS } from './key-hash.js';

/** Clients that are counted at a time; must be a power of two. */
const PLACES = 16 * 1024;
/** Bits of a place that count; those above them are the mark of its key. */
const COUNT_BITS = 24n;
const COUNT = (1n << COUNT_BITS) - 1n;

export interface KeysMemory {
  readonly seed: number;
  readonly threads: number;
  /** Mark and count of each place in one number, so that both change at once. */
  readonly places: BigInt64Array;
  /** What each thread has counted at each place. */
  readonly own: Int32Array;
}

export function keysMemory(threads: number, seed: number): KeysMemory {
  return {
    seed,
    threads,
    places: new BigInt64Array(new SharedArrayBuffer(PLACES * 8)),
    own: new Int32Array(new SharedArrayBuffer(PLACES * threads * 4)),
  };
}

/**
 * Counts by key that threads share, in a table of fixed size. A key has eight places, and the first one free among them for as long as it
 * counts; where all are taken it gets none, and each thread counts it for itself. Keys whose marks are the same, one pair in four thousand
 * million, count as one.
 */
export class SharedKeys {
  constructor(
    private readonly memory: KeysMemory,
    private readonly thread: number,
  ) {}

  /** A place for a key, which counts one there; -1: none is free. */
  take(key: string): number {
    const { places, seed } = this.memory;
    const { from, mark } = placeOf(key, seed, PLACES);
    const marked = BigInt(mark) << COUNT_BITS;
    for (;;) {
      const at = find(places, from, marked);
      if (at < 0) return -1;
      const seen = Atomics.load(places, at);
      const count = seen & COUNT;
      // Another thread was quicker: the key may have a place now.
      if (count !== 0n && seen - count !== marked) continue;
      if (Atomics.compareExchange(places, at, seen, marked + count + 1n) !== seen) continue;
      this.#counted(at, 1);
      return at;
    }
  }

  /** One more, or fewer, at a place that was taken; answers how many all threads count there. */
  add(place: number, count: 1 | -1): number {
    const { places } = this.memory;
    const before = count > 0 ? Atomics.add(places, place, 1n) : Atomics.sub(places, place, 1n);
    this.#counted(place, count);
    return Number(before & COUNT) + count;
  }

  /** How many all threads count there. */
  count(place: number): number {
    return Number(Atomics.load(this.memory.places, place) & COUNT);
  }

  /** Takes back what a thread has counted that has ended. */
  forget(thread: number): void {
    const { places, own, threads } = this.memory;
    for (let place = 0; place < PLACES; place++) {
      const counted = Atomics.exchange(own, place * threads + thread, 0);
      if (counted > 0) Atomics.sub(places, place, BigInt(counted));
    }
  }

  #counted(place: number, count: number): void {
    Atomics.add(this.memory.own, place * this.memory.threads + this.thread, count);
  }
}

/** The place that counts for this mark, else the first that counts nothing; -1: none. */
function find(places: BigInt64Array, from: number, marked: bigint): number {
  let free = -1;
  for (let at = from; at < from + WAYS; at++) {
    const seen = Atomics.load(places, at);
    const count = seen & COUNT;
    if (count === 0n) {
      if (free < 0) free = at;
    } else if (seen - count === marked) return at;
  }
  return free;
}
