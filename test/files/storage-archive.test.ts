import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { S3Server } from '../support/s3-server.js';
import { TestServer } from '../support/server.js';
import { download, noise, replace, sha256, until, upload, uploaded } from '../support/storage.js';
import { zipOf, type ZipPart } from '../support/zip-builder.js';

const PROVIDER = 'org.svc.storage.providers.archive.ZipArchiveStorageProvider';
const SETTINGS = { 'application.encryption.secret': 'secret of the tests' };
const LARGE = Buffer.concat([...noise(3_000_000)]);
const GOOD: readonly ZipPart[] = [
  { name: 'a.txt', content: Buffer.from('a') },
  { name: 'deep/er/' },
  { name: 'deep/er/b c.txt', content: Buffer.from('bb'), stored: true },
  { name: 'large.bin', content: LARGE },
  { name: 'stored.bin', content: LARGE, stored: true },
  { name: 'link', content: Buffer.from('/etc/passwd'), mode: 0o120777 },
];

let server: TestServer;
let admin: Client;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start({ settings: SETTINGS });
  admin = server.admin;
});
afterAll(async () => {
  await server.stop();
});

/** Uploads an archive and mounts it; returns the ids and the folder's name. */
async function mounted(
  parts: readonly ZipPart[] | Buffer,
  parent?: string,
): Promise<{ archive: string; folder: string; name: string }> {
  const name = `zip${String(++count)}`;
  const zip = Buffer.isBuffer(parts) ? parts : zipOf(parts);
  const archive = await uploaded(admin, parent === undefined ? {} : { parentId: parent }, `${name}.zip`, zip);
  const entries = [{ name: 'archive', value: archive }];
  const folder = await admin.create('Folder', {
    name,
    storageConfiguration: { name: `archive ${name}`, provider: PROVIDER, entries },
  });
  await until(
    () => server.logged(new RegExp(`file ${archive} (is|cannot be) mounted`)),
    (lines) => lines.length > 0,
  );
  return { archive, folder, name };
}
const filesOf = async (name: string): Promise<string[]> =>
  ((await admin.get('/File/all')).body.result as { path: string }[])
    .map((file) => file.path)
    .filter((path) => path.startsWith(`/${name}/`))
    .sort();

describe('an archive that is mounted', () => {
  it('shows its entries as files, with sizes and checksums', async () => {
    const { name, folder } = await mounted(GOOD);
    expect(await filesOf(name)).toEqual(
      ['a.txt', 'deep/er/b c.txt', 'large.bin', 'stored.bin'].map((path) => `/${name}/${path}`),
    );
    expect((await admin.get(`/svc/html/${name}/a.txt`)).text).toBe('a');
    expect((await admin.get(`/svc/html/${name}/deep/er/b%20c.txt`)).text).toBe('bb');
    const a = (await admin.get('/File/all?name=a.txt')).body.result[0] as Record<string, unknown>;
    expect(a).toMatchObject({
      size: 1,
      crc32: 0xe8b7be43,
      isExternal: true,
      isMounted: true,
      contentType: 'text/plain',
    });
    expect((await admin.get(`/Folder/${folder}/all`)).body.result.isMounted).toBe(true);
    for (const file of ['large.bin', 'stored.bin']) {
      expect(await download(admin, `/${name}/${file}`)).toMatchObject({ status: 200, sha256: sha256([LARGE]) });
      const part = await download(admin, `/${name}/${file}`, { Range: 'bytes=1000000-2000000' });
      expect(part).toEqual({ status: 206, size: 1_000_001, sha256: sha256([LARGE.subarray(1_000_000, 2_000_001)]) });
    }
  });

  it('cannot be written to', async () => {
    const { name, folder } = await mounted(GOOD);
    const refusal = await upload(admin, { parentId: folder }, 'new.txt', Buffer.from('x'));
    expect(refusal.status).toBe(409);
    expect(refusal.text).toContain('cannot be written to');
    expect((await upload(admin, { parentId: folder }, 'new.txt', Buffer.from('x'), true)).status).toBe(409);
    const id = ((await admin.get('/File/all')).body.result as { path: string; id: string }[]).find(
      (file) => file.path === `/${name}/a.txt`,
    )?.id;
    expect((await replace(admin, id ?? '', Buffer.from('x'))).status).toBe(409);
    expect((await admin.get(`/svc/html/${name}/a.txt`)).text).toBe('a');
    expect(await filesOf(name)).toHaveLength(4);
  });

  it('is shown anew when its content changes, and not after a restart', async () => {
    const { archive, name } = await mounted(GOOD);
    expect((await replace(admin, archive, zipOf([{ name: 'other.txt', content: Buffer.from('o') }]))).status).toBe(200);
    const text = async (): Promise<string> => (await admin.get(`/svc/html/${name}/other.txt`)).text;
    expect(await until(text, (found) => found === 'o')).toBe('o');
    expect(await filesOf(name)).toEqual([`/${name}/other.txt`]);
    const before = (await admin.get('/File/all?name=other.txt')).body.result[0].id as string;
    server = await server.restart({ settings: SETTINGS });
    admin = server.admin;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await admin.get('/File/all?name=other.txt')).body.result[0].id).toBe(before);
    expect((await admin.get(`/svc/html/${name}/other.txt`)).text).toBe('o');
  });

  it('leaves the tree when it is mounted no more', async () => {
    const { archive, folder, name } = await mounted(GOOD);
    await admin.put(`/Folder/${folder}`, { storageConfiguration: null });
    expect(
      await until(
        () => filesOf(name),
        (files) => files.length === 0,
      ),
    ).toEqual([]);
    expect((await admin.get(`/File/${archive}`)).status).toBe(200);
  });

  it('may lie in S3', async () => {
    const s3 = await S3Server.start();
    try {
      const far = await s3.folderFor(admin, 'far');
      const { name } = await mounted(GOOD, far.folder);
      s3.asked.length = 0;
      expect((await admin.get(`/svc/html/${name}/a.txt`)).text).toBe('a');
      expect(await download(admin, `/${name}/large.bin`)).toMatchObject({ status: 200, sha256: sha256([LARGE]) });
      expect(s3.asked.filter((one) => one.startsWith('GET')).length).toBeLessThan(12);
    } finally {
      await s3.stop();
    }
  });
});

describe('an archive that is refused', () => {
  const bomb = Buffer.alloc(1_000_000);
  it.each<[string, readonly ZipPart[] | Buffer]>([
    ['is none', Buffer.from('this is no archive')],
    ['is cut off', zipOf(GOOD).subarray(0, -30)],
    ['leads out by dots', [{ name: '../../out.txt', content: Buffer.from('x') }]],
    ['leads out by an absolute path', [{ name: '/etc/cron.d/x', content: Buffer.from('x') }]],
    ['leads out by a drive', [{ name: 'C:\\x', content: Buffer.from('x') }]],
    [
      'has entries that share their bytes',
      [
        { name: 'a', content: bomb },
        { name: 'b', content: bomb, claim: { offset: 0 } },
      ],
    ],
    ['claims an impossible size', [{ name: 'a', content: Buffer.from('x'), claim: { size: 4_000_000_000 } }]],
  ])('because it %s', async (_, parts) => {
    const { archive, name } = await mounted(parts);
    expect(await server.untilLogged(new RegExp(`ERROR.* file ${archive} cannot be mounted`))).toHaveLength(1);
    expect(await filesOf(name)).toEqual([]);
  });

  it('entry by entry: one whose bytes are others than it tells breaks off', async () => {
    const { name } = await mounted([{ name: 'a.bin', content: LARGE, claim: { crc32: 1 } }]);
    await expect(download(admin, `/${name}/a.bin`)).rejects.toThrow();
    const small = await mounted([{ name: 'a.txt', content: Buffer.from('abc'), claim: { crc32: 1 } }]);
    expect((await admin.get(`/svc/html/${small.name}/a.txt`)).status).toBe(422);
  });
});
