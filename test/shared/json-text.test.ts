import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonString } from '../../src/shared/json/index.js';

test('writes what JSON.stringify writes', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 100 }),
        fc.string({ unit: 'binary', maxLength: 100 }),
        fc.string({ unit: 'binary-ascii', maxLength: 60 }),
      ),
      (text) => {
        expect(jsonString(text)).toBe(JSON.stringify(text));
      },
    ),
    { numRuns: 1000 },
  );
  expect(jsonString('\ud800')).toBe('"\\ud800"');
  expect(jsonString('x'.repeat(50) + '\udc00')).toBe(JSON.stringify('x'.repeat(50) + '\udc00'));
});
