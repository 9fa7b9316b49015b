/** How often something happened of late, for many keys in bounded memory. */

interface Count {
  /** When the current span began. */
  start: number;
  current: number;
  /** Of the span before. */
  previous: number;
  seen: number;
}

const MAX_KEYS = 100_000;

/**
 * Events of the last `span` milliseconds per key. The span before the current one counts by the share of it that lies
 * within; so a key needs four numbers, however many events it has. Of too many keys the one seen longest ago is
 * forgotten.
 */
export class RateWindow {
  private readonly counts = new Map<string, Count>();

  constructor(
    private readonly span: number,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  /** Number of keys kept. */
  get size(): number {
    return this.counts.size;
  }

  /** Events of `key` in the span that ends `now`. */
  count(key: string, now: number): number {
    const count = this.counts.get(key);
    if (count === undefined) return 0;
    this.move(count, now);
    return count.previous * (1 - (now - count.start) / this.span) + count.current;
  }

  /** Counts an event and answers how many there are with it. */
  add(key: string, now: number): number {
    const count = this.counts.get(key) ?? { start: now, current: 0, previous: 0, seen: now };
    // To the end of the map: those seen longest ago are at its beginning.
    this.counts.delete(key);
    this.counts.set(key, count);
    this.move(count, now);
    count.current++;
    count.seen = now;
    if (this.counts.size > this.maxKeys) {
      for (const oldest of this.counts.keys()) {
        this.counts.delete(oldest);
        break;
      }
    }
    return this.count(key, now);
  }

  /** Forgets keys without an event for `idle` milliseconds. */
  forget(now: number, idle: number): void {
    for (const [key, count] of this.counts) {
      if (now - count.seen <= Math.max(idle, this.span * 2)) break;
      this.counts.delete(key);
    }
  }

  private move(count: Count, now: number): void {
    const spans = Math.floor((now - count.start) / this.span);
    if (spans <= 0) return;
    count.previous = spans === 1 ? count.current : 0;
    count.current = 0;
    count.start += spans * this.span;
  }
}
