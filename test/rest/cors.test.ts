import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/client.js';
import { SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

const GOOD = 'https://good.example';
let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());
afterEach(() => server.admin.delete('/CorsSetting'));

/** Response headers that concern other origins, without their common beginning. */
function cors(answer: Answer): Record<string, unknown> {
  const found = Object.entries(answer.headers).filter(([name]) => name.startsWith('access-control-'));
  return Object.fromEntries(found.map(([name, value]) => [name.slice('access-control-'.length), value]));
}

const entry = (requestUri: string, more: Record<string, unknown>): Promise<string> =>
  server.admin.create('CorsSetting', { requestUri, ...more });

const from = (origin: string, path = '/User', headers = {}): Promise<Answer> =>
  server.admin.get(path, { Origin: origin, ...headers });

const preflight = (origin: string, path = '/User'): Promise<Answer> =>
  server.as().send('OPTIONS', path, undefined, {
    Origin: origin,
    'Access-Control-Request-Method': 'PUT',
    'Access-Control-Request-Headers': 'content-type',
  });

test('without an entry and without settings there is no header', async () => {
  for (const answer of [await from(GOOD), await preflight(GOOD), await server.admin.get('/User')]) {
    expect(cors(answer)).toEqual({});
    expect(answer.headers['vary'] ?? '').not.toMatch(/origin/i);
  }
});

test('the typical entry: one origin with credentials; it holds as soon as its write is answered', async () => {
  const id = await entry('/svc/rest', {
    acceptedOrigins: `http://localhost:3000, ${GOOD}`,
    allowMethods: 'GET,POST,PUT,DELETE,OPTIONS',
    allowHeaders: 'Content-Type, Authorization',
    allowCredentials: 'true',
    exposeHeaders: 'X-Svc-Edition',
    maxAge: 600,
  });
  const simple = await from(GOOD);
  expect(simple.status).toBe(200);
  expect(cors(simple)).toEqual({
    'allow-origin': GOOD,
    'allow-credentials': 'true',
    'max-age': '600',
    'expose-headers': 'X-Svc-Edition',
  });
  expect(simple.headers['vary']).toMatch(/Origin/);
  const asked = await preflight(GOOD);
  expect(asked.status).toBe(200);
  expect(asked.headers['allow']).toContain('GET');
  expect(cors(asked)).toMatchObject({
    'allow-origin': GOOD,
    'allow-methods': 'GET,POST,PUT,DELETE,OPTIONS',
    'allow-headers': 'Content-Type, Authorization',
    'allow-credentials': 'true',
  });
  // No origin: nothing but the word to caches.
  const none = await server.admin.get('/User');
  expect(cors(none)).toEqual({});
  expect(none.headers['vary']).toMatch(/Origin/);

  await server.admin.put(`/CorsSetting/${id}`, { acceptedOrigins: 'https://other.example' });
  expect(cors(await from(GOOD))).toEqual({});
  expect(cors(await from('https://other.example'))['allow-origin']).toBe('https://other.example');
  await server.admin.delete(`/CorsSetting/${id}`);
  expect(cors(await from('https://other.example'))).toEqual({});
});

test.each([
  'https://good.example.evil.com',
  'https://evilgood.example',
  'https://good.example:8443',
  'http://good.example',
  'https://good.exampl',
  'https://good.example/',
  'https://good.example,https://evil.com',
  'https://evil.com https://good.example',
  'https://user@good.example',
  'null',
  '*',
  'good.example',
])('an origin that is not exactly the accepted one gets nothing: %s', async (origin) => {
  await entry('/svc/rest', { acceptedOrigins: GOOD, allowCredentials: 'true' });
  for (const answer of [await from(origin), await preflight(origin)]) {
    expect(cors(answer)).toEqual({});
    expect(answer.headers['vary']).toMatch(/Origin/);
  }
});

test('errors carry the headers too: 401, 404, 400', async () => {
  await entry('/svc/rest', { acceptedOrigins: GOOD });
  const origin = { Origin: GOOD };
  const answers = [
    await server.as().get('/User', origin),
    await server.as('admin', 'wrong').get('/User', origin),
    await server.admin.get('/NoSuchType', origin),
    await server.admin.post('/User', '{broken', origin),
  ];
  expect(answers.map((a) => a.status)).toEqual([401, 401, 404, 400]);
  for (const answer of answers) expect(cors(answer)['allow-origin']).toBe(GOOD);
});

test('a * never comes with credentials, whoever asks; named origins beside it may have them', async () => {
  await entry('/svc/rest', { acceptedOrigins: `*, ${GOOD}, null`, allowCredentials: 'TRUE' });
  for (const origin of ['https://evil.com', 'https://good.example.evil.com']) {
    for (const answer of [
      await from(origin),
      await preflight(origin),
      await server.as().get('/User', { Origin: origin }),
    ]) {
      expect(cors(answer)['allow-origin']).toBe('*');
      expect(cors(answer)['allow-credentials']).toBeUndefined();
    }
  }
  expect(cors(await from(GOOD))).toMatchObject({ 'allow-origin': GOOD, 'allow-credentials': 'true' });
  // Sandboxed frames of any site call themselves so.
  expect(cors(await from('null'))).toMatchObject({ 'allow-origin': 'null' });
  expect(cors(await from('null'))['allow-credentials']).toBeUndefined();
  await server.admin.delete('/CorsSetting');
  for (const allowCredentials of ['false', 'yes', '']) {
    await entry('/svc/rest', { acceptedOrigins: GOOD, allowCredentials });
    expect(cors(await from(GOOD))['allow-credentials']).toBeUndefined();
    await server.admin.delete('/CorsSetting');
  }
});

test('the exact path goes first, then the longest prefix of whole segments, case and all', async () => {
  const origins = ['/', '/svc/rest', '/svc/rest/', '/svc/rest/User', '/svc/rest/Us', '/SVC/rest/User/x'];
  for (const [i, uri] of origins.entries()) await entry(uri, { acceptedOrigins: `https://o${String(i)}` });
  const rule = async (path: string): Promise<number> => {
    for (let i = 0; i < origins.length; i++) {
      const answer = await server.admin.send('OPTIONS', path, undefined, { Origin: `https://o${String(i)}` });
      if (cors(answer)['allow-origin'] !== undefined) return i;
    }
    return -1;
  };
  expect(await rule('/svc/rest/User')).toBe(3);
  expect(await rule('/svc/rest/User?name=/svc/rest')).toBe(3);
  expect(await rule('/svc/rest/User/public')).toBe(3);
  expect(await rule('/svc/rest/Use')).toBe(2);
  expect(await rule('/svc/rest/Users')).toBe(2);
  expect(await rule('/svc/rest/user')).toBe(2);
  expect(await rule('/svc/rest')).toBe(1);
  expect(await rule('/svc/restful')).toBe(0);
  // As sent: neither decoded nor normalised.
  expect(await rule('/svc/rest/%55ser')).toBe(2);
  expect(await rule('/svc/rest//User')).toBe(2);
  expect(await rule('/svc/openapi')).toBe(0);
});

test('an entry that is silent leaves it to the settings', async () => {
  await entry('/svc/rest', { acceptedOrigins: GOOD });
  const asked = await preflight(GOOD);
  expect(cors(asked)).toEqual({
    'allow-origin': GOOD,
    'max-age': '3600',
    'allow-headers': 'Authorization,refresh_token',
  });
  // Asked for methods alone, methods alone are told.
  await server.admin.delete('/CorsSetting');
  await entry('/svc/rest', { acceptedOrigins: GOOD, allowMethods: 'PUT' });
  const partly = await server
    .as()
    .send('OPTIONS', '/User', undefined, { Origin: GOOD, 'Access-Control-Request-Method': 'PUT' });
  expect(cors(partly)).toMatchObject({ 'allow-methods': 'PUT' });
  expect(cors(partly)['allow-headers']).toBeUndefined();
});

test.each([
  'GET\r\nSet-Cookie: a=b',
  'GET\nX-Evil: 1',
  'GET\r\n\r\n<script>',
  'GET POST',
  'GET;x',
  'GET,,',
  'GÉT',
  'GET\u0000',
])('a value that could become another header is not sent: %j', async (value) => {
  await entry('/svc/rest', {
    acceptedOrigins: `${GOOD}, https://a\r\nX-Evil: 1`,
    allowMethods: value,
    allowHeaders: value,
    exposeHeaders: value,
    allowCredentials: value,
  });
  const asked = await preflight(GOOD);
  expect(asked.status).toBe(200);
  expect(cors(asked)).toEqual({ 'allow-origin': GOOD, 'max-age': '3600' });
  expect(asked.headers['x-evil']).toBeUndefined();
  expect(asked.headers['set-cookie']).toBeUndefined();
  expect(await server.untilLogged(/the CORS entry for \/svc\/rest: the list of methods/)).not.toEqual([]);
});

test('the settings count where there is no entry, and hold as soon as they are read again', async () => {
  const conf = (lines: string): Promise<void> =>
    writeFile(
      join(server.folder, 'svc.conf'),
      `superuser.password = ${SUPERUSER_PASSWORD}\napplication.http.port = 0\n${lines}`,
    );
  await conf('access.control.accepted.origins = *\naccess.control.allow.methods = GET\naccess.control.max.age = -1\n');
  server.child.kill('SIGHUP');
  await server.untilLogged(/again$/);
  await sleep(50);
  const path = '/svc/openapi';
  expect(cors(await preflight('https://any.example', path))).toEqual({
    'allow-origin': '*',
    'allow-methods': 'GET',
    'allow-headers': 'Authorization,refresh_token',
    'max-age': '-1',
  });
  await entry('/svc/openapi', { acceptedOrigins: GOOD });
  expect(cors(await from('https://any.example', path))).toEqual({});
  expect(cors(await from(GOOD, path))['allow-origin']).toBe(GOOD);
  expect(cors(await from('https://any.example'))['allow-origin']).toBe('*');
});
