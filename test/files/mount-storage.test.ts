/** What waits in a mounted directory belongs to one configuration, also where another has the same directory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MountStorage } from '../../src/main/files/storage/local/mount.js';

let disk: string;
beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), 'svc-mount-'));
});
afterAll(() => rm(disk, { recursive: true, force: true }));

const parts = { fileAt: async () => undefined, followSymlinks: () => true };
const idsIn = async (storage: MountStorage): Promise<string[]> => {
  const found: string[] = [];
  for await (const { file, key } of storage.list()) found.push(`${file}.${key}`);
  return found;
};

it('is listed, seen and removed by that configuration alone', async () => {
  const [one, other] = ['aaaa-1', 'bbbb-2'].map((name) => new MountStorage(name, disk, parts));
  if (one === undefined || other === undefined) throw new Error('no storages');
  const id = { file: '0197b0a0-0000-7000-8000-00000000abcd', key: '0123456789abcdef' };
  const writer = await one.write(id);
  await writer.write(Buffer.from('waits'));
  await writer.finish();
  expect(await idsIn(other)).toEqual([]);
  expect(await other.isIncoming(id)).toBe(false);
  await other.remove(id);
  expect(await idsIn(one)).toEqual([`${id.file}.${id.key}`]);
  const pieces: Buffer[] = [];
  for await (const piece of one.read(id, { from: 0, to: 5 })) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe('waits');
  await one.remove(id);
  expect(await idsIn(one)).toEqual([]);
});
