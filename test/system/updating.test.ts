/** The procedure of docs/updating.md, from databases that builds of older formats have written to this version. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EXIT } from '../../src/main/exit-codes.js';
import { SVC } from '../support/launched.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const OLD = join(import.meta.dirname, 'old-databases');
const formats = (await readdir(OLD)).filter((name) => name.startsWith('format-'));
const NEW = "{ return $.GET('http://127.0.0.1:1', 'text/plain', { username: 'u', password: 'p' }).status; }";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-old-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The backup, put into a folder of its own. */
async function restored(name: string, where: string): Promise<string> {
  const to = join(folder, where);
  await mkdir(join(to, 'db'), { recursive: true });
  await writeFile(join(to, 'db/graph.db'), gunzipSync(await readFile(join(OLD, name, 'graph.db.gz'))));
  await cp(join(OLD, name, 'files'), join(to, 'files'), { recursive: true });
  return to;
}

it.each(formats)('a database of %s is tried on a copy, and updated with all that is in it', async (name) => {
  const copy = await restored(name, 'copy');
  const tried = await TestServer.tryStart(copy, {
    folder: copy,
    settings: { 'application.migration.mode': 'dry-run' },
  });
  expect(tried.code).toBe(EXIT.migrationDryRun);
  expect(tried.lines.join('\n')).toMatch(/step http-functions .*: would change 3, 0 to look at/);

  const own = await restored(name, 'own');
  const server = await TestServer.start({ folder: own });
  try {
    const { admin } = server;
    expect(server.logged(/step http-functions .*: changed 3, 0 to look at/)).toHaveLength(1);
    const count = async (type: string): Promise<unknown> => (await admin.get(`/${type}?_pageSize=1`)).body.result_count;
    expect([await count('Author'), await count('Book'), await count('File')]).toEqual([1, 20, 2]);
    const [ada] = (await admin.get('/Author/all?code=a-1')).body.result as Record<string, unknown>[];
    expect(ada).toMatchObject({ name: 'Ada', born: '1815-12-10T00:00:00+0000' });
    expect(ada?.['books']).toHaveLength(20);
    // Indexes: of values, and of words.
    expect((await admin.get('/Book?title=The garden number 7'.replaceAll(' ', '%20'))).body.result).toHaveLength(1);
    const search = "{ return $.searchFulltext('Book_title_fulltext', 'garden').length; }";
    await admin.create('SchemaMethod', { name: 'search', source: search });
    expect((await admin.post('/search')).body.result).toBe(10);
    // Who could log in still can.
    await allow(admin, 'User', 'user', ['GET']);
    expect((await server.as('reader', 'reader').get('/me')).body.result.name).toBe('reader');
    const sources = ((await admin.get('/SchemaMethod/all')).body.result as Record<string, unknown>[])
      .filter((one) => ['fetch', 'global'].includes(String(one['name'])))
      .map((one) => one['source']);
    expect(sources).toEqual([NEW, NEW]);
    const content = async (file: string): Promise<string> => {
      const [{ id }] = (await admin.get(`/File?name=${file}`)).body.result as [{ id: string }];
      return (await admin.get(`/svc/html/${id}?_edit=3`)).text;
    };
    expect(await content('hello.txt')).toBe('hello from format 4');
    expect(await content('page.html')).toContain('fromJson(');
  } finally {
    expect(await server.end()).toBe(0);
  }
});

it('the program and what runs tell their version', async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  const { stdout } = await promisify(execFile)(process.execPath, [SVC, '--version']);
  expect(stdout.trim()).toBe(version);
  const server = await TestServer.start({ folder });
  expect((await server.admin.get('/_env')).body.result.components).toEqual({ svc: { version } });
  expect(await server.end()).toBe(0);
  // docs/updating.md tells the versions of this program.
  const table = await readFile(join(import.meta.dirname, '../../docs/updating.md'), 'utf8');
  expect(table).toContain(`| ${version}`);
});
