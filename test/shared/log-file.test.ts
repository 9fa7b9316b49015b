/** Files of logs: begun anew by size and by day, pruned, and what happens when they cannot be written (docs/interface/operations.md 8.1). */
import { mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogFile } from '../../src/shared/log-file.js';

let folder: string;
let path: string;
const errors: unknown[] = [];
const failed = (error: unknown): void => void errors.push(error);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  path = join(folder, 'own.log');
  errors.length = 0;
});
afterEach(() => rm(folder, { recursive: true }));

describe('a log in a file', () => {
  it('begins anew when it is large, keeps some old files, and loses no line', async () => {
    const file = await LogFile.open(path, { failed, rotation: () => ({ maxSize: 40, keep: 3, maxTotal: 1e6 }) });
    for (let i = 0; i < 6; i++) {
      file.write(`line ${String(i)} of forty characters and more ....\n`);
      await expect.poll(() => readFile(path, 'utf8')).toContain(`line ${String(i)} `);
    }
    await file.close();
    const old = (await readdir(folder)).filter((name) => name !== 'own.log').sort();
    expect(old).toHaveLength(3);
    for (const name of old) expect(name).toMatch(/^own\.log\.\d{4}-\d\d-\d\d(?:\.\d)?$/);
    const texts = await Promise.all(old.map((name) => readFile(join(folder, name), 'utf8')));
    expect(texts.join('')).toMatch(/line 2[^]*line 3[^]*line 4|line 4/);
    expect(errors).toEqual([]);
  });

  it('begins anew with each day, by the day of the old lines', async () => {
    await writeFile(path, 'old\n');
    const then = new Date(2026, 0, 5, 12);
    await utimes(path, then, then);
    const file = await LogFile.open(path, { failed, rotation: () => ({ maxSize: 1e6, keep: 3, maxTotal: 1e6 }) });
    file.write('new\n');
    await expect.poll(() => readFile(path, 'utf8')).toBe('new\n');
    expect(await readFile(`${path}.2026-01-05`, 'utf8')).toBe('old\n');
    await file.close();
  });

  it('drops the oldest when all together are too large', async () => {
    for (const day of ['01', '02', '03']) {
      await writeFile(`${path}.2026-01-${day}`, 'x'.repeat(100));
      const then = new Date(2026, 0, Number(day));
      await utimes(`${path}.2026-01-${day}`, then, then);
    }
    await writeFile(path, 'x'.repeat(100));
    const file = await LogFile.open(path, { failed, rotation: () => ({ maxSize: 50, keep: 30, maxTotal: 250 }) });
    file.write('new\n');
    await expect
      .poll(async () => (await readdir(folder)).filter((name) => name.includes('2026-01-0')))
      .toEqual(['own.log.2026-01-03']);
    await file.close();
  });

  it('tells once that the disk is full, goes on, and says how many lines are missing', async () => {
    await symlink('/dev/full', path);
    const file = await LogFile.open(path, { failed, rotation: () => ({ maxSize: 1, keep: 1, maxTotal: 1 }) });
    for (let i = 0; i < 3; i++) {
      file.write('lost\n');
      await new Promise(setImmediate);
    }
    await expect.poll(() => errors.length).toBe(1);
    await file.close();
    expect(errors.map((error) => (error as { code: string }).code)).toEqual(['ENOSPC']);
  });
});
