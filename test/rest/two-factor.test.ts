import { Secret, TOTP } from 'otpauth';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow } from '../support/permissions.js';
import { cookieOf, type Answer, type Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

const PERIOD = 300;
/** Long enough that no code ends between making and sending it. */
const SETTINGS = { 'security.twofactorauthentication.period': PERIOD };
/** Secrets are never readable, so that tests set one. */
const SECRET = 'JBSWY3DPEHPK3PXP';
const PASSWORD = 'the-password';

const header = (answer: Answer, name: string): string => String(answer.headers[name] ?? '');

let server: TestServer;
let admin: Client;
let count = 0;

async function begin(settings: Record<string, string | number | boolean> = {}): Promise<void> {
  server = await TestServer.start({ settings: { ...SETTINGS, ...settings } });
  admin = server.superuser;
  for (const who of ['anonymous', 'user'] as const) await allow(admin, '_login', who, ['POST']);
  await allow(admin, 'User', 'user', ['GET', 'PUT']);
}

/** A user who wants a second factor. */
async function newUser(more: Record<string, unknown> = {}): Promise<{ id: string; name: string }> {
  const name = `user${String(++count)}`;
  const id = await admin.create('User', { name, password: PASSWORD, twoFactorSecret: SECRET, ...more });
  await admin.put(`/User/${id}`, { isTwoFactorUser: true });
  return { id, name };
}

const login = (body: unknown, headers?: Record<string, string>): Promise<Answer> =>
  server.as().post('/login', body, headers);
const first = async (name: string): Promise<string> => header(await login({ name, password: PASSWORD }), 'token');
const code = (offset = 0): string =>
  new TOTP({ secret: Secret.fromBase32(SECRET), period: PERIOD }).generate({ timestamp: Date.now() + offset * 1000 });
const second = (twoFactorToken: string, twoFactorCode = code()): Promise<Answer> =>
  login({ twoFactorToken, twoFactorCode });
/** A code that is wrong now. */
const wrong = (): string => (code() === '000000' ? '000001' : '000000');
const userOf = async (id: string): Promise<Record<string, unknown>> =>
  (await admin.get(`/User/${id}/ui`)).body.result as Record<string, unknown>;

describe('a user with two factors', () => {
  beforeAll(() => begin());

  it('gets 202, a token and the page after the right password, and no session', async () => {
    const { name } = await newUser();
    const answer = await login({ name, password: PASSWORD });
    expect([answer.status, answer.body.result, answer.body.result_count]).toEqual([202, [], 0]);
    expect(header(answer, 'token')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}!\d{13}$/);
    expect(header(answer, 'twofactorloginpage')).toBe('/twofactor');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('logs in with token and code', async () => {
    const { id, name } = await newUser();
    const answer = await second(await first(name));
    expect([answer.status, answer.body.result.id]).toEqual([200, id]);
    const cookie = cookieOf(answer, 'JSESSIONID');
    expect((await server.as().get('/me', { Cookie: cookie })).body.result.id).toBe(id);
  });

  it('gets a picture to enrol with until the first login that worked', async () => {
    const { id, name } = await newUser();
    const answer = await login({ name, password: PASSWORD });
    const data = header(answer, 'qrdata');
    expect(data).toMatch(/^[A-Za-z0-9_-]+$/);
    const png = Buffer.from(data, 'base64url');
    expect([png.subarray(1, 4).toString(), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(['PNG', 200, 200]);
    await second(header(answer, 'token'));
    expect(await userOf(id)).toMatchObject({ twoFactorConfirmed: true, isTwoFactorUser: true, twoFactorToken: null });
    expect((await login({ name, password: PASSWORD })).headers['qrdata']).toBeUndefined();
  });

  it('gets the picture again when an administrator asks for it', async () => {
    const { id, name } = await newUser();
    const before = header(await login({ name, password: PASSWORD }), 'qrdata');
    await second(await first(name));
    await admin.put(`/User/${id}`, { twoFactorConfirmed: false });
    expect(header(await login({ name, password: PASSWORD }), 'qrdata')).toBe(before);
  });

  it('is refused with a wrong code, may try again, and nothing is confirmed', async () => {
    const { id, name } = await newUser();
    const token = await first(name);
    const answer = await second(token, wrong());
    expect([answer.status, header(answer, 'reason')]).toEqual([401, 'wrongTwoFactorCode']);
    expect((await userOf(id))['twoFactorConfirmed']).toBe(false);
    expect((await second(token)).status).toBe(200);
  });

  it.each([
    ['the code before', () => code(-PERIOD)],
    ['the next code', () => code(PERIOD)],
    ['no code', () => ''],
    ['a longer code', () => `${code()}0`],
    ['a code with blanks', () => ` ${code()}`],
  ])('is refused with %s', async (_, make) => {
    const { name } = await newUser();
    expect((await second(await first(name), make())).status).toBe(401);
  });

  it.each([
    ['a number for a code', { twoFactorCode: 123456 }],
    ['a list for a token', { twoFactorToken: ['x'] }],
  ])('is refused with %s', async (_, more) => {
    const { name } = await newUser();
    expect((await login({ twoFactorToken: await first(name), twoFactorCode: code(), ...more })).status).toBe(401);
  });

  it.each(['no-token', '', '11111111-2222-3333-4444-555555555555!1700000000000', '!', '../x'])(
    'is refused with the token "%s"',
    async (token) => {
      const answer = await second(token);
      expect([answer.status, cookieOf(answer, 'JSESSIONID')]).toEqual([401, '']);
    },
  );

  it('is told that a token is not known in the words of one that has timed out', async () => {
    const answer = await second('11111111-2222-3333-4444-555555555555!1700000000000');
    expect([header(answer, 'reason'), answer.body.message]).toEqual([
      'invalidTwoFactorToken',
      'Two factor authentication token not valid anymore',
    ]);
  });

  it('cannot use a token twice', async () => {
    const { name } = await newUser();
    const token = await first(name);
    await second(token);
    expect((await second(token)).status).toBe(401);
  });

  it('cannot use a code twice', async () => {
    const { name } = await newUser();
    await second(await first(name));
    const again = await second(await first(name));
    expect([again.status, header(again, 'reason')]).toEqual([401, 'wrongTwoFactorCode']);
  });

  it('gets one login out of many submissions of one code', async () => {
    const { name } = await newUser();
    const token = await first(name);
    const answers = await Promise.all(Array.from({ length: 8 }, () => second(token)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  });

  it('has only the newest token', async () => {
    const { name } = await newUser();
    const token = await first(name);
    await first(name);
    expect((await second(token)).status).toBe(401);
  });

  it('has a token that nobody can use who reads the user', async () => {
    const { id, name } = await newUser();
    await first(name);
    const stored = String((await userOf(id))['twoFactorToken']);
    expect(stored).toMatch(/^[0-9a-f]{64}!\d{13}$/);
    expect((await second(stored)).status).toBe(401);
  });

  it('has no time to spare for a token whose time was changed', async () => {
    const { name } = await newUser();
    const [id = ''] = (await first(name)).split('!');
    expect((await second(`${id}!${String(Date.now() + 60_000)}`)).status).toBe(401);
  });

  it('loses the token with the password', async () => {
    const { id, name } = await newUser();
    const token = await first(name);
    await admin.put(`/User/${id}`, { password: 'another' });
    expect((await second(token)).status).toBe(401);
  });

  it('is refused when blocked between the steps', async () => {
    const { id, name } = await newUser();
    const token = await first(name);
    await admin.put(`/User/${id}`, { blocked: true });
    expect((await second(token)).status).toBe(401);
  });

  it('is locked by wrong codes as by wrong passwords, whatever comes afterwards', async () => {
    const { name } = await newUser();
    const token = await first(name);
    for (let i = 0; i < 4; i++) await second(token, wrong());
    const answers = [await second(token), await login({ name, password: PASSWORD })];
    for (const answer of answers) expect([answer.status, header(answer, 'reason')]).toEqual([401, 'loginAttempts']);
  });

  it('gets no fresh tries from the right password, at login or in headers', async () => {
    const { id, name } = await newUser();
    for (let i = 0; i < 3; i++) {
      await second(await first(name), wrong());
      await server.as(name, PASSWORD).get('/me');
    }
    expect((await userOf(id))['passwordAttempts']).toBe(3);
  });

  it('has a clean record after the whole login', async () => {
    const { id, name } = await newUser();
    await second(await first(name), wrong());
    await second(await first(name));
    expect((await userOf(id))['passwordAttempts']).toBe(0);
  });

  it('is refused with X-User and X-Password, which are half of his login, unless a setting says they are enough', async () => {
    const { name } = await newUser();
    const me = (): Promise<Answer> => server.as(name, PASSWORD).get('/me');
    const refused = await me();
    expect([refused.status, refused.headers['reason']]).toEqual([401, 'secondFactorNeeded']);
    // Nor by what is remembered of a time when they were enough.
    await server.reload({ 'security.authentication.header.singlefactor': true });
    expect((await me()).status).toBe(200);
    await server.reload({ 'security.authentication.header.singlefactor': false });
    expect((await me()).status).toBe(401);
    const other = await admin.create('User', { name: 'becoming', password: PASSWORD });
    expect((await server.as('becoming', PASSWORD).get('/me')).status).toBe(200);
    await admin.put(`/User/${other}`, { isTwoFactorUser: true });
    expect((await server.as('becoming', PASSWORD).get('/me')).status).toBe(401);
    await admin.put(`/User/${other}`, { isTwoFactorUser: false, confirmationKey: 'a-key' });
    expect((await server.as('becoming', PASSWORD).get('/me')).status).toBe(401);
  });

  it('loses the login he had when the second step is asked for', async () => {
    const { id, name } = await newUser();
    const cookie = cookieOf(await second(await first(name)), 'JSESSIONID');
    expect((await server.as().get('/me', { Cookie: cookie })).body.result.id).toBe(id);
    await login({ name, password: PASSWORD }, { Cookie: cookie });
    expect((await server.as().get('/me', { Cookie: cookie })).status).toBe(401);
  });

  it('is not told about tokens by a wrong password', async () => {
    const { name } = await newUser();
    const answer = await login({ name, password: 'wrong' });
    expect([answer.status, answer.headers['token']]).toEqual([401, undefined]);
  });

  it('gets a secret of his own when he has none, which nobody can read', async () => {
    const id = await admin.create('User', { name: 'own', password: PASSWORD });
    expect(await userOf(id)).toMatchObject({ isTwoFactorUser: false, twoFactorConfirmed: false });
    expect((await admin.get(`/User/${id}/all`)).text).not.toMatch(/"[A-Z2-7]{16}"/);
    expect((await login({ name: 'own', password: PASSWORD })).status).toBe(200);
  });

  it('is one from the start when he was created so', async () => {
    await admin.create('User', { name: 'atonce', password: PASSWORD, isTwoFactorUser: true });
    expect((await login({ name: 'atonce', password: PASSWORD })).status).toBe(202);
  });
});

describe('other settings of the second factor', () => {
  afterAll(() => server.stop());

  it('level 2: everybody, also who has never heard of it', async () => {
    await server.reload({ 'security.twofactorauthentication.level': 2 });
    const answer = await login({ name: 'admin', password: 'admin' });
    expect([answer.status, header(answer, 'qrdata') !== '']).toEqual([202, true]);
  });

  it('level 0: nobody', async () => {
    await server.reload({ 'security.twofactorauthentication.level': 0 });
    const { name } = await newUser();
    expect((await login({ name, password: PASSWORD })).status).toBe(200);
  });

  it('time runs out', async () => {
    await server.reload({
      'security.twofactorauthentication.level': 1,
      'security.twofactorauthentication.logintimeout': 1,
    });
    const { id, name } = await newUser();
    const token = await first(name);
    await sleep(1100);
    const answer = await second(token);
    expect([answer.status, header(answer, 'reason')]).toEqual([401, 'invalidTwoFactorToken']);
    expect((await userOf(id))['twoFactorToken']).toBeNull();
  });

  it('addresses that need none, by what a trusted proxy says and by nothing else', async () => {
    await server.reload({
      'security.twofactorauthentication.logintimeout': 30,
      'security.twofactorauthentication.whitelistedips': '10.1.0.0/16, 2001:db8::/32',
      'httpservice.trustedproxies': '127.0.0.1',
    });
    const { name } = await newUser();
    const from = async (address: string): Promise<number> =>
      (await login({ name, password: PASSWORD }, { 'X-Forwarded-For': address })).status;
    expect([await from('10.1.2.3'), await from('2001:db8::7'), await from('::ffff:10.1.2.3')]).toEqual([200, 200, 200]);
    expect([await from('10.2.2.3'), await from('2001:db9::7'), await from('127.0.0.1')]).toEqual([202, 202, 202]);
    await server.reload({ 'httpservice.trustedproxies': '' });
    expect(await from('10.1.2.3')).toBe(202);
  });

  it('8 digits by SHA512', async () => {
    await server.reload({
      'security.twofactorauthentication.digits': 8,
      'security.twofactorauthentication.algorithm': 'sha512',
    });
    const { name } = await newUser();
    const totp = new TOTP({ secret: Secret.fromBase32(SECRET), period: PERIOD, digits: 8, algorithm: 'SHA512' });
    expect((await second(await first(name), totp.generate())).status).toBe(200);
  });
});
