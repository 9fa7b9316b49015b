import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LocalStorage } from '../../src/main/files/storage/local/local.js';
import type { ContentId } from '../../src/main/files/storage/storage.js';

const MB = 1024 * 1024;

let root: string;
let storage: LocalStorage;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-storage-'));
  storage = new LocalStorage(root);
});
afterAll(() => rm(root, { recursive: true }));

const idOf = (key: string): ContentId => ({ file: '0123456789abcdef0123456789abcdef', key });

async function written(id: ContentId, chunks: readonly Buffer[]): Promise<Buffer> {
  const writer = await storage.write(id);
  for (const chunk of chunks) await writer.write(chunk);
  await writer.finish();
  return readFile(storage.pathOf(id));
}

it('makes folders again that somebody has removed', async () => {
  const [one, other] = [idOf('1'.repeat(16)), idOf('2'.repeat(16))];
  expect((await written(one, [Buffer.from('one')])).toString()).toBe('one');
  await rm(dirname(storage.pathOf(one)), { recursive: true });
  expect((await written(other, [Buffer.from('other')])).toString()).toBe('other');
});

it('keeps what is synced while more arrives', async () => {
  const chunks = Array.from({ length: 80 }, (_, i) => Buffer.alloc(MB, i));
  expect((await written(idOf('3'.repeat(16)), chunks)).equals(Buffer.concat(chunks))).toBe(true);
});

it('leaves nothing of what is given up, also while it is finished', async () => {
  const id = idOf('4'.repeat(16));
  const writer = await storage.write(id);
  for (let i = 0; i < 40; i++) await writer.write(Buffer.alloc(MB, i));
  const finished = writer.finish();
  await writer.discard();
  await finished;
  await expect(stat(storage.pathOf(id))).rejects.toThrow('ENOENT');
});
