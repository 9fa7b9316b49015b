/** How values compare (docs/interface/scripting.md 4.3). */
import { isNumber, parseDouble } from './as-number.js';
import { textOf, type DateSettings } from './text.js';
import type { ScriptValue } from './values.js';

/** Whether two values are equal, as `equal()` says. */
export function equal(a: ScriptValue, b: ScriptValue, context: DateSettings): boolean {
  if (a === null || b === null) return a === b;
  if (typeof a === 'boolean' && typeof b === 'string') return String(a) === b;
  if (typeof a === 'string' && typeof b === 'boolean') return a === String(b);
  if (isNumber(a) && typeof b === 'string') {
    const number = parseDouble(b);
    return number !== undefined && compare(Number(a), number) === 0;
  }
  if (typeof a === 'string' && isNumber(b)) return equal(b, a, context);
  return order(a, b, context) === 0;
}

/** Below, equal to or above 0, as `a` is before, at or after `b`. Null is before everything. */
export function order(a: ScriptValue, b: ScriptValue, context: DateSettings): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (isNumber(a) && isNumber(b)) return compare(a, b);
  if (isNumber(a) && typeof b === 'string') return compare(a, parseDouble(b) ?? -Infinity);
  if (typeof a === 'string' && isNumber(b)) return compare(parseDouble(a) ?? -Infinity, b);
  if (typeof a === 'boolean' && (typeof b === 'boolean' || typeof b === 'string')) return compare(a, booleanOf(b));
  if (typeof a === 'string' && typeof b === 'boolean') return compare(booleanOf(a), b);
  if (a instanceof Date && b instanceof Date) return compare(a.getTime(), b.getTime());
  return compare(textOf(a, context), textOf(b, context));
}

/** True, or the text `true`: what `if`, `and`, `or` and `not` take for true. */
export function isTrue(value: ScriptValue | undefined): boolean {
  return value === true || value === 'true';
}

/** A text as a condition: `true` in any case is, everything else is not. */
export function booleanOf(value: boolean | string): boolean {
  return typeof value === 'boolean' ? value : value.toLowerCase() === 'true';
}

/** What is no number comes behind all numbers, as in Java. */
function compare<T extends number | bigint | boolean | string>(a: T, b: T): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}
