/** `neo4j://`: the driver asks the server who may be written to and read from, as it does with a cluster. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { neo4jOptions } from '../graph/neo4j.js';
import { TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({
    settings: { 'database.connection.url': neo4jOptions().url.replace(/^bolt:/, 'neo4j:') },
  });
});
afterAll(() => server.stop());

it('objects are written and read through a routing table', async () => {
  const { admin } = server;
  await admin.create('SchemaNode', { name: 'Routed', schemaProperties: [{ name: 'title', propertyType: 'String' }] });
  const ids = await Promise.all(['a', 'b', 'c'].map((title) => admin.create('Routed', { title })));
  expect((await admin.get('/Routed?_sort=title')).body.result.map((one: { id: string }) => one.id)).toEqual(ids);
  await admin.delete(`/Routed/${ids[0] ?? ''}`);
  expect((await admin.get('/Routed')).body.result_count).toBe(2);
});
