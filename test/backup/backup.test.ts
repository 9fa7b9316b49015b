/** `svc backup`: made while the server writes, and restored after the disk is lost (docs/interface/operations.md 7.2). */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { inFormat6, inFormat7 } from '../graph/older-format.js';
import { BUCKET, S3Server } from '../support/s3-server.js';
import { onNeo4j, TestServer } from '../support/server.js';
import { uploaded } from '../support/storage.js';

const SVC = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));

async function svc(args: readonly string[], cwd: string): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [SVC, 'backup', ...args], {
    cwd,
    env: { ...process.env, SVC_TEST_DRIVER: undefined },
  });
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { code, out, err };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

describe.skipIf(onNeo4j)('svc backup', () => {
  let server: TestServer;
  let s3: S3Server;
  let place: string;
  let parentId: string;

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'svc-backup-'));
    s3 = await S3Server.start();
    server = await TestServer.start({
      settings: {
        'backup.place': place,
        'backup.s3.endpoint': s3.url,
        'backup.s3.accesskey': 'S3RVER',
        'backup.s3.secretkey': 'S3RVER',
      },
    });
    await server.admin.defineType('Entry', [{ name: 'n', propertyType: 'Integer', indexed: true }]);
    parentId = await server.admin.create('Folder', { name: 'docs' });
    await uploaded(server.admin, { parentId }, 'first.txt', Buffer.from('the first'));
    await uploaded(server.admin, { parentId }, 'large.bin', Buffer.alloc(3_000_000, 'abc'));
  });
  afterAll(async () => {
    await server.end();
    await s3.stop();
    for (const folder of [server.folder, place]) await rm(folder, { recursive: true, force: true });
  });

  /** What a backup has, as a server that is started on what was restored tells. */
  async function restored(args: readonly string[], look: (server: TestServer) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-restored-'));
    try {
      await writeFile(join(folder, 'svc.conf'), await readFile(join(server.folder, 'svc.conf')), { mode: 0o600 });
      const done = await svc(['restore', ...args], folder);
      expect(done).toMatchObject({ code: 0 });
      const other = await TestServer.start({ folder });
      try {
        await look(other);
      } finally {
        await other.end();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  it('makes one while clients write, which has all that was answered before it began, and whole writes', async () => {
    let going = true;
    let last = 0;
    const writing = (async () => {
      for (let n = 1; going; n++) {
        const pair = [
          { name: `a${String(n)}`, n },
          { name: `b${String(n)}`, n },
        ];
        expect((await server.admin.post('/Entry', pair)).status).toBe(201);
        last = n;
      }
    })();
    await expect.poll(() => last).toBeGreaterThan(5);
    const before = last;
    const done = await svc(['create'], server.folder);
    going = false;
    await writing;
    expect(done.err).toMatch(/copying graph.db/);
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringMatching(/^\d{8}T\d{6}Z: the database and 2 contents; \d+ pieces/),
    ]);
    await restored([], async ({ admin }) => {
      const { body } = await admin.get('/Entry?_sort=n');
      const ns = (body.result as { n: number }[]).map(({ n }) => n);
      const most = Math.max(...ns);
      expect(most).toBeGreaterThanOrEqual(before);
      // Both of each pair, and none left out.
      expect(ns).toEqual(Array.from({ length: most * 2 }, (_, i) => Math.floor(i / 2) + 1));
      expect((await admin.get('/svc/html/docs/first.txt')).text).toBe('the first');
      expect((await admin.get('/svc/html/docs/large.bin')).text).toHaveLength(3_000_000);
    });
  });

  it('copies of the next only what is new, and keeps what was deleted meanwhile', async () => {
    const size = async (): Promise<number> => {
      const sizes = await Promise.all((await filesIn(place)).map(async (file) => (await stat(file)).size));
      return sizes.reduce((sum, one) => sum + one, 0);
    };
    const [first = ''] = (await svc(['list'], server.folder)).out.split('\n');
    const before = await size();
    const [file] = (await server.admin.get('/File?name=first.txt')).body.result as { id: string }[];
    await server.admin.delete(`/File/${file?.id ?? ''}`);
    await uploaded(server.admin, { parentId }, 'second.txt', Buffer.from('the second'));
    await expect.poll(async () => (await svc(['create'], server.folder)).code).toBe(0);
    expect((await size()) - before).toBeLessThan(before / 2);
    await restored([], async ({ admin }) => {
      expect((await admin.get('/svc/html/docs/first.txt')).status).toBe(404);
      expect((await admin.get('/svc/html/docs/second.txt')).text).toBe('the second');
    });
    await restored([first], async ({ admin }) => {
      expect((await admin.get('/svc/html/docs/first.txt')).text).toBe('the first');
      expect((await admin.get('/svc/html/docs/second.txt')).status).toBe(404);
    });
  });

  it.each([
    [6, inFormat6],
    [7, inFormat7],
  ])('restores one that was made of a database of format %i, which the server converts', async (format, older) => {
    const [folder, archive] = [
      await mkdtemp(join(tmpdir(), 'svc-older-')),
      await mkdtemp(join(tmpdir(), 'svc-older-')),
    ];
    try {
      await cp(join(server.folder, 'svc.conf'), join(folder, 'svc.conf'));
      expect(await svc(['restore'], folder)).toMatchObject({ code: 0 });
      const [file = ''] = (await filesIn(folder)).filter((one) => one.endsWith('graph.db'));
      const db = new Library(file);
      older(db);
      expect(db.pragma('user_version', { simple: true })).toBe(format);
      db.close();
      expect(await svc(['create', '--place', archive], folder)).toMatchObject({ code: 0 });
      await restored(['--place', archive], async ({ admin }) => {
        expect((await admin.get('/Entry?_sort=n&_pageSize=1')).body).toMatchObject({ result: [{ n: 1 }] });
        expect((await admin.get('/svc/html/docs/second.txt')).text).toBe('the second');
        expect(await admin.get('/Folder?name=docs')).toMatchObject({ body: { result: [{ id: parentId }] } });
      });
    } finally {
      for (const one of [folder, archive]) await rm(one, { recursive: true, force: true });
    }
  });

  it('takes a bucket for a place', async () => {
    const args = ['--place', `s3://${BUCKET}/nightly`];
    expect(await svc(['create', ...args], server.folder)).toMatchObject({ code: 0 });
    expect((await s3.objects()).every((key) => key.startsWith('nightly/'))).toBe(true);
    expect((await svc(['verify', ...args], server.folder)).out).toMatch(/all of \d+ files are there/);
    await restored(args, async ({ admin }) => {
      expect((await admin.get('/svc/html/docs/second.txt')).text).toBe('the second');
    });
  });

  it('says what is damaged, and puts nothing where something is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-damaged-'));
    try {
      const args = ['--place', folder];
      expect(await svc(['create', ...args], server.folder)).toMatchObject({ code: 0 });
      expect((await svc(['restore', ...args], server.folder)).err).toMatch(/is not empty/);
      const chunks = (await filesIn(folder)).filter((file) => file.includes('/chunks/'));
      await writeFile(chunks[0] ?? '', 'damaged');
      const verified = await svc(['verify', ...args], server.folder);
      expect([verified.code, verified.err]).toEqual([1, expect.stringMatching(/is damaged/)]);
      await rm(chunks[0] ?? '');
      expect((await svc(['verify', ...args], server.folder)).err).toMatch(/cannot be read/);
      const [list = ''] = (await filesIn(folder)).filter((file) => file.includes('/backups/'));
      await writeFile(list, (await readFile(list)).subarray(0, 40));
      expect((await svc(['verify', ...args], server.folder)).code).toBe(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('removes old ones, but for the last', async () => {
    const names = (await svc(['list'], server.folder)).out.trim().split('\n');
    expect(names.length).toBeGreaterThan(1);
    expect((await svc(['prune', '1'], server.folder)).out).toBe('0 backups and 0 pieces were removed\n');
    const pruned = await svc(['prune', '0'], server.folder);
    expect(pruned.out).toMatch(new RegExp(`^${String(names.length - 1)} backups and \\d+ pieces were removed`));
    expect((await svc(['list'], server.folder)).out).toBe(`${names.at(-1) ?? ''}\n`);
    expect((await svc(['verify'], server.folder)).code).toBe(0);
  });

  it.each([
    ['no word', [], 3, /say create/],
    ['a place that makes no sense', ['list', '--place', 's3://'], 1, /s3:\/\/bucket/],
    ['a backup that there is not', ['verify', '20000101T000000Z'], 1, /there is no backup/],
    ['days that are none', ['prune', 'all'], 3, /whole number/],
    ['an option', ['create', '--nothing'], 3, /not understood/],
  ])('refuses %s', async (_, args, code, said) => {
    const done = await svc(args, server.folder);
    expect([done.code, done.out]).toEqual([code, '']);
    expect(done.err).toMatch(said);
  });

  it('is made on a schedule, by the running server', async () => {
    const other = await mkdtemp(join(tmpdir(), 'svc-scheduled-'));
    const scheduled = await TestServer.start({ settings: { 'backup.place': other, 'backup.schedule': '* * * * * *' } });
    try {
      const [line] = await scheduled.untilLogged(/a backup was made: \d{8}T\d{6}Z: the database and 0 contents/);
      expect(line).toBeDefined();
    } finally {
      await scheduled.stop();
      await rm(other, { recursive: true, force: true });
    }
  });
});
