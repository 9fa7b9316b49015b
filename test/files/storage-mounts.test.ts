import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';
import { noise, replace, sha256, until, upload, uploaded } from '../support/storage.js';

const LOCAL = 'org.svc.storage.providers.local.LocalFSStorageProvider';
const SECRET = { 'application.encryption.secret': 'secret of the tests' };

let roots: string;
let server: TestServer;
let admin: Client;
/** The directory of a test, and the folder it is mounted at. */
let disk: string;
let folder: string;
let name: string;
let count = 0;

beforeAll(async () => {
  roots = await mkdtemp(join(tmpdir(), 'svc-mounts-'));
  server = await TestServer.start({ settings: { ...SECRET, 'application.filesystem.mount.roots': roots } });
  admin = server.admin;
});
afterAll(async () => {
  await server.stop();
  await rm(roots, { recursive: true, force: true });
});
beforeEach(async () => {
  name = `mount${String(++count)}`;
  disk = join(roots, name);
  await mkdir(disk);
});
afterEach(async () => {
  server.assertAlive();
  // Else it is looked through each second until the last test is over.
  await admin.put(`/Folder/${folder}`, { mountScanInterval: 0 });
});

const configured = (target: string): object => ({
  name: `configuration of ${target}`,
  provider: LOCAL,
  entries: [{ name: 'mountTarget', value: target }],
});

/** Mounts the directory and waits until it was looked through. */
async function mount(more: Record<string, unknown> = {}): Promise<void> {
  folder = await admin.create('Folder', { name, storageConfiguration: configured(disk), ...more });
  await until(
    () => server.logged(new RegExp(`looked through ${disk}:`)),
    (lines) => lines.length > 0,
  );
}
const put = async (path: string, text: string): Promise<void> => {
  await mkdir(join(disk, path, '..'), { recursive: true });
  await writeFile(join(disk, path), text);
};
const onDisk = async (): Promise<string[]> =>
  // A folder may go while it is read.
  (await readdir(disk, { recursive: true }).catch(() => ['changing']))
    .filter((path) => !path.startsWith('.svc-incoming'))
    .sort();
const served = async (path: string): Promise<string> => (await admin.get(`/svc/html/${name}/${path}`)).text;
const inTree = async (path: string): Promise<number> => (await admin.get(`/svc/html/${name}/${path}`)).status;
const nodeAt = async (path: string): Promise<Record<string, unknown> & { id: string }> =>
  (await admin.get(`/AbstractFile/all?name=${encodeURIComponent(path.split('/').at(-1) ?? '')}`)).body.result.find(
    (node: { path: string }) => node.path === `/${name}/${path}`,
  );
const diskBecomes = async (wanted: string[]): Promise<void> => {
  const same = (found: string[]): boolean => JSON.stringify(found) === JSON.stringify(wanted);
  expect(await until(onDisk, same)).toEqual(wanted);
};
const treeBecomes = async (path: string, text: string): Promise<void> => {
  expect(
    await until(
      () => served(path),
      (found) => found === text,
    ),
  ).toBe(text);
};

/** Waits until so many changes were found, by whichever looks: what is written for longer is seen by several. */
const lookedThrough = async (what: 'changed' | 'gone', count: number): Promise<void> => {
  const found = (): number =>
    server
      .logged(new RegExp(`looked through ${disk}:`))
      .reduce((sum, line) => sum + Number(new RegExp(`, (\\d+) ${what}`).exec(line)?.[1]), 0);
  expect(await until(found, (sum) => sum >= count)).toBe(count);
};

it('follows many changes of the disk, and leaves out what the tree refuses', async () => {
  const type = await admin.defineType('Kept', [], { inheritedTraits: ['File'] });
  const names = Array.from({ length: 120 }, (_, i) => `k${String(i).padStart(3, '0')}.txt`);
  for (const one of names) await put(one, 'old');
  await mount({ mountTargetFileType: 'Kept', mountScanInterval: 1 });
  expect((await admin.get('/Kept')).body.result_count).toBe(120);
  await admin.create('SchemaMethod', {
    name: 'onDelete',
    schemaNode: type,
    source: "if(equal(this.name, 'k007.txt'), error('name', 'stays'), null)",
  });
  for (const one of names) await put(one, 'newer');
  await lookedThrough('changed', 120);
  const [changed] = (await admin.get('/Kept/all?name=k119.txt')).body.result;
  expect(changed).toMatchObject({ size: 5, version: 2 });
  for (const one of names) await rm(join(disk, one));
  await put('other.txt', 'x');
  await server.untilLogged(/k007.txt is gone, and could not be removed from the tree/);
  await lookedThrough('gone', 119);
  expect((await admin.get('/Kept?_sort=name')).body.result).toMatchObject([
    { name: 'k007.txt' },
    { name: 'other.txt' },
  ]);
});

it('knows of images what they are now', async () => {
  const image = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  await writeFile(join(disk, 'i.png'), image.subarray(0, 40));
  await mount({ mountScanInterval: 1 });
  const broken = await nodeAt('i.png');
  expect((await admin.get(`/Image/${broken.id}`)).body.result).toMatchObject({ tnSmall: null });
  expect(await nodeAt('i.png')).toMatchObject({ type: 'Image', thumbnailCreationFailed: true });
  await writeFile(join(disk, 'i.png'), image);
  await until(
    () => nodeAt('i.png'),
    ({ version }) => version === 2,
  );
  expect((await admin.get(`/Image/${broken.id}`)).body.result).toMatchObject({
    tnSmall: { name: expect.stringMatching(/^i.*\.png_thumb_20x10$/) },
  });
  expect(await nodeAt('i.png')).toMatchObject({ width: 20, thumbnailCreationFailed: false });
});

it('is refused outside the directories that the settings allow', async () => {
  for (const target of ['/etc', `${roots}/../x`, `${roots}-other`, 'relative', roots.slice(0, -1)]) {
    const answer = await admin.post('/Folder', { name: 'x', storageConfiguration: configured(target) });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ property: 'mountTarget' }]);
  }
});

it('brings what is there into the tree, with its facts', async () => {
  await put('a.txt', 'a');
  await put('deep/er/b c.txt', 'bb');
  await writeFile(
    join(disk, 'image.png'),
    Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\b\x06\0\0\0', 'latin1'),
  );
  await mount({ mountTargetFolderType: 'Folder' });
  expect(await served('a.txt')).toBe('a');
  expect(await served('deep/er/b%20c.txt')).toBe('bb');
  const a = await nodeAt('a.txt');
  expect(a).toMatchObject({ type: 'File', isExternal: true, isMounted: true, size: 1, version: 1, hasParent: true });
  expect(typeof a['checksum']).toBe('number');
  expect(a['lastSeenMounted']).toBeGreaterThan(Date.now() - 60_000);
  expect(await nodeAt('image.png')).toMatchObject({ contentType: 'image/png', type: 'Image' });
  expect((await admin.get(`/Folder/${folder}/all`)).body.result).toMatchObject({
    isMounted: true,
    mountLastScanned: expect.any(Number) as number,
  });
  expect((await server.as().get(`/svc/html/${name}/a.txt`)).status).toBe(404);
});

describe('what happens in the tree happens on the disk', () => {
  it('uploads, replacements, folders, new names, moves and deletions', async () => {
    await put('there.txt', 'there');
    await mount();
    const id = await uploaded(admin, { parentId: folder }, 'new.txt', Buffer.from('new'));
    await diskBecomes(['new.txt', 'there.txt']);
    expect(await readFile(join(disk, 'new.txt'), 'utf8')).toBe('new');
    expect(await served('new.txt')).toBe('new');
    const there = await nodeAt('there.txt');
    expect((await replace(admin, there.id, Buffer.from('other'))).status).toBe(200);
    expect(await served('there.txt')).toBe('other');
    expect(
      await until(
        () => readFile(join(disk, 'there.txt'), 'utf8'),
        (text) => text === 'other',
      ),
    ).toBe('other');
    const sub = await admin.create('Folder', { name: 'sub', parent: folder });
    await diskBecomes(['new.txt', 'sub', 'there.txt']);
    await admin.put(`/File/${id}`, { name: 'named.txt', parent: sub });
    await diskBecomes(['sub', 'sub/named.txt', 'there.txt']);
    await admin.put(`/Folder/${sub}`, { name: 'dir' });
    await diskBecomes(['dir', 'dir/named.txt', 'there.txt']);
    expect(await served('dir/named.txt')).toBe('new');
    await admin.delete(`/File/${id}`);
    await diskBecomes(['dir', 'there.txt']);
    await admin.delete(`/Folder/${sub}`);
    await diskBecomes(['there.txt']);
    expect(await readdir(join(disk, '.svc-incoming'))).toEqual([]);
    expect(await nodeAt('there.txt')).toMatchObject({ isExternal: true, version: 2, size: 5 });
  });

  it('new content, which is served at every moment of its way there', async () => {
    await put('there.txt', 'there');
    await mount();
    const { id } = await nodeAt('there.txt');
    for (let round = 0; round < 60; round++) {
      const text = `round ${String(round)}`;
      expect((await replace(admin, id, Buffer.from(text))).status).toBe(200);
      expect(await Promise.all(Array.from({ length: 12 }, () => served('there.txt')))).toEqual(
        Array<string>(12).fill(text),
      );
    }
  });

  it('new names, while the directory is looked through: what has one stays what it is', async () => {
    for (let i = 0; i < 500; i++) await put(`sub/f${String(i)}.txt`, 'x');
    await mount({ mountScanInterval: 1 });
    const sub = (await nodeAt('sub')).id;
    const listed = async (): Promise<string[]> =>
      (await admin.get(`/Folder/${sub}/files?_pageSize=2000`)).body.result.map(({ id }: { id: string }) => id).sort();
    const before = await listed();
    expect(before).toHaveLength(500);
    for (let round = 0; round < 30; round++) {
      expect((await admin.put(`/Folder/${sub}`, { name: `sub${String(round)}` })).status).toBe(200);
      expect((await admin.put(`/File/${before[round] ?? ''}`, { name: `named${String(round)}.txt` })).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 70 * (round % 4)));
    }
    expect(await listed()).toEqual(before);
  });

  it('files and folders that come in from elsewhere, and leave again', async () => {
    await mount();
    const top = await admin.create('Folder', { name: `walking${String(count)}` });
    const id = await uploaded(admin, { parentId: top }, 'w.bin', noise(3_000_000));
    await admin.put(`/Folder/${top}`, { parent: folder });
    await diskBecomes([`walking${String(count)}`, `walking${String(count)}/w.bin`]);
    expect(sha256([await readFile(join(disk, `walking${String(count)}/w.bin`))])).toBe(sha256(noise(3_000_000)));
    const local = async (): Promise<string[]> =>
      (await readdir(join(server.folder, 'files'), { recursive: true })).filter((file) => file.includes(id));
    expect(await until(local, (found) => found.length === 0)).toEqual([]);
    await admin.put(`/Folder/${top}`, { parent: null });
    await diskBecomes([]);
    expect(await local()).toHaveLength(1);
    const answer = await admin.send('GET', `/svc/html/walking${String(count)}/w.bin`);
    expect(answer.status).toBe(200);
    expect((await admin.get(`/File/${id}/all`)).body.result).toMatchObject({ isExternal: false, isMounted: false });
  });

  it('and never over a file that only the disk knows', async () => {
    await mount();
    await put('same.txt', 'of the disk');
    const id = await uploaded(admin, { parentId: folder }, 'same.txt', Buffer.from('of the tree'));
    const named = await until(
      async () => (await admin.get(`/File/${id}`)).body.result.name as string,
      (found) => found !== 'same.txt',
    );
    expect(named).toMatch(/^same_.*\.txt$/);
    await diskBecomes(['same.txt', named].sort());
    expect(await readFile(join(disk, 'same.txt'), 'utf8')).toBe('of the disk');
    expect(await served(named)).toBe('of the tree');
  });
});

describe('what happens on the disk happens in the tree', () => {
  it('by events, after some quiet', async () => {
    await put('old.txt', 'old');
    await put('goes.txt', 'goes');
    await mount({ mountWatchContents: true });
    await put('fresh.txt', 'fresh');
    await put('old.txt', 'older');
    await put('sub/deep/x.txt', 'x');
    await rm(join(disk, 'goes.txt'));
    await treeBecomes('fresh.txt', 'fresh');
    await treeBecomes('old.txt', 'older');
    await treeBecomes('sub/deep/x.txt', 'x');
    expect(
      await until(
        () => inTree('goes.txt'),
        (status) => status === 404,
      ),
    ).toBe(404);
    await put('sub/deep/y.txt', 'y');
    await rename(join(disk, 'sub/deep/x.txt'), join(disk, 'z.txt'));
    await treeBecomes('sub/deep/y.txt', 'y');
    await treeBecomes('z.txt', 'x');
    await rm(join(disk, 'sub'), { recursive: true });
    expect(
      await until(
        () => inTree('sub/deep/y.txt'),
        (status) => status === 404,
      ),
    ).toBe(404);
    expect(await nodeAt('sub')).toBeUndefined();
  });

  it('by looking through it at set times', async () => {
    await mount({ mountScanInterval: 1 });
    await put('later.txt', 'later');
    await treeBecomes('later.txt', 'later');
    await rm(join(disk, 'later.txt'));
    await put('other.txt', 'o');
    expect(
      await until(
        () => inTree('later.txt'),
        (status) => status === 404,
      ),
    ).toBe(404);
  });

  it('but new content stays that waits for a directory which is gone, and the directory comes back', async () => {
    await put('sub/deep/a.txt', 'old');
    await put('sub/deep/b.txt', 'b');
    // A directory without anything may be a disk that is not there.
    await put('other.txt', 'other');
    await mount({ mountScanInterval: 2 });
    const { id } = await nodeAt('sub/deep/a.txt');
    await rm(join(disk, 'sub'), { recursive: true });
    expect((await replace(admin, id, Buffer.from('new'))).status).toBe(200);
    expect(
      await until(
        () => inTree('sub/deep/b.txt'),
        (status) => status === 404,
      ),
    ).toBe(404);
    await diskBecomes(['other.txt', 'sub', 'sub/deep', 'sub/deep/a.txt']);
    expect(await readFile(join(disk, 'sub/deep/a.txt'), 'utf8')).toBe('new');
    expect(await served('sub/deep/a.txt')).toBe('new');
    expect((await nodeAt('sub/deep/a.txt')).id).toBe(id);
  });

  it('but nothing leaves the tree because the disk is not there', async () => {
    await put('kept.txt', 'kept');
    await mount({ mountScanInterval: 1 });
    await rename(disk, `${disk}-away`);
    await until(
      () => server.logged(new RegExp(`${disk}.* cannot be looked through`)),
      (lines) => lines.length > 0,
    );
    expect(await nodeAt('kept.txt')).toBeDefined();
    await mkdir(disk);
    await until(
      () => server.logged(new RegExp(`${disk} is empty`)),
      (lines) => lines.length > 0,
    );
    expect((await nodeAt('kept.txt')).id).toBeDefined();
    expect(await inTree('kept.txt')).toBe(500);
    await rm(disk, { recursive: true });
    await rename(`${disk}-away`, disk);
    expect(await served('kept.txt')).toBe('kept');
  });
});

describe('no path leads out of the directory', () => {
  it('by symbolic links, those within are followed', async () => {
    await writeFile(join(roots, 'secret.txt'), 'secret');
    await put('in/a.txt', 'a');
    await symlink(join(roots, 'secret.txt'), join(disk, 'out.txt'));
    await symlink(roots, join(disk, 'out'));
    await symlink('in', join(disk, 'link'));
    await symlink('..', join(disk, 'in', 'loop'));
    await mount({ mountScanInterval: 1 });
    expect(await nodeAt('out.txt')).toBeUndefined();
    expect(await nodeAt('out')).toBeUndefined();
    expect(await served('in/a.txt').then((text) => text || served('link/a.txt'))).toBe('a');
    // One that was a file when it was found.
    await put('turns.txt', 'harmless');
    await treeBecomes('turns.txt', 'harmless');
    await rm(join(disk, 'turns.txt'));
    await symlink(join(roots, 'secret.txt'), join(disk, 'turns.txt'));
    expect(
      await until(
        () => inTree('turns.txt'),
        (status) => status === 404,
      ),
    ).toBe(404);
  });

  it('by links at all when the settings say so', async () => {
    await server.reload({ 'application.filesystem.mount.followsymlinks': false });
    await put('in/a.txt', 'a');
    await symlink('in', join(disk, 'link'));
    await mount();
    await server.reload({ 'application.filesystem.mount.followsymlinks': true });
    expect(await served('in/a.txt')).toBe('a');
    expect(await nodeAt('link')).toBeUndefined();
  });

  it('by names', async () => {
    await mount();
    for (const bad of ['..', '.', '.svc-incoming']) {
      const { status, text } = await upload(admin, { parentId: folder }, 'x', Buffer.from('x'));
      if (status === 200) await admin.put(`/File/${text}`, { name: bad });
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(existsSync(join(roots, 'x'))).toBe(false);
    for (const path of await readdir(disk))
      expect(['x', '.svc-incoming']).toContain(path.slice(0, 13) === 'x' ? 'x' : path.replace(/^x.*/, 'x'));
    expect((await stat(join(disk, '.svc-incoming'))).isDirectory()).toBe(true);
  });
});

it('leaves the tree when it is mounted no more, and the disk as it is', async () => {
  await put('a/b.txt', 'b');
  await put('c.txt', 'c');
  await mount();
  const ids = [(await nodeAt('c.txt')).id, (await nodeAt('a')).id];
  await admin.put(`/Folder/${folder}`, { storageConfiguration: null });
  await until(
    () => server.logged(new RegExp(`${disk} is not mounted any more`)),
    (lines) => lines.length > 0,
  );
  for (const id of ids) expect((await admin.get(`/AbstractFile/${id}`)).status).toBe(404);
  expect(await onDisk()).toEqual(['a', 'a/b.txt', 'c.txt']);
  expect((await admin.get(`/Folder/${folder}`)).body.result.isMounted).toBe(false);
});

it('has after a crash what was acknowledged, on the disk and in the tree', async () => {
  const own = await TestServer.start({ settings: { ...SECRET, 'application.filesystem.mount.roots': roots } });
  const settings = {
    ...SECRET,
    'application.filesystem.mount.roots': roots,
    'application.filesystem.sweep.age': 0,
    'application.filesystem.sweep.trash': 0,
  };
  const id = await own.admin.create('Folder', { name, storageConfiguration: configured(disk) });
  const acknowledged = new Map<string, number>();
  let stopped = false;
  const worker = async (n: number): Promise<void> => {
    for (let i = 0; !stopped; i++) {
      const seed = n * 1000 + i;
      const sent = upload(own.admin, { parentId: id }, `${String(seed)}.bin`, noise(5000, seed));
      const { status } = await sent.catch(() => ({ status: 0 }));
      if (status === 200) acknowledged.set(`${String(seed)}.bin`, seed);
    }
  };
  const workers = [1, 2, 3].map(worker);
  await until(
    () => acknowledged.size,
    (size) => size > 12,
  );
  await own.end('SIGKILL');
  stopped = true;
  await Promise.all(workers);
  const again = await TestServer.start({
    folder: own.folder,
    settings: { ...settings, 'application.filesystem.sweep.delay': 2 },
  });
  try {
    await until(
      () => again.logged(/looked through/),
      (lines) => lines.length > 0,
    );
    await until(
      () => again.logged(/without a file removed/),
      (lines) => lines.length > 1,
    );
    for (const [file, seed] of acknowledged) {
      const content = await readFile(join(disk, file));
      expect(sha256([content])).toBe(sha256(noise(5000, seed)));
      expect((await again.admin.get(`/svc/html/${name}/${file}`)).status).toBe(200);
    }
    const nodes = (await again.admin.get('/File/all')).body.result as { name: string }[];
    expect(nodes.map((node) => node.name).sort()).toEqual(await onDisk());
    expect(await readdir(join(disk, '.svc-incoming'))).toEqual([]);
  } finally {
    await again.end();
    await rm(own.folder, { recursive: true, force: true });
  }
});
