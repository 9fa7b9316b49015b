import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { EXIT } from '../../src/main/exit-codes.js';
import { launch, type LaunchOptions } from '../support/launched.js';

/** Each way not to start, as users start it: one clear line, a code of the table in docs/operations.md, and no second attempt. */

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-exit-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Who starts it: whoever is root may write everywhere. */
const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;

async function refused(options: LaunchOptions = {}): Promise<{ code: number | null | undefined; errors: string[] }> {
  const server = await launch(folder, options);
  const code = await server.started;
  if (code === undefined) await server.end();
  // Started once, not again and again.
  expect(server.lines.filter((line) => / - starting /.test(line))).toHaveLength(1);
  return { code, errors: server.lines.filter((line) => line.includes(' ERROR ')) };
}

it.each<[string, number, RegExp, () => LaunchOptions]>([
  [
    'a database folder that cannot be written',
    11,
    /database .*db cannot be written/,
    () => {
      mkdirSync(join(folder, 'db'));
      chmodSync(join(folder, 'db'), 0o555);
      chmodSync(folder, 0o755);
      return { ...(NOBODY === undefined ? {} : { user: NOBODY }) };
    },
  ],
  [
    'a database folder that is a file',
    11,
    /cannot be written/,
    () => {
      writeFileSync(join(folder, 'db'), '');
      return {};
    },
  ],
  [
    'a database that is something else',
    19,
    /graph\.db is not a database/,
    () => {
      mkdirSync(join(folder, 'db'));
      writeFileSync(join(folder, 'db/graph.db'), 'x'.repeat(9000));
      return {};
    },
  ],
  [
    'a database of somebody else',
    19,
    /graph\.db is not a database of this service/,
    () => {
      mkdirSync(join(folder, 'db'));
      const db = new Library(join(folder, 'db/graph.db'));
      db.exec('CREATE TABLE theirs(x)');
      db.close();
      return {};
    },
  ],
  [
    'files.path that is a file',
    23,
    /files\.path \(.*files\) is not a folder/,
    () => {
      writeFileSync(join(folder, 'files'), '');
      return {};
    },
  ],
  [
    'files.path below a file',
    23,
    /files\.path \(.*file\/files\) is not a folder, or lies below a file/,
    () => {
      writeFileSync(join(folder, 'file'), '');
      return { settings: { 'files.path': 'file/files' } };
    },
  ],
  [
    'files.path that is a link to nowhere',
    23,
    /files\.path \(.*files\) is not a folder, or lies below a file or a link that leads nowhere/,
    () => {
      symlinkSync(join(folder, 'nowhere/at/all'), join(folder, 'files'));
      return {};
    },
  ],
  [
    'files.path that is a link to itself',
    23,
    /files\.path \(.*files\) is not a folder/,
    () => {
      symlinkSync('files', join(folder, 'files'));
      return {};
    },
  ],
  [
    'files.path that cannot be written',
    23,
    /files\.path \(.*files\) cannot be written/,
    () => {
      mkdirSync(join(folder, 'db'));
      mkdirSync(join(folder, 'files'));
      chmodSync(join(folder, 'db'), 0o777);
      chmodSync(join(folder, 'files'), 0o555);
      chmodSync(folder, 0o777);
      return { ...(NOBODY === undefined ? {} : { user: NOBODY }) };
    },
  ],
])('%s: exit code %i', async (_, code, message, make) => {
  const options = make();
  const found = await refused(options);
  expect(found).toEqual({ code, errors: [expect.stringMatching(message)] });
});

it('a disk without any room: exit code 24', async () => {
  const disk = mkdtempSync(join(tmpdir(), 'svc-exit-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    console.warn('skipped: a full disk at the start; mount is not allowed');
    rmSync(disk, { recursive: true });
    return;
  }
  try {
    mkdirSync(join(disk, 'db'));
    try {
      writeFileSync(join(disk, 'other'), Buffer.alloc(2 * 1024 * 1024));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
    const found = await refused({ settings: { 'database.path': join(disk, 'db') } });
    expect(found).toEqual({
      code: 24,
      errors: [expect.stringMatching(/disk of the database in .* is full: free some space/)],
    });
  } finally {
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  }
});

it('docs/operations.md has each code', async () => {
  const table = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  for (const code of Object.values(EXIT)) {
    if (code === EXIT.ok) continue;
    expect(table).toMatch(new RegExp(`^\\| ${String(code)} +\\|`, 'm'));
  }
});
