/** Files of an application export: which are exported, and what an import makes of them (docs/interface/deployment.md 2.5). */
import { readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { Deploying, id } from '../support/deploying.js';
import { writeTree } from '../support/export-tree.js';
import { file, uploaded } from '../support/files.js';
import type { TestServer } from '../support/server.js';

let deploying: Deploying;
let server: TestServer;
let admin: Client;

beforeAll(async () => {
  deploying = await Deploying.start();
  ({ server, admin } = deploying);
});
afterAll(() => deploying.stop());

const newFolder = (): string => deploying.newFolder();
const deploy = (...given: Parameters<Deploying['deploy']>): Promise<Answer> => deploying.deploy(...given);
const exported = (target?: string): Promise<Record<string, string>> => deploying.exported(target);
const imported = (...given: Parameters<Deploying['imported']>): Promise<Answer> => deploying.imported(...given);
const filesOf = (all: Record<string, string>): string[] => Object.keys(all).filter((path) => path.startsWith('files/'));
const served = async (path: string): Promise<string> => (await admin.get(`/svc/html${path}`)).text;
/** Uploads go into a folder of their own. */
async function atRoot(name: string, content: string, values: Record<string, unknown> = {}): Promise<string> {
  const at = await uploaded(admin, file(name, content));
  const { status } = await admin.put(`/${at}`, { parent: null, ...values });
  expect(status).toBe(200);
  return at;
}

beforeEach(async () => {
  await admin.delete('/File');
  await admin.delete('/Folder');
});

it('goes out with what is below a flagged folder of the root, and comes back the same', async () => {
  const assets = await admin.create('Folder', { name: 'assets', includeInFrontendExport: true });
  const deep = await admin.create('Folder', { name: 'deep', parent: assets });
  const shut = await admin.create('Folder', { name: 'shut', parent: assets, excludeSubtreeFromExport: true });
  const other = await admin.create('Folder', { name: 'other' });
  await uploaded(admin, file('a.txt', 'first'), { parent: deep, visibleToPublicUsers: 'true' });
  await uploaded(admin, file('b.txt', 'hidden'), { parent: shut });
  await uploaded(admin, file('c.txt', 'not flagged'), { parent: other, includeInFrontendExport: 'true' });
  await atRoot('root.bin', '\u0001\u0002', { includeInFrontendExport: true });
  const first = await exported();
  expect(filesOf(first)).toEqual(['files/assets/deep/a.txt', 'files/root.bin']);
  expect(first['files/assets/deep/a.txt']).toBe('first');
  expect(Object.keys(JSON.parse(first['files.json'] ?? ''))).toEqual([
    '/assets',
    '/assets/deep',
    '/assets/deep/a.txt',
    '/assets/shut',
    '/root.bin',
  ]);
  await admin.delete('/File');
  await admin.delete('/Folder');
  expect((await imported(first)).body).toMatchObject({ result: [] });
  expect(await exported()).toEqual(first);
  expect(await served('/assets/deep/a.txt')).toBe('first');
});

it('keeps files that are the same in the target, and removes those that are gone', async () => {
  const at = await atRoot('same.txt', 'same', { includeInFrontendExport: true });
  await atRoot('gone.txt', 'gone', { includeInFrontendExport: true });
  const target = newFolder();
  await exported(target);
  const { ino } = await stat(join(target, 'files/same.txt'));
  await admin.delete(`/File?name=gone.txt`);
  await admin.put(`/${at}`, { visibleToPublicUsers: true });
  await exported(target);
  expect([await readdir(join(target, 'files')), (await stat(join(target, 'files/same.txt'))).ino]).toEqual([
    ['same.txt'],
    ino,
  ]);
});

it('changes a file that is there in its place, moves and renames it', async () => {
  const at = await uploaded(admin, file('old.txt', 'old'));
  const entry = { id: at, type: 'File', isTemplate: false, contentType: 'text/plain' };
  const answer = await imported({
    'files.json': { '/new': { id: id('a'), type: 'Folder' }, '/new/name.txt': entry },
    'files/new/name.txt': 'changed',
  });
  expect(answer.body).toMatchObject({ result: [] });
  expect([await served('/new/name.txt'), (await admin.get('/File')).body.result_count]).toEqual(['changed', 1]);
});

it('says what has no entry, no file, or another name now', async () => {
  await atRoot('taken.txt', 'mine');
  const entry = (digit: string): object => ({ id: id(digit), type: 'File', isTemplate: false });
  await imported({
    'files.json': { '/taken.txt': entry('1'), '/gone.txt': entry('2'), '/empty': { id: id('3'), type: 'Folder' } },
    'files/taken.txt': 'theirs',
    'files/unknown/x.txt': 'x',
  });
  const [line] = await server.untilLogged(/Encountered problems during import of files/);
  expect(line).toContain(
    'not on the disk: /gone.txt; on the disk, but not in files.json: /unknown; renamed, as there is another one at its path: /taken.txt',
  );
  expect(await served('/taken.txt')).toBe('mine');
  expect((await admin.get('/Folder?name=empty')).body.result_count).toBe(1);
});

it('changes nothing for what is wrong', async () => {
  const source = newFolder();
  await writeTree(source, { 'files.json': { '/link': { id: id('5'), type: 'File', isTemplate: false } } });
  await writeTree(source, { 'files/readme.txt': 'x' });
  await symlink('/etc', join(source, 'files/etc'));
  await symlink('/etc/passwd', join(source, 'files/link'));
  expect((await deploy({ mode: 'import', source })).body).toMatchObject({ result: [] });
  expect((await admin.get('/File')).body.result_count).toBe(0);
  for (const [entries, message] of [
    [{ '/x.txt': { id: '../../../../tmp/x' } }, 'is no id'],
    [{ '/x.txt': { id: id('6'), type: 'Group' } }, 'is no type of files'],
    [{ '/x.txt': { type: 'File' } }, '/x.txt.id'],
    [{ '/x.txt': { id: (await admin.get('/me')).body.result.id } }, 'type User'],
    [{ '/x.txt': { id: id('6') }, '/y.txt': { id: id('6') } }, 'has the id of /x.txt'],
    [{ '/x.txt': 7 }, 'an object is expected'],
  ] as const) {
    const answer = await imported({ 'files.json': entries, 'files/x.txt': 'x', 'files/y.txt': 'y' });
    expect([message, answer.status, answer.body.message.includes(message), answer.body.message]).toEqual([
      message,
      422,
      true,
      answer.body.message,
    ]);
  }
  expect((await admin.get('/File')).body.result_count).toBe(0);
});
