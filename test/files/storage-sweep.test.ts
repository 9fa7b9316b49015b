import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { S3Server } from '../support/s3-server.js';
import { TestServer } from '../support/server.js';
import { download, noise, replace, sha256, until, upload, uploaded } from '../support/storage.js';

const SETTINGS = {
  'application.encryption.secret': 'secret of the tests',
  'application.filesystem.storage.timeout': 3000,
};
const NOW = {
  'application.filesystem.sweep.delay': 1,
  'application.filesystem.sweep.age': 0,
  'application.filesystem.sweep.trash': 0,
};
const LOCAL = 'org.svc.storage.providers.local.LocalFSStorageProvider';
const MEMORY = 'org.svc.storage.providers.memory.InMemoryStorageProvider';
const STRAY = '0197b0a0-0000-7000-8000-00000000abcd';

let server: TestServer | undefined;
afterEach(async () => {
  await server?.end();
  if (server !== undefined) await rm(server.folder, { recursive: true, force: true });
  server = undefined;
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}
/** The mark of the folder is no content. */
const contentsOf = async ({ folder }: TestServer): Promise<string[]> =>
  (await filesIn(join(folder, 'files'))).filter((name) => !name.startsWith('.svc-store'));
const swept = (of: TestServer, times = 1): Promise<string[]> =>
  until(
    () => of.logged(/without a file removed|belong to no file/),
    (lines) => lines.length >= times,
  );

/** Puts a content on the disk that belongs to nobody. */
async function stray(of: { readonly folder: string }, name: string, age = 0): Promise<void> {
  const [a = '', b = ''] = name.split('.')[0]?.slice(-2) ?? '';
  const folder = join(of.folder, 'files', a, b);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), 'stray');
  const time = Date.now() / 1000 - age;
  await utimes(join(folder, name), time, time);
}

it('removes what belongs to no file and is old enough, and nothing else', async () => {
  server = await TestServer.start({ settings: SETTINGS });
  const id = await uploaded(server.admin, {}, 'a.bin', noise(1000));
  await stray(server, `${STRAY}.0`, 7200);
  await stray(server, `${id}.0123456789abcdef`, 7200);
  await stray(server, `${STRAY.replace('abcd', 'abce')}.0`, 60);
  await stray(server, 'README.md', 7200);
  server = await server.restart({
    settings: { ...SETTINGS, 'application.filesystem.sweep.delay': 1, 'application.filesystem.sweep.trash': 0 },
  });
  expect(await swept(server)).toEqual([expect.stringContaining('4 contents, 2 without a file removed')]);
  expect((await contentsOf(server)).sort()).toEqual(
    [
      `${STRAY.replace('abcd', 'abce')}.0`,
      'README.md',
      ...(await contentsOf(server)).filter((name) => name.startsWith(id)),
    ].sort(),
  );
});

it('leaves what is in this machine’s storage by a configuration that names no directory', async () => {
  server = await TestServer.start({ settings: SETTINGS });
  const { admin } = server;
  const here = await admin.create('StorageConfiguration', { name: 'here', provider: LOCAL });
  const parentId = await admin.create('Folder', { name: 'near', storageConfiguration: here });
  for (const name of ['a.bin', 'b.bin']) await uploaded(admin, { parentId }, name, noise(1000));
  await admin.create('StorageConfiguration', { name: 'last', provider: MEMORY });
  server = await server.restart({ settings: { ...SETTINGS, ...NOW } });
  await swept(server, 2);
  await server.end();
  server = await TestServer.start({ folder: server.folder, settings: SETTINGS });
  expect(await contentsOf(server)).toHaveLength(2);
  for (const name of ['a.bin', 'b.bin']) {
    expect(await download(server.admin, `/near/${name}`)).toMatchObject({ status: 200, size: 1000 });
  }
});

it('removes nothing when most of what is there belongs to no file, from a hundred contents on', async () => {
  server = await TestServer.start({ settings: SETTINGS });
  await uploaded(server.admin, {}, 'a.bin', noise(1000));
  for (let i = 0; i < 99; i++) await stray(server, `${STRAY.slice(0, -4)}${String(1000 + i)}.0`, 7200);
  server = await server.restart({ settings: { ...SETTINGS, ...NOW } });
  expect((await swept(server))[0]).toContain('more than half of the 100 contents');
  expect(await contentsOf(server)).toHaveLength(100);
});

it('puts aside what it takes away, and gives that up after a week', async () => {
  server = await TestServer.start({ settings: SETTINGS });
  const id = await uploaded(server.admin, {}, 'a.bin', noise(1000));
  await stray(server, `${STRAY}.0`, 7200);
  const trash = join(server.folder, 'files/.trash');
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  for (const ago of [10, 6]) {
    await mkdir(join(trash, day(ago)), { recursive: true });
    await writeFile(join(trash, day(ago), 'x'), 'x');
  }
  server = await server.restart({ settings: { ...SETTINGS, ...NOW, 'application.filesystem.sweep.trash': 7 } });
  expect(await swept(server)).toEqual([expect.stringContaining('2 contents, 1 without a file removed')]);
  expect((await filesIn(trash)).sort()).toEqual([`${STRAY}.0`, 'x']);
  expect(await readFile(join(trash, day(0), `${STRAY}.0`), 'utf8')).toBe('stray');
  expect(await download(server.admin, `/${id}`)).toMatchObject({ status: 200, size: 1000 });
});

it('leaves what it cannot put aside where it is for as long, from when it was seen without a file', async () => {
  const s3 = await S3Server.start();
  try {
    server = await TestServer.start({ settings: SETTINGS });
    const { folder } = await s3.folderFor(server.admin, 'far');
    await uploaded(server.admin, { parentId: folder }, 'a.bin', noise(1000));
    const [kept = ''] = await s3.objects();
    const store = kept.split('/')[0] ?? '';
    await s3.duplicate(kept, `${store}/${STRAY}.0`);
    const settings = { ...SETTINGS, ...NOW, 'application.filesystem.sweep.trash': 7 };
    server = await server.restart({ settings });
    expect((await swept(server, 2))[1]).toContain('2 contents, 0 without a file removed, 1 without a file were left');
    await server.end();
    const seen = join(server.folder, 'files/.trash', `${store}.seen`);
    expect(await readFile(seen, 'utf8')).toMatch(new RegExp(`^${STRAY}\\.0 \\d+\\n$`));
    await writeFile(seen, `${STRAY}.0 ${String(Date.now() - 8 * 86_400_000)}\n`);
    server = await TestServer.start({ folder: server.folder, settings });
    expect((await swept(server, 2))[1]).toContain('2 contents, 1 without a file removed');
    expect(await s3.objects()).toEqual([kept]);
  } finally {
    await s3.stop();
  }
});

it('leaves what has arrived and is not published yet', async () => {
  server = await TestServer.start({ settings: { ...SETTINGS, ...NOW } });
  const part = (name: string, text: string): string =>
    `--b\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n${text}\r\n`;
  const answered = new Promise<number>((resolve, reject) => {
    const req = request(`${server?.url ?? ''}/svc/upload`, {
      method: 'POST',
      agent: false,
      headers: { 'X-User': 'admin', 'X-Password': 'admin', 'Content-Type': 'multipart/form-data; boundary=b' },
    });
    req.once('response', (res) => {
      res.resume();
      resolve(res.statusCode ?? 0);
    });
    req.once('error', reject);
    req.write(part('first.txt', 'first'));
    void swept(server as TestServer).then(() => req.end(`${part('second.txt', 'second')}--b--\r\n`));
  });
  expect(await answered).toBe(200);
  expect(server.logged(/without a file removed/)).toEqual([expect.stringContaining('1 contents, 0 without')]);
  expect((await server.admin.get('/svc/html/._svc_uploads/first.txt')).text).toBe('first');
});

it('leaves exactly what the graph names after kills during uploads and replacements', async () => {
  const s3 = await S3Server.start();
  try {
    server = await TestServer.start({ settings: SETTINGS });
    const { folder } = await s3.folderFor(server.admin, 'far');
    /** What each file may hold: what was acknowledged last, or what was being written when the server died. */
    const may = new Map<string, Set<number>>();
    for (let round = 0; round < 3; round++) {
      const { admin } = server;
      let stopped = false;
      const work = async (worker: number): Promise<void> => {
        for (let n = 0; !stopped; n++) {
          const seed = round * 10_000 + worker * 1000 + n;
          const size = worker === 0 ? 17_000_000 : (seed * 7919) % 300_000;
          const fields: Record<string, string> = worker < 2 ? { parentId: folder } : {};
          const known = [...may.keys()].filter((_, i) => i % 4 === worker)[n % 3];
          try {
            if (known === undefined || n % 3 === 0) {
              const { status, text } = await upload(admin, fields, `${String(seed)}.bin`, noise(size, seed));
              if (status === 200) may.set(text, new Set([seed]));
            } else {
              may.get(known)?.add(seed);
              const { status } = await replace(admin, known, noise(size, seed));
              if (status === 200) may.set(known, new Set([seed]));
            }
          } catch {
            return;
          }
        }
      };
      const workers = [0, 1, 2, 3].map(work);
      const enough = 8 * (round + 1);
      await until(
        () => may.size,
        (size) => size >= enough,
      );
      await new Promise((resolve) => setTimeout(resolve, 300 + round * 170));
      await server.end('SIGKILL');
      stopped = true;
      await Promise.all(workers);
      const last = round === 2 ? NOW : {};
      server = await TestServer.start({ folder: server.folder, settings: { ...SETTINGS, ...last } });
    }
    await swept(server, 2);
    await until(
      () => s3.uploads(),
      (uploads) => uploads.length === 0,
    );
    const files = (await server.admin.get('/File/all?_pageSize=10000')).body.result as { id: string; size: number }[];
    expect(files.length).toBeGreaterThanOrEqual(24);
    for (const { id, size } of files) {
      const got = await download(server.admin, `/${id}`);
      expect(got).toMatchObject({ status: 200, size });
      // A file whose creation was not acknowledged may be there, too, as a whole.
      const seeds = may.get(id);
      if (seeds === undefined) continue;
      expect([...seeds].map((seed) => sha256(noise(size, seed)))).toContain(got.sha256);
    }
    const contents = [...(await contentsOf(server)), ...(await s3.objects()).map((key) => key.split('/')[1] ?? '')];
    expect(contents.map((name) => name.split('.')[0]).sort()).toEqual(files.map(({ id }) => id).sort());
    expect(await s3.uploads()).toEqual([]);
    for (const id of may.keys()) expect(files.map((file) => file.id)).toContain(id);
  } finally {
    await s3.stop();
  }
});
