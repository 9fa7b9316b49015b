/** Validators and conditions: a client that has a file is not sent it again (RFC 9110, 8.8 and 13). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { ADMIN, change, fetchPath, makeFile, replaceContent, type Headers } from '../support/serving.js';

let server: TestServer;
let etag: string;
let modified: string;
const id: Record<string, string> = {};

beforeAll(async () => {
  server = await TestServer.start();
  id['plain'] = await makeFile(server, { name: 'plain.bin', content: Buffer.from([1, 2, 3, 4]) });
  const answer = await fetchPath(server, '/plain.bin');
  etag = String(answer.headers.etag);
  modified = String(answer.headers['last-modified']);
});
afterAll(() => server.stop());

const status = async (headers: Headers, method = 'GET'): Promise<number> =>
  (await fetchPath(server, '/plain.bin', headers, method)).status;

describe('validators', () => {
  it('are a strong ETag and the date of the last change, to the second', async () => {
    expect(etag).toMatch(/^"[0-9a-f]+-4"$/);
    const node = await server.admin.get(`/File/${id['plain'] ?? ''}/all`);
    const changed = Date.parse(node.body.result.lastModifiedDate);
    expect(Date.parse(modified)).toBe(Math.floor(changed / 1000) * 1000);
    expect(modified).toBe(new Date(modified).toUTCString());
  });

  it('are the same for the same content, by whatever path and method', async () => {
    await makeFile(server, { name: 'copy.bin', content: Buffer.from([1, 2, 3, 4]) });
    expect((await fetchPath(server, '/copy.bin')).headers.etag).toBe(etag);
    expect((await fetchPath(server, `/${id['plain'] ?? ''}`)).headers.etag).toBe(etag);
    expect((await fetchPath(server, '/plain.bin', {}, 'HEAD')).headers.etag).toBe(etag);
  });

  it('change with the content', async () => {
    const other = await makeFile(server, { name: 'changing.txt', content: 'one' });
    const before = (await fetchPath(server, '/changing.txt')).headers.etag;
    await replaceContent(server, other, 'two');
    const after = await fetchPath(server, '/changing.txt', { 'If-None-Match': String(before) });
    expect(after).toMatchObject({ status: 200, text: 'two' });
    expect(after.headers.etag).not.toBe(before);
  });
});

describe('If-None-Match', () => {
  it.each(['GET', 'HEAD'])('answers %s with 304 and the validators, without a body', async (method) => {
    const answer = await fetchPath(server, '/plain.bin', { 'If-None-Match': etag }, method);
    expect(answer).toMatchObject({ status: 304, text: '' });
    expect(answer.headers).toMatchObject({ etag, 'last-modified': modified });
    expect(answer.headers['cache-control']).toBe('no-cache, must-revalidate, proxy-revalidate');
    expect(answer.headers['content-type']).toBeUndefined();
    expect(answer.headers['content-length'] ?? '0').toBe('0');
  });

  it('knows lists, weak tags and the star', async () => {
    expect(await status({ 'If-None-Match': `"other", ${etag}` })).toBe(304);
    expect(await status({ 'If-None-Match': `W/${etag}` })).toBe(304);
    expect(await status({ 'If-None-Match': '*' })).toBe(304);
    expect(await status({ 'If-None-Match': '"other"' })).toBe(200);
    expect(await status({ 'If-None-Match': etag.replaceAll('"', '') })).toBe(200);
  });

  it('goes before If-Modified-Since', async () => {
    expect(await status({ 'If-None-Match': '"other"', 'If-Modified-Since': modified })).toBe(200);
  });
});

describe('If-Modified-Since', () => {
  const at = (seconds: number): string => new Date(Date.parse(modified) + seconds * 1000).toUTCString();

  it.each(['GET', 'HEAD'])('answers %s with 304 from the date of the file on', async (method) => {
    expect(await status({ 'If-Modified-Since': modified }, method)).toBe(304);
    expect(await status({ 'If-Modified-Since': at(60) }, method)).toBe(304);
    expect(await status({ 'If-Modified-Since': at(-1) }, method)).toBe(200);
  });

  it('knows the old forms of dates, and ignores what is none', async () => {
    const date = new Date(Date.parse(modified));
    const [, day, month, year, time] = modified.split(' ');
    const long = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'][date.getUTCDay()] ?? '';
    expect(await status({ 'If-Modified-Since': `${long}, ${day}-${month}-${year?.slice(2)} ${time} GMT` })).toBe(304);
    const padded = String(date.getUTCDate()).padStart(2, ' ');
    expect(await status({ 'If-Modified-Since': `${long.slice(0, 3)} ${month} ${padded} ${time} ${year}` })).toBe(304);
    for (const text of ['tomorrow', '9999', '2999-01-01', 'Sat, 99 Foo 2999 00:00:00 GMT', '0']) {
      expect(await status({ 'If-Modified-Since': text }), text).toBe(200);
    }
  });

  it('holds for files that are not to be stored, too', async () => {
    await makeFile(server, { name: 'fresh.bin', properties: { dontCache: true } });
    const date = String((await fetchPath(server, '/fresh.bin')).headers['last-modified']);
    expect((await fetchPath(server, '/fresh.bin', { 'If-Modified-Since': date })).status).toBe(304);
  });
});

describe('If-Match and If-Unmodified-Since', () => {
  it('answer 412 without the content when the file is another', async () => {
    expect(await status({ 'If-Match': etag })).toBe(200);
    expect(await status({ 'If-Match': `"a", ${etag}` })).toBe(200);
    expect(await status({ 'If-Match': '*' })).toBe(200);
    const answer = await fetchPath(server, '/plain.bin', { 'If-Match': '"other"' });
    expect(answer).toMatchObject({ status: 412, text: '' });
    expect(answer.headers['cache-control']).toBeUndefined();
    // Strong comparison.
    expect(await status({ 'If-Match': `W/${etag}` })).toBe(412);
    expect(await status({ 'If-Unmodified-Since': modified })).toBe(200);
    expect(await status({ 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' })).toBe(412);
    expect(await status({ 'If-Match': etag, 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' })).toBe(200);
  });
});

describe('Cache-Control', () => {
  const cacheHeaders = async (properties: Record<string, unknown>, headers: Headers = {}) => {
    await change(server.admin, `/File/${id['plain'] ?? ''}`, {
      dontCache: false,
      cacheForSeconds: null,
      ...properties,
    });
    return fetchPath(server, '/plain.bin', headers);
  };

  it('asks caches to ask again, unless the file says otherwise', async () => {
    const answer = await cacheHeaders({});
    expect(answer.headers['cache-control']).toBe('no-cache, must-revalidate, proxy-revalidate');
    expect(answer.headers.expires).toBeUndefined();
  });

  it('lets caches keep it for cacheForSeconds', async () => {
    const answer = await cacheHeaders({ cacheForSeconds: 3600 });
    expect(answer.headers['cache-control']).toBe('max-age=3600, s-maxage=3600');
    const left = Date.parse(String(answer.headers.expires)) - Date.now();
    expect(left).toBeGreaterThan(3_590_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
    expect((await cacheHeaders({ cacheForSeconds: -5 })).headers['cache-control']).toBe('max-age=0, s-maxage=0');
    const unchanged = await cacheHeaders({ cacheForSeconds: 60 }, { 'If-None-Match': etag });
    expect(unchanged).toMatchObject({ status: 304, headers: { 'cache-control': 'max-age=60, s-maxage=60' } });
    expect(unchanged.headers.expires).toBeDefined();
  });

  it('keeps what not everybody sees out of caches that many share', async () => {
    const answer = await cacheHeaders({ cacheForSeconds: 60, visibleToPublicUsers: false }, ADMIN);
    expect(answer.headers['cache-control']).toBe('private, max-age=60');
    const unlimited = await cacheHeaders({ visibleToPublicUsers: false }, ADMIN);
    expect(unlimited.headers['cache-control']).toBe('private, no-cache, must-revalidate, proxy-revalidate');
    await change(server.admin, `/File/${id['plain'] ?? ''}`, { visibleToPublicUsers: true });
  });

  it('forbids storing with dontCache, whatever cacheForSeconds says', async () => {
    const answer = await cacheHeaders({ dontCache: true, cacheForSeconds: 60 });
    expect(answer.headers['cache-control']).toContain('no-store');
    expect(answer.headers.expires).toBeUndefined();
  });

  it('is not on errors', async () => {
    await cacheHeaders({ cacheForSeconds: 60 });
    const answer = await fetchPath(server, '/plain.bin', { Range: 'bytes=10-' });
    expect(answer.status).toBe(416);
    expect(answer.headers['cache-control']).toBeUndefined();
    expect((await fetchPath(server, '/nothing.bin')).headers['cache-control']).toBeUndefined();
  });
});
