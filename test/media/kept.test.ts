/** What the media room keeps in `files.path` beside contents: marks of work, temporary files, images of addresses (docs/design/media.md 3, 5). */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OnDisk } from '../../src/main/files/content/on-disk.js';
import { DiskCache } from '../../src/main/media/images/variants/disk-cache.js';
import { Attempts } from '../../src/main/media/processing/attempts.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-media-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const started = async (others = false): Promise<Attempts> => {
  const attempts = new Attempts(folder);
  await attempts.start(others);
  return attempts;
};
const NAME = 'content-1';
const failing = (): Promise<never> => Promise.reject(new Error('the client has gone'));

it('an end of the process counts once, however often the work fails afterwards without ending it', async () => {
  // The process ended under it.
  await writeFile(join(folder, NAME), '+');
  for (let i = 0; i < 3; i++) {
    const attempts = await started();
    expect(attempts.isBad(NAME)).toBe(false);
    await expect(attempts.run(NAME, failing)).rejects.toThrow('gone');
  }
  await (await started()).run(NAME, () => Promise.resolve());
  expect(await readdir(folder)).toEqual([]);
});

it('ends of threads are known after the process has ended', async () => {
  const attempts = await started();
  const ending = (died: () => void): Promise<never> => {
    died();
    died();
    return failing();
  };
  await expect(attempts.run(NAME, ending)).rejects.toThrow('gone');
  expect((await started()).isBad(NAME)).toBe(true);
});

it('marks of work that goes on at another instance are no ends', async () => {
  await writeFile(join(folder, NAME), '++');
  expect((await started(true)).isBad(NAME)).toBe(false);
});

it('temporary files of other instances stay, those that are old go', async () => {
  const parts = { storages: undefined as never, read: undefined as never, folder };
  await mkdir(join(folder, 'old'));
  await writeFile(join(folder, 'old', 'part'), 'x');
  await writeFile(join(folder, 'new'), 'x');
  await utimes(join(folder, 'old'), 1, 1);
  await new OnDisk(parts).clear(60_000);
  expect(await readdir(folder)).toEqual(['new']);
  await new OnDisk(parts).clear(0);
  expect(await readdir(folder)).toEqual([]);
});

it('images of addresses take so much of the disk, small ones too, and leave nothing on a full one', async () => {
  const cache = new DiskCache(folder, () => 20 * 4096);
  for (let i = 0; i < 60; i++) await cache.put(i.toString(16).padStart(40, '0'), Buffer.from('small'));
  await cache.idle();
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  expect(files.filter((one) => one.isFile()).length).toBeLessThanOrEqual(20);
  const last = (59).toString(16).padStart(40, '0');
  expect(String(await cache.get(last))).toBe('small');
  // Its folder cannot be made.
  const name = 'f'.repeat(40);
  await writeFile(join(folder, 'ff'), '');
  await cache.put(name, Buffer.from('x'));
  expect((await readdir(folder)).filter((one) => one.endsWith('.new'))).toEqual([]);
  expect(await cache.get(name)).toBe(undefined);
});
