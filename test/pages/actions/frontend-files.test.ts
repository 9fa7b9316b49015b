/** The script for browsers as the server sends it (docs/interface/pages.md 7.4). */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestServer } from '../../support/server.js';

const PATH = '/svc/js/frontend/frontend.js';
let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const at = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(`${server.url}${path}`, { method, headers });

describe('the script', () => {
  test('is small, and of one piece with modules beside it', async () => {
    const text = await (await at(PATH)).text();
    expect(gzipSync(text).length).toBeLessThan(15 * 1024);
    expect(text).not.toMatch(/\beval\(|new Function|from ?["']/);
    for (const name of ['css', 'toast', 'template']) {
      const answer = await at(`/svc/js/frontend/modules/reload-target-handlers/${name}.js`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/javascript;charset=utf-8']);
      expect(await answer.text()).toMatch(/export ?\{/);
    }
  });

  test('is asked for anew by its tag', async () => {
    const answer = await at(PATH, { 'Accept-Encoding': 'gzip' });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/javascript;charset=utf-8',
      'cache-control': 'max-age=0',
      'content-encoding': 'gzip',
      'x-content-type-options': 'nosniff',
      vary: expect.stringContaining('Accept-Encoding'),
    });
    const plain = await at(PATH, { 'Accept-Encoding': 'identity' });
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, await answer.text()]);
    const tag = answer.headers.get('etag') ?? '';
    expect([tag, plain.headers.get('etag')]).toEqual([expect.stringMatching(/^W\/".{22}"$/), tag]);
    for (const known of [tag, `"x", ${tag}`, '*']) {
      const again = await at(PATH, { 'If-None-Match': known });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    }
    expect((await at(PATH, { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test('can only be read', async () => {
    const head = await at(PATH, {}, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await at(PATH, {}, method);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET,HEAD,OPTIONS']);
    }
    expect((await at(PATH, {}, 'OPTIONS')).headers.get('allow')).toBe('GET,HEAD,OPTIONS');
  });

  test.each([
    '',
    '../frontend/frontend.js',
    '..%2ffrontend.js',
    'nothing.js',
    'modules',
    'frontend.js/',
    'frontend.js%00',
    '%2e%2e/%2e%2e/main/main.js',
    'modules/reload-target-handlers/../../frontend.js',
  ])('nothing else is there: %s', async (name) => {
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      // `fetch` would make the path another one.
      request({ port: server.port, host: '127.0.0.1', path: `/svc/js/frontend/${name}` }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(404);
  });
});
