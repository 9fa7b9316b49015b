/** Sessions, logins and tokens by scripts, over the real server (docs/interface/script-runtime.md 1.3, 6.1). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, cookieOf } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { claimsOf, SECRET } from '../support/tokens.js';

let server: TestServer;
let admin: Client;
let jane: string;

beforeAll(async () => {
  server = await TestServer.start({
    settings: { 'security.jwt.secret': SECRET, 'security.passwordpolicy.maxfailedattempts': 3 },
  });
  ({ admin } = server);
  const sources: Record<string, string> = {
    enter: "{ return $.login($.findPrivileged('User', 'name', $.args.name)[0], $.args.password) }",
    enterAndKeep:
      "{ const r = $.login($.findPrivileged('User', 'name', 'jane')[0], $.args.password); $.setSessionAttribute('k', 'v'); return [r, $.session.id] }",
    lateEnter:
      "{ $.create('Group', { name: 'late' }); return $.login($.findPrivileged('User', 'name', 'jane')[0], 'secret-of-jane') }",
    failingEnter: "{ $.login($.findPrivileged('User', 'name', 'jane')[0], 'secret-of-jane'); $.error('name', 'bad') }",
    keep: "setSessionAttribute('cart', retrieve('value'))",
    kept: "getSessionAttribute('cart')",
    keepAndRead:
      "{ $.session.cart = $.args.value; return [$.session.cart, $.getSessionAttribute('cart'), $.session.isNew, $.session.id] }",
    keepInExpression: "(setSessionAttribute('cart', 'pears'), session.cart)",
    enterWith:
      "{ $.session.cart = $.args.value; return $.login($.findPrivileged('User', 'name', 'jane')[0], $.args.password); }",
    drop: "removeSessionAttribute('cart')",
    accessToken: "{ return $.createAccessToken($.findPrivileged('User', 'name', $.args.name)[0], $.args.minutes) }",
    bothTokens: "{ return $.createAccessAndRefreshToken($.findPrivileged('User', 'name', 'jane')[0], 5, 10) }",
    newUserToken: "{ return $.createAccessToken($.create('User', { name: 'brand-new' })) }",
    key: '{ return $.confirmationKey() }',
    whatRuns: "{ return $.functionInfo().name + ' ' + $.functionInfo().isUserDefinedFunction }",
    noUser: "createAccessToken('jane')",
  };
  for (const [name, source] of Object.entries(sources)) {
    await admin.create('SchemaMethod', { name, source });
    await allow(admin, name, 'anonymous', ['POST']);
    await allow(admin, name, 'user', ['POST']);
  }
  await allow(admin, 'User', 'user', ['GET']);
  await allow(admin, '_sessions', 'user', ['GET']);
  for (const path of ['_login', '_token']) await allow(admin, path, 'anonymous', ['POST']);
  jane = await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  await admin.create('User', { name: 'locked', password: 'secret-of-locked' });
});
afterAll(() => server.stop());

const nobody = (): Client => server.as();
const result = async (client: Client, path: string, body: unknown = {}): Promise<unknown> => {
  const answer = await client.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { result: unknown }).result;
};
const withCookie = (value: string): Client => new Client(server.url, undefined, undefined, { Cookie: value });

describe('login()', () => {
  it('with the right password: true, and the cookie of a session', async () => {
    const answer = await nobody().post('/enter', { name: 'jane', password: 'secret-of-jane' });
    expect(answer.body).toMatchObject({ result: true });
    const line = [answer.headers['set-cookie'] ?? []].flat().find((one) => one.startsWith('JSESSIONID='));
    expect(line).toMatch(/HttpOnly/);
    const me = await withCookie(cookieOf(answer, 'JSESSIONID')).get('/me');
    expect(me.body).toMatchObject({ result: { id: jane } });
  });

  it('with a wrong one: false, and no session', async () => {
    const answer = await nobody().post('/enter', { name: 'jane', password: 'wrong' });
    expect(answer.body).toMatchObject({ result: false });
    expect(answer.headers['set-cookie']).toBeUndefined();
    for (const password of ['', null, 7]) {
      expect(await result(nobody(), '/enter', { name: 'jane', password })).not.toBe(true);
    }
  });

  it('failures are counted: beyond the limit the right password is refused too', async () => {
    for (let i = 0; i < 3; i++) expect(await result(nobody(), '/enter', { name: 'locked', password: 'x' })).toBe(false);
    expect(await result(nobody(), '/enter', { name: 'locked', password: 'secret-of-locked' })).toBe(false);
  });

  it('the session it begins has attributes at once, and they last', async () => {
    const answer = await nobody().post('/enterAndKeep', { password: 'secret-of-jane' });
    const [isIn, id] = (answer.body as { result: [boolean, string] }).result;
    expect([isIn, /^[0-9a-f]{64}$/.test(id)]).toEqual([true, true]);
    const own = withCookie(cookieOf(answer, 'JSESSIONID'));
    expect(((await own.get('/_sessions')).body as { result: { id: string }[] }).result.map((one) => one.id)).toContain(
      id,
    );
  });

  it('after something was written: refused, as both would wait for each other', async () => {
    expect((await nobody().post('/lateEnter', {})).status).toBe(422);
  });

  it('in a script that fails: no session', async () => {
    const before = (await admin.get('/SessionDataNode')).body as { result_count: number };
    const answer = await nobody().post('/failingEnter', {});
    expect([answer.status, answer.headers['set-cookie']]).toEqual([422, undefined]);
    expect((await admin.get('/SessionDataNode')).body).toMatchObject({ result_count: before.result_count });
  });

  it('from a page of another site: refused', async () => {
    const answer = await nobody().post(
      '/enter',
      { name: 'jane', password: 'secret-of-jane' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    );
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
  });

  it('attempts are limited by address', async () => {
    await server.reload({ 'security.login.maxperminute': 2 });
    const tries = [];
    for (let i = 0; i < 4; i++)
      tries.push(await result(nobody(), '/enter', { name: 'jane', password: 'secret-of-jane' }));
    await server.reload({ 'security.login.maxperminute': 0 });
    expect(tries).toEqual([true, true, false, false]);
  });
});

describe('attributes of the session', () => {
  it('are kept for the session that sets them, until they are removed', async () => {
    const one = await server.as('jane', 'secret-of-jane').loggedIn();
    const other = await server.as('jane', 'secret-of-jane').loggedIn();
    expect(await result(one, '/keep', { value: 'apples' })).toEqual([]);
    expect(await result(one, '/kept')).toBe('apples');
    expect(await result(other, '/kept')).toEqual([]);
    await result(one, '/drop');
    expect(await result(one, '/kept')).toEqual([]);
  });

  it('without a session they are kept until the request is over', async () => {
    expect(await result(nobody(), '/keepAndRead', { value: 'apples' })).toEqual(['apples', 'apples', true, null]);
    expect(await result(nobody(), '/kept')).toEqual([]);
    expect(await result(nobody(), '/keepInExpression')).toBe('pears');
  });

  it('kept without a session they are those of the session that a login begins', async () => {
    const answer = await nobody().post('/enterWith', { name: 'jane', password: 'secret-of-jane', value: 'plums' });
    const line = [answer.headers['set-cookie'] ?? []].flat().find((one) => one.startsWith('JSESSIONID='));
    expect(await result(withCookie(line?.split(';')[0] ?? ''), '/kept')).toBe('plums');
  });
});

describe('tokens', () => {
  it('createAccessToken: a token of the user, for so long as asked', async () => {
    const token = (await result(nobody(), '/accessToken', { name: 'jane', minutes: 3 })) as string;
    const me = await nobody().get('/me', { Authorization: `Bearer ${token}` });
    expect(me.body).toMatchObject({ result: { id: jane } });
    const { exp } = claimsOf(token);
    expect(Math.abs(Number(exp) - Date.now() / 1000 - 180)).toBeLessThan(20);
    const long = claimsOf((await result(nobody(), '/accessToken', { name: 'jane' })) as string);
    expect(Math.abs(Number(long['exp']) - Date.now() / 1000 - 3600)).toBeLessThan(20);
  });

  it('createAccessAndRefreshToken: both, and the second gets new ones', async () => {
    const pair = (await result(nobody(), '/bothTokens')) as Record<string, string>;
    expect(Number(pair['expiration_date'])).toBe(Number(claimsOf(pair['access_token'] ?? '')['exp']) * 1000);
    const refreshed = await nobody().post('/token', { refresh_token: pair['refresh_token'] });
    expect(refreshed.status).toBe(200);
  });

  it('of a user whom the same script creates', async () => {
    const token = (await result(admin, '/newUserToken')) as string;
    expect((await nobody().get('/me', { Authorization: `Bearer ${token}` })).body).toMatchObject({
      result: { name: 'brand-new' },
    });
  });

  it.each([0, -1, 'soon', 1e12])('for %s minutes: refused', async (minutes) => {
    expect((await nobody().post('/accessToken', { name: 'jane', minutes })).status).toBe(422);
  });

  it('of what is no user: usage', async () => {
    expect(await result(nobody(), '/noUser')).toMatch(/^Usage: createAccessToken/);
  });

  it('confirmationKey is another one each time', async () => {
    const keys = [await result(nobody(), '/key'), await result(nobody(), '/key')] as string[];
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f-]{36}!\d+$/);
  });
});

it('functionInfo() is that of the function that runs', async () => {
  expect(await result(admin, '/whatRuns')).toBe('whatRuns true');
});
