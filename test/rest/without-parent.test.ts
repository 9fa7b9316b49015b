/** Files that lie in no folder (docs/interface/lists.md 1.4). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';
import { statementsOf } from '../support/statements.js';

/** Whether each file has a folder is asked of its relationships. */
const ASKS_FOLDERS = /org\.svc\.graph - \d+\.\d ms: .*\bNOT EXISTS\b.*(?:\brel\b|CONTAINS)/;

let server: TestServer;
let admin: Client;
let asked: () => Promise<number>;
beforeAll(async () => {
  server = await TestServer.start({ settings: { 'log.cypher.debug': true } });
  ({ admin } = server);
  const seen = { visibleToAuthenticatedUsers: true };
  const open = await admin.create('Folder', { name: 'open', ...seen });
  const closed = await admin.create('Folder', { name: 'closed' });
  await admin.create('File', { name: 'root.txt', ...seen });
  await admin.create('File', { name: 'opened.txt', parent: open, ...seen });
  await admin.create('File', { name: 'enclosed.txt', parent: closed, ...seen });
  await admin.create('File', { name: 'moved.txt', parent: open, ...seen });
  const moved = (await admin.get('/File?name=moved.txt')).body.result[0] as { readonly id: string };
  await admin.put(`/File/${moved.id}`, { parent: null });
  await admin.create('User', { name: 'reader', password: 'reads a lot' });
  await admin.create('ResourceAccess', { signature: 'File', flags: 1, ...seen });
  asked = await statementsOf(server, admin, ASKS_FOLDERS);
});
afterAll(() => server.stop());

const names = async (client: Client, query: string): Promise<readonly string[]> => {
  const { body } = await client.get(`/File?${query}&_sort=name`);
  return (body.result as readonly { readonly name: string }[]).map(({ name }) => name);
};

test('who sees all folders gets them by what files have kept, without a look at the folder of each', async () => {
  const before = await asked();
  for (const key of ['parent', 'parentId']) {
    expect(await names(admin, `${key}=`)).toEqual(['moved.txt', 'root.txt']);
    expect(await names(admin, `${key}=[]`)).toEqual(['enclosed.txt', 'opened.txt']);
  }
  expect(await names(admin, 'hasParent=false')).toEqual(['moved.txt', 'root.txt']);
  expect(await asked()).toBe(before);
});

test('a folder that somebody may not read is none for them', async () => {
  const before = await asked();
  const reader = new Client(server.url, 'reader', 'reads a lot');
  expect(await names(reader, 'parent=')).toEqual(['enclosed.txt', 'moved.txt', 'root.txt']);
  expect(await asked()).toBeGreaterThan(before);
});
