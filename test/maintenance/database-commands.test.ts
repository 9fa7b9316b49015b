/** Maintenance commands on the whole database (docs/interface/operations.md 9.3). */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import type { Answer, Client } from '../support/client.js';
import { endedJob, fileWith } from '../support/jobs.js';
import { SVC } from '../support/launched.js';
import { allow } from '../support/permissions.js';
import { onNeo4j, TestServer } from '../support/server.js';

let server: TestServer;
const run = (command: string, body: unknown = {}, client: Client = server.admin): Promise<Answer> =>
  client.post(`/maintenance/${command}`, body);
async function ended(
  command: string,
  body: Record<string, unknown> = {},
  client = server.superuser,
): Promise<Record<string, unknown>> {
  const answer = await run(command, { ...body, background: true }, client);
  expect(answer.status, answer.text).toBe(200);
  return endedJob(client, (answer.body.result as [{ jobId: number }])[0].jobId) as Promise<Record<string, unknown>>;
}
const check = (folder: string): Promise<{ code: number; out: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [SVC, 'graph', 'check'], { cwd: folder }, (error, out) => {
      resolve({ code: error === null ? 0 : Number(error.code), out });
    });
  });

afterEach(() => server.stop());

describe('clearDatabase', () => {
  it('deletes all objects, the schema and users; the next start makes the initial user', async () => {
    server = await TestServer.start();
    const { admin } = server;
    const task = await admin.defineType('Task', [{ name: 'code', propertyType: 'String', unique: true }]);
    await admin.relate(task, 'NEEDS', task, {
      sourceJsonName: 'needs',
      targetJsonName: 'neededBy',
      sourceMultiplicity: '*',
    });
    await admin.create('SchemaMethod', { name: 'answer', source: '42', isStatic: true });
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) ids.push(await admin.create('Task', { code: `c${String(i)}`, needs: ids.slice(-3) }));
    await fileWith(admin, 'kept.txt', 'on the disk');
    const page = await admin.create('Page', { name: 'start', visibleToPublicUsers: true });
    const group = await admin.create('Group', { name: 'team' });
    await admin.create('User', { name: 'anna', password: 'anna', groups: [group] });
    await allow(admin, '_login', 'anonymous', ['POST']);
    await allow(admin, 'maintenance/clearDatabase', 'user', ['POST']);
    await allow(admin, 'Task', 'user', ['GET']);
    const session = await admin.loggedIn();

    expect((await run('clearDatabase', {}, server.as('anna', 'anna'))).status).toBe(403);
    expect((await run('clearDatabase', {}, server.as())).status).toBe(401);
    expect((await admin.get('/maintenance/clearDatabase')).status).toBe(405);
    expect((await run('clearDatabase', { really: true })).status).toBe(422);
    expect((await run('clearDatabase', { background: 'x' })).status).toBe(422);
    expect((await run('clearDatabase', [])).status).toBe(400);
    expect((await admin.get('/Task')).body.result_count).toBe(30);

    const answer = await run('clearDatabase', {}, session);
    expect([answer.status, answer.body.result]).toEqual([200, []]);

    // Nothing that was kept in memory is left: neither users nor sessions, types, functions and pages.
    expect((await admin.get('/User')).status).toBe(401);
    expect((await session.get('/User')).status).toBe(401);
    expect((await server.as('anna', 'anna').get('/Task')).status).toBe(401);
    const root = server.superuser;
    expect((await root.get('/Task')).status).toBe(404);
    expect((await root.post('/answer')).status).toBe(404);
    expect((await root.get(`/Task/${ids[0] ?? ''}`)).status).toBe(404);
    expect((await root.get(`/${page}`)).status).toBe(404);
    expect((await server.as().get('/svc/../start')).status).not.toBe(200);
    for (const type of ['NodeInterface', 'RelationshipInterface', 'User', 'ResourceAccess', 'SchemaNode'])
      expect((await root.get(`/${type}`)).body.result, type).toEqual([]);

    // It works with what is made from now on.
    await root.defineType('Task', [{ name: 'code', propertyType: 'String', unique: true }]);
    await root.create('Task', { code: 'c1' });
    expect((await root.post('/Task', { code: 'c1' })).status).toBe(422);
    expect(await ended('clearDatabase')).toMatchObject({
      status: 'FINISHED',
      phase: 'deleting administrators',
      result: { relationships: 2 },
    });
    expect((await root.get('/NodeInterface')).body.result).toEqual([]);
    if (!onNeo4j) {
      await server.end();
      expect((await check(server.folder)).code).toBe(0);
    }
    server = await server.restart();
    expect((await server.admin.get('/User/ui')).body.result).toMatchObject([{ name: 'admin', isAdmin: true }]);
    expect((await readdir(join(server.folder, 'files'))).length).toBeGreaterThan(0);
  });
});

describe('rebuildIndex', () => {
  it('makes indexes right, whatever has become of them', async () => {
    server = await TestServer.start();
    let { admin } = server;
    await admin.defineType('Note', [
      { name: 'text', propertyType: 'String', indexed: true, fulltext: true },
      { name: 'number', propertyType: 'Long', indexed: true },
      { name: 'size', propertyType: 'Double', indexed: true },
      { name: 'other', propertyType: 'String', indexed: true },
    ]);
    await admin.create('User', { name: 'anna', password: 'anna' });
    await allow(admin, 'Note', 'user', ['GET']);
    const numbers = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? null : i));
    const notes = numbers.map((number, i) => ({
      name: `n${String(i)}`,
      text: `word${String(i % 7)}`,
      number: i === 1 ? '9007199254740993' : number,
      size: i / 4,
      visibleToAuthenticatedUsers: i % 2 === 0,
    }));
    expect((await admin.post('/Note', notes)).status).toBe(201);
    const anna = (): Client => server.as('anna', 'anna');
    const see = async (): Promise<unknown> =>
      Promise.all(
        [
          'text=word3',
          'number=5',
          'number=9007199254740993',
          'size=2.5',
          'number=',
          '_sort=number&_order=desc',
          'other=',
        ].map(async (query) => [
          ((await server.admin.get(`/Note?${query}`)).body.result as { name: string }[]).map(({ name }) => name),
          // What she may do at all is in an index, too.
          ((await anna().get(`/Note?${query}`)).body.result as { name: string }[] | undefined)?.map(({ name }) => name),
        ]),
      );
    const before = await see();
    if (!onNeo4j) {
      await server.end();
      const db = new Library(join(server.folder, 'db/graph.db'));
      // Entries that are missing, of other values, of nodes that are not there; rights that nobody gave.
      db.exec(`DELETE FROM prop_index WHERE node % 3 = 0;
        UPDATE OR REPLACE prop_index SET value = 'word3' WHERE typeof(value) = 'text' AND node % 5 = 0;
        INSERT OR IGNORE INTO prop_index SELECT type, key, value, node + 100000 FROM prop_index;
        DELETE FROM access_entry WHERE node % 4 = 0;
        INSERT OR IGNORE INTO access_entry SELECT -2, type, pk, 15, 1 FROM node WHERE pk % 3 = 0;
        INSERT OR IGNORE INTO access_entry SELECT 77777, type, pk, 15, 1 FROM node WHERE pk % 3 = 0;
        DELETE FROM flag WHERE name = 'clean'`);
      db.close();
      expect((await check(server.folder)).code).not.toBe(0);
      server = await TestServer.start({ folder: server.folder });
      ({ admin } = server);
      expect(await see()).not.toEqual(before);
    }
    const answer = await run('rebuildIndex');
    expect([answer.status, answer.body.result]).toEqual([200, []]);
    expect(await see()).toEqual(before);
    for (const body of [
      { mode: 'nodesOnly' },
      { mode: 'relsOnly' },
      { type: 'Note' },
      { relType: 'PrincipalOwnsNode' },
      { mode: 'fulltext' },
      { mode: 'fulltext', type: 'Note' },
    ])
      expect(await ended('rebuildIndex', body), JSON.stringify(body)).toMatchObject({ status: 'FINISHED' });
    expect(await see()).toEqual(before);
    if (!onNeo4j) {
      await server.end();
      const checked = await check(server.folder);
      expect(checked.out + String(checked.code)).toMatch(/0$/);
      server = await TestServer.start({ folder: server.folder });
      expect(await see()).toEqual(before);
    }
  });

  it('finds objects by functions that were indexed later', async () => {
    server = await TestServer.start();
    const { admin } = server;
    const type = await admin.defineType('Thing', [
      { name: 'half', propertyType: 'Function', readFunction: '{ return $.this.number / 2; }', typeHint: 'Int' },
      { name: 'number', propertyType: 'Integer' },
    ]);
    await admin.post('/Thing', [
      { name: 'a', number: 4 },
      { name: 'b', number: 8 },
    ]);
    const properties = (await admin.get(`/SchemaNode/${type}/all`)).body.result.schemaProperties as {
      id: string;
      name: string;
    }[];
    const id = properties.find(({ name }) => name === 'half')?.id ?? '';
    expect((await admin.put(`/SchemaProperty/${id}`, { indexed: true })).status).toBe(200);
    expect((await admin.get('/Thing?half=4')).body.result_count).toBe(0);
    expect((await ended('rebuildIndex', { type: 'Thing' })).result).toMatchObject({ functions: 2 });
    expect((await admin.get('/Thing?half=4')).body.result).toMatchObject([{ name: 'b' }]);
  });

  it('refuses wrong parameters, and others than administrators', async () => {
    server = await TestServer.start();
    const { admin } = server;
    for (const [body, said] of [
      [{ type: 'Nothing' }, 'Invalid type Nothing'],
      [{ type: 3 }, '"type"'],
      [{ relType: 'User' }, 'Invalid type User'],
      [{ relType: true }, '"relType"'],
      [{ mode: 'all' }, '"mode"'],
      [{ mode: 1 }, '"mode"'],
      [{ background: 'true' }, '"background"'],
      [{ Type: 'User' }, '"Type"'],
    ] as const) {
      const answer = await run('rebuildIndex', body);
      expect(answer.status, JSON.stringify(body)).toBe(422);
      expect(answer.text.replaceAll('\\"', '"')).toContain(said);
    }
    await admin.create('User', { name: 'anna', password: 'anna' });
    expect((await run('rebuildIndex', {}, server.as('anna', 'anna'))).status).toBe(401);
    await allow(admin, 'maintenance/rebuildIndex', 'user', ['POST']);
    expect((await run('rebuildIndex', {}, server.as('anna', 'anna'))).status).toBe(403);
    expect((await admin.get('/maintenance/rebuildIndex')).status).toBe(405);
  });
});

describe('flushCaches', () => {
  it('empties what is kept, and all goes on', async () => {
    server = await TestServer.start();
    const { admin } = server;
    await admin.defineType('Note', [{ name: 'text', propertyType: 'String' }]);
    await admin.create('Note', { text: 'a' });
    const session = await (async () => {
      await allow(admin, '_login', 'anonymous', ['POST']);
      return admin.loggedIn();
    })();
    expect((await session.get('/Note')).body.result_count).toBe(1);
    expect((await run('flushCaches')).body.result).toEqual([]);
    expect(await server.untilLogged(/all caches were emptied: .*security\.principals/)).toHaveLength(1);
    expect((await session.get('/Note')).body.result_count).toBe(1);
    await admin.create('Note', { text: 'b' });
    expect((await admin.get('/Note')).body.result_count).toBe(2);
    expect((await run('flushCaches', { all: 1 })).status).toBe(422);
    expect((await run('flushCaches', [1])).status).toBe(400);
    expect((await run('flushCaches', {}, server.as())).status).toBe(401);
  });
});
