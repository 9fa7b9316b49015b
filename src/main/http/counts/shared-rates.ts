import { placeOf, WAYS } from './key-hash.js';

/** Keys that are remembered; must be a power of two. */
const PLACES = 32 * 1024;
const SPAN = 1000;
/** Of a place: its key's mark, the span it was seen in last, and the counts of the spans of even and of odd numbers. */
const [MARK, SEEN, COUNTS, NUMBERS] = [0, 1, 2, 4];
/** A count has the number of its span with it, as far as twelve bits go. */
const COUNT_BITS = 20;
const MOST = (1 << COUNT_BITS) - 1;
const TAG = 0xfff;
/** Parts of the table of which one is looked at with each `forget`: all of them before a tag comes again. */
const PARTS = 64;

export interface RatesMemory {
  readonly seed: number;
  readonly cells: Int32Array;
}

export function ratesMemory(seed: number): RatesMemory {
  return { seed, cells: new Int32Array(new SharedArrayBuffer(PLACES * NUMBERS * 4)) };
}

/**
 * `RateWindow` of one second for all threads of a process, in a table of fixed size. Spans begin with the seconds of the system's clock. A key
 * has eight places; where all are taken, the one whose key was seen longest ago is given to the new key.
 */
export class SharedRates {
  #part = 0;

  constructor(private readonly memory: RatesMemory) {}

  /** Milliseconds, the same in all threads. */
  static now(): number {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  }

  /** Number of keys kept. */
  get size(): number {
    const { cells } = this.memory;
    let size = 0;
    for (let at = MARK; at < cells.length; at += NUMBERS) if (Atomics.load(cells, at) !== 0) size++;
    return size;
  }

  /** Counts an event and answers how many there are with it in the last second. */
  add(key: string, now: number): number {
    const { cells } = this.memory;
    const span = Math.floor(now / SPAN);
    const at = this.#place(key, span);
    if (Atomics.load(cells, at + SEEN) !== span) Atomics.store(cells, at + SEEN, span);
    const current = count(cells, at + COUNTS + (span & 1), span & TAG);
    const before = Atomics.load(cells, at + COUNTS + ((span + 1) & 1));
    const previous = before >>> COUNT_BITS === ((span - 1) & TAG) ? before & MOST : 0;
    return previous * (1 - (now / SPAN - span)) + current;
  }

  /** Forgets keys without an event for `idle` milliseconds, a part of them at a time. */
  forget(now: number, idle: number): void {
    const { cells } = this.memory;
    const oldest = Math.floor((now - Math.max(idle, 2 * SPAN)) / SPAN);
    const part = cells.length / PARTS;
    for (let at = this.#part * part; at < (this.#part + 1) * part; at += NUMBERS) {
      const mark = Atomics.load(cells, at + MARK);
      if (mark === 0 || Atomics.load(cells, at + SEEN) >= oldest) continue;
      clear(cells, at);
      Atomics.compareExchange(cells, at + MARK, mark, 0);
    }
    this.#part = (this.#part + 1) % PARTS;
  }

  #place(key: string, span: number): number {
    const { cells, seed } = this.memory;
    const { from, mark } = placeOf(key, seed, PLACES);
    for (;;) {
      let oldest = -1;
      let oldestSeen = Infinity;
      let oldestMark = 0;
      for (let at = from * NUMBERS; at < (from + WAYS) * NUMBERS; at += NUMBERS) {
        const found = Atomics.load(cells, at + MARK);
        if (found === mark) return at;
        const seen = found === 0 ? -1 : Atomics.load(cells, at + SEEN);
        if (seen >= oldestSeen) continue;
        oldest = at;
        oldestSeen = seen;
        oldestMark = found;
      }
      // Counts of the last two spans are those of the key that has to leave.
      if (oldestSeen >= span - 1) clear(cells, oldest);
      if (Atomics.compareExchange(cells, oldest + MARK, oldestMark, mark) === oldestMark) return oldest;
    }
  }
}

function clear(cells: Int32Array, at: number): void {
  Atomics.store(cells, at + COUNTS, 0);
  Atomics.store(cells, at + COUNTS + 1, 0);
}

/** One more in this cell, of the span with this tag; answers how many. */
function count(cells: Int32Array, cell: number, tag: number): number {
  for (;;) {
    const seen = Atomics.load(cells, cell);
    const counted = seen >>> COUNT_BITS === tag ? Math.min(MOST, (seen & MOST) + 1) : 1;
    if (Atomics.compareExchange(cells, cell, seen, (tag << COUNT_BITS) | counted) === seen) return counted;
  }
}
