/** The parameters of a route, written with its path (docs/interface/pages.md 2.5). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { getPage } from '../../support/pages.js';
import { TestServer } from '../../support/server.js';

let server: TestServer;
let admin: Client;
let path: string;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  const made = await admin.post('/Page/createSimplePage', { name: 'routed', visibleToPublicUsers: true });
  path = await admin.create('PagePath', { name: '/r', page: made.body.result.id });
});
afterAll(() => server.stop());

const update = (input: object): Promise<Answer> => admin.post(`/PagePath/${path}/updatePathAndParameters`, input);

test('makes what is missing, deletes what is left out, numbers all, and answers them in their order', async () => {
  const first = await update({ path: '/r/{one}/{two}', names: ['one', 'two'] });
  expect(first.status).toBe(200);
  const [one, two] = first.body.result;
  expect(one).toMatchObject({ name: 'one', position: 0, valueType: 'String' });
  await admin.put(`/PagePathParameter/${String(two.id)}`, { valueType: 'Integer', defaultValue: '1' });
  const second = await update({ path: '/r/{two}/{three}', names: ['two', 'three', 'two'] });
  expect(second.body.result).toMatchObject([
    { id: two.id, name: 'two', position: 0, valueType: 'Integer', defaultValue: '1' },
    { name: 'three', position: 1, valueType: 'String' },
  ]);
  expect((await admin.get(`/PagePathParameter/${String(one.id)}`)).status).toBe(404);
  const state = (await admin.get(`/PagePath/${path}/all`)).body.result;
  expect([state.name, state.parameters.length]).toEqual(['/r/{two}/{three}', 2]);
  expect((await getPage(server.as(), '/r/2/x')).status).toBe(200);
});

test.each([
  [{ names: ['a'] }, 'path'],
  [{ path: '', names: ['a'] }, 'path'],
  [{ path: '/x' }, 'names'],
  [{ path: '/x', names: 'a' }, 'names'],
  [{ path: '/x', names: [1] }, 'names'],
])('%j is 422', async (input, argument) => {
  const answer = await update(input);
  expect([answer.status, answer.body.message]).toEqual([422, `Missing or invalid argument: ${argument}`]);
});

test('a route has a path; its parameters go with it', async () => {
  expect((await admin.post('/PagePath', {})).body.errors[0]).toMatchObject({
    property: 'name',
    token: 'must_not_be_empty',
  });
  const [parameter] = (await update({ path: '/r/{x1}', names: ['x1'] })).body.result;
  await admin.delete(`/PagePath/${path}`);
  expect((await admin.get(`/PagePathParameter/${String(parameter.id)}`)).status).toBe(404);
});
