import { randomFillSync } from 'node:crypto';

/*
 * Ids are RFC 9562 version 7: 48 bits of milliseconds, then a counter, then 62 random bits. New rows so land
 * at the right edge of the id index instead of on a random page each, which is what keeps inserts fast
 * with a million objects. 62 random bits keep them unguessable.
 */
const POOL = 512;
const pool = Buffer.alloc(8 * POOL);
/** The same as digits, 16 a place: of one string each id takes a piece. */
let digits = '';
let poolAt = POOL;
let lastTime = 0;
let sequence = 0;
/** Digits of `lastTime`: many ids are made in one millisecond. */
let time = '';

const sequences: readonly string[] = Array.from({ length: 0x1000 }, (_, i) => i.toString(16).padStart(3, '0'));

/** Ids that were made and not used yet, and those of before. More are forgotten: they then count as any other. */
let unused = new Set<string>();
let unusedBefore = new Set<string>();
const MAX_UNUSED = 2048;

/** True when `newId` made the id, not long ago, and this is the first use of it: nothing can have it yet. */
export function useId(id: string): boolean {
  return unused.delete(id) || unusedBefore.delete(id);
}

/** True when `newId` made the id, not long ago, and it was not used: nothing has it yet. */
export function isUnused(id: string): boolean {
  return unused.has(id) || unusedBefore.has(id);
}

/** A new UUID: 32 hexadecimal digits, or with dashes (`application.uuid.createcompact`). */
export function newId(compact = true): string {
  if (poolAt === POOL) {
    randomFillSync(pool);
    // The two bits of the variant; the first byte of a place otherwise counts for six.
    for (let at = 0; at < pool.length; at += 8) pool[at] = ((pool[at] ?? 0) & 0x3f) | 0x80;
    digits = pool.toString('hex');
    poolAt = 0;
  }
  const at = poolAt++;
  const now = Date.now();
  if (now <= lastTime) {
    // Same millisecond, or the clock went back: count on, borrowing from the next millisecond.
    sequence++;
    if (sequence > 0xfff) {
      sequence = 0;
      lastTime++;
      time = lastTime.toString(16).padStart(12, '0');
    }
  } else {
    lastTime = now;
    time = now.toString(16).padStart(12, '0');
    sequence = ((pool[8 * at] ?? 0) << 3) & 0x7ff;
  }
  const third = `7${sequences[sequence] ?? ''}`;
  const rest = digits.slice(16 * at, 16 * at + 16);
  const id = compact
    ? time + third + rest
    : `${time.slice(0, 8)}-${time.slice(8)}-${third}-${rest.slice(0, 4)}-${rest.slice(4)}`;
  if (unused.size >= MAX_UNUSED) {
    unusedBefore = unused;
    unused = new Set();
  }
  unused.add(id);
  return id;
}
