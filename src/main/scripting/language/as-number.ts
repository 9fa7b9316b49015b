/** The numbers and dates that values mean (docs/interface/scripting.md 4.3, 4.4). */
import { parseIso } from '../../../shared/dates/index.js';
import type { ScriptValue } from './values.js';

const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;
/** Longer texts are no numbers. */
const LONGEST = 400;
const DOUBLE = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,6})?|NaN|Infinity)$/;

export function isNumber(value: ScriptValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Reads a number as Java reads doubles. */
export function parseDouble(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const trimmed = text.trim();
  if (!DOUBLE.test(trimmed)) return undefined;
  return Number(trimmed);
}

/** The number a value means: dates are epoch milliseconds. Undefined: none. */
export function doubleOf(value: ScriptValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string') return parseDouble(value);
  return value instanceof Date ? value.getTime() : undefined;
}

/** The integer part of a number, as a 64-bit integer: what is beyond becomes the nearest one, what is no number 0. */
export function longOf(value: number | bigint): bigint {
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return 0n;
    if (!Number.isFinite(value)) return value > 0 ? LONG_MAX : LONG_MIN;
    return longOf(BigInt(Math.trunc(value)));
  }
  return value > LONG_MAX ? LONG_MAX : value < LONG_MIN ? LONG_MIN : value;
}

/** The date a value means: dates, epoch milliseconds, texts in ISO form (docs/interface/scripting.md 4.4). */
export function dateOf(value: ScriptValue): Date | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value;
  const instant =
    typeof value === 'number'
      ? Math.round(value)
      : typeof value === 'bigint'
        ? Number(value)
        : typeof value === 'string'
          ? parseIso(value.trim())?.instant
          : undefined;
  if (instant === undefined) return undefined;
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
