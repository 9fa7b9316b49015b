import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/**
 * An endpoint permission counts for those who may read it, so that to grant it is to give it: administrators do that, whatever rights
 * on it others were given. A setting leaves it, and the schema with all its parts, to those rights.
 */
const EVERYTHING = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const RIGHTS = ['read', 'write', 'delete', 'accessControl'];
const PASSWORD = 'a-password';
const p = '$.methodParameters';

let server: TestServer;
let admin: Client;
let mallory: Client;
let victim: Client;
let malloryId: string;
let victimId: string;
let permission: string;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  malloryId = await admin.create('User', { name: 'mallory', password: PASSWORD });
  victimId = await admin.create('User', { name: 'victim', password: PASSWORD, visibleToAuthenticatedUsers: true });
  [mallory, victim] = [server.as('mallory', PASSWORD), server.as('victim', PASSWORD)];
  await admin.defineType('Thing');
  const grantees = [{ id: malloryId, allowed: RIGHTS }];
  permission = await admin.create('ResourceAccess', { signature: 'Thing', flags: 1, grantees });
  const parts = ['SchemaNode', 'SchemaProperty', 'SchemaMethod', 'SchemaGrant', 'ResourceAccess'];
  for (const type of ['User', 'Group', 'Security', 'PrincipalOwnsNode', 'MailTemplate', ...parts])
    for (const signature of [type, `${type}/_id`]) await allow(admin, signature, 'user', EVERYTHING);
  await admin.create('SchemaMethod', {
    name: 'give',
    source: `{ $.grant($.find('User', ${p}.to), $.find('ResourceAccess', ${p}.id), 'read'); }`,
  });
  await allow(admin, 'give', 'user', ['POST']);
});
afterAll(() => server.stop());

const grants = async (): Promise<unknown> =>
  ((await admin.get(`/Security?targetId=${permission}`)).body.result as Record<string, unknown>[]).map(
    ({ id, sourceId, allowed }) => [id, sourceId, allowed],
  );

describe('an endpoint permission', () => {
  const DOORS: Readonly<Record<string, () => Promise<{ status: number }>>> = {
    'a relationship': () => mallory.post('/Security', { sourceId: victimId, targetId: permission, allowed: ['read'] }),
    'what is granted to a new group': () =>
      mallory.post('/Group', { name: 'all', grantedNodes: [{ id: permission, allowed: ['read'] }] }),
    'what is granted to himself': () =>
      mallory.put(`/User/${malloryId}`, { grantedNodes: [{ id: permission, allowed: ['read'] }] }),
    'a script': () => mallory.post('/give', { to: victimId, id: permission }),
    ownership: () => mallory.post('/PrincipalOwnsNode', { sourceId: malloryId, targetId: permission }),
    'a grant that is there': async () => {
      const [id] = ((await grants()) as string[][]).find(([, who]) => who === malloryId) ?? [];
      return mallory.put(`/Security/${String(id)}`, { allowed: ['read', 'write'] });
    },
    'a grant that is taken away': async () => {
      const [id] = ((await grants()) as string[][]).find(([, who]) => who === malloryId) ?? [];
      return mallory.delete(`/Security/${String(id)}`);
    },
  };

  it.each(Object.keys(DOORS))('is given to nobody by who has all rights on it: by %s', async (door) => {
    const before = await grants();
    expect((await DOORS[door]?.())?.status).toBe(403);
    expect(await grants()).toEqual(before);
    expect((await mallory.get('/Thing')).status).toBe(200);
    expect((await victim.get('/Thing')).status).toBe(401);
  });

  it('is given by administrators, and other objects by who has the rights', async () => {
    const sent = { sourceId: victimId, targetId: permission, allowed: ['read'] };
    const id = await admin.create('Security', sent);
    expect((await victim.get('/Thing')).status).toBe(200);
    await admin.delete(`/Security/${id}`);
    expect((await victim.get('/Thing')).status).toBe(401);
    const template = (await mallory.post('/MailTemplate', { name: 'X_BODY', text: 'Hello' })).body.result[0] as string;
    expect((await mallory.post('/Security', { ...sent, targetId: template })).status).toBe(201);
  });
});

it('a setting leaves it to the rights, and the schema with its parts', async () => {
  await server.reload({ 'security.administration.byusers': true });
  const part = { schemaProperties: [{ name: 'title', propertyType: 'String' }] };
  const made = await mallory.post('/SchemaNode', { name: 'Theirs', ...part });
  expect(made.status).toBe(201);
  const type = (made.body.result as string[])[0] ?? '';
  expect((await admin.get(`/SchemaNode/${type}/ui`)).body.result.schemaProperties).toHaveLength(1);
  const grant = { principal: malloryId, schemaNode: type, allowRead: true };
  expect((await mallory.post('/SchemaGrant', grant)).status).toBe(201);
  expect((await mallory.post('/give', { to: victimId, id: permission })).status).toBe(200);
  expect((await victim.get('/Thing')).status).toBe(200);
  // Parts of what one may not write stay out of reach.
  const theirs = await admin.create('SchemaNode', { name: 'Foreign', visibleToAuthenticatedUsers: true });
  expect((await mallory.put(`/SchemaNode/${theirs}`, part)).status).toBe(403);
  await server.reload({ 'security.administration.byusers': false });
  expect((await mallory.post('/SchemaNode', { name: 'Refused', ...part })).status).toBe(403);
});
