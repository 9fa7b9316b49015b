import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUCKET, S3Server } from '../support/s3-server.js';
import { TestServer } from '../support/server.js';
import { download, memoryOf, noise, replace, sha256, until, upload, uploaded } from '../support/storage.js';

const MB = 1024 * 1024;
let s3: S3Server;
let server: TestServer;
let folder: string;
let configuration: string;

beforeAll(async () => {
  s3 = await S3Server.start();
  server = await TestServer.start({
    settings: {
      'application.encryption.secret': 'secret of the tests',
      'application.filesystem.storage.timeout': 3000,
    },
  });
  ({ folder, configuration } = await s3.folderFor(server.admin, 'far'));
});
afterAll(async () => {
  await server.stop();
  await s3.stop();
});
beforeEach(() => {
  s3.mood = () => 'open';
  s3.asked.length = 0;
});

/** Keys of the objects of a file. */
const objectsOf = async (id: string): Promise<string[]> => (await s3.objects()).filter((key) => key.includes(id));

describe('a folder whose content lies in S3', () => {
  it('keeps uploads there, whole when they are small', async () => {
    const id = await uploaded(server.admin, { parentId: folder }, 'small ü.txt', Buffer.from('hello'));
    const [key = '', ...more] = await objectsOf(id);
    expect(more).toEqual([]);
    expect(key).toMatch(new RegExp(`^${configuration}/${id}\\.[0-9a-f]{16}$`));
    expect((await s3.content(key)).toString()).toBe('hello');
    expect(await s3.metadata(key)).toMatchObject({ 'x-amz-meta-path': '/far/small%20%C3%BC.txt' });
    expect((await server.admin.get(`/svc/html/far/small%20%C3%BC.txt`)).text).toBe('hello');
    expect(s3.asked.filter((one) => one.startsWith('PUT'))).toHaveLength(1);
  });

  it('takes a file whose folder is named after it from this machine to there', async () => {
    const { status, text } = await upload(server.admin, { parentId: folder }, 'late.txt', Buffer.from('late'), true);
    expect(status).toBe(200);
    expect(await objectsOf(text)).toHaveLength(1);
    expect((await server.admin.get(`/svc/html/far/late.txt`)).text).toBe('late');
  });

  it('holds for folders below, until one says otherwise', async () => {
    const below = await server.admin.create('Folder', { name: 'below', parent: folder });
    const near = await server.admin.create('StorageConfiguration', {
      name: 'near',
      provider: 'org.svc.storage.providers.local.LocalFSStorageProvider',
    });
    const nearer = await server.admin.create('Folder', { name: 'nearer', parent: below, storageConfiguration: near });
    const there = await uploaded(server.admin, { parentId: below }, 'a.txt', Buffer.from('a'));
    const here = await uploaded(server.admin, { parentId: nearer }, 'b.txt', Buffer.from('b'));
    expect(await objectsOf(there)).toHaveLength(1);
    expect(await objectsOf(here)).toHaveLength(0);
    expect((await server.admin.get('/svc/html/far/below/nearer/b.txt')).text).toBe('b');
  });

  it('stores large content in parts that are checked, and serves ranges of it', async () => {
    const size = 20 * MB + 5;
    const id = await uploaded(server.admin, { parentId: folder }, 'large.bin', noise(size));
    const whole = sha256(noise(size));
    expect(await download(server.admin, `/${id}`)).toEqual({ status: 200, size, sha256: whole });
    const content = Buffer.concat([...noise(size)]);
    for (const [from, to] of [
      [0, 9],
      [8 * MB - 3, 8 * MB + 3],
      [size - 1, size - 1],
    ] as const) {
      const part = await download(server.admin, `/${id}`, { Range: `bytes=${String(from)}-${String(to)}` });
      expect(part).toEqual({ status: 206, size: to - from + 1, sha256: sha256([content.subarray(from, to + 1)]) });
    }
    expect(await s3.uploads()).toEqual([]);
    expect(s3.asked.filter((one) => one.includes('partNumber='))).toHaveLength(3);
  });

  it('replaces content beside the old one, which goes', async () => {
    const id = await uploaded(server.admin, { parentId: folder }, 'changed.txt', Buffer.from('old'));
    const [old] = await objectsOf(id);
    expect((await replace(server.admin, id, Buffer.from('new'))).status).toBe(200);
    const now = await until(
      () => objectsOf(id),
      (keys) => keys.length === 1,
    );
    expect(now).toHaveLength(1);
    expect(now).not.toContain(old);
    expect((await server.admin.get(`/svc/html/${id}`)).text).toBe('new');
  });

  it('removes the object of a file that is deleted', async () => {
    const id = await uploaded(server.admin, { parentId: folder }, 'gone.txt', Buffer.from('x'));
    await server.admin.delete(`/File/${id}`);
    expect(
      await until(
        () => objectsOf(id),
        (keys) => keys.length === 0,
      ),
    ).toEqual([]);
  });

  it('keeps nothing of an upload that ends early', async () => {
    const before = await s3.objects();
    function* broken(): Generator<Buffer> {
      yield* noise(18 * MB);
      throw new Error('the client went away');
    }
    await expect(upload(server.admin, { parentId: folder }, 'broken.bin', broken())).rejects.toThrow();
    const ended = (): boolean => s3.asked.some((one) => /^DELETE .*uploadId=/.test(one));
    expect(await until(ended, Boolean)).toBe(true);
    expect(
      await until(
        () => s3.uploads(),
        (uploads) => uploads.length === 0,
      ),
    ).toEqual([]);
    expect(await s3.objects()).toEqual(before);
  });
});

describe('an S3 server in trouble', () => {
  it('is tried again when it answers 500 once', async () => {
    let times = 0;
    s3.mood = (method) => (method === 'PUT' && times++ === 0 ? 'error' : 'open');
    const id = await uploaded(server.admin, { parentId: folder }, 'again.txt', Buffer.from('again'));
    expect(times).toBe(2);
    times = 0;
    s3.mood = (method) => (method === 'GET' && times++ === 0 ? 'error' : 'open');
    expect((await server.admin.get(`/svc/html/${id}`)).text).toBe('again');
  });

  it('makes an upload end with 502 when it goes on answering 500, and nothing stays', async () => {
    s3.mood = () => 'error';
    const { status, text } = await upload(server.admin, { parentId: folder }, 'never.bin', Buffer.from('x'));
    expect(status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({ code: 502, message: expect.stringContaining('storage') as string });
    expect(text).not.toContain(BUCKET);
    // The answer comes while the client is still sending, who may see no more than a closed connection.
    await upload(server.admin, { parentId: folder }, 'never.bin', noise(18 * MB)).catch(() => undefined);
    s3.mood = () => 'open';
    expect((await server.admin.get('/File?name=never.bin')).body.result).toEqual([]);
    expect(await s3.uploads()).toEqual([]);
  });

  it('makes an upload end with 504 when it hangs, soon', async () => {
    s3.mood = () => 'hang';
    const begun = Date.now();
    const { status } = await upload(server.admin, { parentId: folder }, 'never.bin', Buffer.from('x'));
    expect(status).toBe(504);
    expect(Date.now() - begun).toBeLessThan(10_000);
  });

  it('ends the upload in parts when a part cannot be stored', async () => {
    s3.mood = (_method, url) => (url.includes('partNumber=2') ? 'error' : 'open');
    await upload(server.admin, { parentId: folder }, 'never.bin', noise(30 * MB)).catch(() => undefined);
    expect(s3.asked.filter((one) => one.includes('partNumber=2'))).toHaveLength(3);
    expect(
      await until(
        () => s3.uploads(),
        (uploads) => uploads.length === 0,
      ),
    ).toEqual([]);
  });

  it('gives a download an error that is no file', async () => {
    const id = await uploaded(server.admin, { parentId: folder }, 'read.bin', noise(3 * MB));
    s3.mood = () => 'error';
    expect((await server.admin.get(`/svc/html/${id}`)).status).toBe(502);
    s3.mood = () => 'hang';
    expect((await server.admin.get(`/svc/html/${id}`)).status).toBe(504);
  });

  it('lets a download go on when its connection breaks', async () => {
    const id = await uploaded(server.admin, { parentId: folder }, 'breaks.bin', noise(5 * MB));
    let times = 0;
    s3.mood = (method) => (method === 'GET' && times++ < 4 ? 'break' : 'open');
    expect(await download(server.admin, `/${id}`)).toMatchObject({ status: 200, sha256: sha256(noise(5 * MB)) });
    expect(times).toBe(5);
  });

  it('lets a download go on when it falls silent in the middle', async () => {
    const id = await uploaded(server.admin, { parentId: folder }, 'stalls.bin', noise(5 * MB));
    let times = 0;
    s3.mood = (method) => (method === 'GET' && times++ < 2 ? 'stall' : 'open');
    expect(await download(server.admin, `/${id}`)).toMatchObject({ status: 200, sha256: sha256(noise(5 * MB)) });
    expect(times).toBe(3);
  });

  it('says that content is missing when somebody has removed it', async () => {
    const id = await uploaded(server.admin, { parentId: folder }, 'lost.bin', noise(MB));
    const { DeleteObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
    const client = new S3Client({ endpoint: s3.url, region: 'x', forcePathStyle: true, credentials });
    await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: (await objectsOf(id))[0] }));
    const answer = await server.admin.get(`/svc/html/${id}`);
    expect(answer.status).toBe(500);
    expect(answer.text).toContain('is missing in its storage');
  });
});

it('takes 120 MB up and down without much memory', async () => {
  const size = 120 * MB;
  // The S3 server is part of this busy process.
  await server.reload({ 'application.filesystem.storage.timeout': 60_000 });
  await uploaded(server.admin, { parentId: folder }, 'first.bin', noise(20 * MB));
  const before = await memoryOf(server.child.pid);
  const id = await uploaded(server.admin, { parentId: folder }, 'huge.bin', noise(size));
  expect(await download(server.admin, `/${id}`)).toEqual({ status: 200, size, sha256: sha256(noise(size)) });
  expect((await memoryOf(server.child.pid, 'VmHWM')) - before).toBeLessThan(100);
});
