import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, cookieOf } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

describe('sessions', () => {
  let server: TestServer;
  let anna: string;
  const login = (body: unknown, headers?: Record<string, string>) => server.as().post('/login', body, headers);
  const withCookie = (cookie: string): Client => new Client(server.url, undefined, undefined, { Cookie: cookie });

  beforeAll(async () => {
    server = await TestServer.start();
    await allow(server.admin, '_login', 'anonymous', ['POST']);
    await allow(server.admin, '_logout', 'user', ['POST']);
    await allow(server.admin, 'User', 'user', ['GET', 'PUT']);
    anna = await server.admin.create('User', { name: 'anna', eMail: 'Anna@Example.com', password: 'annas-password' });
  });
  afterAll(() => server.stop());

  it('need a permission for their endpoint, like any other', async () => {
    expect((await server.as('anna', 'annas-password').post('/login', {})).status).toBe(401);
  });

  it('begin with a login by name or e-mail address, which shows the user', async () => {
    for (const who of [{ name: 'anna' }, { eMail: ' anna@example.COM ' }, { name: 'anna@example.com' }]) {
      const answer = await login({ ...who, password: 'annas-password' });
      expect([answer.status, answer.body.result]).toEqual([
        200,
        { id: anna, type: 'User', isUser: true, name: 'anna' },
      ]);
      const [line] = [answer.headers['set-cookie'] ?? []].flat();
      expect(line).toMatch(/^JSESSIONID=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
      expect((await withCookie(cookieOf(answer, 'JSESSIONID')).get('/me')).body.result.id).toBe(anna);
    }
  });

  it('are refused in one way, whatever is wrong', async () => {
    await server.admin.create('User', { name: 'blocked', password: 'blockeds-password', blocked: true });
    await server.admin.create('User', { name: 'pending', password: 'pendings-password', confirmationKey: 'key' });
    const answers = [
      await login({ name: 'nobody', password: 'x' }),
      await login({ name: 'anna', password: 'wrong' }),
      await login({ name: 'anna' }),
      await login({ password: 'annas-password' }),
      await login({ name: 'blocked', password: 'blockeds-password' }),
      await login({ name: 'pending', password: 'pendings-password' }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([401, answers[0]?.body]);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  it.each([
    ['a number for a name', { name: 7, password: 'x' }],
    ['a list for a password', { name: 'anna', password: ['annas-password'] }],
    ['the superuser', { name: 'superadmin', password: 'superuser-secret' }],
  ])('are not for %s', async (_, body) => {
    expect((await login(body)).status).toBe(401);
  });

  it('get a new id at login, whatever the client brought along', async () => {
    const planted = 'JSESSIONID=planted-by-an-attacker-0123456789abcdefghijk';
    const answer = await login({ name: 'anna', password: 'annas-password' }, { Cookie: planted });
    expect(cookieOf(answer, 'JSESSIONID')).not.toBe(planted);
    expect((await withCookie(planted).get('/me')).status).toBe(401);
  });

  it('are reached by X-SvcSessionToken too, with or without a suffix', async () => {
    const value = cookieOf(await login({ name: 'anna', password: 'annas-password' }), 'JSESSIONID').slice(11);
    const me = (token: string, more: Record<string, string> = {}) =>
      server.as().get('/me', { 'X-SvcSessionToken': token, ...more });
    expect((await me(value)).body.result.id).toBe(anna);
    expect((await me(`${value}.node0`)).body.result.id).toBe(anna);
    const unknown = await me('unknown', { 'X-User': 'anna', 'X-Password': 'annas-password' });
    expect([unknown.status, unknown.body.message]).toEqual([401, 'Access denied']);
  });

  it('are not looked at when there is an Authorization header', async () => {
    const cookie = cookieOf(await login({ name: 'anna', password: 'annas-password' }), 'JSESSIONID');
    expect((await withCookie(cookie).get('/me', { Authorization: 'Basic eDp5' })).status).toBe(401);
  });

  it('end with the logout', async () => {
    const session = await server.as('anna', 'annas-password').loggedIn();
    const answer = await session.post('/logout');
    expect([answer.status, answer.body.result]).toEqual([200, []]);
    expect((await session.get('/me')).status).toBe(401);
  });

  it('end when their id is taken from the user, or the user is blocked or deleted', async () => {
    const id = await server.admin.create('User', { name: 'ben', password: 'bens-password' });
    const [one, two] = [
      await server.as('ben', 'bens-password').loggedIn(),
      await server.as('ben', 'bens-password').loggedIn(),
    ];
    const ids = (await server.admin.get(`/User/${id}/ui`)).body.result.sessionIds as string[];
    expect(ids).toHaveLength(2);
    await server.admin.put(`/User/${id}`, { sessionIds: ids.slice(1) });
    expect([(await one.get('/me')).status, (await two.get('/me')).status]).toEqual([401, 200]);
    await server.admin.put(`/User/${id}`, { blocked: true });
    expect((await two.get('/me')).status).toBe(401);
  });

  it('are listed for their user, who may end them; those of others are for administrators', async () => {
    await allow(server.admin, '_sessions', 'user', ['GET', 'DELETE']);
    await allow(server.admin, '_sessions/_id', 'user', ['DELETE']);
    const id = await server.admin.create('User', { name: 'cleo', password: 'cleos-password' });
    const cleo = server.as('cleo', 'cleos-password');
    const [one, two, three] = [await cleo.loggedIn(), await cleo.loggedIn(), await cleo.loggedIn()];
    const sessions = (await one.get('/_sessions')).body.result as { id: string; begun: string }[];
    expect(sessions).toHaveLength(3);
    expect(Date.now() - Date.parse(sessions[0]?.begun ?? '')).toBeLessThan(60_000);
    expect((await two.delete(`/_sessions/${sessions[0]?.id ?? ''}`)).status).toBe(200);
    expect([(await one.get('/me')).status, (await two.get('/me')).status]).toEqual([401, 200]);
    const anna = server.as('anna', 'annas-password');
    expect((await anna.get(`/_sessions?user=${id}`)).status).toBe(403);
    expect((await anna.delete(`/_sessions/${sessions[1]?.id ?? ''}`)).status).toBe(404);
    expect((await server.admin.get(`/_sessions?user=${id}`)).body.result).toHaveLength(2);
    expect((await server.admin.delete(`/_sessions?user=${id}`)).status).toBe(200);
    expect([(await two.get('/me')).status, (await three.get('/me')).status]).toEqual([401, 401]);
    expect((await server.as().get('/_sessions')).status).toBe(401);
  });

  it('are stored as hashes: what an administrator reads is nobody’s way in', async () => {
    const cookie = cookieOf(await login({ name: 'anna', password: 'annas-password' }), 'JSESSIONID');
    const text =
      (await server.admin.get(`/User/${anna}/ui`)).text + (await server.admin.get('/SessionDataNode/ui')).text;
    expect(text).not.toContain(cookie.slice(11));
    const ids = (await server.admin.get(`/User/${anna}/ui`)).body.result.sessionIds as string[];
    expect((await server.as().get('/me', { 'X-SvcSessionToken': ids[0] ?? '' })).status).toBe(401);
  });

  it('last over a restart', async () => {
    const session = await server.as('anna', 'annas-password').loggedIn();
    server = await server.restart();
    const again = new Client(server.url, undefined, undefined, session.headers);
    expect((await again.get('/me')).body.result.id).toBe(anna);
  });

  it('end after a time without requests', async () => {
    server = await server.restart({ settings: { 'application.session.timeout': 2 } });
    const session = await server.as('anna', 'annas-password').loggedIn();
    for (let i = 0; i < 5; i++) {
      await sleep(600);
      expect((await session.get('/me')).status).toBe(200);
    }
    await sleep(2500);
    expect((await session.get('/me')).status).toBe(401);
  });

  it('end a set time after the login however busy they are, and are limited in number', async () => {
    server = await server.restart({
      settings: { 'application.session.maxage': 2, 'application.session.max.number': 1 },
    });
    const session = await server.as('anna', 'annas-password').loggedIn();
    expect((await login({ name: 'anna', password: 'annas-password' })).body.message).toMatch(/sessions/);
    const end = Date.now() + 2500;
    while (Date.now() < end) {
      await session.get('/me');
      await sleep(200);
    }
    expect((await session.get('/me')).status).toBe(401);
  });

  it('are all ended at start when asked for', async () => {
    server = await server.restart();
    const session = await server.as('anna', 'annas-password').loggedIn();
    server = await server.restart({ settings: { 'application.session.clear.onstartup': true } });
    expect((await new Client(server.url, undefined, undefined, session.headers).get('/me')).status).toBe(401);
    expect((await server.admin.get('/SessionDataNode')).body.result_count).toBe(0);
  });

  it('are asked for only so often from one address', async () => {
    await allow(server.admin, '_token', 'anonymous', ['POST']);
    server = await server.restart({ settings: { 'security.login.maxperminute': 2 } });
    const wrong = { name: 'nobody', password: 'wrong' };
    expect((await login(wrong)).status).toBe(401);
    expect((await server.as().post('/token', wrong)).status).toBe(401);
    const answer = await login({ name: 'anna', password: 'annas-password' });
    expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true]);
  });
});
