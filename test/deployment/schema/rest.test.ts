import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../support/client.js';
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
});
