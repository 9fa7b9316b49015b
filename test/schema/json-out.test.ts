import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonOut } from '../../src/main/schema/index.js';

test('long texts leave in pieces that are the JSON of the whole together', async () => {
  const text = fc.array(fc.constantFrom('plain ', '"\\\n\u0000', 'ä', '😀', '\ud83d', '\ude00', 'x'.repeat(999)), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 400 }), async (parts, times) => {
      const long = parts.join('').repeat(times);
      const pieces: string[] = [];
      let kept = 0;
      let left = 0;
      const out = new JsonOut(false, {
        write: (piece) => {
          pieces.push(piece);
          return Promise.resolve();
        },
        keeps: (what) => {
          kept += Number(what);
        },
        leaves: (what) => {
          left += Number(what);
        },
      });
      out.text += '[';
      out.long(long);
      out.text += ',"short"]';
      expect([out.whole, out.due, left]).toEqual([false, true, 0]);
      await out.flush();
      expect(pieces.join('')).toBe(JSON.stringify([long, 'short']));
      // An escape makes six characters of one.
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(6 * 64 * 1024);
      // What becomes UTF-8 by itself must not begin or end within a character.
      expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString()).toBe(JSON.stringify([long, 'short']));
      expect([out.whole, out.text, kept, left]).toEqual([true, '', long.length, long.length]);
    }),
    { numRuns: 30 },
  );
});
