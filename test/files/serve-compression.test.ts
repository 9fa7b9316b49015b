/** Text is compressed for clients that ask for it (docs/interface/files.md 5.7); what it is compared by says so (RFC 9110, 8.8.3). */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { ADMIN, change, fetchPath, makeFile, makeFolder, replaceContent, unpacked } from '../support/serving.js';

const GZIP = { 'Accept-Encoding': 'gzip, deflate, br' };
const TEXT = 'the quick brown fox '.repeat(100);
const LARGE = 'jumps over the lazy dog '.repeat(50_000);

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'application.filesystem.precompressed': true } });
  await makeFile(server, { name: 'text.txt', content: TEXT });
  await makeFile(server, { name: 'large.txt', content: LARGE });
});
afterAll(() => server.stop());

describe('compression on the way', () => {
  it.each([
    ['/text.txt', TEXT],
    ['/large.txt', LARGE],
  ])('%s has a weak ETag and Vary then', async (path, content) => {
    const plain = await fetchPath(server, path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toBe('Accept-Encoding');
    expect(plain.headers.etag).toMatch(/^"/);
    expect(plain.text).toBe(content);
    for (let time = 0; time < 2; time++) {
      const answer = await fetchPath(server, path, GZIP);
      expect(answer.headers).toMatchObject({
        'content-encoding': 'gzip',
        vary: 'Accept-Encoding',
        etag: `W/${String(plain.headers.etag)}`,
        'content-type': 'text/plain;charset=utf-8',
      });
      expect(unpacked(answer)).toBe(content);
      expect(answer.body.length).toBeLessThan(content.length / 10);
    }
  });

  it('is current by either ETag', async () => {
    const weak = String((await fetchPath(server, '/text.txt', GZIP)).headers.etag);
    const unchanged = await fetchPath(server, '/text.txt', { ...GZIP, 'If-None-Match': weak });
    expect(unchanged).toMatchObject({ status: 304, headers: { etag: weak, vary: 'Accept-Encoding' } });
    expect((await fetchPath(server, '/text.txt', { 'If-None-Match': weak })).status).toBe(304);
  });

  it('is what HEAD says, too', async () => {
    for (const path of ['/text.txt', '/large.txt']) {
      const head = await fetchPath(server, path, GZIP, 'HEAD');
      expect(head).toMatchObject({
        status: 200,
        text: '',
        headers: { 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
      });
      expect(head.headers.etag).toMatch(/^W\//);
      expect(head.headers['content-length']).toBeUndefined();
      const length = (await fetchPath(server, path, {}, 'HEAD')).headers['content-length'];
      expect(length).toBe(String(path === '/text.txt' ? TEXT.length : LARGE.length));
    }
  });

  it('begins at 256 bytes, with types that are text', async () => {
    const coding = async (size: number, contentType: string): Promise<unknown> => {
      const id = await makeFile(server, { name: 'sized', content: 'x'.repeat(size), properties: { contentType } });
      const answer = await fetchPath(server, `/${id}`, GZIP);
      await server.admin.delete(`/File/${id}`);
      return answer.headers['content-encoding'];
    };
    expect(await coding(255, 'text/plain')).toBeUndefined();
    expect(await coding(256, 'text/plain')).toBe('gzip');
    for (const type of ['html', 'xml', 'css', 'javascript']) expect(await coding(300, `text/${type}`)).toBe('gzip');
    for (const type of ['application/javascript', 'application/json', 'image/svg+xml']) {
      expect(await coding(300, type)).toBe('gzip');
    }
    for (const type of ['image/png', 'application/zip', 'video/mp4', 'application/octet-stream']) {
      expect(await coding(2000, type), type).toBeUndefined();
    }
  });

  it('is not for clients that refuse it', async () => {
    for (const accepted of ['identity', 'gzip;q=0', 'br', '*;q=0']) {
      const answer = await fetchPath(server, '/text.txt', { 'Accept-Encoding': accepted });
      expect(answer.headers['content-encoding']).toBeUndefined();
      expect(answer.text).toBe(TEXT);
    }
  });

  it('follows the content', async () => {
    const id = await makeFile(server, { name: 'changing.txt', content: 'a'.repeat(500) });
    expect(unpacked(await fetchPath(server, '/changing.txt', GZIP))).toBe('a'.repeat(500));
    await replaceContent(server, id, 'b'.repeat(500));
    expect(unpacked(await fetchPath(server, '/changing.txt', GZIP))).toBe('b'.repeat(500));
  });
});

describe('a compressed file beside', () => {
  const same = (name: string) => `content of ${name} `.repeat(50);
  const make = async (name: string, folder?: string): Promise<string> =>
    makeFile(server, { name, content: same(name), ...(folder === undefined ? {} : { parent: folder }) });

  it('is sent in place of the file, with the file’s type and its own validators', async () => {
    const folder = await makeFolder(server, 'site');
    await make('app.js', folder);
    const before = await fetchPath(server, '/site/app.js', GZIP);
    expect(before.headers['content-encoding']).toBe('gzip');
    await makeFile(server, { name: 'app.js.gz', content: gzipSync('from gz'), parent: folder });
    const answer = await fetchPath(server, '/site/app.js', { 'Accept-Encoding': 'gzip' });
    expect(unpacked(answer)).toBe('from gz');
    expect(answer.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      'content-length': String(answer.body.length),
      'content-type': before.headers['content-type'],
      etag: expect.stringMatching(/^"/),
    });
    await makeFile(server, { name: 'app.js.br', content: brotliCompressSync('from br'), parent: folder });
    expect((await fetchPath(server, '/site/app.js', GZIP)).headers['content-encoding']).toBe('br');
    expect((await fetchPath(server, '/site/app.js')).text).toBe(same('app.js'));
    const etag = String(answer.headers.etag);
    expect((await fetchPath(server, '/site/app.js', { 'Accept-Encoding': 'gzip', 'If-None-Match': etag })).status).toBe(
      304,
    );
    expect((await fetchPath(server, '/site/app.js', { 'If-None-Match': etag })).status).toBe(200);
  });

  it('counts while it is not older, visible, and at its place', async () => {
    const id = await make('lib.js');
    const gz = await makeFile(server, { name: 'lib.js.gz', content: gzipSync('packed') });
    const served = async (): Promise<string> =>
      unpacked(await fetchPath(server, '/lib.js', { 'Accept-Encoding': 'gzip' }));
    expect(await served()).toBe('packed');
    await change(server.admin, `/File/${gz}`, { visibleToPublicUsers: false });
    expect(await served()).toBe(same('lib.js'));
    expect(unpacked(await fetchPath(server, '/lib.js', { 'Accept-Encoding': 'gzip', ...ADMIN }))).toBe('packed');
    await change(server.admin, `/File/${gz}`, { visibleToPublicUsers: true });
    await change(server.admin, `/File/${gz}`, { name: 'other.gz' });
    expect(await served()).toBe(same('lib.js'));
    await change(server.admin, `/File/${gz}`, { name: 'lib.js.gz' });
    expect(await served()).toBe('packed');
    await new Promise((resolve) => setTimeout(resolve, 5));
    await replaceContent(server, id, 'new content '.repeat(50));
    expect(await served()).toBe('new content '.repeat(50));
  });

  it('of somebody who is no administrator means nothing', async () => {
    await server.admin.create('User', { name: 'other', password: 'secret-of-other' });
    await make('target.js');
    const by = { 'X-User': 'other', 'X-Password': 'secret-of-other' };
    await makeFile(server, { name: 'target.js.gz', content: gzipSync('planted'), by });
    const answer = await fetchPath(server, '/target.js', { 'Accept-Encoding': 'gzip' });
    expect(unpacked(answer)).toBe(same('target.js'));
  });

  it('means nothing unless it is switched on', async () => {
    await make('off.js');
    await makeFile(server, { name: 'off.js.gz', content: gzipSync('packed') });
    await server.reload({ 'application.filesystem.precompressed': false });
    const answer = await fetchPath(server, '/off.js', { 'Accept-Encoding': 'gzip' });
    expect(unpacked(answer)).toBe(same('off.js'));
    await server.reload({ 'application.filesystem.precompressed': true });
  });
});

it('nothing is compressed with httpservice.gzip.enabled off', async () => {
  const plain = await TestServer.start({ settings: { 'httpservice.gzip.enabled': false } });
  try {
    await makeFile(plain, { name: 'text.txt', content: TEXT });
    const answer = await fetchPath(plain, '/text.txt', GZIP);
    expect(answer.text).toBe(TEXT);
    expect(answer.headers.etag).toMatch(/^"/);
  } finally {
    await plain.stop();
  }
});
