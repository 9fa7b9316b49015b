/** Documents of MongoDB as bytes: what they hold is counted before it is made. */
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { countValues, mapOfBytes, valueOf } from '../../src/main/scripting/outside/databases/bson.js';

/** One value of each kind that servers send. */
const KINDS = [
  1.5,
  'text',
  { inner: 'document' },
  [1, 'list'],
  new BSON.Binary(Buffer.from('bytes')),
  new BSON.ObjectId(),
  true,
  new Date(0),
  null,
  new BSON.BSONRegExp('a.b', 'i'),
  new BSON.Code('f()'),
  new BSON.Code('f()', { name: [1, 2] }),
  new BSON.BSONSymbol('symbol'),
  new BSON.Int32(1),
  new BSON.Timestamp({ t: 1, i: 2 }),
  BSON.Long.fromNumber(2 ** 40),
  BSON.Decimal128.fromString('1.5'),
  new BSON.MinKey(),
  new BSON.MaxKey(),
];

function valuesIn(value: unknown): number {
  if (value instanceof BSON.Code) return value.scope === null ? 0 : valuesIn(value.scope);
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype;
  if (!isPlain) return 0;
  return Object.values(value as object).reduce<number>((sum, one) => sum + 1 + valuesIn(one), 0);
}

it('counts the values of all kinds, of inner documents and lists', () => {
  const bytes = BSON.serialize({ all: KINDS, again: { all: KINDS } });
  expect(countValues(bytes, Infinity)).toBe(valuesIn({ all: KINDS, again: { all: KINDS } }));
  expect(countValues(bytes, 7)).toBe(7);
  const documents = fc.object({ values: [fc.string(), fc.double(), fc.boolean(), fc.constant(null)], maxDepth: 4 });
  fc.assert(
    fc.property(documents, (document) => {
      // Keys are texts that end with a zero.
      const text = JSON.stringify(document).replaceAll('\\u0000', '');
      const whole = JSON.parse(text) as Record<string, unknown>;
      expect(countValues(BSON.serialize(whole), Infinity)).toBe(valuesIn(whole));
    }),
  );
});

it('counts no more than it is to, and ends with what is no document', () => {
  const bytes = BSON.serialize({ a: KINDS });
  fc.assert(
    fc.property(
      fc.nat(bytes.length - 1),
      fc.nat(255),
      fc.integer({ min: 5, max: bytes.length }),
      (at, byte, length) => {
        const changed = Uint8Array.from(bytes.subarray(0, length));
        changed[at % length] = byte;
        try {
          expect(countValues(changed, Infinity)).toBeLessThanOrEqual(length);
        } catch (error) {
          expect(error).toMatchObject({ status: 422 });
        }
      },
    ),
  );
});

it('reads keys that the library has another meaning for', () => {
  const document = mapOfBytes(BSON.serialize({ x: 1, y: 2 }));
  expect(document).toEqual(
    new Map([
      ['x', 1n],
      ['y', 2n],
    ]),
  );
  expect(valueOf({ x: { _bsontype: 'a', b: 'c' } })).toEqual(
    new Map([
      [
        'x',
        new Map([
          ['_bsontype', 'a'],
          ['b', 'c'],
        ]),
      ],
    ]),
  );
  expect([valueOf(2), valueOf(1.5)]).toEqual([2n, 1.5]);
});
