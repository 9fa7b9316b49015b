import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { type Instance, SECOND, seen, startInstances, typical } from './instances.js';

describe('logins on several instances', () => {
  let instances: Instance[];
  let close: () => Promise<void>;
  const url = (i: number): string => instances[i]?.server.url ?? '';
  const as = (i: number, name: string, password: string): Client => new Client(url(i), name, password);
  const admin = (i: number): Client => as(i, 'admin', 'admin');

  beforeAll(async () => {
    ({ instances, close } = await startInstances(2));
    await allow(admin(0), '_login', 'anonymous', ['POST']);
    await allow(admin(0), '_logout', 'user', ['POST']);
    await allow(admin(0), 'User', 'user', ['GET']);
    await admin(0).create('User', { name: 'anna', password: 'annas-password' });
  });
  afterAll(() => close());

  it('a session that began on one holds on the other, and ends on both within a second', async () => {
    const took = await typical(async () => {
      const here = await as(0, 'anna', 'annas-password').loggedIn();
      const there = new Client(url(1), undefined, undefined, here.headers);
      expect((await there.get('/me')).body.result.name).toBe('anna');
      expect((await there.post('/logout')).status).toBe(200);
      return seen(async () => (await here.get('/me')).status === 401);
    });
    expect(took).toBeLessThan(SECOND);
  });

  it('a permission that is taken away on one is gone on the other within a second', async () => {
    const anna = as(1, 'anna', 'annas-password');
    const took = await typical(async () => {
      const id = await allow(admin(0), 'Group', 'user', ['GET']);
      const given = await seen(async () => (await anna.get('/Group')).status === 200);
      await admin(0).delete(`/ResourceAccess/${id}`);
      return Math.max(given, await seen(async () => (await anna.get('/Group')).status === 401));
    });
    expect(took).toBeLessThan(SECOND);
  });

  it('failures are counted for all of them', async () => {
    await admin(0).create('User', { name: 'target', password: 'targets-password' });
    for (let i = 0; i < 4; i++) expect((await as(i % 2, 'target', 'wrong').get('/me')).status).toBe(401);
    for (const i of [0, 1]) {
      const answer = await as(i, 'target', 'targets-password').get('/me');
      expect([answer.status, answer.headers['reason']]).toEqual([401, 'loginAttempts']);
    }
  });
});
