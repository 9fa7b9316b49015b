import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type Answer } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

/** Contract, Header authentication: every request is an attempt; those that fail are limited by address. */
describe('credentials in headers that are wrong', () => {
  const LIMIT = 6;
  let server: TestServer;
  let addresses = 0;
  /** Requests of a client at an address of its own. */
  const at = (address: string) => ({
    get: (name: string, password: string): Promise<Answer> =>
      new Client(server.url, name, password, { 'X-Forwarded-For': address }).get('/me'),
  });
  const newAddress = (): string => `192.0.2.${String(++addresses)}`;
  const statuses = async (answers: Promise<Answer>[]): Promise<number[]> =>
    (await Promise.all(answers)).map(({ status }) => status);
  const count = (all: readonly number[], status: number): number => all.filter((one) => one === status).length;
  const wrong = (n: number): string => `nobody ${String(n)}`;

  beforeAll(async () => {
    server = await TestServer.start({
      settings: {
        'httpservice.trustedproxies': '127.0.0.1',
        'security.login.maxperminute': LIMIT,
        'security.credentialcache.seconds': 600,
      },
    });
    await allow(server.admin, 'User', 'user', ['GET']);
    await allow(server.admin, '_login', 'anonymous', ['POST']);
    for (const name of ['anna', 'ben', 'cleo']) await server.admin.create('User', { name, password: 'the-password' });
  });
  afterAll(() => server.stop());

  it('are refused unseen beyond the limit, with the time to wait', async () => {
    const client = at(newAddress());
    expect((await client.get('anna', 'the-password')).status).toBe(200);
    for (let i = 0; i < LIMIT; i++) expect((await client.get(wrong(i), 'x')).status).toBe(401);
    for (const [name, password] of [
      [wrong(99), 'x'],
      ['ben', 'wrong'],
      ['ben', 'the-password'],
    ] as const) {
      const answer = await client.get(name, password);
      expect([answer.status, answer.body.code, Number(answer.headers['retry-after']) > 0]).toEqual([429, 429, true]);
    }
    // What was right a moment ago still works, there and for everybody elsewhere.
    expect((await client.get('anna', 'the-password')).status).toBe(200);
    expect((await at(newAddress()).get('ben', 'the-password')).status).toBe(200);
    const { passwordAttempts } = (await server.admin.get('/User/ui?name=ben')).body.result[0];
    expect(passwordAttempts ?? 0).toBe(0);
  });

  it('are no more at once than one after the other, and leave the queue of hashes to others', async () => {
    const client = at(newAddress());
    const flood = statuses(Array.from({ length: 300 }, (_, i) => client.get(wrong(i), 'x')));
    expect((await at(newAddress()).get('cleo', 'the-password')).status).toBe(200);
    const all = await flood;
    expect([count(all, 401), count(all, 429)]).toEqual([LIMIT, 300 - LIMIT]);
  });

  it('count together with those of logins', async () => {
    const address = newAddress();
    for (let i = 0; i < LIMIT - 1; i++) await at(address).get(wrong(i), 'x');
    const login = (): Promise<Answer> =>
      server.as().post('/login', { name: 'anna', password: 'x' }, { 'X-Forwarded-For': address });
    expect([(await login()).status, (await login()).status]).toEqual([401, 429]);
  });

  it('are counted each, also when the same ones come many times at once', async () => {
    const client = at(newAddress());
    const all = await statuses(Array.from({ length: 30 }, () => client.get('nobody', 'x')));
    expect([count(all, 401), count(all, 429)]).toEqual([LIMIT, 30 - LIMIT]);
  });

  it('are no guesses of the superuser’s password either, who goes on with his own', async () => {
    const client = at(newAddress());
    expect((await client.get('superadmin', SUPERUSER_PASSWORD)).status).toBe(403);
    for (let i = 0; i < LIMIT; i++) await client.get('superadmin', `guess ${String(i)}`);
    expect((await client.get('superadmin', 'guess')).status).toBe(429);
    expect((await client.get('superadmin', SUPERUSER_PASSWORD)).status).toBe(403);
    await server.reload({ 'superuser.password': 'another-one' });
    expect((await client.get('superadmin', SUPERUSER_PASSWORD)).status).toBe(429);
    expect((await at(newAddress()).get('superadmin', SUPERUSER_PASSWORD)).status).toBe(401);
    await server.reload({ 'superuser.password': SUPERUSER_PASSWORD });
  });

  it('are not what right ones are taken for that come many times at once', async () => {
    await server.admin.create('User', { name: 'dora', password: 'the-password' });
    const client = at(newAddress());
    const all = await statuses(Array.from({ length: 50 }, () => client.get('dora', 'the-password')));
    expect(count(all, 200)).toBe(50);
  });
});
