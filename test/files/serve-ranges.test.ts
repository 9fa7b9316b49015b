/** Parts of files (RFC 9110, 14). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { fetchPath, makeFile, type Headers, type Served } from '../support/serving.js';

const CONTENT = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251));
/** Larger than what is kept in memory. */
const LARGE = Buffer.from(Array.from({ length: 700_000 }, (_, i) => (i * 7) % 253));

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
  await makeFile(server, { name: 'small.bin', content: CONTENT });
  await makeFile(server, { name: 'large.bin', content: LARGE });
  await makeFile(server, { name: 'empty.bin', content: '' });
  await makeFile(server, { name: 'text.txt', content: 'abc '.repeat(1000) });
});
afterAll(() => server.stop());

const part = (range: string, headers: Headers = {}, path = '/small.bin', method = 'GET'): Promise<Served> =>
  fetchPath(server, path, { Range: range, ...headers }, method);

/** Headers and bytes of the parts of a `multipart/byteranges` body. */
function partsOf(answer: Served): { head: string; body: Buffer }[] {
  const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(String(answer.headers['content-type']))?.[1];
  const pieces = answer.body.toString('latin1').split(`\r\n--${String(boundary)}`);
  expect(pieces[0]).toBe('');
  expect(pieces.at(-1)).toBe('--\r\n');
  return pieces.slice(1, -1).map((piece) => {
    const at = piece.indexOf('\r\n\r\n');
    return { head: piece.slice(0, at), body: Buffer.from(piece.slice(at + 4), 'latin1') };
  });
}

describe('one range', () => {
  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=10-19', 10, 20],
    ['bytes=990-', 990, 1000],
    ['bytes=990-5000', 990, 1000],
    ['bytes=-10', 990, 1000],
    ['bytes=-5000', 0, 1000],
    ['BYTES = 1 - 2 ', 1, 3],
    ['bytes=0-0,', 0, 1],
  ])('%s', async (range, from, to) => {
    const answer = await part(range);
    expect(answer.status).toBe(206);
    expect(answer.headers).toMatchObject({
      'content-range': `bytes ${String(from)}-${String(to - 1)}/1000`,
      'content-length': String(to - from),
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"/),
    });
    expect(answer.body.equals(CONTENT.subarray(from, to))).toBe(true);
  });

  it('of a large file, over the borders of what is read at once', async () => {
    const from = 256 * 1024 - 3;
    const answer = await part(`bytes=${String(from)}-${String(from + 299_999)}`, {}, '/large.bin');
    expect(answer.status).toBe(206);
    expect(answer.body.equals(LARGE.subarray(from, from + 300_000))).toBe(true);
  });

  it('is of the bytes as they are stored, also for clients that take them compressed', async () => {
    const answer = await part('bytes=4-6', { 'Accept-Encoding': 'gzip' }, '/text.txt');
    expect(answer).toMatchObject({ status: 206, text: 'abc' });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers.etag).toMatch(/^"/);
  });
});

describe('what is no range', () => {
  it.each([
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=5-1',
    'lines=1-2',
    'bytes=1-2,x',
    'bytes=1 2-3',
    '5-6',
    'bytes=--1',
  ])('%s is answered with the whole', async (range) => {
    const answer = await part(range);
    expect(answer.status).toBe(200);
    expect(answer.body.equals(CONTENT)).toBe(true);
  });

  it('is ignored where ranges mean nothing', async () => {
    const head = await part('bytes=0-1', {}, '/small.bin', 'HEAD');
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': '1000' } });
    expect((await part('bytes=0-1', {}, '/small.bin', 'POST')).status).toBe(200);
  });

  it.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0', 'bytes=1000-,2000-'])(
    '%s asks for nothing that is there',
    async (range) => {
      const answer = await part(range);
      expect(answer).toMatchObject({ status: 416, text: '' });
      expect(answer.headers['content-range']).toBe('bytes */1000');
    },
  );

  it('of an empty file there is none', async () => {
    const answer = await part('bytes=0-', {}, '/empty.bin');
    expect(answer).toMatchObject({ status: 416, headers: { 'content-range': 'bytes */0' } });
    expect(await fetchPath(server, '/empty.bin')).toMatchObject({ status: 200, text: '' });
  });
});

describe('several ranges', () => {
  it('come as parts, in the order they are asked for', async () => {
    const answer = await part('bytes=900-909, 0-4,-3');
    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBeUndefined();
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    const parts = partsOf(answer);
    expect(parts.map(({ head }) => /Content-Range: (.*)/.exec(head)?.[1])).toEqual([
      'bytes 900-909/1000',
      'bytes 0-4/1000',
      'bytes 997-999/1000',
    ]);
    expect(parts.map(({ head }) => /Content-Type: (.*)\r/.exec(head)?.[1])).toEqual(
      Array(3).fill('application/octet-stream'),
    );
    for (const [i, [from, to]] of [
      [900, 910],
      [0, 5],
      [997, 1000],
    ].entries())
      expect(parts[i]?.body.equals(CONTENT.subarray(from, to))).toBe(true);
  });

  it('leave out what is not there', async () => {
    const answer = await part('bytes=0-4,5000-');
    expect(answer).toMatchObject({ status: 206, headers: { 'content-range': 'bytes 0-4/1000' } });
  });

  it('of a large file', async () => {
    const [a, b] = partsOf(await part('bytes=0-299999,300000-699999', {}, '/large.bin'));
    expect(Buffer.concat([a?.body ?? Buffer.alloc(0), b?.body ?? Buffer.alloc(0)]).equals(LARGE)).toBe(true);
  });

  it('that are too many or overlap are answered with the whole once', async () => {
    const many = Array.from({ length: 21 }, (_, i) => `${String(i * 2)}-${String(i * 2)}`).join(',');
    for (const range of [`bytes=${many}`, 'bytes=0-,0-', `bytes=${'0-999,'.repeat(200)}0-`]) {
      const answer = await part(range);
      expect(answer.status).toBe(200);
      expect(answer.body.equals(CONTENT)).toBe(true);
    }
  });
});

describe('If-Range', () => {
  it('sends the part only of what the client has the rest of', async () => {
    const { headers } = await fetchPath(server, '/small.bin');
    const [etag, date] = [String(headers.etag), String(headers['last-modified'])];
    const status = async (condition: string): Promise<number> =>
      (await part('bytes=0-1', { 'If-Range': condition })).status;
    expect(await status(etag)).toBe(206);
    expect(await status('"other"')).toBe(200);
    expect(await status(`W/${etag}`)).toBe(200);
    // What changed within the last second has no date to rely on.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, Date.parse(date) + 1100 - Date.now())));
    expect(await status(date)).toBe(206);
    expect(await status(new Date(Date.parse(date) + 1000).toUTCString())).toBe(200);
    expect(await status('nonsense')).toBe(200);
  });

  it('comes after the conditions of the whole request', async () => {
    const etag = String((await fetchPath(server, '/small.bin')).headers.etag);
    expect((await part('bytes=0-1', { 'If-None-Match': etag })).status).toBe(304);
    expect((await part('bytes=0-1', { 'If-Match': '"other"' })).status).toBe(412);
  });
});
