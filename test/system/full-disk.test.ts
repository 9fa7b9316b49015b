import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onNeo4j, TestServer } from '../support/server.js';

const MB = 1024 * 1024;

/** A disk of its own; undefined where nobody may mount one. */
function disk(megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(megabytes)}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

const place = disk(40);
if (place === undefined) console.warn('skipped: a database on a full disk; mount is not allowed');

/** A database on a disk that is small, and full: writes are refused, all else goes on, and it heals by itself. */
describe.skipIf(place === undefined || onNeo4j)('a database on a full disk', () => {
  const root = place ?? '';
  let folder: string;
  let server: TestServer | undefined;
  let others = 0;
  beforeEach(async () => {
    folder = join(root, 'server');
    await mkdir(folder);
  });
  afterEach(async () => {
    await server?.end();
    server = undefined;
    for (const name of ['server', 'other']) await rm(join(root, name), { recursive: true, force: true });
  });
  afterAll(() => {
    execFileSync('umount', [root]);
    rmSync(root, { recursive: true });
  });

  const free = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(root);
    return bavail * bsize;
  };
  /** Somebody else takes all that is left. */
  const taken = async (): Promise<void> => {
    const left = await free();
    await mkdir(join(root, 'other'), { recursive: true });
    try {
      writeFileSync(join(root, 'other', String(++others)), Buffer.alloc(left + MB));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
    expect(await free()).toBeLessThan(8192);
  };
  const text = (i: number): string => String(i).padStart(8, '0').repeat(12_500);
  const create = (
    i: number,
  ): Promise<{ status: number; body: { message?: string; code?: number; errors?: unknown; result?: unknown } }> =>
    (server as TestServer).admin.post('/Note', { name: `f ${String(i)}`, content: text(i) });

  /** Creates objects of 100 KB until one is refused; how many there are. */
  async function fill(from = 0): Promise<number> {
    for (let i = from; i < from + 2000; i++) {
      const { status, body } = await create(i);
      if (status === 201) continue;
      expect([status, body.code, body.errors]).toEqual([507, 507, []]);
      expect(body.message).toMatch(/disk of the database is full/);
      expect(body.message).not.toContain(root);
      return i;
    }
    throw new Error('the disk is not small');
  }
  const count = async (): Promise<number> =>
    Number((await (server as TestServer).admin.get('/Note?_pageSize=1')).body.result_count);
  const start = async (): Promise<TestServer> => (server = await TestServer.start({ folder }));

  it('uses most of a small disk, refuses with 507, reads, deletes, goes on, stops and starts on it', async () => {
    await start();
    await (server as TestServer).admin.create('SchemaNode', {
      name: 'Note',
      schemaProperties: [{ name: 'content', propertyType: 'String' }],
    });
    const made = await fill();
    // More than a third of the disk holds data, the rest is what the log and the reserve need.
    expect(made * 100_000).toBeGreaterThan(13 * MB);
    expect(await count()).toBe(made);
    const page = (await (server as TestServer).admin.get('/Note/all?_sort=name&_pageSize=5')).body.result as {
      content: string;
    }[];
    expect(page).toHaveLength(5);
    // Small ones, and changes, still fit for a while; whatever happens is said.
    for (let i = 0; i < 20; i++) expect([201, 507]).toContain((await create(5000 + i)).status);
    const before = await count();
    expect([await (server as TestServer).end(), ...(server as TestServer).lines.slice(-3)].join('; ')).toMatch(
      /^0;.* stopped$/,
    );
    await start();
    expect(await count()).toBe(before);
    // What is deleted is room again, with no more disk.
    const ids = ((await (server as TestServer).admin.get('/Note?_pageSize=20')).body.result as { id: string }[]).map(
      ({ id }) => id,
    );
    for (const id of ids) expect((await (server as TestServer).admin.delete(`/Note/${id}`)).status).toBe(200);
    for (let i = 0; i < 10; i++) expect((await create(9000 + i)).status).toBe(201);
    expect(await count()).toBe(before - 10);
    (server as TestServer).assertAlive();
  });

  it('a disk that others have filled: reads go on, it stops and starts, and heals when there is space', async () => {
    await start();
    await (server as TestServer).admin.create('SchemaNode', {
      name: 'Note',
      schemaProperties: [{ name: 'content', propertyType: 'String' }],
    });
    for (let i = 0; i < 40; i++) expect((await create(i)).status).toBe(201);
    await taken();
    const made = await fill(40);
    expect(await count()).toBe(made);
    expect([await (server as TestServer).end(), ...(server as TestServer).lines.slice(-3)].join('; ')).toMatch(
      /^0;.* stopped$/,
    );
    await taken();
    await start();
    expect(await count()).toBe(made);
    expect([201, 507]).toContain((await create(999)).status);
    // Killed, too.
    const left = await count();
    await (server as TestServer).end('SIGKILL');
    await start();
    expect(await count()).toBe(left);
    await rm(join(root, 'other'), { recursive: true });
    const until = Date.now() + 20_000;
    let status = 0;
    for (let i = 2000; status !== 201 && Date.now() < until; i++) ({ status } = await create(i));
    expect(status).toBe(201);
    for (let i = 3000; i < 3020; i++) expect((await create(i)).status).toBe(201);
    expect([await (server as TestServer).end(), ...(server as TestServer).lines.slice(-3)].join('; ')).toMatch(
      /^0;.* stopped$/,
    );
    expect(statSync(join(folder, 'db/graph.db')).size).toBeGreaterThan(MB);
  });
});
