import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { file, served, uploaded } from '../support/files.js';
import { onNeo4j, TestServer } from '../support/server.js';

/** The database and the content of files name each other: a server does not start beside the content of another database. */
describe.skipIf(onNeo4j)('database and files', () => {
  let folder: string;
  let id: string;
  const at = (name: string): string => join(folder, name);
  const copy = (from: string, to: string): Promise<void> =>
    cp(at(from), at(to), { recursive: true, preserveTimestamps: true });
  const contents = async (name = 'files'): Promise<string[]> =>
    (await readdir(at(name), { recursive: true, withFileTypes: true }))
      .filter((one) => one.isFile())
      .map((one) => one.name);

  /** What each test begins with a copy of. */
  let origin: string;
  beforeAll(async () => {
    origin = await mkdtemp(join(tmpdir(), 'svc-belonging-'));
    const server = await TestServer.start({ folder: origin });
    id = await uploaded(server.admin, file('first.txt', 'first'));
    expect(await server.end()).toBe(0);
  });
  afterAll(() => rm(origin, { recursive: true, force: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-belonging-'));
    await cp(origin, folder, { recursive: true, preserveTimestamps: true });
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const NOW = { 'application.filesystem.sweep.delay': 1, 'application.filesystem.sweep.age': 0 };
  async function refused(message: RegExp, code = 22, settings = {}): Promise<void> {
    const before = await contents().catch(() => []);
    const { code: ended, server, lines } = await TestServer.tryStart(folder, { folder, settings });
    await server?.end();
    const errors = lines.filter((line) => line.includes(' ERROR '));
    expect(errors).toEqual([expect.stringMatching(message)]);
    expect(errors[0]).toMatch(
      code === 22 ? /restore the one that is missing or wrong, .*files\.identity\.override = true/ : message,
    );
    expect(ended).toBe(code);
    expect(await contents().catch(() => [])).toEqual(before);
  }

  it('the database is gone: exit code 22 and nothing is swept; with the override it starts, and sweeps at the next start at the earliest', async () => {
    await rename(at('db'), at('elsewhere'));
    await refused(/has the content of a database, and this database has no identity/, 22, NOW);
    // The empty one that it has made meanwhile does not become the right one by waiting.
    await refused(/this database has no identity/, 22, NOW);
    const server = await TestServer.start({ folder, settings: { ...NOW, 'files.identity.override': true } });
    expect(server.logged(/WARN .*they belong together from now on .*is to be removed/)).toHaveLength(1);
    expect(await server.untilLogged(/do not belong together for sure: nothing is removed/)).toHaveLength(1);
    expect((await contents()).some((name) => name.startsWith(id))).toBe(true);
    await server.end();
    const next = await TestServer.start({ folder, settings: { 'application.filesystem.sweep.delay': 0 } });
    await next.end();
  });

  it('another database', async () => {
    await rename(at('db'), at('elsewhere'));
    await rename(at('files'), at('kept'));
    await (await TestServer.start({ folder })).end();
    await rm(at('files'), { recursive: true });
    await rename(at('kept'), at('files'));
    await refused(/has the content of another database/);
  });

  it('a database from before: older than the content, even within one run of the server', async () => {
    await copy('db', 'backup');
    const server = await TestServer.start({ folder });
    await uploaded(server.admin, file('second.txt', 'second'));
    await server.end();
    await rm(at('db'), { recursive: true });
    await rename(at('backup'), at('db'));
    await refused(/the database is older than the content .*it is at commit \d+, the content at \d+/);
  });

  it('the content is gone', async () => {
    await rename(at('files'), at('elsewhere'));
    await refused(/the database has files with content, and files\.path .* has none/);
    await mkdir(at('files'), { recursive: true });
    await copy('elsewhere/.svc-store.json', 'files/.svc-store.json');
    await refused(/has none/);
    await rm(at('files'), { recursive: true });
    await rename(at('elsewhere'), at('files'));
    const server = await TestServer.start({ folder });
    expect((await served(server.admin, `/${id}`)).bytes.toString()).toBe('first');
    await server.end();
  });

  it('the mark is gone, or cannot be read', async () => {
    await rename(at('files/.svc-store.json'), at('mark'));
    await refused(/has content, and \.svc-store\.json is missing/);
    await writeFile(at('files/.svc-store.json'), '{}');
    await refused(/\.svc-store\.json in files\.path .* cannot be read/);
    await rm(at('files/.svc-store.json'));
    await mkdir(at('files/.svc-store.json'));
    await refused(/\.svc-store\.json in files\.path .* cannot be read/);
    await rm(at('files/.svc-store.json'), { recursive: true });
    await rename(at('mark'), at('files/.svc-store.json'));
    await (await TestServer.start({ folder })).end();
  });

  it('a database of before there were identities takes up its content, and gets one', async () => {
    const db = new Library(at('db/graph.db'));
    db.exec("DELETE FROM flag WHERE name LIKE 'note:%'");
    db.close();
    await rm(at('files/.svc-store.json'));
    const server = await TestServer.start({ folder });
    expect((await served(server.admin, `/${id}`)).bytes.toString()).toBe('first');
    await server.end();
    expect(JSON.parse(await readFile(at('files/.svc-store.json'), 'utf8'))).toMatchObject({
      database: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      commit: expect.any(Number) as number,
    });
  });

  it('begins anew without a word where no content was', async () => {
    const server = await TestServer.start({ folder });
    expect((await server.admin.delete(`/File/${id}`)).status).toBe(200);
    await server.end();
    await rm(at('db'), { recursive: true });
    const next = await TestServer.start({ folder });
    await uploaded(next.admin, file('other.txt', 'other'));
    await next.end();
    const last = await TestServer.start({ folder });
    await last.end();
  });

  it('a kill right after uploads leaves both together', async () => {
    const server = await TestServer.start({ folder });
    for (let i = 0; i < 5; i++) await uploaded(server.admin, file(`${String(i)}.txt`, 'x'));
    await server.end('SIGKILL');
    const next = await TestServer.start({ folder });
    expect((await next.admin.get('/File')).body.result_count).toBe(6);
    await next.end();
  });
});
