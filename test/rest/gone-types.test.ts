import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

/** Objects of a type that was deleted are not there until it returns; what they are linked to goes on meanwhile (docs/interface/schema.md 13.3). */
describe('objects of a type that is gone', () => {
  let server: TestServer;
  let admin: Client;

  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    const item = await admin.defineType('Item');
    const task = await admin.defineType('Task');
    await admin.relate(item, 'HAS', task, { sourceJsonName: 'item', targetJsonName: 'tasks' });
    await admin.relate(task, 'IN', item, { sourceMultiplicity: '*', sourceJsonName: 'held', targetJsonName: 'items' });
  });
  afterAll(() => server.stop());

  const special = (): Promise<string> => admin.create('SchemaNode', { name: 'Special', inheritedTraits: ['Item'] });
  const count = async (path: string): Promise<number> => (await admin.get(path)).body.result_count as number;

  it('leave one link at a `1` side that was filled meanwhile', async () => {
    const type = await special();
    const task = await admin.create('Task', {});
    const gone = await admin.create('Special', { tasks: [task] });
    await admin.delete(`/SchemaNode/${type}`);
    expect((await admin.get(`/Item/${gone}`)).status).toBe(404);
    const other = await admin.create('Item', { tasks: [task] });
    await special();
    expect(
      (await admin.get(`/ItemHASTask?targetId=${task}`)).body.result.map((one: { sourceId: string }) => one.sourceId),
    ).toEqual([other]);
    expect(await count(`/Special/${gone}/tasks`)).toBe(0);
    await admin.delete(`/SchemaNode/${(await admin.get('/SchemaNode?name=Special')).body.result[0].id as string}`);
  });

  it('have no relationships until it returns', async () => {
    const type = await special();
    const tasks = await Promise.all([admin.create('Task', {}), admin.create('Task', {})]);
    const [task = '', kept = ''] = tasks;
    const gone = await admin.create('Special', { tasks });
    const item = await admin.create('Item', { held: [kept] });
    await admin.create('TaskINItem', { sourceId: task, targetId: gone });
    const link = (await admin.get(`/ItemHASTask?targetId=${task}`)).body.result[0].id as string;
    const lists = [
      `/ItemHASTask?sourceId=${gone}`,
      `/ItemHASTask?targetId=${task}`,
      `/Task/${task}/in`,
      `/Task/${task}/out`,
    ];
    const before = await Promise.all([count('/ItemHASTask'), count('/TaskINItem'), ...lists.map(count)]);
    expect(before.slice(2)).toEqual([2, 1, 3, 1]);
    await admin.delete(`/SchemaNode/${type}`);
    // At first nobody knows that there are such objects, later it is known.
    for (let i = 0; i < 12; i++) {
      const during = await Promise.all([count('/ItemHASTask'), count('/TaskINItem'), ...lists.map(count)]);
      expect(during).toEqual([(before[0] ?? 0) - 2, (before[1] ?? 0) - 1, 0, 0, 2, 0]);
    }
    expect(await count(`/Item/${item}/in`)).toBe(3);
    for (const path of [`/ItemHASTask/${link}`, `/${link}`]) {
      expect((await admin.get(path)).status).toBe(404);
      expect((await admin.delete(path)).status).toBe(404);
    }
    expect((await admin.delete(`/ItemHASTask?targetId=${task}`)).status).toBe(200);
    await special();
    expect(await Promise.all(lists.map(count))).toEqual(before.slice(2));
    expect((await admin.get(`/ItemHASTask/${link}`)).status).toBe(200);
  });
});
