import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allow } from '../support/permissions.js';
import { S3_PROVIDER, S3Server } from '../support/s3-server.js';
import { TestServer } from '../support/server.js';
import { download, noise, replace, sha256, until, upload, uploaded } from '../support/storage.js';
import type { Client } from '../support/client.js';

const PROVIDERS = 'org.svc.storage.providers.';
const MEMORY = `${PROVIDERS}memory.InMemoryStorageProvider`;
const LOCAL = `${PROVIDERS}local.LocalFSStorageProvider`;
const SETTINGS = {
  'application.encryption.secret': 'secret of the tests',
  'application.filesystem.storage.timeout': 1500,
  'application.filesystem.sweep.age': 0,
  'application.filesystem.sweep.trash': 0,
};

let s3: S3Server;
let server: TestServer;
let admin: Client;

beforeAll(async () => {
  s3 = await S3Server.start();
  server = await TestServer.start({ settings: SETTINGS });
  admin = server.admin;
});
afterAll(async () => {
  await server.stop();
  await s3.stop();
});
beforeEach(() => {
  s3.mood = () => 'open';
});

const objectsOf = async (id: string): Promise<string[]> => (await s3.objects()).filter((key) => key.includes(id));
/** Names of the contents on this machine. */
const localContents = async (): Promise<string[]> =>
  (await readdir(join(server.folder, 'files'), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.svc-store'))
    .map((entry) => entry.name);
const localOf = async (id: string): Promise<string[]> => (await localContents()).filter((name) => name.startsWith(id));

describe('a configuration', () => {
  it('must name a provider that there is', async () => {
    const answer = await admin.post('/StorageConfiguration', { name: 'a', provider: 'org.example.Nothing' });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ property: 'provider', token: 'must_match' }]);
  });

  it('must have what its provider needs when something uses it', async () => {
    const made = { name: 'b', provider: S3_PROVIDER, entries: [{ name: 'bucketName', value: 'some-bucket' }] };
    const id = await admin.create('StorageConfiguration', made);
    const answer = await admin.post('/Folder', { name: 'b', storageConfiguration: id });
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error: { property: string }) => error.property)).toEqual([
      'accessKey',
      'secretKey',
      'region',
    ]);
  });

  it.each([
    ['bucketName', '../other'],
    ['endpoint', 'file:///etc/passwd'],
    ['endpoint', 'http://user:password@host'],
  ])('is refused with %s %s', async (name, value) => {
    const entries = [...s3.entries.filter((entry) => entry.name !== name), { name, value }];
    const answer = await admin.post('/StorageConfiguration', { name: 'c', provider: S3_PROVIDER, entries });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ property: name, token: 'must_match' }]);
  });

  it('is checked again when an entry changes or goes', async () => {
    const { configuration } = await s3.folderFor(admin, 'checked');
    const [, key] = (await admin.get(`/StorageConfiguration/${configuration}/ui`)).body.result.entries as {
      id: string;
    }[];
    const [bucket] = (await admin.get('/StorageConfigurationEntry/ui?name=bucketName')).body.result as { id: string }[];
    const own = (await admin.get(`/StorageConfiguration/${configuration}/ui`)).body.result.entries.find(
      (entry: { name: string }) => entry.name === 'bucketName',
    ) as { id: string };
    expect(key).toBeDefined();
    expect(bucket).toBeDefined();
    expect((await admin.put(`/StorageConfigurationEntry/${own.id}`, { value: 'a/b' })).status).toBe(422);
    expect((await admin.delete(`/StorageConfigurationEntry/${own.id}`)).status).toBe(422);
  });

  it('that cannot be used any more makes uploads fail, and they go nowhere else', async () => {
    const other = await TestServer.start({ settings: SETTINGS });
    try {
      const { folder } = await s3.folderFor(other.admin, 'secret');
      const again = await other.restart({ settings: { ...SETTINGS, 'application.encryption.secret': 'another one' } });
      try {
        const { status, text } = await upload(again.admin, { parentId: folder }, 'a.txt', Buffer.from('a'));
        expect(status).toBe(500);
        expect(text).toContain('application.encryption.secret');
        expect(text).not.toContain('S3RVER');
        const stored = await readdir(join(again.folder, 'files'));
        expect(stored.filter((name) => name !== '._svc_media')).toEqual(['.svc-store.json']);
      } finally {
        await again.end();
      }
    } finally {
      await other.end();
    }
  });

  it('cannot go while content lies in its storage', async () => {
    const { folder, configuration } = await s3.folderFor(admin, 'kept');
    await uploaded(admin, { parentId: folder }, 'a.txt', Buffer.from('a'));
    const answer = await admin.delete(`/StorageConfiguration/${configuration}`);
    expect(answer.status).toBe(422);
    expect((await admin.get('/svc/html/kept/a.txt')).text).toBe('a');
  });
});

describe('somebody who is no administrator', () => {
  let user: Client;
  let folder: string;
  let configuration: string;

  beforeAll(async () => {
    await admin.create('User', { name: 'ursula', password: 'password of ursula' });
    user = server.as('ursula', 'password of ursula');
    for (const type of ['Folder', 'StorageConfiguration', 'StorageConfigurationEntry'])
      for (const signature of [type, `${type}/_Ui`, `${type}/_id`, `${type}/_id/_Ui`])
        await allow(admin, signature, 'user', ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']);
    await allow(admin, 'AbstractFileCONFIGURED_BYStorageConfiguration', 'user', ['POST']);
    ({ folder, configuration } = await s3.folderFor(admin, 'shared'));
    await admin.put(`/Folder/${folder}`, { visibleToAuthenticatedUsers: true });
    await admin.put(`/StorageConfiguration/${configuration}`, { visibleToAuthenticatedUsers: true });
    const id = (await admin.get('/User?name=ursula')).body.result[0].id as string;
    await admin.create('Security', { sourceId: id, targetId: folder, allowed: ['read', 'write', 'delete'] });
  });

  it('cannot make one, alone or with a folder', async () => {
    const made = { name: 'of ursula', provider: MEMORY };
    expect((await user.post('/StorageConfiguration', made)).status).toBe(403);
    expect((await user.post('/Folder', { name: 'u', storageConfiguration: made })).status).toBe(403);
    expect((await user.post('/StorageConfigurationEntry', { name: 'endpoint', value: 'http://10.0.0.1' })).status).toBe(
      403,
    );
    expect((await admin.get('/StorageConfiguration?name=of%20ursula')).body.result).toEqual([]);
  });

  it('cannot use, change or remove one', async () => {
    expect((await user.post('/Folder', { name: 'u', storageConfiguration: configuration })).status).toBe(403);
    expect((await user.put(`/Folder/${folder}`, { storageConfiguration: null })).status).toBe(403);
    const link = { sourceId: folder, targetId: configuration };
    expect((await user.post('/AbstractFileCONFIGURED_BYStorageConfiguration', link)).status).toBe(403);
    expect((await user.put(`/StorageConfiguration/${configuration}`, { name: 'x' })).status).toBe(403);
    expect((await user.delete(`/StorageConfiguration/${configuration}`)).status).toBe(403);
  });

  it('sees which one a folder has, and no keys', async () => {
    const answer = await user.get(`/Folder/${folder}/ui`);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('S3RVER');
    expect((await user.get('/StorageConfigurationEntry')).body.result).toEqual([]);
  });
});

it('keeps content in memory when that is configured, and over changes that mean nothing to it', async () => {
  const memory = await admin.create('StorageConfiguration', { name: 'memory', provider: MEMORY });
  const folder = await admin.create('Folder', { name: 'memory', storageConfiguration: memory });
  const id = await uploaded(admin, { parentId: folder }, 'a.bin', noise(3_000_000));
  await admin.put(`/StorageConfiguration/${memory}`, { name: 'still memory' });
  expect(await download(admin, `/${id}`)).toMatchObject({ status: 200, sha256: sha256(noise(3_000_000)) });
  expect(await download(admin, `/${id}`, { Range: 'bytes=5-9' })).toMatchObject({ status: 206, size: 5 });
  expect(await localOf(id)).toEqual([]);
});

describe('content follows its file', () => {
  it('into a folder with another storage, and back to the root', async () => {
    const { folder } = await s3.folderFor(admin, 'there');
    const id = await uploaded(admin, {}, 'walks.bin', noise(10_000_000));
    const before = (await admin.get(`/File/${id}/all`)).body.result as Record<string, unknown>;
    await admin.put(`/File/${id}`, { parent: folder });
    expect(
      await until(
        () => localOf(id),
        (names) => names.length === 0,
      ),
    ).toEqual([]);
    expect(await objectsOf(id)).toHaveLength(1);
    expect(await download(admin, '/there/walks.bin')).toMatchObject({ status: 200, sha256: sha256(noise(10_000_000)) });
    const after = (await admin.get(`/File/${id}/all`)).body.result as Record<string, unknown>;
    for (const key of ['size', 'checksum', 'version', 'fileModificationDate', 'contentType'])
      expect(after[key]).toEqual(before[key]);
    await admin.put(`/File/${id}`, { parent: null });
    expect(
      await until(
        () => objectsOf(id),
        (keys) => keys.length === 0,
      ),
    ).toEqual([]);
    expect(await localOf(id)).toHaveLength(1);
  });

  it('when a folder above is moved, gets a configuration, another or none', async () => {
    const top = await admin.create('Folder', { name: 'top' });
    const below = await admin.create('Folder', { name: 'below', parent: top });
    const ids: string[] = [];
    for (let i = 0; i < 12; i++)
      ids.push(await uploaded(admin, { parentId: below }, `${String(i)}.bin`, noise(50_000, i)));
    const counts = async (): Promise<number[]> => [
      (await Promise.all(ids.map(localOf))).flat().length,
      (await Promise.all(ids.map(objectsOf))).flat().length,
    ];
    const become = async (local: number, far: number): Promise<void> => {
      const is = ([a, b]: number[]): boolean => a === local && b === far;
      expect(await until(counts, is)).toEqual([local, far]);
    };
    await become(12, 0);
    const { folder, configuration } = await s3.folderFor(admin, 'far away');
    await admin.put(`/Folder/${top}`, { storageConfiguration: configuration });
    await become(0, 12);
    await admin.put(`/Folder/${top}`, { storageConfiguration: null });
    await become(12, 0);
    await admin.put(`/Folder/${top}`, { parent: folder });
    await become(0, 12);
    const near = await admin.create('StorageConfiguration', { name: 'near', provider: LOCAL });
    await admin.put(`/File/${ids[0] ?? ''}`, { storageConfiguration: near });
    await become(1, 11);
    await admin.put(`/Folder/${below}`, { storageConfiguration: near });
    await become(12, 0);
    for (const [i, id] of ids.entries())
      expect(await download(admin, `/${id}`)).toMatchObject({ status: 200, sha256: sha256(noise(50_000, i)) });
    expect((await server.untilLogged(/moved the content of 12 files \(0\.6 MB\)/)).length).toBeGreaterThan(0);
  });

  it('and stays where it is, whole, while the other storage does not work', async () => {
    const id = await uploaded(admin, {}, 'stays.bin', noise(9_000_000));
    const { folder } = await s3.folderFor(admin, 'broken');
    s3.mood = (method) => (method === 'PUT' ? 'error' : 'open');
    await admin.put(`/File/${id}`, { parent: folder });
    await server.untilLogged(/1 could not be moved/);
    expect(await server.untilLogged(new RegExp(`the content of file ${id} stays where it is`))).toHaveLength(1);
    expect(await download(admin, `/${id}`)).toMatchObject({ status: 200, sha256: sha256(noise(9_000_000)) });
    expect(await s3.uploads()).toEqual([]);
    s3.mood = () => 'open';
    expect((await replace(admin, id, Buffer.from('new'))).status).toBe(200);
    expect(await objectsOf(id)).toHaveLength(1);
  });

  it('after a crash, too', async () => {
    const own = await TestServer.start({ settings: SETTINGS });
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push(await uploaded(own.admin, {}, `${String(i)}.bin`, noise(400_000, i)));
    const { configuration } = await s3.folderFor(own.admin, 'crash');
    const uploads = (await own.admin.get('/Folder?name=._svc_uploads')).body.result[0].id as string;
    await own.admin.put(`/Folder/${uploads}`, { storageConfiguration: configuration });
    const there = async (): Promise<number> => (await Promise.all(ids.map(objectsOf))).flat().length;
    await until(there, (count) => count > 2);
    await own.end('SIGKILL');
    const again = await TestServer.start({
      folder: own.folder,
      settings: { ...SETTINGS, 'application.filesystem.sweep.delay': 3 },
    });
    try {
      await again.untilLogged(/moved the content of/);
      for (const [i, id] of ids.entries())
        expect(await download(again.admin, `/${id}`)).toMatchObject({ sha256: sha256(noise(400_000, i)) });
      const swept = await until(
        () => again.logged(/contents, \d+ without a file removed/),
        (lines) => lines.length === 2,
      );
      expect(swept).toHaveLength(2);
      expect(await there()).toBe(20);
      expect(
        await readdir(join(again.folder, 'files'), { recursive: true, withFileTypes: true }).then((all) =>
          all.filter((e) => e.isFile()),
        ),
      ).toMatchObject([{ name: '.svc-store.json' }]);
    } finally {
      await again.end();
    }
  });
});
