/** Functions that read and write the content of files (docs/interface/imports.md 1.1), by methods over REST, in both languages. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { until, uploaded } from '../../support/storage.js';
import type { Client } from '../../support/client.js';

let server: TestServer;
let admin: Client;
beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  for (const [name, source] of Object.entries(METHODS)) await admin.create('SchemaMethod', { name, source });
});
afterAll(() => server.stop());

const FILE = "first(find('File', 'id', retrieve('id')))";
const METHODS: Record<string, string> = {
  readText: `getContent(${FILE}, 'UTF-8')`,
  writeText: `setContent(${FILE}, retrieve('text'))`,
  addText: `appendContent(${FILE}, retrieve('text'))`,
  copyText: `copyFileContents(${FILE}, first(find('File', 'id', retrieve('to'))))`,
  folders: "get(createFolderPath(retrieve('path')), 'path')",
  readJs: "{ return $.getContent($.find('File', $.retrieve('id')), 'UTF-8'); }",
  writeJs: "{ $.setContent($.find('File', $.retrieve('id')), $.retrieve('text')); }",
  bytesJs: "{ $.setContent($.find('File', $.retrieve('id')), [104, 105, 255], 'ISO-8859-1'); }",
  manyJs: `{
    const file = $.find('File', $.retrieve('id'));
    $.setContent(file, 'one');
    $.appendContent(file, ' two');
    $.appendContent(file, ' three');
    const seen = $.getContent(file, 'UTF-8');
    if ($.retrieve('fail')) $.error('name', 'is_bad');
    return seen;
  }`,
};

const create = (text: string, by = admin): Promise<string> =>
  uploaded(by, {}, `${String(Math.random())}.txt`, Buffer.from(text));
const run = async (name: string, body: object, by = admin): Promise<unknown> => {
  const answer = await by.post(`/${name}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.result;
};
const served = async (id: string): Promise<string> => (await admin.get(`/svc/html/${id}`)).text;
/** Contents of this file that lie on the disk. */
const stored = async (id: string): Promise<string[]> =>
  (await readdir(join(server.folder, 'files'), { recursive: true })).filter((name) => name.includes(id));

it('content is read', async () => {
  const id = await create('grün');
  expect(await run('readText', { id })).toBe('grün');
  expect(await run('readJs', { id })).toBe('grün');
});

it('content is replaced by text and by bytes, added to, and copied', async () => {
  const id = await create('old');
  await run('writeText', { id, text: 'new' });
  expect(await served(id)).toBe('new');
  await run('addText', { id, text: 'er' });
  expect(await served(id)).toBe('newer');
  await run('writeJs', { id, text: 'by JavaScript' });
  expect(await served(id)).toBe('by JavaScript');
  const to = await create('other');
  await run('copyText', { id, to });
  expect(await served(to)).toBe('by JavaScript');
  await run('bytesJs', { id });
  expect((await admin.get(`/File/${id}`)).body.result.size).toBe(3);
});

it('a script sees what it has written, and leaves one content behind', async () => {
  const id = await create('old');
  expect(await run('manyJs', { id })).toBe('one two three');
  expect(await served(id)).toBe('one two three');
  await until(
    () => stored(id),
    (names) => names.length === 1,
  );
});

it('a script that fails leaves the content as it was, and nothing else on the disk', async () => {
  const id = await create('old');
  expect((await admin.post('/manyJs', { id, fail: true })).status).toBe(422);
  expect(await served(id)).toBe('old');
  await until(
    () => stored(id),
    (names) => names.length === 1,
  );
});

it('so does a lifecycle method in the transaction of a request that fails', async () => {
  const id = await create('old');
  await admin.create('SchemaNode', {
    name: 'Careful',
    schemaMethods: [
      {
        name: 'onCreate',
        source: `{ $.setContent($.find('File', '${id}'), 'new'); if ($.this.name === 'bad') $.error('name', 'is_bad'); }`,
      },
    ],
  });
  expect((await admin.post('/Careful', { name: 'bad' })).status).toBe(422);
  expect(await served(id)).toBe('old');
  await until(
    () => stored(id),
    (names) => names.length === 1,
  );
  await admin.create('Careful', { name: 'good' });
  expect(await served(id)).toBe('new');
  await until(
    () => stored(id),
    (names) => names.length === 1,
  );
});

it('folders of a path are created', async () => {
  expect(await run('folders', { path: '/a/b/c' })).toBe('/a/b/c');
  expect(await run('folders', { path: '/a/b/d' })).toBe('/a/b/d');
  expect((await admin.get('/Folder?name=a')).body.result_count).toBe(1);
});

it('the rights of the caller decide', async () => {
  await admin.create('User', { name: 'reader', password: 'Secret-pass-1' });
  const user = server.as('reader', 'Secret-pass-1');
  for (const name of ['readText', 'writeText', 'addText', 'copyText']) await allow(admin, name, 'user', ['POST']);
  const hidden = await create('hidden');
  // What he does not see is nothing for him, and with nothing nothing is done.
  await run('writeText', { id: hidden, text: 'x' }, user);
  const open = await create('open');
  await admin.put(`/File/${open}`, { visibleToAuthenticatedUsers: true });
  expect(await run('readText', { id: open }, user)).toBe('open');
  for (const name of ['writeText', 'addText'])
    expect((await user.post(`/${name}`, { id: open, text: 'x' })).status).toBe(403);
  await run('copyText', { id: open, to: hidden }, user);
  expect(await served(open)).toBe('open');
  expect(await served(hidden)).toBe('hidden');
});

it('the source of a template is kept by no cache that many share', async () => {
  const id = await create('${me.name}');
  await admin.put(`/File/${id}`, { isTemplate: true, cacheForSeconds: 60, visibleToPublicUsers: true });
  const source = await admin.get(`/svc/html/${id}?_edit=1`);
  expect(source.text).toBe('${me.name}');
  expect(source.headers['cache-control']).toBe('private, max-age=60');
  expect((await admin.get(`/svc/html/${id}`)).text).toBe('admin');
});
