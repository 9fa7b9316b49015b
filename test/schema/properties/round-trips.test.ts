import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StoredValue } from '../../../src/main/graph/index.js';
import type { JsonValue } from '../../../src/shared/json/index.js';
import { afterWriting, property } from './support.js';

const members = ['open', 'done', 'in-work'];
/** Whole seconds of years with four digits, which the default pattern keeps. */
const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }).map((s) => s * 1000);

/** Values as stored, and the JSON values that answers show for them. */
const scalars: Record<string, fc.Arbitrary<StoredValue>> = {
  String: fc.string({ unit: 'grapheme' }),
  Integer: fc.integer(),
  Long: fc.oneof(
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((value) => !Number.isSafeInteger(Number(value))),
  ),
  // There is one zero: -0 reads as 0.
  Double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  Boolean: fc.boolean(),
  Date: seconds,
  Enum: fc.constantFrom(...members),
};

/** Parses what `toJson` gave, with whole numbers beyond 2^53 as `bigint` as the service's own parser does. */
function parse(type: string, text: string): JsonValue {
  if (!type.startsWith('Long')) return JSON.parse(text) as JsonValue;
  const inner = text.startsWith('[') ? text.slice(1, -1).split(',') : [text];
  const numbers = inner
    .filter((part) => part !== '')
    .map((part): JsonValue => (part.length > 15 ? BigInt(part) : Number(part)));
  return text.startsWith('[') ? numbers : (numbers[0] ?? null);
}

describe('what is read can be written back', () => {
  for (const [type, arbitrary] of Object.entries(scalars)) {
    const format = type === 'Enum' ? { format: members.join(',') } : {};

    test(type, () => {
      const p = property(type, format);
      fc.assert(
        fc.property(arbitrary, (stored) => {
          const json = p.toJson(stored);
          expect(p.fromJson(parse(type, json), 'T')).toEqual(stored);
          expect(afterWriting(p, parse(type, json))).toBe(json);
        }),
      );
    });

    test(`${type}Array`, () => {
      const p = property(`${type}Array`, format);
      fc.assert(
        fc.property(fc.array(arbitrary, { minLength: 1 }), (stored) => {
          const json = p.toJson(stored as StoredValue);
          expect(p.fromJson(parse(`${type}Array`, json), 'T')).toEqual(stored);
        }),
      );
    });
  }

  test('ZonedDateTime, and texts sort as instants', () => {
    const p = property('ZonedDateTime');
    const input = fc.record({
      instant: fc.integer({ min: -62_000_000_000_000, max: 253_000_000_000_000 }),
      offset: fc.integer({ min: -18 * 60, max: 18 * 60 }),
    });
    const text = ({ instant, offset }: { instant: number; offset: number }): string => {
      const size = Math.abs(offset);
      const clock = new Date(instant + offset * 60_000).toISOString().slice(0, -1);
      const two = (n: number): string => String(n).padStart(2, '0');
      return `${clock}${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
    };
    fc.assert(
      fc.property(input, input, (a, b) => {
        const [first, second] = [a, b].map((value) => String(p.fromJson(text(value), 'T')));
        if (first === undefined || second === undefined) throw new Error('unreachable');
        if (a.instant !== b.instant) expect(first < second).toBe(a.instant < b.instant);
        const json = p.toJson(first);
        expect(p.fromJson(JSON.parse(json) as string, 'T')).toBe(first);
        expect(Date.parse(JSON.parse(json) as string)).toBe(a.instant);
      }),
    );
  });

  test('Encrypted and ByteArray', () => {
    const encrypted = property('Encrypted');
    const bytes = property('ByteArray');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(afterWriting(encrypted, text)).toBe(JSON.stringify(text));
        expect(afterWriting(bytes, text)).toBe(JSON.stringify(text));
      }),
    );
  });
});
