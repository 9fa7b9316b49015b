import fc from 'fast-check';
import { expect, test } from 'vitest';
import { includesText, positionOf, splitText } from '../../src/shared/text-search.js';
import { computingTime, paced } from '../support/loop.js';
import { runsOf } from '../support/random.js';

/** A text of few different characters, which repeats itself. */
const text = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(fc.constantFrom('a', 'b', '😀'), { minLength: 1, maxLength: 7 }),
      fc.integer({ min: minLength, max: maxLength }),
    )
    .map(([few, length]) => few.join('').repeat(length).slice(0, length));

test('finds and splits as strings do, whatever the lengths', () => {
  fc.assert(
    fc.property(
      text(240, 700),
      fc.array(fc.oneof(text(0, 300), fc.constant(undefined)), { maxLength: 6 }),
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 1, max: 5 }),
      (part, pieces, from, most) => {
        const whole = pieces.map((piece) => piece ?? part).join('');
        expect(positionOf(whole, part, from)).toBe(whole.indexOf(part, from));
        expect(includesText(whole, part)).toBe(whole.includes(part));
        expect(splitText(whole, part, most)).toEqual(whole.split(part, most));
      },
    ),
    { numRuns: runsOf(2000) },
  );
});

test('needs no more time for texts that are nearly found everywhere', () => {
  // What makes V8's search change its way, then what is slow on the next one.
  const whole = `${'\r'.repeat(64_000)}${'a'.repeat(2_000_000)}`;
  const took = computingTime(() => {
    expect(includesText(whole, `\r\n--${'a'.repeat(8000)}`)).toBe(false);
    expect(includesText(whole, `${'a'.repeat(8000)}b`)).toBe(false);
  });
  expect(took).toBeLessThan(paced(2000));
});
