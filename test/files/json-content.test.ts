/** Content of files in the JSON of objects (docs/interface/files.md 3.7), and files found by their path (1.4). */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(async () => {
  await server.stop();
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Files with content on the disk of the server. */
async function stored(): Promise<string[]> {
  const names = await readdir(join(server.folder, 'files'), { recursive: true, withFileTypes: true }).catch(() => []);
  return names.filter((entry) => entry.isFile() && !entry.name.startsWith('.svc-store')).map((entry) => entry.name);
}

describe('base64Data', () => {
  it('creates a file with content, checksum, size and type', async () => {
    const id = await server.admin.create('File', { name: 'hello.txt', base64Data: base64('hello') });
    expect((await server.admin.get(`/svc/html/${id}`)).text).toBe('hello');
    const { result } = (await server.admin.get(`/File/${id}/all`)).body;
    expect(result).toMatchObject({ size: 5, version: 1, contentType: 'text/plain' });
    expect(result.checksum).not.toBeNull();
  });

  it('is never shown', async () => {
    const id = await server.admin.create('File', { name: 'hidden.txt', base64Data: base64('hello') });
    expect((await server.admin.get(`/File/${id}/all`)).text).not.toContain(base64('hello'));
  });

  it('takes the type of a data URI as far as the content bears it out', async () => {
    const id = await server.admin.create('File', { name: 'pixel', base64Data: `data:image/png;base64,${PIXEL}` });
    expect((await server.admin.get(`/File/${id}`)).body.result).toMatchObject({
      type: 'Image',
      contentType: 'image/png',
    });
    const other = await server.admin.create('File', {
      name: 'no-pixel',
      base64Data: `data:image/png;base64,${base64('hello')}`,
    });
    expect((await server.admin.get(`/File/${other}`)).body.result).toMatchObject({
      type: 'File',
      contentType: 'text/plain',
    });
  });

  it('replaces the content of a file, and the old content goes', async () => {
    const id = await server.admin.create('File', { name: 'twice.txt', base64Data: base64('one') });
    const before = (await stored()).filter((name) => name.startsWith(id));
    expect((await server.admin.send('PUT', `/File/${id}`, { base64Data: base64('two!') })).status).toBe(200);
    expect((await server.admin.get(`/svc/html/${id}`)).text).toBe('two!');
    expect((await server.admin.get(`/File/${id}/all`)).body.result).toMatchObject({ size: 4, version: 2 });
    await expect.poll(async () => (await stored()).filter((name) => name.startsWith(id)).length).toBe(1);
    expect((await stored()).filter((name) => before.includes(name))).toEqual([]);
  });

  it('creates files in a folder that is created with them', async () => {
    const folder = await server.admin.create('Folder', { name: 'nested' });
    const id = await server.admin.create('File', { name: 'in.txt', parent: folder, base64Data: base64('nested') });
    expect((await server.admin.get('/svc/html/nested/in.txt')).text).toBe('nested');
    expect((await server.admin.get(`/File/${id}`)).body.result.path).toBe('/nested/in.txt');
  });

  it('gets the checksums that its folder asks for, or the nearest above', async () => {
    const { admin } = server;
    const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
    const sums = async (id: string): Promise<unknown> => (await admin.get(`/File/${id}/all`)).body.result.md5;
    const asks = await admin.create('Folder', { name: 'asks', enabledChecksums: 'md5' });
    const below = await admin.create('Folder', { name: 'below', parent: asks });
    const silent = await admin.create('Folder', { name: 'silent', parent: asks, enabledChecksums: '' });
    const one = { name: 'one.txt', base64Data: base64('one') };
    expect(await sums(await admin.create('File', { ...one, parent: asks }))).toBe(md5('one'));
    expect(await sums(await admin.create('File', { ...one, parent: { id: below } }))).toBe(md5('one'));
    expect(await sums(await admin.create('File', { ...one, name: 'two.txt', parentId: below }))).toBe(md5('one'));
    expect(await sums(await admin.create('File', { ...one, parent: silent }))).toBeNull();
    const file = await admin.create('File', one);
    expect(await sums(file)).toBeNull();
    // With the content, or with content that comes later.
    await admin.put(`/File/${file}`, { parent: below, name: 'three.txt', base64Data: base64('three') });
    expect(await sums(file)).toBe(md5('three'));
    await admin.put(`/File/${file}`, { base64Data: base64('four') });
    expect(await sums(file)).toBe(md5('four'));
    await admin.put(`/File/${file}`, { parent: null, base64Data: base64('five') });
    expect(await sums(file)).toBeNull();
  });

  it('of an image is imageData as well', async () => {
    const id = await server.admin.create('Image', { name: 'pixel.png', imageData: PIXEL });
    expect((await server.admin.get(`/Image/${id}`)).body.result).toMatchObject({ contentType: 'image/png', size: 70 });
  });

  it.each([['no base64!'], [base64('x').slice(0, -1) + '=x'], [12], [['a']], [{}], ['data:text/plain,hello']])(
    'is refused when it is %j, and leaves nothing behind',
    async (base64Data) => {
      const before = await stored();
      const answer = await server.admin.post('/File', { name: 'broken.txt', base64Data });
      expect([answer.status, answer.body.errors[0].property]).toEqual([422, 'base64Data']);
      expect(await stored()).toEqual(before);
    },
  );

  it('leaves nothing behind when the transaction fails', async () => {
    const before = await stored();
    const answer = await server.admin.post('/File', { name: 'a/b', base64Data: base64('content') });
    expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'must_match']);
    expect(await stored()).toEqual(before);
  });

  it('cannot be written by who may not write the file', async () => {
    const id = await server.admin.create('File', {
      name: 'kept.txt',
      base64Data: base64('kept'),
      visibleToAuthenticatedUsers: true,
    });
    await server.admin.create('User', { name: 'reader', password: 'reader-password' });
    await allow(server.admin, 'File/_id', 'user', ['PUT']);
    const before = await stored();
    const answer = await server
      .as('reader', 'reader-password')
      .send('PUT', `/File/${id}`, { base64Data: base64('new') });
    expect(answer.status).toBe(403);
    expect((await server.admin.get(`/svc/html/${id}`)).text).toBe('kept');
    expect(await stored()).toEqual(before);
  });

  it.each(['contentKey', 'place', 'sandboxed'])('what the service keeps itself cannot be written: %s', async (key) => {
    const answer = await server.admin.post('/File', { name: 'own.txt', [key]: key === 'sandboxed' ? false : 'x' });
    expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'is_system_property']);
  });
});

describe('path', () => {
  it('finds files and folders, with slashes too many', async () => {
    const folder = await server.admin.create('Folder', { name: 'found' });
    const id = await server.admin.create('File', { name: 'it.txt', parent: folder });
    for (const path of ['/found/it.txt', 'found//it.txt/', '//found/it.txt']) {
      const { body } = await server.admin.get(`/File?path=${encodeURIComponent(path)}`);
      expect(body.result.map((file: { id: string }) => file.id)).toEqual([id]);
    }
    expect((await server.admin.get('/AbstractFile?path=/found')).body.result[0].id).toBe(folder);
    expect((await server.admin.get('/File?path=/found')).body.result).toEqual([]);
    expect((await server.admin.get('/File?path=/nowhere/it.txt')).body.result).toEqual([]);
  });

  it('follows a move and a new name', async () => {
    const [from, to] = [
      await server.admin.create('Folder', { name: 'from' }),
      await server.admin.create('Folder', { name: 'to' }),
    ];
    const id = await server.admin.create('File', { name: 'moved.txt', parent: from, base64Data: base64('moved') });
    expect((await server.admin.get('/svc/html/from/moved.txt')).text).toBe('moved');
    await server.admin.send('PUT', `/File/${id}`, { parent: to });
    expect((await server.admin.get('/svc/html/from/moved.txt')).status).toBe(404);
    expect((await server.admin.get('/svc/html/to/moved.txt')).text).toBe('moved');
    await server.admin.send('PUT', `/Folder/${to}`, { name: 'there' });
    expect((await server.admin.get('/svc/html/there/moved.txt')).text).toBe('moved');
    expect((await server.admin.get('/svc/html/to/moved.txt')).status).toBe(404);
  });

  it('neither names nor leads through folders that one may not see', async () => {
    const folder = await server.admin.create('Folder', { name: 'secret' });
    const id = await server.admin.create('File', {
      name: 'public.txt',
      parent: folder,
      visibleToPublicUsers: true,
      base64Data: base64('public'),
    });
    await allow(server.admin, 'File', 'anonymous', ['GET']);
    await allow(server.admin, 'File/_id', 'anonymous', ['GET']);
    expect((await server.as().get(`/File/${id}`)).body.result.path).toBe('/public.txt');
    expect((await server.as().get('/File?path=/secret/public.txt')).body.result).toEqual([]);
    expect((await server.as().get('/svc/html/secret/public.txt')).status).toBe(404);
    expect((await server.as().get(`/svc/html/${id}`)).text).toBe('public');
  });
});
