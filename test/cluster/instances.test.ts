import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.js';
import { type Instance, SECOND, seen, startInstances, stateAt, typical } from './instances.js';

describe('three instances on one database', () => {
  let instances: Instance[];
  let close: () => Promise<void>;
  const admin = (i: number) => at(i).server.admin;
  const at = (i: number): Instance => {
    const instance = instances[i];
    if (instance === undefined) throw new Error(`there is no instance ${String(i)}`);
    return instance;
  };

  beforeAll(async () => {
    ({ instances, close } = await startInstances(3));
    await admin(0).defineType('Item', [
      { name: 'code', propertyType: 'String', unique: true },
      { name: 'size', propertyType: 'Integer', indexed: true },
    ]);
    await seen(async () => (await admin(2).get('/Item')).status === 200);
  });
  afterAll(() => close());

  const latest = async (waits: Promise<number>[]): Promise<number> => Math.max(...(await Promise.all(waits)));

  it('all know a change of the schema within a second', async () => {
    const took = await typical(async (n) => {
      const name = `Fresh${String(n)}`;
      const id = await admin(0).defineType(name, [{ name: 'text', propertyType: 'String' }]);
      const known = await latest([1, 2].map((i) => seen(async () => (await admin(i).get(`/${name}`)).status === 200)));
      expect((await admin(1).post(`/${name}`, { text: 'by another instance' })).status).toBe(201);

      await admin(2).patch(`/SchemaNode/${id}`, { name: `${name}er` });
      const gone = await latest([0, 1].map((i) => seen(async () => (await admin(i).get(`/${name}`)).status === 404)));
      expect((await admin(0).post(`/${name}er`, { text: 'by its new name' })).status).toBe(201);
      return Math.max(known, gone);
    });
    expect(took).toBeLessThan(SECOND);
  });

  it('each writes by the newest schema, even when it has not heard of it yet', async () => {
    const id = await admin(0).create('SchemaNode', { name: 'Strict' });
    await seen(async () => (await admin(1).get('/Strict')).status === 200);
    for (let i = 0; i < 5; i++) {
      const name = `must${String(i)}`;
      await admin(0).create('SchemaProperty', { name, propertyType: 'String', notNull: true, schemaNode: id });
      const answer = await admin(1).post('/Strict', {});
      expect(answer.status).toBe(422);
      expect(answer.text).toContain(name);
    }
  });

  it('none lets a user in any more within a second of a new password or a block', async () => {
    const took = await typical(async (n) => {
      const name = `eva${String(n)}`;
      const id = await admin(0).create('User', { name, password: 'first', isAdmin: true });
      const status = async (i: number, password: string): Promise<number> =>
        (await at(i).server.as(name, password).get('/me')).status;
      expect(await Promise.all([0, 1, 2].map((i) => status(i, 'first')))).toEqual([200, 200, 200]);

      await admin(1).patch(`/User/${id}`, { password: 'second' });
      const changed = await latest([0, 2].map((i) => seen(async () => (await status(i, 'first')) === 401)));
      expect(await Promise.all([0, 1, 2].map((i) => status(i, 'second')))).toEqual([200, 200, 200]);

      await admin(2).patch(`/User/${id}`, { blocked: true });
      const blocked = await latest([0, 1].map((i) => seen(async () => (await status(i, 'second')) === 401)));
      return Math.max(changed, blocked);
    });
    expect(took).toBeLessThan(SECOND);
  });

  it('a unique value is given once, whoever asks', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => admin(n % 3).post('/Item', { code: `code-${String(n % 20)}` })),
    );
    const given = answers.filter((one) => one.status === 201);
    const refused = answers.filter((one) => one.status === 422);
    expect([given.length, refused.length]).toEqual([20, 40]);
    expect(refused.every((one) => one.text.includes('already_taken'))).toBe(true);
    expect((await admin(0).get('/Item')).body).toMatchObject({ result_count: 20 });
  });

  it('what one changes step by step in turns with others adds up', async () => {
    const id = await admin(0).create('Item', { code: 'sum', size: 0 });
    for (let n = 1; n <= 12; n++) {
      const { body } = await admin(n % 3).get(`/Item/${id}`);
      const { size } = (body as { result: { size: number } }).result;
      expect((await admin((n + 1) % 3).patch(`/Item/${id}`, { size: size + 1 })).status).toBe(200);
    }
    expect((await admin(0).get(`/Item/${id}`)).body).toMatchObject({ result: { size: 12 } });
  });

  it('all show the same members and coordinator, to administrators', async () => {
    await seen(async () => (await stateAt(at(0))).members.every((one) => one.port > 0));
    for (const [i, instance] of instances.entries()) {
      const state = await stateAt(instance);
      expect(state.coordinator).toBe('cluster-node-0');
      expect(state.members.map((one) => [one.name, one.pid, one.port, one.alive, one.self])).toEqual(
        instances.map(({ server }, n) => [`cluster-node-${String(n)}`, server.child.pid, server.port, true, n === i]),
      );
      for (const { lastHeartbeat } of state.members)
        expect(Date.now() - Date.parse(lastHeartbeat)).toBeLessThan(60 * SECOND);
      const answer: Answer = await instance.server.admin.get('/_cluster');
      expect(answer.headers['x-svc-cluster-node']).toBe(`cluster-node-${String(i)}`);
      expect((await instance.server.as().get('/_cluster')).status).toBe(401);
      expect((await instance.server.admin.post('/_cluster', {})).status).toBe(405);
    }
  });
});
