/** Archives that scripts make and extract (docs/interface/imports.md 2, docs/interface/script-runtime.md 8.8), by methods over REST, in both languages. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unzipped } from '../../support/unzipped.js';
import { getBytes } from '../../files/bytes.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { uploaded } from '../../support/storage.js';
import type { Client } from '../../support/client.js';

let server: TestServer;
let admin: Client;
beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  for (const [name, source] of Object.entries(METHODS)) await admin.create('SchemaMethod', { name, source });
  await admin.create('SchemaNode', { name: 'Archive', inheritedTraits: ['File'] });
});
afterAll(() => server.stop());

const METHODS: Record<string, string> = {
  folderEx: "get(createFolderPath(retrieve('path')), 'id')",
  packEx: "get(createArchive(retrieve('name'), find('Folder', 'name', retrieve('folder'))), 'id')",
  zipEx: "get(createZip(retrieve('name'), first(find('File', 'id', retrieve('id'))), 'secret', 'aes'), 'id')",
  unpackEx: "unarchive(first(find('File', 'id', retrieve('id'))), createFolderPath(retrieve('path')))",
  packJs: `{
    const made = $.createArchive($.retrieve('name'), $.retrieve('ids').map((id) => $.find('AbstractFile', id)), 'Archive');
    return { id: made.id, type: made.type, name: made.name };
  }`,
  zipJs:
    "{ return $.createZip($.retrieve('name'), $.find('File', $.retrieve('id')), $.retrieve('password'), $.retrieve('kind')).id; }",
  newJs: `{
    const file = $.create('File', { name: 'made.txt' });
    $.setContent(file, 'made just now');
    const made = $.createArchive('made', [file]);
    $.unarchive(made, $.createFolderPath('/unpacked/' + $.retrieve('to')));
    if ($.retrieve('fail')) $.error('name', 'is_bad');
    return made.id;
  }`,
  unpackJs: "{ $.unarchive($.find('File', $.retrieve('id'))); }",
  badJs: "{ return $.createArchive('x', ['no file']); }",
  wrongTypeJs: "{ return $.createArchive('x', $.find('File')[0], 'Folder'); }",
  nullEx: 'createArchive(null, null)',
  secretJs: `{
    let held;
    $.doPrivileged(() => { held = $.find('File', $.retrieve('id')); });
    return $.createArchive('stolen', held).id;
  }`,
};

const run = async (name: string, body: object, by = admin): Promise<unknown> => {
  const answer = await by.post(`/${name}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.result;
};
const refused = async (name: string, body: object, status = 422, by = admin): Promise<string> => {
  const answer = await by.post(`/${name}`, body);
  expect(answer.status, answer.text).toBe(status);
  return answer.body.message;
};
/** A new file in a folder, which is made where it is missing. */
const into = async (path: string, name: string, text: string): Promise<string> =>
  uploaded(admin, { parent: (await run('folderEx', { path })) as string }, name, Buffer.from(text));
const bytesIn = async (id: unknown): Promise<Buffer> =>
  Buffer.from((await getBytes(`${server.url}/svc/html/${String(id)}`)).bytes);
const inArchive = async (id: unknown): Promise<Record<string, string>> =>
  Object.fromEntries((await unzipped(await bytesIn(id))).map(({ name, bytes }) => [name, bytes.toString()]));

it('a folder is packed, and unpacked elsewhere', async () => {
  await into('/docs/deep', 'a.txt', 'first');
  await into('/docs', 'b.txt', 'second');
  const id = await run('packEx', { name: 'all', folder: 'docs' });
  expect(await inArchive(id)).toEqual({
    'docs/': '',
    'docs/b.txt': 'second',
    'docs/deep/': '',
    'docs/deep/a.txt': 'first',
  });
  const { name, path, contentType, type } = (await admin.get(`/File/${String(id)}/all`)).body.result;
  expect({ name, path, contentType, type }).toEqual({
    ...{ name: 'all.zip', path: '/all.zip', contentType: 'application/zip', type: 'File' },
  });
  await run('unpackEx', { id, path: '/out/here' });
  expect((await admin.get('/File?path=/out/here/docs/deep/a.txt')).body.result_count).toBe(1);
});

it('a list of files is packed into a file of a type', async () => {
  const ids = [await uploaded(admin, {}, 'same.txt', Buffer.from('one')), await into('/other', 'same.txt', 'two')];
  const made = (await run('packJs', { name: 'list.ZIP', ids })) as Record<string, string>;
  expect(made).toMatchObject({ type: 'Archive', name: 'list.ZIP' });
  expect(await inArchive(made['id'])).toEqual({ 'same.txt': 'one', 'same (2).txt': 'two' });
});

it('what the script has just written is packed and unpacked; when it fails nothing stays', async () => {
  const id = await run('newJs', { to: 'good' });
  expect(await inArchive(id)).toEqual({ 'made.txt': 'made just now' });
  expect((await admin.get('/File?path=/unpacked/good/made.txt')).body.result_count).toBe(1);
  const before = (await admin.get('/File')).body.result_count;
  await refused('newJs', { to: 'bad', fail: true });
  expect((await admin.get('/File')).body.result_count).toBe(before);
});

it('with a password the content cannot be read without it', async () => {
  const id = await uploaded(admin, {}, 'secret.txt', Buffer.from('nobody knows'));
  for (const made of [
    await run('zipEx', { name: 'sealed', id }),
    await run('zipJs', { name: 'sealed', id, password: 'p' }),
    await run('zipJs', { name: 'sealed', id, password: 'p', kind: 'aes' }),
  ]) {
    const bytes = await bytesIn(made);
    expect(bytes.readUInt16LE(6) & 1).toBe(1);
    expect(bytes.includes('nobody')).toBe(false);
    expect(await refused('unpackJs', { id: made })).toMatch(/encrypted/);
  }
  expect(await inArchive(await run('zipJs', { name: 'open', id }))).toEqual({ 'secret.txt': 'nobody knows' });
});

it('what makes no sense is refused', async () => {
  const id = await uploaded(admin, {}, 'x.txt', Buffer.from('no archive'));
  expect(await refused('badJs', {})).toMatch(/no object/);
  expect(await refused('wrongTypeJs', {})).toMatch(/no type of files/);
  expect(await refused('zipJs', { name: 'x', id, password: 'p', kind: 'rot13' })).toMatch(/"standard" or "aes"/);
  expect(await refused('zipJs', { name: 'x', id, password: '' })).toMatch(/password/);
  expect(await refused('zipJs', { name: 'a/b', id })).toMatch(/slashes/);
  expect(await refused('unpackJs', { id })).toMatch(/ZIP/);
  expect(await run('nullEx', {})).toEqual([]);
});

it('the rights of the user decide', async () => {
  await admin.create('User', { name: 'packer', password: 'Secret-pass-1' });
  const user = server.as('packer', 'Secret-pass-1');
  for (const name of ['packEx', 'secretJs', 'unpackJs']) await allow(admin, name, 'user', ['POST']);
  await into('/half', 'hidden.txt', 'hidden');
  const seen = await into('/half', 'seen.txt', 'seen');
  const folder = (await admin.get('/Folder?name=half')).body.result[0].id;
  await admin.put(`/Folder/${folder}`, { visibleToAuthenticatedUsers: true });
  await admin.put(`/File/${seen}`, { visibleToAuthenticatedUsers: true });
  expect(await inArchive(await run('packEx', { name: 'half', folder: 'half' }, user))).toEqual({
    ...{ 'half/': '', 'half/seen.txt': 'seen' },
  });
  const hidden = await uploaded(admin, {}, 'hidden.txt', Buffer.from('hidden'));
  await refused('secretJs', { id: hidden }, 404, user);
  // An archive that he may read, in a folder that he may not write to.
  const packed = await run('packEx', { name: 'guarded', folder: 'half' });
  await admin.put(`/File/${String(packed)}`, { visibleToAuthenticatedUsers: true, parent: folder });
  await refused('unpackJs', { id: packed }, 403, user);
});
