import { randomFillSync } from 'node:crypto';

/*
 * Ids are RFC 9562 version 7: 48 bits of milliseconds, then a counter, then 62 random bits. New rows so land
 * at the right edge of the id index instead of on a random page each, which is what keeps inserts fast
 * with a million objects. 62 random bits keep them unguessable.
 */
const POOL = 512;
const pool = Buffer.alloc(8 * POOL);
let poolAt = POOL;
let lastTime = 0;
let sequence = 0;

const hex2: readonly string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/** Ids that were made and not used yet, and those of before. More are forgotten: they then count as any other. */
let unused = new Set<string>();
let unusedBefore = new Set<string>();
const MAX_UNUSED = 2048;

/** True when `newId` made the id, not long ago, and this is the first use of it: nothing can have it yet. */
export function useId(id: string): boolean {
  return unused.delete(id) || unusedBefore.delete(id);
}

/** A new UUID: 32 hexadecimal digits, or with dashes (`application.uuid.createcompact`). */
export function newId(compact = true): string {
  if (poolAt === POOL) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const at = poolAt++ * 8;
  let now = Date.now();
  if (now <= lastTime) {
    // Same millisecond, or the clock went back: count on, borrowing from the next millisecond.
    sequence++;
    if (sequence > 0xfff) {
      sequence = 0;
      lastTime++;
    }
    now = lastTime;
  } else {
    lastTime = now;
    sequence = ((pool[at] ?? 0) << 3) & 0x7ff;
  }
  const byte = (i: number): string => hex2[pool[at + i] ?? 0] ?? '';
  const time = now.toString(16).padStart(12, '0');
  const third = '7' + sequence.toString(16).padStart(3, '0');
  const fourth = (hex2[((pool[at] ?? 0) & 0x3f) | 0x80] ?? '') + byte(1);
  const rest = byte(2) + byte(3) + byte(4) + byte(5) + byte(6) + byte(7);
  const id = compact ? time + third + fourth + rest : `${time.slice(0, 8)}-${time.slice(8)}-${third}-${fourth}-${rest}`;
  if (unused.size >= MAX_UNUSED) {
    unusedBefore = unused;
    unused = new Set();
  }
  unused.add(id);
  return id;
}
