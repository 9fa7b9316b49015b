/** A script that has the writer while others wait gets only so long (`database.writer.timeout`). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { onNeo4j, TestServer } from '../support/server.js';
import { until } from '../support/storage.js';

let server: TestServer;
let admin: Client;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'database.writer.timeout': 300 } });
  ({ admin } = server);
  await admin.defineType('Note', [{ name: 'n', propertyType: 'Integer' }]);
});
afterAll(() => server.stop());

it.skipIf(onNeo4j)('is told so, with nothing written, and others write', async () => {
  await admin.create('SchemaMethod', {
    name: 'holds',
    source: `{
      let said = '';
      $.doInNewTransaction(
        () => {
          $.create('Note', 'n', 1);
          $.applicationStorePut('holding', 1);
          for (let i = 0; i < 600; i++) { $.sleep(100); $.find('Note', 'n', 5); }
        },
        (e) => { said = e.message; },
      );
      return said;
    }`,
  });
  await admin.create('SchemaMethod', { name: 'isHolding', source: `{ return $.applicationStoreHas('holding'); }` });
  const held = admin.post('/holds', {});
  await until(
    async () => (await admin.post('/isHolding', {})).body.result as unknown,
    (found) => found === true,
  );
  expect((await admin.post('/Note', { n: 2 })).status).toBe(201);
  // What a nested transaction fails with is for its script to handle.
  expect((await held).body.result).toContain('database.writer.timeout');
  const notes: { n: number }[] = (await admin.get('/Note')).body.result;
  expect(notes.map(({ n }) => n)).toEqual([2]);
});
