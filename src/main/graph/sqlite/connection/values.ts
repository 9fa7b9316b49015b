/**
 * The one form in which a property value is compared and sorted: in the property index, as a bound
 * parameter, and (see `valueExpression` in stamps.ts) computed from the JSON of a row. SQLite orders numbers
 * before text before blobs, so the blobs stand for what must come after all text: false, true, any array, missing.
 * Because Booleans have blobs of their own, equality is typed (`true` is not `1`), and because a missing value
 * has one as well, every node has an entry and an index alone can serve a sort, nulls in their place.
 */
import type { StoredValue } from '../../types.js';

/** What better-sqlite3 binds and returns. */
export type SqlValue = string | number | bigint | Buffer | null;

export const FALSE = Buffer.from([0x00]);
export const TRUE = Buffer.from([0x01]);
export const ARRAY = Buffer.from([0x80]);
export const MISSING = Buffer.from([0xff]);
/** The least blob: everything below it is a number or a text. */
export const ABOVE_TEXT = Buffer.alloc(0);

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** NaN is stored but compares as missing: it has no place in an order. */
export function sqlValue(value: StoredValue | null | undefined): SqlValue {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return Number.isNaN(value) ? MISSING : value;
    case 'boolean':
      return value ? TRUE : FALSE;
    case 'bigint':
      return value > INT64_MAX || value < INT64_MIN ? Number(value) : value;
    default:
      return value === undefined || value === null ? MISSING : ARRAY;
  }
}

/** True when two stored values are the same: same kind, same content. */
export function sameValue(a: StoredValue | null | undefined, b: StoredValue | null | undefined): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) {
    return a.length === b.length && a.every((item, i) => Object.is(item, b[i]));
  }
  return false;
}

/** The least text that is greater than every text with this prefix, by code point; undefined: there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0;
    if (point < 0x10ffff) {
      // The surrogates are no code points of text: the next one after U+D7FF is U+E000.
      return points.join('') + String.fromCodePoint(point >= 0xd7ff && point < 0xe000 ? 0xe000 : point + 1);
    }
  }
  return undefined;
}
