/** Migrations at the start of real servers, mode by mode, and the database of a newer version (contract, Startup migration mode). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from '../../src/main/exit-codes.js';
import { openSqliteGraph } from '../../src/main/graph/index.js';
import { file, uploaded } from '../support/files.js';
import { TestServer, type ServerOptions } from '../support/server.js';

const OLD = "{ return $.GET('http://127.0.0.1:1', 'text/plain', 'u', 'p').status; }";
const NEW = "{ return $.GET('http://127.0.0.1:1', 'text/plain', { username: 'u', password: 'p' }).status; }";
const OLD_TEXT = "<p>${GET('http://127.0.0.1:1', 'text/plain', 'u', 'p').body} ${encrypt('x')}</p>";
const NEW_TEXT =
  '<p>${GET(\'http://127.0.0.1:1\', \'text/plain\', fromJson(\'{"username":"u","password":"p"}\')).body} ${encrypt(\'x\')}</p>';

let folder: string;
const ids: Record<string, string> = {};

const start = (settings: ServerOptions['settings'] = {}): ReturnType<typeof TestServer.tryStart> =>
  TestServer.tryStart(folder, { folder, settings });

/** What the server has now of what may be rewritten. */
async function stored({ admin }: TestServer): Promise<unknown[]> {
  const read = async (type: string, key: string): Promise<unknown> =>
    ((await admin.get(`/${type}/${ids[type] ?? ''}/all`)).body.result as Record<string, unknown>)[key];
  const source = await admin.get(`/svc/html/${ids['File'] ?? ''}?_edit=3`);
  return [await read('SchemaMethod', 'source'), await read('Content', 'content'), source.text];
}

/** Starts it, works with it, and ends it in any case. */
async function withServer(
  settings: ServerOptions['settings'],
  work: (server: TestServer) => Promise<void>,
): Promise<void> {
  const { server, lines } = await start(settings);
  if (server === undefined) throw new Error(lines.join('\n'));
  try {
    await work(server);
  } finally {
    expect(await server.end()).toBe(0);
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  await withServer({}, async ({ admin }) => {
    ids['SchemaMethod'] = await admin.create('SchemaMethod', { name: 'old', source: OLD });
    await admin.create('SchemaMethod', { name: 'unclear', source: '{ $.GET(...$.retrieve("args")) }' });
    ids['Content'] = await admin.create('Content', { content: OLD_TEXT });
    ids['File'] = await uploaded(admin, file('old.html', OLD_TEXT));
    await admin.put(`/File/${ids['File']}`, { isTemplate: true });
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('dry-run tells what would change, changes nothing, and ends with status 4', async () => {
  const { code, lines } = await start({ 'application.migration.mode': 'dry-run' });
  expect(code).toBe(EXIT.migrationDryRun);
  const log = lines.join('\n');
  expect(log).toMatch(/http-functions: would: http SchemaMethod\[\w+\]:old\.source:1:10: GET\(\)/);
  expect(log).toMatch(/http-functions: would: http File\[\w+\]:\/\._svc_uploads\/old\.html:1:6: GET\(\)/);
  expect(log).toMatch(/http-functions: would: http Content\[\w+\]:\.content:1:6: GET\(\)/);
  expect(log).toMatch(/http-functions: http SchemaMethod\[\w+\]:unclear\.source:1:3: GET\(\) cannot be looked at/);
  expect(log).toMatch(/crypt-functions: crypt File\[\w+\]:\/\._svc_uploads\/old\.html:1:\d+: encrypt\(\)/);
  expect(log).toMatch(/nothing was changed; the start ends here/);
  expect(log).not.toMatch(/ ERROR |listening on/);
});

it.each([
  ['off', { 'application.migration.mode': 'off' }],
  ['no MigrationService', { 'configured.services': 'NodeService SchemaService HttpService' }],
])('%s starts on the database as it is', (_, settings) =>
  withServer(settings, async (server) => {
    expect(await stored(server)).toEqual([OLD, OLD_TEXT, OLD_TEXT]);
    expect(server.logged(/org\.svc\.migration.* step /)).toEqual([]);
  }),
);

it('apply rewrites what is certain, in files as well, and reports the rest with every start', async () => {
  for (const changes of [3, 0]) {
    await withServer({}, async (server) => {
      expect(await stored(server)).toEqual([NEW, NEW_TEXT, NEW_TEXT]);
      const step = new RegExp(`step http-functions .*: changed ${String(changes)}, 1 to look at`);
      expect(server.logged(step)).toHaveLength(1);
      expect(server.logged(/step crypt-functions .*: changed 0, 2 to look at/)).toHaveLength(1);
    });
  }
});

it('the data of a newer version are refused, by commands as well', async () => {
  const path = join(folder, 'db');
  const graph = await openSqliteGraph({ path });
  await graph.notes.set('migrations', JSON.stringify({ version: '7.4.1', done: {} }));
  await graph.close();
  const { code, lines } = await start({ 'application.migration.mode': 'off' });
  expect(code).toBe(EXIT.databaseTooNew);
  expect(lines.filter((line) => line.includes(' ERROR '))).toEqual([
    expect.stringMatching(
      /The data of the database have version 7\.4\.1; this program knows data up to version .*: start svc 7\.4\.1/,
    ),
  ]);
});
