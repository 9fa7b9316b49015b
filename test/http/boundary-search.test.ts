import { setTimeout as sleep } from 'node:timers/promises';
import busboy from 'busboy';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BoundarySearch, searchNatively } from '../../src/main/http/request/boundary-search.js';
import { computingTime } from '../support/loop.js';

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

test('finds what splitting finds among many beginnings that are none, in long chunks', () => {
  const needle = '\r\n--boundary';
  const wrong = fc.constantFrom('\r', '\r\n', '\r\n--bou', '\r\n--boundar', 'text '.repeat(20), needle);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(wrong, fc.integer({ min: 1, max: 100 })), { maxLength: 12 }),
      fc.array(fc.integer({ min: 20, max: 20_000 }), { minLength: 1, maxLength: 4 }),
      (pieces, sizes) => {
        const all = pieces.map(([piece, times]) => piece.repeat(times)).join('');
        expect(found(all, needle, sizes)).toEqual(all.split(needle));
      },
    ),
    { numRuns: 1000 },
  );
});

test('finds a boundary that begins anew within its own beginning', () => {
  expect(found('aaab', 'aab', [1])).toEqual(['a', '']);
  expect(found('aaab', 'aab', [2])).toEqual(['a', '']);
  expect(found('\r\n\r\n--x', '\r\n--x', [3])).toEqual(['\r\n', '']);
});

describe('needs no more time', () => {
  const needle = Buffer.from(`\r\n--${'a'.repeat(240)}`);

  test('for texts that are nearly boundaries', () => {
    // What makes Node's search change its way, then what is slow on the next one.
    const chunk = Buffer.from(`${'\r'.repeat(64_000)}${'a'.repeat(496_000)}`);
    const took = computingTime(() => {
      const search = new BoundarySearch(needle, () => undefined);
      for (let i = 0; i < 5; i++) search.push(chunk);
      for (let at = 0; at < 50_000; at++) search.push(chunk.subarray(0, 1));
    });
    expect(took).toBeLessThan(2000);
  });

  // Looking for the first bytes alone takes forty times as long in the first of them.
  test.each(['\r', '\r\n--aaa', `\r\n--aaa${'text '.repeat(20)}`])('than for the whole boundary in %j', (text) => {
    const chunk = Buffer.from(text.repeat(560_000 / text.length));
    const search = new BoundarySearch(needle, () => undefined);
    const times = (work: () => unknown): number => computingTime(() => Array.from({ length: 100 }, work));
    const plain = times(() => chunk.indexOf(needle));
    expect(
      times(() => {
        search.push(chunk);
      }),
    ).toBeLessThan(5 * plain + 20);
  });
});

describe('in the parser', () => {
  const parserOf = (boundary: string): busboy.Busboy =>
    busboy({ headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } });

  test('takes the place of its own search', () => {
    expect(searchNatively(parserOf('x'))).toBe(true);
  });

  test('leaves long boundaries to its own search', () => {
    expect(searchNatively(parserOf('a'.repeat(7000)))).toBe(false);
  });

  test('makes the same of any body as its own search', async () => {
    const part = (head: string): string => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n`;
    const piece = fc.constantFrom(
      part('name="field"'),
      part('name="file"; filename="f"'),
      `\r\n${part('name="next"; filename="n"')}`,
      ...['--b', '\r\n--b', '\r\n--b--', '\r\n--b--\r\n', '\r\n', '\r', '\n', '-', '--', 'text', '\r\n--', 'b'],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        async (pieces, sizes) => {
          const body = Buffer.from(`${part('name="first"')}${pieces.join('')}`);
          const [own, native] = [parserOf('b'), parserOf('b')];
          expect(searchNatively(native)).toBe(true);
          expect(await eventsOf(native, body, sizes)).toEqual(await eventsOf(own, body, sizes));
        },
      ),
      {
        numRuns: 1000,
        // Malformed for both, at different bytes, which makes another second error.
        examples: [[['--b', '--', '\r', part('name="field"')], [1]]],
      },
    );
  });
});

/** What a parser says of a body that arrives in chunks of these sizes, in order, up to the first error: nobody asks further. */
async function eventsOf(parser: busboy.Busboy, body: Buffer, sizes: readonly number[]): Promise<string[]> {
  const events: string[] = [];
  const ended = new Promise<void>((resolve) => parser.once('close', resolve));
  parser.on('field', (name, value) => events.push(`field ${name} ${value}`));
  parser.on('file', (name, stream, { filename }) => {
    events.push(`file ${name} ${filename}`);
    stream.on('data', (data: Buffer) => {
      // Pieces may be cut in other places.
      const text = data.toString('latin1');
      const last = events.at(-1) ?? '';
      if (last.startsWith('data ')) events[events.length - 1] = `${last}${text}`;
      else events.push(`data ${text}`);
    });
    stream.on('error', (error: Error) => events.push(`file ended: ${error.message}`));
  });
  parser.on('error', (error) => events.push(`error ${(error as Error).message}`));
  for (let at = 0, i = 0; at < body.length; i++) {
    const chunk = Buffer.from(body.subarray(at, at + (sizes[i % sizes.length] ?? 1)));
    at += chunk.length;
    if (parser.writable) parser.write(chunk);
  }
  if (parser.writable) parser.end();
  // A file that begins behind the end is never ended.
  await Promise.race([ended, sleep(20)]);
  const failed = events.findIndex((event) => event.startsWith('error '));
  return failed < 0 ? events : events.slice(0, failed + 1);
}
