import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type Answer } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** Contract, Header authentication 2 and Errors 2, by every way in that takes a password or a key. */
describe('a wrong login', () => {
  let server: TestServer;
  /** A file that asks for name and password. */
  let guarded: string;
  const LOCK = 4;
  const PASSWORD = 'a-password';
  const basic = (name: string, password: string): Record<string, string> => ({
    Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  });
  const at = (address: string, more: Record<string, string> = {}): Client =>
    new Client(server.url, undefined, undefined, { 'X-Forwarded-For': address, ...more });
  const form = 'application/x-www-form-urlencoded';
  const WAYS: Record<string, (name: string, password: string, address: string) => Promise<Answer>> = {
    login: (name, password, address) => at(address).post('/login', { name, password }),
    token: (name, password, address) => at(address).post('/token', { name, password }),
    headers: (name, password, address) => at(address, { 'X-User': name, 'X-Password': password }).get('/me'),
    form: (name, password, address) =>
      at(address).post('/svc/login', new URLSearchParams({ name, password }).toString(), { 'Content-Type': form }),
  };

  beforeAll(async () => {
    server = await TestServer.start({
      settings: {
        'httpservice.trustedproxies': '127.0.0.1',
        'httpservice.httpbasicauth.enabled': true,
        'security.jwt.secret': 'a-secret-of-more-than-32-characters-for-tests',
        'security.login.maxperminute': 1000,
      },
    });
    for (const signature of ['_login', '_token', '_registration', '_resetPassword'])
      await allow(server.admin, signature, 'anonymous', ['POST']);
    await allow(server.admin, 'User', 'user', ['GET']);
    guarded = await server.admin.create('File', { name: 'guarded.txt', enableBasicAuth: true });
  });
  afterAll(() => server.stop());

  const told = ({ status, headers, text }: Answer): unknown => {
    const { date: _, ...others } = headers;
    return { status, headers: others, text };
  };

  it.each(Object.keys(WAYS))(
    'is told alike for names that exist, do not, and are blocked, up to the lock (%s)',
    async (way) => {
      const attempt = WAYS[way];
      if (attempt === undefined) throw new Error(way);
      const known = `known by ${way}`;
      await server.admin.create('User', { name: known, password: PASSWORD });
      await server.admin.create('User', { name: `blocked ${way}`, password: PASSWORD, blocked: true });
      await server.admin.create('User', { name: `without ${way}` });
      const others = [`nobody ${way}`, `blocked ${way}`, `without ${way}`];
      for (let i = 0; i <= LOCK + 1; i++) {
        const first = told(await attempt(known, 'wrong', '192.0.2.1'));
        for (const name of others)
          expect([i, name, told(await attempt(name, 'wrong', '192.0.2.2'))]).toEqual([i, name, first]);
      }
      const locked = await attempt(known, PASSWORD, '192.0.2.3');
      expect(locked.headers['reason']).toBe('loginAttempts');
      // One lock for all ways.
      for (const other of Object.values(WAYS))
        expect((await other(known, PASSWORD, '192.0.2.4')).headers['reason']).toBe('loginAttempts');
    },
  );

  it('takes as long, for a name that nobody has too', async () => {
    await server.admin.create('User', { name: 'timed', password: PASSWORD });
    const time = async (name: string): Promise<number> => {
      const begun = performance.now();
      await WAYS['login']?.(name, 'wrong', '192.0.2.5');
      return performance.now() - begun;
    };
    // Nothing is answered before the first point of the grid; where a machine is slow it is a later one, for both.
    for (const name of ['timed', 'untimed'])
      for (let i = 0; i < LOCK + 2; i++) expect(await time(name)).toBeGreaterThan(95);
  });

  it.each([
    ['login', (address: string) => WAYS['login']?.('x', 'y', address)],
    ['token', (address: string) => WAYS['token']?.('x', 'y', address)],
    ['headers', (address: string) => WAYS['headers']?.('x', 'y', address)],
    ['form', (address: string) => WAYS['form']?.('x', 'y', address)],
    ['Basic', (address: string) => raw(`/${guarded}`, { ...basic('x', 'y'), 'X-Forwarded-For': address })],
    ['second factor', (address: string) => at(address).post('/login', { twoFactorToken: 'x', twoFactorCode: '1' })],
    ['registration', (address: string) => at(address).post('/registration', {})],
    ['reset', (address: string) => at(address).post('/reset-password', {})],
    ['link of a registration', (address: string) => link(address, '/confirm_registration')],
    ['link of a reset', (address: string) => link(address, '/reset-password')],
  ] as const)('counts for the one limit of an address (%s)', async (_, attempt) => {
    await server.reload({ 'security.login.maxperminute': 3 });
    const address = `198.51.100.${String(++count)}`;
    const limited = async (): Promise<boolean> => {
      const answer = await attempt(address);
      return answer?.status === 429 || String(answer?.headers['location']).includes('status=429');
    };
    for (let i = 0; i < 3; i++) expect([i, await limited()]).toEqual([i, false]);
    expect(await limited()).toBe(true);
    expect((await WAYS['login']?.('x', 'y', address))?.status).toBe(429);
    await server.reload({ 'security.login.maxperminute': 1000 });
  });
  let count = 0;

  /** A request outside of REST. */
  async function raw(path: string, headers: Record<string, string>): Promise<Answer> {
    const answer = await fetch(`${server.url}${path}`, { headers, redirect: 'manual' });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text(), body: {} };
  }
  const link = (address: string, path: string): Promise<Answer> =>
    raw(`${path}?key=guess`, { 'X-Forwarded-For': address });

  it('in headers is refused altogether where they are switched off', async () => {
    await server.admin.create('User', { name: 'headless', password: PASSWORD });
    const client = server.as('headless', PASSWORD);
    expect((await client.get('/me')).status).toBe(200);
    await server.reload({ 'security.authentication.header.enabled': false });
    expect((await client.get('/me')).status).toBe(401);
    expect((await server.superuser.get('/User')).status).toBe(401);
    expect((await (await client.loggedIn()).get('/me')).status).toBe(200);
    await server.reload({ 'security.authentication.header.enabled': true });
    expect((await client.get('/me')).status).toBe(200);
  });
});

/** Browsers send cookies on their own. */
describe('an access_token cookie that does not hold', () => {
  it.each(['secret', 'jwks'])('hinders no other login (mode %s)', async (mode) => {
    const server = await TestServer.start({
      settings: {
        'security.jwt.secrettype': mode,
        'security.jwt.secret': 'a-secret-of-more-than-32-characters-for-tests',
        'security.jwks.provider': 'http://127.0.0.1:9/',
      },
    });
    try {
      for (const signature of ['_login', 'User']) {
        await allow(server.admin, signature, 'anonymous', ['POST']);
        await allow(server.admin, signature, 'user', ['GET', 'POST']);
      }
      await server.admin.create('User', { name: 'anna', password: 'a-password' });
      const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const expired = `${part({ alg: 'RS256', kid: 'k' })}.${part({ exp: 1, iss: 'svc' })}.${part('x')}`;
      for (const token of [expired, 'no.token.atall', '']) {
        const Cookie = `access_token=${token}`;
        const login = await server.as().post('/login', { name: 'anna', password: 'a-password' }, { Cookie });
        expect(login.status).toBe(200);
        const session = String([login.headers['set-cookie']].flat()[0]).split(';')[0] ?? '';
        expect((await server.as('anna', 'a-password').get('/me', { Cookie })).status).toBe(200);
        expect((await server.as().get('/me', { Cookie: `${Cookie}; ${session}` })).status).toBe(200);
        const value = session.slice(session.indexOf('=') + 1);
        expect((await server.as().get('/me', { Cookie, 'X-SvcSessionToken': value })).status).toBe(200);
        expect((await server.as().get('/me', { Cookie })).status).toBe(401);
      }
    } finally {
      await server.stop();
    }
  });
});
