import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { fields, file, objectOf, served, upload, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** `application.filesystem.enabled` (contract, Upload 2; docs/interface/files.md 3.4, 6). */
describe('home directories', () => {
  let server: TestServer;
  let admin: Client;
  let anna: Client;
  let annaId: string;
  let benId: string;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = server.admin;
    // A user from before the setting was on.
    benId = await admin.create('User', { name: 'ben', password: 'bens-password' });
    await server.reload({ 'application.filesystem.enabled': true });
    annaId = await admin.create('User', { name: 'anna', password: 'annas-password' });
    anna = server.as('anna', 'annas-password');
    for (const path of ['File', 'File/_id', 'Folder', 'Folder/_id', 'User/_id']) {
      await allow(admin, path, 'user', ['GET', 'POST', 'PUT', 'DELETE']);
    }
  });
  afterAll(() => server.stop());
  const pathOf = async (id: string): Promise<unknown> => (await objectOf(admin, id))['path'];

  it('says which checksums content in JSON gets', async () => {
    const home = (await objectOf(admin, annaId, 'User'))['homeDirectory'] as { id: string };
    await admin.put(`/Folder/${home.id}`, { enabledChecksums: 'sha1' });
    const id = await anna.create('File', { name: 'sum.txt', base64Data: 'YWJj' });
    await admin.put(`/Folder/${home.id}`, { enabledChecksums: null });
    expect((await admin.get(`/File/${id}/all`)).body.result).toMatchObject({
      path: `/home/${annaId}/sum.txt`,
      sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
    });
    await admin.delete(`/File/${id}`);
  });

  it('a user gets one when he is created, and when he is changed', async () => {
    const home = (await objectOf(admin, annaId, 'User'))['homeDirectory'] as { id: string };
    expect(await objectOf(admin, home.id)).toMatchObject({ path: `/home/${annaId}`, owner: { name: 'anna' } });
    expect((await objectOf(admin, benId, 'User'))['homeDirectory']).toBeNull();
    await admin.put(`/User/${benId}`, { eMail: 'ben@example.com' });
    expect((await objectOf(admin, benId, 'User'))['homeDirectory']).toMatchObject({ id: expect.any(String) as string });
    await admin.put(`/User/${annaId}`, { name: 'anna', eMail: 'anna@example.com' });
    const homes = (await admin.get('/Folder/all?name=home')).body.result as Record<string, unknown>[];
    expect(homes).toHaveLength(1);
    expect(homes[0]).toMatchObject({ owner: null, visibleToAuthenticatedUsers: true, foldersCount: 2 });
  });

  it('takes uploads of its user, who reaches them by path', async () => {
    const id = await uploaded(anna, file('up.txt', 'up'));
    expect(await pathOf(id)).toBe(`/home/${annaId}/up.txt`);
    expect((await served(anna, `/home/${annaId}/up.txt`)).bytes.toString()).toBe('up');
    const below = await upload(anna, [file('b.txt'), ...fields({ uploadFolderPath: `/home/${annaId}/a/b` })]);
    expect(await pathOf(below.text)).toBe(`/home/${annaId}/a/b/b.txt`);
    for (const path of [`/home/${benId}/a`, '/home', `/home/${annaId}/../${benId}`, `/home/${annaId}x`]) {
      const answer = await upload(anna, [file('b.txt'), ...fields({ uploadFolderPath: path })]);
      if (path.includes('..')) expect(await pathOf(answer.text)).toBe(`/home/${annaId}/${benId}/b.txt`);
      else expect(answer.status, path).toBe(403);
    }
    expect(await pathOf(await uploaded(admin, file('admins.txt')))).toBe('/._svc_uploads/admins.txt');
    await server.reload({ 'uploadservlet.allowanonymousuploads': true });
    expect(await pathOf(await uploaded(server.as(), file('anonymous.txt')))).toBe('/._svc_uploads/anonymous.txt');
  });

  it('takes files that its user creates without a folder; his working directory comes first', async () => {
    const at = async (body: Record<string, unknown>, type = 'File'): Promise<unknown> =>
      pathOf(await anna.create(type, body));
    expect(await at({ name: 'rest.txt' })).toBe(`/home/${annaId}/rest.txt`);
    expect(await at({ name: 'rest.txt' })).toMatch(new RegExp(`^/home/${annaId}/rest_[0-9-]{20}\\.txt$`));
    expect(await at({ name: 'none.txt', parent: null })).toBe(`/home/${annaId}/none.txt`);
    expect(await at({ name: 'root.txt', hasParent: true })).toBe('/root.txt');
    expect(await at({ name: 'folder' }, 'Folder')).toBe('/folder');
    const work = await anna.create('Folder', { name: 'work' });
    await admin.put(`/User/${annaId}`, { workingDirectory: work });
    expect(await at({ name: 'rest.txt' })).toBe('/work/rest.txt');
    expect(await at({ name: 'elsewhere.txt', parent: (await objectOf(admin, annaId, 'User'))['homeDirectory'] })).toBe(
      `/home/${annaId}/elsewhere.txt`,
    );
    // One that he may not write to is none.
    const foreign = await admin.create('Folder', { name: 'foreign', visibleToAuthenticatedUsers: true });
    await admin.put(`/User/${annaId}`, { workingDirectory: foreign });
    expect(await at({ name: 'last.txt' })).toBe(`/home/${annaId}/last.txt`);
    expect(await pathOf(await admin.create('File', { name: 'admins.txt' }))).toBe('/admins.txt');
    // What lies at the root stays there when it is changed.
    const root = await anna.create('File', { name: 'stays.txt', hasParent: true });
    await anna.put(`/File/${root}`, { name: 'stays-2.txt' });
    expect(await pathOf(root)).toBe('/stays-2.txt');
  });

  it('goes with its user; what is in it stays, at the root, and his alone', async () => {
    const id = await admin.create('User', { name: 'carl', password: 'carls-password' });
    const carl = server.as('carl', 'carls-password');
    const kept = await uploaded(carl, file('kept.txt', 'kept'));
    const home = ((await objectOf(admin, id, 'User'))['homeDirectory'] as { id: string }).id;
    expect((await admin.delete(`/User/${id}`)).status).toBe(200);
    expect((await admin.get(`/Folder/${home}`)).status).toBe(404);
    expect(await objectOf(admin, kept)).toMatchObject({ path: '/kept.txt', hasParent: false, parent: null });
    expect((await served(admin, '/kept.txt')).bytes.toString()).toBe('kept');
    expect((await served(anna, '/kept.txt')).status).toBe(404);
  });
});
