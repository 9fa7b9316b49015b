import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Config } from '../../src/main/config/index.js';
import { ImportRoots } from '../../src/main/files/server-folders/roots.js';
import { storageLimits } from '../../src/main/files/storage/providers.js';

describe('directories that a setting lists', () => {
  let root: string;
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'svc-test-')));
    for (const name of ['a', 'b', 'c']) await mkdir(join(root, name));
  });
  afterAll(() => rm(root, { recursive: true }));

  it.each(['A,B', 'A;B', ' A ; B ,', ';A,,B'])('are separated by semicolons or commas: %s', async (list) => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => join(root, name)) as [string, string, string];
    const text = list.replace(/[AB]/g, (one) => (one === 'A' ? a : b));
    const mounts = storageLimits(Config.of({ 'application.filesystem.mount.roots': text }));
    expect(mounts.mountRoots()).toEqual([a, b]);
    const imports = await ImportRoots.of(
      Config.of({ 'application.filesystem.import.roots': text, 'data.exchange.path': '', 'files.path': c }),
    );
    expect([a, b, c].map((folder) => imports.allows(join(folder, 'file')))).toEqual([true, true, false]);
  });
});
