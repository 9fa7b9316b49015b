/** Forms as they are read, however their bytes are cut. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundaryOf, partHeadOf } from '../../src/main/http/request/part-head.js';
import { readMultipart } from '../../src/main/http/request/multipart.js';
import type { Exchange } from '../../src/main/http/exchange.js';

const LIMITS = { bodySize: 1e7, fieldSize: 1e6, fieldsSize: 1e7, parts: 100, filesAtOnce: 2 };

interface Part {
  readonly filename: string | undefined;
  readonly content: string;
}

/** What a form says that arrives in chunks of these sizes. */
async function readIn(body: Buffer, sizes: readonly number[]): Promise<{ fields: string[]; files: string[] }> {
  const exchange = {
    header: (name: string) => (name === 'content-type' ? 'multipart/form-data; boundary=b' : ''),
  } as unknown as Exchange;
  const fields: string[] = [];
  const files: string[] = [];
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0, i = 0; at < body.length; i++) {
      const chunk = Buffer.from(body.subarray(at, at + (sizes[i % sizes.length] ?? 1)));
      at += chunk.length;
      yield chunk;
      if (i % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const reader = {
    field: (_: string, value: string) => void fields.push(value),
    file: async ({ bytes }: { bytes: AsyncIterable<Buffer> }): Promise<void> => {
      const at = files.push('') - 1;
      const pieces: Buffer[] = [];
      for await (const piece of bytes) {
        // The sender is faster.
        if (pieces.length % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
        pieces.push(piece);
      }
      files[at] = Buffer.concat(pieces).toString('latin1');
    },
  };
  await readMultipart(exchange, LIMITS, reader, chunks());
  return { fields, files };
}

test('says the same of a form however it is cut', async () => {
  const piece = fc.constantFrom('\r', '\n', '\r\n', '\r\n--', '\r\n-', '-', 'b', '--b', 'text', 'x'.repeat(20_000));
  const content = fc.array(piece, { maxLength: 8 }).map((all) => all.join('').replace(/(^|\r\n)--b/g, '$1--c'));
  const part = fc.record({ filename: fc.constantFrom(undefined, 'f', 'g'), content });
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.array(fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(30_000)), { minLength: 1, maxLength: 5 }),
      async (parts, sizes) => {
        const text = parts.map(
          ({ filename, content: own }) =>
            `--b\r\nContent-Disposition: form-data; name="n"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n${own}\r\n`,
        );
        // Few bytes at a time take long for long bodies.
        const body = Buffer.from(`${text.join('')}--b--\r\n`, 'latin1');
        const used = body.length > 5000 ? [...sizes, 7000] : sizes;
        const expected = (isFile: boolean): string[] =>
          parts.filter((one: Part) => (one.filename !== undefined) === isFile).map((one) => one.content);
        expect(await readIn(body, used)).toEqual({ fields: expected(false), files: expected(true) });
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ['form-data; name="a"; filename="b.txt"', 'a', 'b.txt'],
  ['Form-Data;NAME=a;FileName=b.txt', 'a', 'b.txt'],
  ['form-data; name="a"; filename="C:\\dir\\b \\"c\\".txt"', 'a', 'C:\\dir\\b "c".txt'],
  ['form-data; name="a;b=c"; filename="d;e"', 'a;b=c', 'd;e'],
  [Buffer.from('form-data; name="ä"; filename="🎈"').toString('latin1'), 'ä', '🎈'],
  ['form-data; name="a"; filename="no"; filename*=UTF-8\'\'%E4%BD%A0\'.txt', 'a', "你'.txt"],
  ["form-data; name=a; filename*=iso-8859-1'de'%FC", 'a', 'ü'],
  ['form-data; name="a"; filename=""', 'a', undefined],
])('reads %s', (disposition, name, filename) => {
  expect(partHeadOf({ 'content-disposition': [disposition] })).toMatchObject({ name, filename });
});

test.each(['attachment; name="a"', 'form-data; name="a', 'form-data; name="a" b', "form-data; filename*=nothing''a"])(
  'passes over %s',
  (disposition) => {
    expect(partHeadOf({ 'content-disposition': [disposition] })).toBeUndefined();
  },
);

test('the type of a part, and none where it says none', () => {
  const typeOf = (type?: string): string | undefined =>
    partHeadOf({
      'content-disposition': ['form-data; filename="f"'],
      ...(type === undefined ? {} : { 'content-type': [type] }),
    })?.contentType;
  expect(typeOf()).toBe('');
  expect(typeOf('application/octet-stream')).toBe('');
  expect(typeOf('Text/HTML; charset="utf-8"')).toBe('text/html');
  expect(typeOf('nonsense')).toBe('');
});

test('the boundary of a request', () => {
  expect(boundaryOf('multipart/form-data; charset=x; Boundary="a b"')).toBe('a b');
  expect(boundaryOf('multipart/form-data; boundary=')).toBeUndefined();
  expect(boundaryOf('multipart/form-data; boundary="a')).toBeUndefined();
});
