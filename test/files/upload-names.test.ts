import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { contentsOnDisk, fields, file, objectOf, served, until, upload, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** No two of one name in a folder; moving, renaming and deleting (docs/interface/files.md 1.5, 2). */
describe('names and places of files', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = server.admin;
  });
  afterAll(() => server.stop());
  const pathOf = async (id: string): Promise<unknown> => (await objectOf(admin, id))['path'];
  const nameOf = async (id: string): Promise<unknown> => (await objectOf(admin, id))['name'];
  const at = async (path: string): Promise<string> => {
    const { status, bytes } = await served(admin, encodeURI(path));
    return status === 200 ? bytes.toString() : String(status);
  };

  it('the later of two is renamed, where the setting says', async () => {
    const time = '\\d{4}-\\d\\d-\\d\\d-\\d{9}';
    for (const [position, pattern, plain] of [
      ['beforeextension', `^report\\.v1_${time}\\.pdf$`, `^plain_${time}$`],
      ['start', `^${time}_report\\.v1\\.pdf$`, `^${time}_plain$`],
      ['end', `^report\\.v1\\.pdf_${time}$`, `^plain_${time}$`],
    ] as const) {
      await server.reload({ 'application.filesystem.unique.insertionposition': position });
      const parent = await admin.create('Folder', { name: `names-${position}` });
      expect(await nameOf(await uploaded(admin, file('report.v1.pdf'), { parent }))).toBe('report.v1.pdf');
      expect(await nameOf(await uploaded(admin, file('report.v1.pdf'), { parent }))).toMatch(new RegExp(pattern));
      await uploaded(admin, file('plain'), { parent });
      expect(await nameOf(await uploaded(admin, file('other'), { parent, name: 'plain' }))).toMatch(new RegExp(plain));
    }
    await server.reload({ 'application.filesystem.unique.insertionposition': 'beforeextension' });
  });

  it('many of one name in one request, and many requests at once, all get a name of their own', async () => {
    const parent = await admin.create('Folder', { name: 'crowd' });
    const one = await upload(admin, [...fields({ parent }), ...Array.from({ length: 30 }, () => file('same.txt'))]);
    expect(one.status).toBe(200);
    await Promise.all(Array.from({ length: 40 }, () => uploaded(admin, file('same.txt'), { parent })));
    const names = ((await admin.get(`/Folder/${parent}/files?_pageSize=1000`)).body.result as { name: string }[]).map(
      (f) => f.name,
    );
    expect(names).toHaveLength(70);
    expect(new Set(names).size).toBe(70);
  });

  it('the setting lets names stand, but uploads are renamed in any case', async () => {
    const parent = await admin.create('Folder', { name: 'free' });
    await server.reload({ 'application.filesystem.unique.paths': false });
    const [a, b] = [
      await admin.create('File', { name: 'x', parent }),
      await admin.create('File', { name: 'x', parent }),
    ];
    expect([await nameOf(a), await nameOf(b)]).toEqual(['x', 'x']);
    expect(await nameOf(await uploaded(admin, file('x'), { parent }))).toMatch(/^x_/);
    await server.reload({ 'application.filesystem.unique.paths': true });
  });

  it('files, folders and types do not matter, nor who owns or sees the other', async () => {
    await admin.create('User', { name: 'dora', password: 'doras-password' });
    for (const path of ['File', 'Folder']) await allow(admin, path, 'user', ['POST']);
    const dora = server.as('dora', 'doras-password');
    await admin.create('Folder', { name: 'taken' });
    const id = await dora.create('File', { name: 'taken' });
    expect(await nameOf(id)).toMatch(/^taken_/);
    expect(await nameOf(await dora.create('Folder', { name: 'taken' }))).toMatch(/^taken_/);
  });

  it('moving and renaming change paths of all below, not the content', async () => {
    const a = await admin.create('Folder', { name: 'a' });
    const b = await admin.create('Folder', { name: 'b', parent: a });
    const id = await uploaded(admin, file('f.txt', 'moved'), { parent: b });
    const disk = await contentsOnDisk(server);
    expect(await at('/a/b/f.txt')).toBe('moved');
    await admin.put(`/Folder/${a}`, { name: 'a2' });
    expect([await pathOf(id), await at('/a2/b/f.txt'), await at('/a/b/f.txt')]).toEqual([
      '/a2/b/f.txt',
      'moved',
      '404',
    ]);
    await admin.put(`/Folder/${b}`, { parent: null });
    expect([await pathOf(id), await at('/b/f.txt'), await at('/a2/b/f.txt')]).toEqual(['/b/f.txt', 'moved', '404']);
    await admin.put(`/File/${id}`, { parent: a, name: 'g.txt' });
    expect([await pathOf(id), await at('/a2/g.txt'), await at('/b/f.txt')]).toEqual(['/a2/g.txt', 'moved', '404']);
    await admin.put(`/Folder/${b}`, { files: [id] });
    expect([await pathOf(id), await at('/b/g.txt'), await at('/a2/g.txt')]).toEqual(['/b/g.txt', 'moved', '404']);
    await admin.put(`/Folder/${b}`, { files: [] });
    expect([await pathOf(id), await at('/g.txt')]).toEqual(['/g.txt', 'moved']);
    expect((await objectOf(admin, id))['hasParent']).toBe(false);
    expect(await contentsOnDisk(server)).toEqual(disk);
    // Where there is one of that name already.
    await uploaded(admin, file('g.txt', 'first'), { parent: b });
    await admin.put(`/File/${id}`, { parent: b });
    expect(await pathOf(id)).toMatch(/^\/b\/g_[0-9-]+\.txt$/);
    expect(await at('/b/g.txt')).toBe('first');
    expect((await objectOf(admin, id))['version']).toBe(1);
  });

  it('a folder cannot be moved into itself', async () => {
    const a = await admin.create('Folder', { name: 'outer' });
    const b = await admin.create('Folder', { name: 'inner', parent: a });
    for (const parent of [a, b]) expect((await admin.put(`/Folder/${a}`, { parent })).status).toBe(422);
    expect((await admin.put(`/Folder/${b}`, { folders: [a] })).status).toBe(422);
    expect((await admin.put(`/Folder/${b}`, { children: [b] })).status).toBe(422);
    expect(await pathOf(b)).toBe('/outer/inner');
  });

  it('a folder that goes leaves what is in it at the root, with paths and rights as they are', async () => {
    const parent = await admin.create('Folder', { name: 'going', visibleToPublicUsers: true });
    const sub = await admin.create('Folder', { name: 'sub', parent, visibleToPublicUsers: true });
    const open = await uploaded(admin, file('open.txt', 'open'), { parent, visibleToPublicUsers: 'true' });
    const secret = await uploaded(admin, file('secret.txt', 'secret'), { parent: sub });
    const inSub = await uploaded(admin, file('in-sub.txt', 'in sub'), { parent: sub, visibleToPublicUsers: 'true' });
    await uploaded(admin, file('twin.txt', 'at the root')).then((id) => admin.put(`/File/${id}`, { parent: null }));
    const twin = await uploaded(admin, file('twin.txt', 'from the folder'), { parent });
    expect((await served(server.as(), '/going/sub/in-sub.txt')).status).toBe(200);
    expect((await admin.delete(`/Folder/${parent}`)).status).toBe(200);
    expect(await pathOf(open)).toBe('/open.txt');
    expect(await pathOf(inSub)).toBe('/sub/in-sub.txt');
    expect(await objectOf(admin, sub)).toMatchObject({ hasParent: false, parent: null });
    expect((await served(server.as(), '/open.txt')).bytes.toString()).toBe('open');
    expect((await served(server.as(), '/sub/in-sub.txt')).bytes.toString()).toBe('in sub');
    expect((await served(server.as(), '/sub/secret.txt')).status).toBe(404);
    expect((await served(server.as(), '/going/open.txt')).status).toBe(404);
    expect((await served(admin, '/sub/secret.txt')).bytes.toString()).toBe('secret');
    expect(await pathOf(secret)).toBe('/sub/secret.txt');
    expect(await pathOf(twin)).toMatch(/^\/twin_[0-9-]+\.txt$/);
    expect(await at('/twin.txt')).toBe('at the root');
  });

  it('a file that goes takes its content along, after the commit, and so do cascades and bulk deletions', async () => {
    const dossier = await admin.create('SchemaNode', { name: 'Dossier' });
    const page = await admin.create('SchemaNode', { name: 'Scan', inheritedTraits: ['File'] });
    await admin.relate(dossier, 'HAS', page, {
      sourceJsonName: 'dossier',
      targetJsonName: 'scans',
      cascadingDeleteFlag: 1,
    });
    const owner = await admin.create('Dossier', {});
    const before = await contentsOnDisk(server);
    const one = await uploaded(admin, file('one.txt'));
    await uploaded(admin, file('s1.txt'), { type: 'Scan', dossier: owner });
    await uploaded(admin, file('s2.txt'), { type: 'Scan', dossier: owner });
    for (let i = 0; i < 10; i++) await uploaded(admin, file(`bulk-${String(i)}.txt`), { url: 'bulk' });
    expect(await contentsOnDisk(server)).toHaveLength(before.length + 13);
    const left = (n: number) => async () => (await contentsOnDisk(server)).length === before.length + n;
    expect((await admin.delete(`/File/${one}`)).status).toBe(200);
    await until(left(12), 'the content of one file goes');
    expect((await admin.delete(`/Dossier/${owner}`)).status).toBe(200);
    await until(left(10), 'the content of cascaded files goes');
    expect((await admin.delete('/File?url=bulk')).status).toBe(200);
    await until(left(0), 'the content of all goes');
    expect((await contentsOnDisk(server)).sort()).toEqual(before.sort());
    expect((await served(admin, `/${one}`)).status).toBe(404);
  });

  it('a deletion that is refused leaves the content', async () => {
    const id = await uploaded(admin, file('kept.txt', 'kept'), { visibleToAuthenticatedUsers: 'true' });
    await allow(admin, 'File/_id', 'user', ['GET', 'DELETE']);
    expect((await server.as('dora', 'doras-password').delete(`/File/${id}`)).status).toBe(403);
    expect((await served(admin, `/${id}`)).bytes.toString()).toBe('kept');
  });
});
