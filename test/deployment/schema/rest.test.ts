import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../support/client.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { EMPTY, exported, makeLibrary, PATH } from './library.js';

describe('the schema as a document, over REST', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = server.admin;
    await makeLibrary(admin);
  });
  afterAll(() => server.stop());

  it('writes, clears, and reads back the same bytes', async () => {
    const text = await exported(admin);
    expect(await exported(admin, '/_schemaJson')).toBe(text);
    const ids = (await admin.get('/SchemaProperty?_sort=name')).body.result.map((one: { id: string }) => one.id);
    const changed = await admin.get('/SchemaNode?name=Book');
    const again = await admin.post(PATH, { schema: text });
    expect([again.status, again.body]).toEqual([200, { code: 200, message: 'Schema imported successfully' }]);
    // What is equal is not touched.
    expect((await admin.get('/SchemaNode?name=Book')).body.result).toEqual(changed.body.result);
    expect((await admin.get('/SchemaProperty?_sort=name')).body.result.map((one: { id: string }) => one.id)).toEqual(
      ids,
    );
    expect((await admin.post(PATH, { schema: EMPTY })).status).toBe(200);
    expect(await exported(admin)).toBe('{\n  "definitions": {},\n  "methods": []\n}');
    expect((await admin.get('/Book')).status).toBe(404);
    expect((await admin.post(PATH, { schema: text })).body).toEqual(again.body);
    expect(await exported(admin)).toBe(text);
    expect((await admin.post(PATH, { schema: JSON.parse(text) as unknown })).status).toBe(200);
    expect(await exported(admin)).toBe(text);
    expect((await admin.get('/Book')).status).toBe(200);
  });

  it('refuses what is wrong with its place, and changes nothing', async () => {
    const before = await exported(admin);
    const tried = async (body: unknown): Promise<readonly [number, string]> => {
      const { status, body: told } = await admin.post(PATH, body);
      return [status, String((told as { message?: unknown }).message)];
    };
    const missing = "Invalid request body. Specify schema json string as 'schema' in request body.";
    for (const body of [{}, [], { schema: null }, { other: EMPTY }]) expect(await tried(body)).toEqual([400, missing]);
    const [status, message] = await tried({ schema: '{"definitions":{"A":{"properties":{"due":{}}}},"methods":[]}' });
    expect([status, message]).toEqual([422, 'The schema cannot be read: definitions.A.properties.due: has no type']);
    for (const schema of ['', '{', '[]', '1', 7, [], '{"definitions":[]}'])
      expect((await tried({ schema }))[0]).toBe(422);
    const compiles = { definitions: { A: { properties: { b: { type: 'string', enum: [] } } } }, methods: [] };
    expect((await tried({ schema: compiles }))[0]).toBe(422);
    expect(await exported(admin)).toBe(before);
    expect((await admin.put(PATH, {})).status).toBe(405);
  });

  it('tells what a dry run would change, and changes nothing', async () => {
    const before = await exported(admin);
    const schema = { definitions: { Shelf: { grants: { Nobody: { read: true } } } }, methods: [] };
    const { status, body } = await admin.post(PATH, { schema, dryRun: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      message: 'Schema checked, nothing has changed',
      warnings: ['grants for Nobody are left out, as there is no such user or group'],
    });
    expect((body as { differences: string[] }).differences).toContain('removed type Book');
    expect(await exported(admin)).toBe(before);
    expect((await admin.get('/Shelf')).status).toBe(404);
  });

  it('is read by who may use the path, and written by administrators alone', async () => {
    await admin.create('User', { name: 'reader', password: 'a good one 1' });
    const reader = server.as('reader', 'a good one 1');
    const text = await exported(admin);
    for (const path of [PATH, '/_schemaJson']) {
      for (const client of [reader, server.as()]) {
        expect((await client.get(path)).status).toBe(401);
        expect((await client.post(path, { schema: EMPTY })).status).toBe(401);
      }
    }
    await allow(admin, 'maintenance/_schemaJson', 'user', ['GET', 'POST']);
    expect(await exported(reader)).toBe(text);
    expect((await reader.get('/_schemaJson')).status).toBe(401);
    for (const dryRun of [true, false]) {
      expect((await reader.post(PATH, { schema: EMPTY, dryRun })).status).toBe(403);
      const more = {
        definitions: { ...(JSON.parse(text) as { definitions: object }).definitions, Mine: {} },
        methods: [],
      };
      expect((await reader.post(PATH, { schema: more, dryRun })).status).toBe(403);
    }
    expect(await exported(admin)).toBe(text);
  });

  describe('snapshots', () => {
    const command = (input: object, client = admin) => client.post('/maintenance/schemaSnapshot', input);
    const names = async (): Promise<string[]> => {
      const { result } = (await command({ mode: 'list' })).body as { result: { name: string }[] };
      return result.map(({ name }) => name);
    };

    it('are saved, listed, read, restored and purged', async () => {
      const text = await exported(admin);
      expect(await names()).toEqual([]);
      const saved = await command({ mode: 'save', name: 'first' });
      expect(saved.body.result).toMatchObject([{ name: 'first', size: Buffer.byteLength(text) }]);
      expect((await command({ mode: 'save', name: 'first' })).status).toBe(409);
      expect((await command({ mode: 'save', name: 'first', overwrite: true })).status).toBe(200);
      expect((await command({ mode: 'get', name: 'first' })).body.result).toEqual([{ name: 'first', schema: text }]);
      await admin.post(PATH, { schema: EMPTY });
      const tried = await command({ mode: 'restore', name: 'first', dryRun: true });
      expect(tried.body.result[0].differences).toContain('added type Book');
      expect(await exported(admin)).not.toBe(text);
      expect((await command({ mode: 'restore', name: 'first' })).body.result).toMatchObject([{ warnings: [] }]);
      expect(await exported(admin)).toBe(text);
      await command({ mode: 'save' });
      await command({ mode: 'save', name: 'third' });
      expect(await names()).toHaveLength(3);
      expect((await command({ mode: 'purge', name: 'first' })).body.result).toEqual([{ name: 'first' }]);
      await command({ mode: 'purge', keep: 1 });
      expect(await names()).toHaveLength(1);
      await command({ mode: 'purge' });
      expect(await names()).toEqual([]);
    });

    it.each<[number, object]>([
      [422, {}],
      [422, { mode: 'other' }],
      [422, { mode: 'get' }],
      [422, { mode: 'restore' }],
      [404, { mode: 'get', name: 'gone' }],
      [404, { mode: 'restore', name: 'gone' }],
      [404, { mode: 'purge', name: 'gone' }],
      [422, { mode: 'purge', keep: -1 }],
      [422, { mode: 'purge', keep: 'all' }],
      ...['../svc', 'a/b', '.hidden', '..', 'a\u0000b', ' ', 'x'.repeat(101)].flatMap((name): [number, object][] =>
        ['save', 'get', 'restore', 'purge'].map((mode) => [422, { mode, name }]),
      ),
    ])('answers %i to %j', async (status, input) => {
      expect((await command(input)).status).toBe(status);
    });

    it('are for administrators alone', async () => {
      await admin.create('User', { name: 'other', password: 'a good one 1' });
      await allow(admin, 'maintenance/schemaSnapshot', 'user', ['POST']);
      for (const mode of ['list', 'save', 'get', 'restore', 'purge'])
        expect((await command({ mode, name: 'x' }, server.as('other', 'a good one 1'))).status).toBe(403);
    });
  });
});
