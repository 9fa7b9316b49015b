/** Function properties only read while an answer is written: a write would wait for an end that nobody brings about. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

it.each([
  ['Writing', "{ $.create('Group', { name: 'written' }); return 1 }"],
  ['Scheduling', "{ $.schedule(() => { $.create('Group', { name: 'written' }) }); return 1 }"],
])('%s in a function that reads: null, logged, and nobody waits for it', async (name, readFunction) => {
  const { admin } = server;
  await admin.defineType(name, [{ name: 'value', propertyType: 'Function', readFunction }]);
  const id = await admin.create(name, { name: 'one' });
  expect((await admin.get(`/${name}/${id}`)).body).toMatchObject({ result: { value: null } });
  expect(await server.untilLogged(new RegExp(`${name}\\[\\w+\\]:value:.*it reads as null`))).not.toHaveLength(0);
  await admin.create('Group', { name: `after ${name}` });
  expect((await admin.get('/Group?name=written')).body).toMatchObject({ result_count: 0 });
});
