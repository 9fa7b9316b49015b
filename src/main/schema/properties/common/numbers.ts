import type { ScalarValue } from '../../../graph/index.js';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const INTEGER = /^[+-]?\d+$/;
/** Longest text tried: far more than any number needs, and too short to keep the machine busy. */
const MAX_LENGTH = 400;

const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

/** The number a decimal text means; undefined for other texts. */
export function numberFromText(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const trimmed = text.trim();
  return DECIMAL.test(trimmed) ? Number(trimmed) : undefined;
}

/** The 64-bit integer a text means, in stored form; undefined for other texts and for larger numbers. */
export function longFromText(text: string): number | bigint | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const trimmed = text.trim();
  if (!INTEGER.test(trimmed)) return undefined;
  const number = Number(trimmed);
  if (Number.isSafeInteger(number)) return number + 0;
  return longFromBigint(BigInt(trimmed.startsWith('+') ? trimmed.slice(1) : trimmed));
}

/** The stored form of a 64-bit integer: `bigint` only where a number would lose digits. Undefined beyond 64 bits. */
export function longFromBigint(value: bigint): number | bigint | undefined {
  if (value < LONG_MIN || value > LONG_MAX) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A number for anything stored that means one: a property's type may have changed. */
export function finiteNumber(stored: ScalarValue): number | undefined {
  const number = typeof stored === 'string' ? numberFromText(stored) : Number(stored);
  return number !== undefined && Number.isFinite(number) ? number : undefined;
}
