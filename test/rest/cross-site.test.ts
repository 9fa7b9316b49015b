import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, cookieOf, type Answer } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { bearer, SECRET } from '../support/tokens.js';

const ANNA = { name: 'anna', password: 'annas-password' };
const FOREIGN: readonly (readonly [string, Record<string, string>])[] = [
  ['the browser says cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['the browser says cross-site, with the own origin', { 'Sec-Fetch-Site': 'Cross-Site', Origin: 'OWN' }],
  ['of another origin', { Origin: 'https://evil.example' }],
  ['of another port', { Origin: 'http://127.0.0.1:1' }],
  ['of a sibling', { Origin: 'http://www.127.0.0.1.example', 'Sec-Fetch-Site': 'same-site' }],
  ['of a sandbox', { Origin: 'null' }],
  ['of something that is no origin', { Origin: 'file://x' }],
];
const OWN: readonly (readonly [string, Record<string, string>])[] = [
  ['without Origin, as curl sends it', {}],
  ['of the own origin', { Origin: 'OWN' }],
  ['that the browser calls same-origin', { Origin: 'OWN', 'Sec-Fetch-Site': 'same-origin' }],
  ['that the user made himself', { 'Sec-Fetch-Site': 'none' }],
  // A proxy that changes Host; no page can make a browser say this.
  [
    'that the browser calls same-origin, of another host',
    { Origin: 'https://www.x.example', 'Sec-Fetch-Site': 'same-origin' },
  ],
  ['of the configured base URL', { Origin: 'https://public.example' }],
];

describe('requests from pages of other sites', () => {
  let server: TestServer;
  const cookies: Record<string, string> = {};
  const own = (headers: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, v === 'OWN' ? server.url : v]));
  const send = (kind: string, method: string, headers: Record<string, string>): Promise<Answer> =>
    new Client(server.url).send(method, '/me', method === 'PUT' ? { locale: 'de' } : undefined, {
      Cookie: cookies[kind] ?? '',
      ...own(headers),
    });

  beforeAll(async () => {
    server = await TestServer.start({
      settings: { 'security.jwt.secret': SECRET, 'application.baseurl.override': 'https://public.example/app' },
    });
    await allow(server.admin, '_login', 'anonymous', ['POST']);
    await allow(server.admin, '_token', 'anonymous', ['POST']);
    await allow(server.admin, '_logout', 'anonymous', ['POST']);
    await allow(server.admin, 'User', 'user', ['GET', 'PUT', 'OPTIONS', 'HEAD']);
    await server.admin.create('User', ANNA);
    cookies['session'] = cookieOf(await server.as().post('/login', ANNA), 'JSESSIONID');
    cookies['token'] = cookieOf(await server.as().post('/token', ANNA), 'access_token');
  });
  afterAll(() => server.stop());

  describe.each(['session', 'token'])('with the cookie of a %s', (kind) => {
    it.each(FOREIGN)('change nothing: %s', async (_, headers) => {
      const answer = await send(kind, 'PUT', headers);
      expect([answer.status, answer.body.message]).toEqual([401, 'Access denied']);
    });
    it.each(FOREIGN)('may read (CORS decides who sees it): %s', async (_, headers) => {
      expect((await send(kind, 'GET', headers)).status).toBe(200);
      expect((await send(kind, 'HEAD', headers)).status).toBe(200);
    });
    it.each(OWN)('change something: %s', async (_, headers) => {
      expect((await send(kind, 'PUT', headers)).status).toBe(200);
    });
  });

  it.each(FOREIGN)('may act with what only a script can send: %s', async (_, headers) => {
    const [session, token] = [cookies['session']?.slice(11) ?? '', cookies['token']?.slice(13) ?? ''];
    for (const means of [
      { 'X-SvcSessionToken': session },
      bearer(token),
      { 'X-User': 'anna', 'X-Password': ANNA.password },
    ])
      expect((await server.as().put('/me', { locale: 'fr' }, { ...means, ...own(headers) })).status).toBe(200);
  });

  it.each(FOREIGN)('log nobody in or out: %s', async (_, headers) => {
    expect((await server.as().post('/login', ANNA, own(headers))).status).toBe(403);
    const pair = await server.as().post('/token', ANNA);
    const refresh = { Cookie: cookieOf(pair, 'refresh_token') };
    // A page that has the password may get tokens; the browser gets no cookies.
    const answer = await server.as().post('/token', ANNA, own(headers));
    expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined]);
    expect((await server.as().post('/token', {}, { ...refresh, ...own(headers) })).status).toBe(401);
    const Cookie = `${cookies['session'] ?? ''}; ${cookies['token'] ?? ''}; ${refresh.Cookie}`;
    const out = await server.as().post('/logout', undefined, { Cookie, ...own(headers) });
    expect([out.status, out.headers['set-cookie']]).toEqual([200, undefined]);
    expect((await send('session', 'GET', {})).status).toBe(200);
    expect((await send('token', 'GET', {})).status).toBe(200);
    expect((await server.as().post('/token', {}, refresh)).status).toBe(200);
  });
});
