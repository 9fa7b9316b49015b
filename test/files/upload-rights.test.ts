import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { contentsOnDisk, fields, file, objectOf, served, upload, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** Where uploads may go, and who may send them there (contract, Upload; docs/interface/files.md 3.4, 6). */
describe('folders and rights of uploads', () => {
  let server: TestServer;
  let admin: Client;
  let anna: Client;
  let annaId: string;
  let ben: Client;
  const grant = (user: string, node: string, ...allowed: string[]): Promise<string> =>
    admin.create('Security', { sourceId: user, targetId: node, allowed });

  beforeAll(async () => {
    server = await TestServer.start();
    admin = server.admin;
    annaId = await admin.create('User', { name: 'anna', password: 'annas-password' });
    await admin.create('User', { name: 'ben', password: 'bens-password' });
    anna = server.as('anna', 'annas-password');
    ben = server.as('ben', 'bens-password');
    for (const type of ['File', 'Folder', 'AbstractFile', 'FolderCONTAINSFile', 'User']) {
      for (const path of [type, `${type}/_id`, `${type}/_id/_All`]) {
        await allow(admin, path, 'user', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
      }
    }
  });
  afterAll(() => server.stop());

  it('anonymous uploads need the setting', async () => {
    const refused = await upload(server.as(), [file('a.txt')]);
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject({ code: 401, errors: [] });
    await server.reload({ 'uploadservlet.allowanonymousuploads': true });
    const id = await uploaded(server.as(), file('anonymous.txt'));
    expect(await objectOf(admin, id)).toMatchObject({ owner: null, path: '/._svc_uploads/anonymous.txt' });
    // Nobody owns it, so that nobody but an administrator reaches it.
    expect((await served(server.as(), `/${id}`)).status).toBe(404);
    expect((await upload(server.as(), [file('x'), ...fields({ uploadFolderPath: '/._svc_uploads/a' })])).status).toBe(
      403,
    );
    expect((await upload(server.as(), [file('x')], { method: 'PUT', path: `/svc/upload/${id}` })).status).toBe(403);
    expect((await upload(server.as(), [file('x'), ...fields({ parent: 'null' })])).status).toBe(403);
    const seen = await uploaded(server.as(), file('seen.txt'), { visibleToPublicUsers: 'true' });
    expect((await served(server.as(), `/${seen}`)).status).toBe(200);
    await server.reload({ 'uploadservlet.allowanonymousuploads': false });
  });

  it('a user owns what he uploads, reaches it by uuid, and not by a path of folders he does not see', async () => {
    const id = await uploaded(anna, file('mine.txt', 'mine'));
    expect(await objectOf(admin, id)).toMatchObject({ owner: { name: 'anna' }, path: '/._svc_uploads/mine.txt' });
    expect((await served(anna, `/${id}`)).bytes.toString()).toBe('mine');
    expect((await served(anna, '/._svc_uploads/mine.txt')).status).toBe(404);
    expect((await served(ben, `/${id}`)).status).toBe(404);
    // Nor does he learn what they are called.
    expect((await objectOf(anna, id, 'File'))['path']).toBe('/mine.txt');
  });

  it('parent null is the root of the tree', async () => {
    const id = await uploaded(anna, file('top.txt'), { parent: 'null' });
    expect(await objectOf(admin, id)).toMatchObject({ owner: { name: 'anna' }, path: '/top.txt', hasParent: false });
    // It is for who may make files by JSON: addresses at the root are those of the site.
    const [permission] = (await admin.get('/ResourceAccess?signature=File')).body.result as { readonly id: string }[];
    await admin.put(`/ResourceAccess/${permission?.id ?? ''}`, { flags: 1 });
    const refused = await upload(anna, [file('robots.txt'), ...fields({ parent: 'null' })]);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'You may not put files at the root: choose a folder.',
    ]);
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '1',
      'Content-Type': 'application/offset+octet-stream',
    };
    const metadata = `filename ${Buffer.from('robots.txt').toString('base64')},parent ${Buffer.from('null').toString('base64')}`;
    const begun = await anna.send('POST', '/svc/upload/tus', undefined, { ...headers, 'Upload-Metadata': metadata });
    expect(begun.status).toBe(403);
    expect((await admin.get('/File?name=robots.txt')).body.result).toEqual([]);
    await admin.delete(`/ResourceAccess/${permission?.id ?? ''}`);
    await allow(admin, 'File', 'user', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
    // An empty field names nothing.
    const other = await uploaded(anna, file('below.txt'), { parentId: '' });
    expect((await objectOf(admin, other))['path']).toBe('/._svc_uploads/below.txt');
  });

  it('a folder by uuid needs the write right; one he does not see is not there', async () => {
    const hidden = await admin.create('Folder', { name: 'hidden' });
    const seen = await admin.create('Folder', { name: 'seen', visibleToAuthenticatedUsers: true });
    const open = await admin.create('Folder', { name: 'open' });
    await grant(annaId, open, 'read', 'write');
    const before = await contentsOnDisk(server);
    const to = async (client: Client, values: Record<string, string>): Promise<number> =>
      (await upload(client, [file('f.txt'), ...fields(values)])).status;
    for (const key of ['parent', 'parentId', 'fileParent', 'imageParent']) {
      expect(await to(anna, { [key]: hidden }), key).toBe(404);
      expect(await to(anna, { [key]: seen }), key).toBe(403);
      expect(await to(anna, { [key]: '0'.repeat(32) })).toBe(404);
      expect(await to(anna, { [key]: annaId })).toBe(404);
    }
    expect(await contentsOnDisk(server)).toEqual(before);
    for (const [i, text] of [open, `"${open}"`, `{"id":"${open}"}`, `[{id: ${open}}]`].entries()) {
      const id = await uploaded(anna, file(`notation-${String(i)}`), { parent: text });
      expect(await objectOf(admin, id), text).toMatchObject({ parent: { id: open }, parentId: open });
      expect(
        ((await admin.get(`/File/${id}/in`)).body.result as { relType: string }[]).filter(
          (r) => r.relType === 'CONTAINS',
        ),
      ).toHaveLength(1);
    }
    // parentId counts before parent, and both before a path.
    const both = await uploaded(anna, file('both'), { parent: hidden, parentId: open, uploadFolderPath: '/nowhere' });
    expect((await objectOf(admin, both))['parentId']).toBe(open);
    expect(await to(admin, { parent: hidden })).toBe(200);
    // Below the folder for uploads the read right is enough.
    const uploads = await admin.create('Folder', {
      name: 'shared',
      parent: (await objectOf(admin, await uploaded(admin, file('x'))))['parentId'] as string,
      visibleToAuthenticatedUsers: true,
    });
    const below = await admin.create('Folder', { name: 'deeper', parent: uploads, visibleToAuthenticatedUsers: true });
    expect(await to(anna, { parent: below })).toBe(200);
    await server.reload({ 'uploadservlet.allowanonymousuploads': true });
    const forAll = await admin.create('Folder', { name: 'for-all', parent: uploads, visibleToPublicUsers: true });
    expect(await to(server.as(), { parent: forAll })).toBe(200);
    expect(await to(server.as(), { parent: below })).toBe(404);
    await server.reload({ 'uploadservlet.allowanonymousuploads': false });
  });

  it('a folder by path is below the one for uploads, and made where it is missing', async () => {
    const to = async (path: string, client = anna): Promise<number> =>
      (await upload(client, [file('p.txt'), ...fields({ uploadFolderPath: path })])).status;
    for (const path of [
      '/',
      '/else',
      '/._svc_uploads_not',
      '/..',
      '/else/../._svc_uploads/x/..',
      '/home/x',
      `/home/${annaId}`,
    ]) {
      expect(await to(path), path).toBe(403);
      expect(await to(path, admin), path).toBe(403);
    }
    const answer = await upload(anna, [file('p.txt'), ...fields({ uploadFolderPath: '/._svc_uploads/a/./../b//c/' })]);
    expect((await objectOf(admin, answer.text))['path']).toBe('/._svc_uploads/a/b/c/p.txt');
    expect(await to('/._svc_uploads')).toBe(200);
    expect(await to('._svc_uploads/a/b')).toBe(200);
    const folders = (await admin.get('/Folder/all?name=b')).body.result as Record<string, unknown>[];
    expect(folders).toHaveLength(1);
    expect(folders[0]).toMatchObject({ owner: null, visibleToAuthenticatedUsers: false, visibleToPublicUsers: false });
    // A file is no folder.
    expect(await to('/._svc_uploads/a/b/c/p.txt/d')).toBe(422);
    expect(await to('/._svc_uploads/nul\0')).toBe(422);
    // Folders have to fit on a disk: 255 bytes each.
    expect(await to(`/._svc_uploads/${'long'.repeat(63)}/x`)).toBe(200);
    expect(await to(`/._svc_uploads/${'long'.repeat(64)}/x`)).toBe(422);
    expect(await to(`/._svc_uploads${'/deep'.repeat(254)}`)).toBe(200);
    expect(await to(`/._svc_uploads${'/deep'.repeat(255)}`)).toBe(422);
  });

  it('the folder for uploads is what the setting says, made safe', async () => {
    for (const [value, path] of [
      ['incoming/./../files/', '/incoming/files/x.txt'],
      ['/', '/._svc_uploads/x.txt'],
      ['/../', '/._svc_uploads/x.txt'],
    ] as const) {
      await server.reload({ 'application.uploads.folder': value });
      const id = await uploaded(anna, file('x.txt'));
      expect((await objectOf(admin, id))['path']).toBe(path);
      await admin.delete(`/File/${id}`);
    }
    await server.reload({ 'application.uploads.folder': '/._svc_uploads' });
  });

  it('PUT needs the write right; what he does not see may not be told from what he may not write', async () => {
    const put = async (client: Client, id: string): Promise<number> =>
      (await upload(client, [file('new', 'new content')], { method: 'PUT', path: `/svc/upload/${id}` })).status;
    const id = await uploaded(admin, file('put.txt', 'old'));
    expect(await put(anna, id)).toBe(403);
    expect(await put(server.as(), id)).toBe(403);
    await admin.put(`/File/${id}`, { visibleToAuthenticatedUsers: true });
    expect(await put(anna, id)).toBe(403);
    await grant(annaId, id, 'read', 'write');
    expect(await put(anna, id)).toBe(200);
    expect(await put(ben, id)).toBe(403);
    expect(await put(anna, '0'.repeat(32))).toBe(404);
    expect(await put(anna, 'no-uuid')).toBe(400);
    expect(await put(anna, '')).toBe(400);
    expect(await put(admin, annaId)).toBe(422);
    expect(await put(ben, annaId)).toBe(404);
    expect(await put(server.as('anna', 'wrong'), id)).toBe(401);
    await admin.put(`/File/${id}`, { isTemplate: true });
    expect(await put(anna, id)).toBe(403);
    expect(await put(admin, id)).toBe(200);
    expect((await served(anna, `/${await uploaded(anna, file('t'))}`)).status).toBe(200);
    expect((await upload(anna, [file('t'), ...fields({ isTemplate: 'true' })])).status).toBe(422);
  });

  it('by REST a folder takes in only what may be changed, and only from who may change it', async () => {
    const site = await admin.create('Folder', { name: 'site', visibleToAuthenticatedUsers: true });
    const logo = await uploaded(admin, file('logo.txt', 'logo'), { parent: site, visibleToAuthenticatedUsers: 'true' });
    const own = await anna.create('Folder', { name: 'annas' });
    const page = await uploaded(anna, file('page.html', '<script>'));
    // Into the folder of somebody else, from both sides and by the relationship.
    expect((await anna.put(`/File/${page}`, { parent: site })).status).toBe(403);
    expect((await anna.put(`/File/${page}`, { parentId: site })).status).toBe(403);
    expect((await anna.post('/File', { name: 'x.html', parent: site })).status).toBe(403);
    expect((await anna.put(`/Folder/${site}`, { files: [page] })).status).toBe(403);
    expect((await anna.post('/FolderCONTAINSFile', { sourceId: site, targetId: page })).status).toBe(403);
    // Somebody else's file into his own folder, which would take it out of the other.
    expect((await anna.put(`/Folder/${own}`, { files: [logo] })).status).toBe(403);
    expect((await anna.put(`/Folder/${own}`, { children: [logo] })).status).toBe(403);
    expect((await anna.post('/FolderCONTAINSFile', { sourceId: own, targetId: logo })).status).toBe(403);
    expect((await anna.put(`/File/${logo}`, { parent: own })).status).toBe(403);
    expect((await objectOf(admin, logo))['path']).toBe('/site/logo.txt');
    // His own into his own.
    expect((await anna.put(`/File/${page}`, { parent: own })).status).toBe(200);
    expect((await objectOf(anna, page, 'File'))['path']).toBe('/annas/page.html');
    expect((await anna.put(`/File/${page}`, { isExternal: true })).status).toBe(422);
    expect((await anna.put(`/User/${annaId}`, { homeDirectory: site })).status).toBe(403);
  });
});
