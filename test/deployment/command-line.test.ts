/** `svc deploy`, `svc data` and `svc sync` on a running server (docs/interface/deployment.md 8). */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeTree } from '../support/export-tree.js';
import { onNeo4j, TestServer } from '../support/server.js';

const SVC = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));

let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-deploy-'));
  server = await TestServer.start();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
/** Runs it in the folder of the test; with the database's socket, or by the address where that is of others. */
function svc(...args: string[]): Promise<Ended> {
  const where = onNeo4j ? ['--url', server.url, '--user', 'admin'] : ['--conf', join(server.folder, 'svc.conf')];
  return new Promise((resolve) => {
    const env = { ...process.env, SVCPASSWORD: 'admin' };
    const child = execFile(process.execPath, [SVC, ...args, ...where], { cwd: folder, env }, (_error, out, err) => {
      resolve({ code: child.exitCode, out, err });
    });
  });
}
const id = '1'.repeat(32);

it('exports and imports the application, data and the graph', async () => {
  const { admin } = server;
  await admin.defineType('City', [{ name: 'country', propertyType: 'String' }]);
  const city = await admin.create('City', { name: 'Oslo', country: 'Norway' });
  const shop = join(folder, 'shop');
  expect(await svc('deploy', 'export', shop)).toMatchObject({ code: 0 });
  expect(await readFile(join(shop, 'schema/schema.json'), 'utf8')).toContain('City');
  await writeTree(shop, { 'localizations.json': [{ id, name: 'n', locale: 'de' }] });
  expect(await svc('deploy', 'import', shop)).toMatchObject({ code: 0 });
  expect((await admin.get('/Localization')).body.result).toMatchObject([{ id }]);
  expect(await svc('data', 'export', join(folder, 'data'), 'City')).toMatchObject({ code: 0 });
  await admin.delete(`/City/${city}`);
  expect(await svc('data', 'import', join(folder, 'data'))).toMatchObject({ code: 0 });
  expect((await admin.get(`/City/${city}`)).body.result).toMatchObject({ country: 'Norway' });
  expect(await svc('sync', 'export', join(folder, 'all.zip'), '--db-only')).toMatchObject({ code: 0 });
  expect((await readFile(join(folder, 'all.zip'))).subarray(0, 2).toString()).toBe('PK');
});

it('says why nothing was imported, and what makes no sense', async () => {
  await writeTree(join(folder, 'none'), { 'readme.txt': '' });
  expect(await svc('deploy', 'import', join(folder, 'none'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('no application export') as string,
  });
  await writeTree(join(folder, 'bad'), { 'widgets.json': '[{' });
  expect(await svc('deploy', 'import', join(folder, 'bad'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('widgets.json') as string,
  });
  for (const args of [
    ['deploy'],
    ['deploy', 'move', 'x'],
    ['deploy', 'export', 'x', 'y'],
    ['deploy', 'export', 'x', '--extend'],
    ['data', 'export', 'x'],
    ['sync', 'import', 'x', '--db-only'],
  ])
    expect([args, (await svc(...args)).code]).toEqual([args, 3]);
});
