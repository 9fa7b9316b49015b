import busboy from 'busboy';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundarySearch, searchNatively } from '../../src/main/http/boundary-search.js';

/** What lies between the boundaries of a text that arrives in chunks of these sizes. */
function found(text: string, needle: string, sizes: readonly number[]): string[] {
  const between = [''];
  const search = new BoundarySearch(Buffer.from(needle), (isMatch, data, start, end) => {
    between.push(`${between.pop() ?? ''}${data?.toString('latin1', start, end) ?? ''}`);
    if (isMatch) between.push('');
  });
  const bytes = Buffer.from(text);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const chunk = Buffer.from(bytes.subarray(at, at + (sizes[i % sizes.length] ?? 1)));
    search.push(chunk);
    at += chunk.length;
    // Nothing of a chunk may be needed later: its memory belongs to somebody else then.
    chunk.fill('!');
  }
  search.destroy();
  return between;
}

test('finds what splitting the whole text finds, however the text is cut', () => {
  const few = fc.constantFrom('a', 'b', '-', '\r', '\n');
  const text = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
    fc.array(few, { minLength, maxLength }).map((all) => all.join(''));
  const needles = fc.oneof(text(1, 5), fc.constantFrom('\r\n--', 'aab', 'abab', 'aaaa'));
  fc.assert(
    fc.property(
      needles,
      fc.array(fc.oneof(text(0, 6), fc.constant(undefined)), { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
      (needle, pieces, sizes) => {
        const all = pieces.map((piece) => piece ?? needle).join('');
        expect(found(all, needle, sizes)).toEqual(all.split(needle));
      },
    ),
    { numRuns: 3000 },
  );
});

test('finds a boundary that begins anew within its own beginning', () => {
  expect(found('aaab', 'aab', [1])).toEqual(['a', '']);
  expect(found('aaab', 'aab', [2])).toEqual(['a', '']);
  expect(found('\r\n\r\n--x', '\r\n--x', [3])).toEqual(['\r\n', '']);
});

test('takes its place in the parser', () => {
  const parser = busboy({ headers: { 'content-type': 'multipart/form-data; boundary=x' } });
  expect(searchNatively(parser)).toBe(true);
});
