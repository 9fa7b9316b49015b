import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { contentsOnDisk, countOf, fields, file, objectOf, served, until, upload, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';

const MB = 1024 * 1024;

/** A disk of 4 MB of its own; undefined where nobody may mount one. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

const disk = smallDisk();
if (disk === undefined)
  console.warn('skipped: uploads to a full disk and to one that allows nothing; mount is not allowed');

/** Disks that fail: a clear error, nothing lost, nothing left behind. */
describe('a storage that fails', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    if (disk !== undefined) mkdirSync(join(disk, 'contents'));
    server = await TestServer.start(disk === undefined ? {} : { settings: { 'files.path': join(disk, 'contents') } });
    admin = server.admin;
  });
  afterAll(async () => {
    await server.stop();
    if (disk === undefined) return;
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });
  const contents = async (): Promise<string[]> =>
    disk === undefined
      ? contentsOnDisk(server)
      : (await readdir(disk, { recursive: true, withFileTypes: true }))
          .filter((e) => e.isFile() && !e.name.startsWith('.svc-store'))
          .map((e) => e.name);
  const put = (id: string, size: number) =>
    upload(admin, [file('x', Buffer.alloc(size, 2))], { method: 'PUT', path: `/svc/upload/${id}` });

  it.skipIf(disk === undefined)('full: 507, and what was there stays', async () => {
    const id = await uploaded(admin, file('first', Buffer.alloc(MB, 1)));
    const before = await countOf(admin, 'File');
    for (const parts of [
      [file('large', Buffer.alloc(5 * MB))],
      [file('fits', Buffer.alloc(1000)), file('large', Buffer.alloc(5 * MB)), ...fields({ url: 'x' })],
    ]) {
      const answer = await upload(admin, parts);
      expect(answer.status).toBe(507);
      expect(answer.body).toMatchObject({
        code: 507,
        message: expect.stringContaining('no space') as string,
        errors: [],
      });
      expect(answer.text).not.toContain(disk);
    }
    expect((await put(id, 4 * MB)).status).toBe(507);
    await until(async () => (await contents()).length === 1, 'nothing is left behind');
    expect(await countOf(admin, 'File')).toBe(before);
    expect((await served(admin, `/${id}`)).bytes.equals(Buffer.alloc(MB, 1))).toBe(true);
    // Several that fit alone, and not together.
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => upload(admin, [file(`n${String(n)}`, Buffer.alloc(MB))])),
    );
    for (const { status } of answers) expect([200, 507]).toContain(status);
    const stored = answers.filter(({ status }) => status === 200).map(({ text }) => text);
    await until(async () => (await contents()).length === 1 + stored.length, 'nothing is left behind');
    for (const one of stored) await admin.delete(`/File/${one}`);
    await until(async () => (await contents()).length === 1, 'deleted content goes');
    // With space again all is well.
    expect((await put(id, 2 * MB)).status).toBe(200);
    expect((await objectOf(admin, id))['size']).toBe(2 * MB);
    server.assertAlive();
  });

  it.skipIf(disk === undefined)(
    'not to be written to: an error that says so, with the path for the log alone',
    async () => {
      const id = await uploaded(admin, file('readable', 'readable'));
      const gone = await uploaded(admin, file('deleted'));
      const before = await contents();
      execFileSync('mount', ['-o', 'remount,ro', disk ?? '']);
      try {
        const answer = await upload(admin, [file('x')]);
        expect([answer.status, answer.body.code]).toEqual([500, 500]);
        expect(answer.body.message).toMatch(/^The storage (does not allow|failed to)/);
        expect(answer.text).not.toContain(disk);
        expect((await put(id, 10)).status).toBe(500);
        expect((await served(admin, `/${id}`)).bytes.toString()).toBe('readable');
        expect((await server.untilLogged(/could not store the file/)).join('\n')).toContain(disk);
        // The file goes, its content cannot; the log says that it stays behind.
        expect((await admin.delete(`/File/${gone}`)).status).toBe(200);
        expect((await server.untilLogged(/could not be removed/)).length).toBeGreaterThan(0);
      } finally {
        execFileSync('mount', ['-o', 'remount,rw', disk ?? '']);
      }
      expect((await contents()).sort()).toEqual(before.sort());
      expect((await upload(admin, [file('x')])).status).toBe(200);
    },
  );
  it('content removed behind its back: an error for its readers, and the file can be written again', async () => {
    const root = disk === undefined ? join(server.folder, 'files') : join(disk, 'contents');
    const pathOf = async (id: string): Promise<string> => {
      const entry = (await readdir(root, { recursive: true, withFileTypes: true })).find((e) => e.name.startsWith(id));
      return join(entry?.parentPath ?? '', entry?.name ?? '');
    };
    const id = await uploaded(admin, file('lost.bin', Buffer.alloc(400_000, 1)));
    const path = await pathOf(id);
    await unlink(path);
    const answer = await admin.get(`/svc/html/${id}`);
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ code: 500, message: expect.stringMatching(/content .* missing/) as string });
    expect(answer.text).not.toContain(root);
    expect((await server.untilLogged(/is missing/)).join()).toContain(path);
    expect((await put(id, 10)).status).toBe(200);
    expect((await served(admin, `/${id}`)).bytes.length).toBe(10);
    await unlink(await pathOf(id));
    expect((await admin.delete(`/File/${id}`)).status).toBe(200);
    // Shorter than it was: the answer breaks off instead of lying.
    const short = await uploaded(admin, file('short.bin', Buffer.alloc(2 * 300_000, 1)));
    await writeFile(await pathOf(short), 'short');
    await expect(served(admin, `/${short}`)).rejects.toThrow();
    server.assertAlive();
    // Something else in the way of its folders.
    await admin.delete(`/File/${short}`);
    for (const entry of await readdir(root)) await rm(join(root, entry), { recursive: true, force: true });
    for (const name of '0123456789abcdef') await writeFile(join(root, name), '');
    const blocked = await upload(admin, [file('x')]);
    expect([blocked.status, blocked.body.code]).toEqual([500, 500]);
    expect(blocked.text).not.toContain(root);
    for (const name of '0123456789abcdef') await rm(join(root, name));
    expect((await upload(admin, [file('x')])).status).toBe(200);
  });
});
