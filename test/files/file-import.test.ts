/** file-import: files of the server into the tree; its modes, its limits, and what it refuses (docs/interface/imports.md 3.3). */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { endedJob, fileWith, untilJob } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const PATH = '/maintenance/directFileImport';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let server: TestServer;
let admin: Client;
/** A folder that files may be imported from, and one beside it that they may not. */
let root: string;
let outside: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-import-'));
  outside = await mkdtemp(join(tmpdir(), 'svc-outside-'));
  await writeFile(join(outside, 'secret.txt'), 'secret');
  server = await TestServer.start({ settings: { 'application.filesystem.import.roots': `/does/not/exist; ${root}` } });
  admin = server.admin;
});
afterAll(async () => {
  await server.stop();
  for (const folder of [root, outside]) await rm(folder, { recursive: true, force: true });
});

let count = 0;
/** A new folder of sources, and one in the tree to import to. */
let source: string;
let target: string;
beforeEach(async () => {
  source = join(root, `in${String(++count)}`);
  await mkdir(join(source, 'sub', 'deep'), { recursive: true });
  await mkdir(join(source, 'empty'));
  await writeFile(join(source, 'a.txt'), 'a');
  await writeFile(join(source, 'b.pdf'), '%PDF-1.4');
  await writeFile(join(source, 'sub', 'p.png'), PNG);
  await writeFile(join(source, 'sub', 'deep', 'ü ö.txt'), 'deep');
  target = `/to${String(count)}`;
  await admin.create('Folder', { name: target.slice(1) });
});

const run = (body: unknown, client = admin): Promise<Answer> => client.post(PATH, body);
async function result(body: Record<string, unknown>) {
  const answer = await run({ target, ...body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.result[0];
}
const paths = async (): Promise<string[]> => {
  const files = (await admin.get('/File/all?_pageSize=1000')).body.result as { path: string }[];
  return files
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${target}/`))
    .sort();
};
const served = async (path: string): Promise<string> => (await admin.get(`/svc/html${encodeURI(path)}`)).text;
const fileAt = async (path: string) => (await admin.get(`/File/all?path=${encodeURIComponent(path)}`)).body.result[0];

describe('directFileImport', () => {
  it('imports a folder with everything in it, types by content', async () => {
    const info = await result({ source });
    const top = `${target}/in${String(count)}`;
    expect(info).toMatchObject({
      jobtype: 'DIRECT_IMPORT',
      status: 'FINISHED',
      filepath: source,
      processedObjects: 4,
      result: { created: 4, overwritten: 0, renamed: 0, skipped: 0, failed: 0, moved: 0 },
    });
    expect(await paths()).toEqual([`${top}/a.txt`, `${top}/b.pdf`, `${top}/sub/deep/ü ö.txt`, `${top}/sub/p.png`]);
    expect(await served(`${top}/sub/deep/ü ö.txt`)).toBe('deep');
    expect(await fileAt(`${top}/a.txt`)).toMatchObject({ type: 'File', size: 1, contentType: 'text/plain' });
    expect(await fileAt(`${top}/sub/p.png`)).toMatchObject({ type: 'Image', contentType: 'image/png' });
    expect(typeof (await fileAt(`${top}/a.txt`)).checksum).not.toBe('undefined');
    // Empty folders are not imported, and copying leaves the sources alone.
    expect((await admin.get(`/Folder?path=${top}/empty`)).body.result).toEqual([]);
    expect((await readdir(source)).sort()).toEqual(['a.txt', 'b.pdf', 'empty', 'sub']);
    const log = await server.untilLogged(/DIRECT_IMPORT .* has ended/);
    expect(log.length).toBeGreaterThan(0);
  });

  it.each([
    ['*.txt', ['a.txt']],
    ['?.*', ['a.txt', 'b.pdf']],
    ['{a,b}.{txt,pdf}', ['a.txt', 'b.pdf']],
    ['[!a]*', ['b.pdf', 'sub/deep/ü ö.txt', 'sub/p.png']],
    ['*', ['a.txt', 'b.pdf', 'sub/deep/ü ö.txt', 'sub/p.png']],
    ['a\\.txt', ['a.txt']],
    ['*.none', []],
  ])('imports what matches %s', async (pattern, expected) => {
    await result({ source: `${source}/${pattern}` });
    expect(await paths()).toEqual(expected.map((path) => `${target}/${path}`));
  });

  it('imports by a name in base.path, and from the exchange folder', async () => {
    await mkdir(join(server.folder, 'exchange'), { recursive: true });
    await writeFile(join(server.folder, 'exchange', 'x.txt'), 'x');
    await result({ source: 'exchange' });
    await result({ source: 'exchange/*.txt' });
    expect(await paths()).toEqual([`${target}/exchange/x.txt`, `${target}/x.txt`]);
  });

  it('skips what is there, unless told otherwise', async () => {
    await result({ source });
    await writeFile(join(source, 'a.txt'), 'new');
    const info = await result({ source, existing: 'SKIP', mode: 'Copy' });
    expect(info.result).toMatchObject({ created: 0, skipped: 4 });
    expect(await served(`${target}/in${String(count)}/a.txt`)).toBe('a');
    expect(await paths()).toHaveLength(4);
  });

  it('overwrites content and keeps the file', async () => {
    await result({ source });
    const path = `${target}/in${String(count)}/a.txt`;
    const before = await fileAt(path);
    await writeFile(join(source, 'a.txt'), 'new');
    expect((await result({ source, existing: 'Overwrite' })).result).toMatchObject({ overwritten: 4, created: 0 });
    expect(await served(path)).toBe('new');
    const after = await fileAt(path);
    expect(after).toMatchObject({ id: before.id, size: 3, version: 2 });
    expect(after.checksum).not.toBe(before.checksum);
  });

  it('renames what is there', async () => {
    await result({ source: `${source}/a.txt` });
    const before = await fileAt(`${target}/a.txt`);
    await writeFile(join(source, 'a.txt'), 'new');
    expect((await result({ source: `${source}/a.txt`, existing: 'rename' })).result).toMatchObject({ renamed: 1 });
    expect(await served(`${target}/a.txt`)).toBe('new');
    expect((await admin.get(`/File/${before.id as string}`)).body.result.name).toMatch(
      /^a\.txt_\d{4}-\d\d-\d\d-\d{9}$/,
    );
    expect(await paths()).toHaveLength(2);
  });

  it('moves: sources go when the files are there, and only then', async () => {
    await fileWith(admin, 'b.pdf', 'there', { parent: (await admin.get(`/Folder?path=${target}`)).body.result[0].id });
    const info = await result({ source: `${source}/*`, mode: 'MOVE' });
    expect(info.result).toMatchObject({ created: 3, skipped: 1, moved: 3 });
    expect(await served(`${target}/a.txt`)).toBe('a');
    expect(existsSync(join(source, 'a.txt'))).toBe(false);
    // Skipped, and folders.
    expect(existsSync(join(source, 'b.pdf'))).toBe(true);
    expect(existsSync(join(source, 'sub', 'deep'))).toBe(true);
    expect(existsSync(join(source, 'sub', 'p.png'))).toBe(false);
  });

  it('keeps files out of text extraction with index false', async () => {
    await result({ source: `${source}/a.txt`, index: false });
    expect(await fileAt(`${target}/a.txt`)).toMatchObject({ indexed: false });
  });

  it('computes the checksums that the folder asks for', async () => {
    const folder = (await admin.get(`/Folder?path=${target}`)).body.result[0].id as string;
    await admin.put(`/Folder/${folder}`, { enabledChecksums: 'md5' });
    await result({ source });
    const file = await fileAt(`${target}/in${String(count)}/a.txt`);
    expect(file).toMatchObject({ md5: '0cc175b9c0f1b6a831c399e269772661', sha1: null });
    await admin.post(`/File/${file.id as string}/appendContent`, { content: 'bc' });
    expect(await fileAt(file.path as string)).toMatchObject({ md5: '900150983cd24fb0d6963f7d28e17f72', size: 3 });
  });

  it('goes on behind what cannot be imported, and tells of it', async () => {
    await admin.create('Folder', {
      name: 'b.pdf',
      parent: (await admin.get(`/Folder?path=${target}`)).body.result[0].id,
    });
    await fileWith(admin, 'sub', 'x', { parent: (await admin.get(`/Folder?path=${target}`)).body.result[0].id });
    execFileSync('mkfifo', [join(source, 'pipe')]);
    const info = await result({ source: `${source}/*` });
    expect(info.result).toMatchObject({ created: 1, failed: 4 });
    const problems = info.problems.map((one: string) => one.replace(`${source}/`, '')).sort();
    expect(problems).toEqual([
      'b.pdf: a folder has its name',
      'pipe: it is neither a file nor a folder',
      'sub/deep/ü ö.txt: a file has the name of one of its folders',
      'sub/p.png: a file has the name of one of its folders',
    ]);
    expect(info.problemCount).toBe(4);
  });

  it('answers at once in the background; the job can be paused and ended', async () => {
    for (let i = 0; i < 300; i++) await writeFile(join(source, `f${String(i)}.txt`), 'x');
    const answer = await run({ source, target, background: true });
    expect(answer.status).toBe(200);
    const id = answer.body.result[0].jobId as number;
    await untilJob(admin, id, ({ processedChunks }) => processedChunks > 0);
    await admin.post(`/jobs/${String(id)}/pause`);
    await untilJob(admin, id, ({ status }) => status !== 'WAIT_PAUSE');
    await admin.post(`/jobs/${String(id)}/abort`);
    const info = await endedJob(admin, id);
    // What was committed is whole.
    expect(await paths()).toHaveLength(info.objectsCreated as number);
  });
});

describe('what directFileImport refuses', () => {
  it.each([
    ['nothing', {}],
    ['no source', { source: '' }],
    ['another kind of source', { source: 7 }],
    ['a source that is not there', { source: () => join(root, 'nowhere') }],
    ['a pattern in a file', { source: () => join(source, 'a.txt', '*') }],
    ['a pattern in no folder', { source: () => join(root, 'nowhere', '*') }],
    ['a broken pattern', { source: () => join(source, '[a') }],
    ['dots', { source: () => join(root, 'x', '..') + '/..' }],
    ['NUL', { source: () => `${source}\0/x` }],
    ['an unknown mode', { source: () => source, mode: 'link' }],
    ['an unknown existing', { source: () => source, existing: 'ask' }],
    ['another kind of mode', { source: () => source, mode: 1 }],
    ['a target that is not there', { source: () => source, target: '/nowhere' }],
    ['another kind of target', { source: () => source, target: 7 }],
  ])('422: %s', async (_, body: Record<string, unknown>) => {
    const given = Object.fromEntries(
      Object.entries(body).map(([key, value]) => [
        key,
        typeof value === 'function' ? (value as () => unknown)() : value,
      ]),
    );
    const answer = await run(given);
    expect([answer.status, answer.body.message]).toEqual([422, expect.any(String)]);
    expect(await paths()).toEqual([]);
  });

  it.each([
    ['a file beside the roots', () => join(outside, 'secret.txt')],
    ['a pattern beside the roots', () => join(outside, '*')],
    ['what is not there, beside the roots', () => join(outside, 'nothing')],
    ['a way out', () => join(root, '..', '*')],
    ['a way out and in', () => `${root}/../${outside.split('/').at(-1) ?? ''}/secret.txt`],
    ['the system', () => '/etc/passwd'],
    ['the root', () => '/*'],
    ['the folder of the settings', () => 'svc.conf'],
    ['the database', () => join(server.folder, 'db', '*')],
    ['a folder that begins like a root', () => `${root}x/*`],
  ])('403: %s', async (_, path) => {
    await mkdir(`${root}x`, { recursive: true });
    await writeFile(`${root}x/y`, 'y');
    const answer = await run({ source: path(), target });
    await rm(`${root}x`, { recursive: true });
    expect([answer.status, answer.body.message]).toEqual([403, expect.stringMatching(/import\.roots/)]);
    expect(await paths()).toEqual([]);
  });

  it('symbolic links that lead out of the roots, or round in circles', async () => {
    await symlink(join(outside, 'secret.txt'), join(source, 'link.txt'));
    await symlink(outside, join(source, 'links'));
    await symlink(join(source, 'sub'), join(source, 'sub', 'deep', 'round'));
    await symlink(join(source, 'a.txt'), join(source, 'inner.txt'));
    await symlink('nowhere', join(source, 'broken'));
    const info = await result({ source: `${source}/*` });
    expect(info.result).toMatchObject({ created: 5, failed: 4 });
    expect(await paths()).toEqual(
      ['a.txt', 'b.pdf', 'inner.txt', 'sub/deep/ü ö.txt', 'sub/p.png'].map((path) => `${target}/${path}`),
    );
    const direct = await run({ source: join(source, 'link.txt'), target });
    expect(direct.status).toBe(403);
    const within = await run({ source: join(source, 'links', '*'), target });
    expect(within.status).toBe(403);
  });

  it('does not remove a source that changes while it is imported', async () => {
    const path = join(source, 'big.bin');
    await writeFile(path, Buffer.alloc(64 * 1024 * 1024));
    const running = result({ source: path, mode: 'move' });
    const touching = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), 1);
    const info = await running;
    clearInterval(touching);
    if (info.result.moved === 0) {
      expect(existsSync(path)).toBe(true);
      expect(info.problems).toEqual([expect.stringMatching(/changed while it was imported/)]);
    }
    expect(info.result.created).toBe(1);
  });

  it('a folder of the source that becomes a link to elsewhere', async () => {
    // Between the walk and the opening nobody can be sure; what was opened is looked at.
    for (let i = 0; i < 60; i++) await writeFile(join(source, 'sub', `f${String(i)}`), 'x');
    const running = result({ source });
    await rename(join(source, 'sub'), join(source, 'moved'));
    await symlink(outside, join(source, 'sub'));
    await running;
    for (const path of await paths()) expect(await served(path)).not.toBe('secret');
  });
});

describe('maintenance commands', () => {
  it('are for administrators, with a permission or without', async () => {
    await admin.create('User', { name: 'worker', password: 'Secret-pass-1' });
    const user = server.as('worker', 'Secret-pass-1');
    expect((await run({ source, target }, user)).status).toBe(401);
    expect((await run({ source, target }, server.as())).status).toBe(401);
    await allow(admin, 'maintenance/directFileImport', 'user', ['POST']);
    await allow(admin, 'maintenance/directFileImport', 'anonymous', ['POST']);
    expect((await run({ source, target }, user)).status).toBe(403);
    expect((await run({ source, target }, server.as())).status).toBe(403);
    expect(await paths()).toEqual([]);
    expect((await run({ source, target }, server.superuser)).status).toBe(200);
  });

  it.each([
    ['POST', '/maintenance/none', 404],
    ['POST', '/maintenance/directfileimport', 404],
    ['POST', '/maintenance/constructor', 404],
    ['POST', '/maintenance/directFileImport/x', 404],
    ['POST', '/maintenance', 404],
    ['POST', '/maintenance/letsencrypt', 501],
    ['GET', PATH, 405],
    ['PUT', PATH, 405],
    ['DELETE', PATH, 405],
  ])('%s %s answers %i', async (method, path, status) => {
    const answer = await admin.send(method, path, method === 'GET' || method === 'DELETE' ? undefined : {});
    expect(answer.status).toBe(status);
    if (status === 405) expect(answer.headers['allow']).toBe('POST');
    if (status === 404) expect(answer.body.message).toBe(`Cannot resolve URL path ${path}`);
  });

  it('take one object of parameters', async () => {
    expect((await run([{ source }, { source }])).status).toBe(400);
  });
});

// Last: on Neo4j the other server empties the database of the one above.
describe('directFileImport of the folder of the settings', () => {
  it('refuses what the service keeps for itself', async () => {
    const own = await TestServer.start({
      settings: { 'application.filesystem.import.roots': '.', 'data.exchange.path': '' },
    });
    await mkdir(join(own.folder, 'in'));
    await writeFile(join(own.folder, 'in', 'x.txt'), 'x');
    await symlink(join(own.folder, 'svc.conf'), join(own.folder, 'in', 'conf'));
    const answer = await own.admin.post(PATH, { source: './*' });
    expect(answer.body.result[0].result).toMatchObject({ created: 1 });
    expect((await own.admin.post(PATH, { source: './svc.conf' })).status).toBe(403);
    await own.stop();
  });
});
