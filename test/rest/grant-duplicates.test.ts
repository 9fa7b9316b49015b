import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

it('rights on an object are refused while another has its unique value, which it got while the type was not there', async () => {
  const { admin } = server;
  const define = (name: string, more: object): Promise<string> => admin.create('SchemaNode', { name, ...more });
  const schemaProperties = [{ name: 'tag', propertyType: 'String', unique: true }];
  await define('Base', { schemaProperties });
  const special = await define('Special', { inheritedTraits: ['Base'] });
  const targetId = await admin.create('Special', { tag: 'one' });
  expect((await admin.delete(`/SchemaNode/${special}`)).status).toBe(200);
  const other = await admin.create('Base', { tag: 'one' });
  await define('Special', { inheritedTraits: ['Base'] });
  const sourceId = await admin.create('User', { name: 'anna', password: 'a-password-of-tests' });
  const grant = { sourceId, targetId, allowed: ['read'] };
  const refused = await admin.post('/Security', grant);
  expect([refused.status, refused.body.errors?.[0]]).toMatchObject([422, { property: 'tag', token: 'already_taken' }]);
  expect((await admin.put(`/Base/${other}`, { tag: 'two' })).status).toBe(200);
  expect((await admin.post('/Security', grant)).status).toBe(201);
});
