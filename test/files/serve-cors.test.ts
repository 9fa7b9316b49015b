/** Files for scripts of other sites: settings and entries (contract, CORS entry). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { fetchPath, makeFile, makeFolder } from '../support/serving.js';

let server: TestServer;
const ORIGIN = { Origin: 'https://app.example' };

beforeAll(async () => {
  server = await TestServer.start();
  const fonts = await makeFolder(server, 'fonts');
  await makeFile(server, { name: 'a.txt', content: 'font '.repeat(200), parent: fonts });
  await makeFile(server, { name: 'b.bin', content: 'other' });
});
afterAll(() => server.stop());

it('there are no headers unless somebody accepts an origin', async () => {
  const answer = await fetchPath(server, '/fonts/a.txt', ORIGIN);
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
});

it('an entry counts for its path and below, on files, errors and 304, beside Vary for compression', async () => {
  await server.admin.create('CorsSetting', {
    requestUri: '/fonts',
    acceptedOrigins: 'https://app.example',
    allowMethods: 'GET',
    exposeHeaders: 'ETag',
  });
  const first = await fetchPath(server, '/fonts/a.txt', ORIGIN);
  expect(first.headers['access-control-allow-origin']).toBe('https://app.example');
  expect(first.headers['access-control-expose-headers']).toBe('ETag');
  for (const headers of [ORIGIN, { ...ORIGIN, 'Accept-Encoding': 'gzip' }, { ...ORIGIN, Range: 'bytes=0-1' }]) {
    const answer = await fetchPath(server, '/fonts/a.txt', headers);
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example');
    expect(answer.headers.vary).toBe('Origin, Accept-Encoding');
  }
  const unchanged = await fetchPath(server, '/fonts/a.txt', { ...ORIGIN, 'If-None-Match': String(first.headers.etag) });
  expect(unchanged).toMatchObject({ status: 304, headers: { vary: 'Origin, Accept-Encoding' } });
  expect(unchanged.headers['access-control-allow-origin']).toBe('https://app.example');
  const missing = await fetchPath(server, '/fonts/none', ORIGIN);
  expect(missing).toMatchObject({ status: 404, headers: { 'access-control-allow-origin': 'https://app.example' } });
  const preflight = await fetchPath(
    server,
    '/fonts/a.txt',
    { ...ORIGIN, 'Access-Control-Request-Method': 'GET' },
    'OPTIONS',
  );
  expect(preflight).toMatchObject({ status: 200, headers: { 'access-control-allow-methods': 'GET' } });
  const elsewhere = await fetchPath(server, '/b.bin', ORIGIN);
  expect(elsewhere.headers['access-control-allow-origin']).toBeUndefined();
  const other = await fetchPath(server, '/fonts/a.txt', { Origin: 'https://other.example' });
  expect(other.headers['access-control-allow-origin']).toBeUndefined();
  expect(other.headers.vary).toBe('Origin, Accept-Encoding');
});

it('the settings count for all other paths', async () => {
  await server.reload({ 'access.control.accepted.origins': 'https://app.example' });
  const answer = await fetchPath(server, '/b.bin', ORIGIN);
  expect(answer.headers).toMatchObject({ 'access-control-allow-origin': 'https://app.example', vary: 'Origin' });
  expect(answer.text).toBe('other');
});
