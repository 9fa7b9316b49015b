import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, cookieOf } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/**
 * Every cache of the room `security`, and every door by which what it rests on can be changed: the next request sees the change.
 * All of it is asked of one server that has the old state in memory.
 */
const PASSWORD = 'a-password';
let server: TestServer;
let admin: Client;
let count = 0;

interface Person {
  readonly id: string;
  readonly name: string;
  /** By means. */
  readonly clients: Readonly<Record<'session' | 'session token' | 'token' | 'token cookie' | 'headers', Client>>;
  readonly refreshToken: string;
}

/** Ways in which an administrator changes something; relationships have more. */
const DOORS = ['REST', 'any entity', 'script'] as const;
type Door = (typeof DOORS)[number];

async function must(sent: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await sent;
  if (status >= 300) throw new Error(`${String(status)}: ${text}`);
}

function change(door: Door, type: string, id: string, key: string, value: unknown): Promise<void> {
  if (door === 'script') return must(admin.post('/scriptSet', { type, id, key, value }));
  return must(admin.put(door === 'REST' ? `/${type}/${id}` : `/${id}`, { [key]: value }));
}

function remove(door: Door, type: string, id: string): Promise<void> {
  if (door === 'script') return must(admin.post('/scriptDelete', { type, id }));
  return must(admin.delete(door === 'REST' ? `/${type}/${id}` : `/${id}`));
}

async function person(properties: Record<string, unknown> = {}, type = 'User'): Promise<Person> {
  const name = `person${String(++count)}`;
  const id = await admin.create(type, { name, password: PASSWORD, ...properties });
  const login = await server.as().post('/login', { name, password: PASSWORD });
  const cookie = cookieOf(login, 'JSESSIONID');
  const pair = (await server.as().post('/token', { name, password: PASSWORD })).body.result;
  const by = (headers: Record<string, string>): Client => new Client(server.url, undefined, undefined, headers);
  return {
    id,
    name,
    refreshToken: pair.refresh_token,
    clients: {
      session: by({ Cookie: cookie }),
      'session token': by({ 'X-SvcSessionToken': cookie.slice('JSESSIONID='.length) }),
      token: by({ Authorization: `Bearer ${String(pair.access_token)}` }),
      'token cookie': by({ Cookie: `access_token=${String(pair.access_token)}` }),
      headers: server.as(name, PASSWORD),
    },
  };
}

/** Statuses of a GET by every means. */
async function statuses({ clients }: Person, path: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [means, client] of Object.entries(clients)) found[means] = (await client.get(path)).status;
  return found;
}
const all = (status: number): Record<string, number> => ({
  session: status,
  'session token': status,
  token: status,
  'token cookie': status,
  headers: status,
});

beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      'security.jwt.secret': 'a-secret-of-more-than-32-characters-for-tests',
      'security.credentialcache.seconds': 600,
    },
  });
  ({ admin } = server);
  for (const signature of ['_login', '_token']) await allow(admin, signature, 'anonymous', ['POST']);
  await allow(admin, 'User', 'user', ['GET']);
  // Now, as a change of the schema makes everything be looked at again.
  for (const [name, source] of [
    ['scriptSet', '{ $.set($.find($.args.type, $.args.id), $.args.key, $.args.value); }'],
    ['scriptDelete', '{ $.delete($.find($.args.type, $.args.id)); }'],
    ['scriptLeave', "{ $.removeFromGroup($.find('Group', $.args.group), $.find('User', $.args.user)); }"],
    ['scriptRevoke', "{ $.revoke($.find('Principal', $.args.who), $.find('ResourceAccess', $.args.what), 'read'); }"],
  ] as const)
    await admin.create('SchemaMethod', { name, source });
  await admin.defineType('Thing', [{ name: 'title', propertyType: 'String' }]);
});
afterAll(() => server.stop());

describe('the next request sees', () => {
  it.each(DOORS)('that a user is no administrator any more (%s)', async (door) => {
    const who = await person({ isAdmin: true });
    expect(await statuses(who, '/Thing')).toEqual(all(200));
    await change(door, 'User', who.id, 'isAdmin', false);
    expect(await statuses(who, '/Thing')).toEqual(all(401));
  });

  it.each(DOORS)('that a user is gone (%s)', async (door) => {
    const who = await person({ isAdmin: true });
    expect(await statuses(who, '/me')).toEqual(all(200));
    await remove(door, 'User', who.id);
    expect(await statuses(who, '/me')).toEqual(all(401));
  });

  it.each(DOORS)('that a user is blocked, whose logins do not come back when he is let in again (%s)', async (door) => {
    const who = await person();
    expect(await statuses(who, '/me')).toEqual(all(200));
    await change(door, 'User', who.id, 'blocked', true);
    expect(await statuses(who, '/me')).toEqual(all(401));
    await change(door, 'User', who.id, 'blocked', false);
    expect(await statuses(who, '/me')).toEqual({ ...all(401), headers: 200 });
    expect((await server.as().post('/token', { refresh_token: who.refreshToken })).status).toBe(401);
    expect((await admin.get(`/SessionDataNode?userId=${who.id}`)).body.result).toEqual([]);
  });

  it.each(DOORS)('another password (%s)', async (door) => {
    const who = await person();
    expect((await who.clients.headers.get('/me')).status).toBe(200);
    await change(door, 'User', who.id, 'password', 'another-password');
    expect((await who.clients.headers.get('/me')).status).toBe(401);
  });

  it.each(DOORS)('that the node of a session is gone, or names another user (%s)', async (door) => {
    for (const end of [
      (id: string) => remove(door, 'SessionDataNode', id),
      (id: string) => change(door, 'SessionDataNode', id, 'userId', 'somebody else'),
      (id: string) => change(door, 'SessionDataNode', id, 'sessionId', 'another'),
    ]) {
      const who = await person();
      expect(await statuses(who, '/me')).toEqual(all(200));
      const [session] = (await admin.get(`/SessionDataNode?userId=${who.id}`)).body.result as { id: string }[];
      await end(session?.id ?? '');
      expect(await statuses(who, '/me')).toEqual({ ...all(200), session: 401, 'session token': 401 });
    }
  });

  it.each(DOORS)('that sessions and pairs of tokens are taken from the user (%s)', async (door) => {
    const who = await person();
    expect(await statuses(who, '/me')).toEqual(all(200));
    await change(door, 'User', who.id, 'sessionIds', []);
    expect(await statuses(who, '/me')).toEqual({ ...all(200), session: 401, 'session token': 401 });
    await change(door, 'User', who.id, 'refreshTokens', []);
    expect(await statuses(who, '/me')).toEqual({ ...all(401), headers: 200 });
  });

  describe.each(['himself', 'his group', 'a group above'] as const)('what is granted to %s', (via) => {
    /** A user, and the principal through whom he has rights. */
    async function granted(): Promise<{ who: Person; principal: string; group: string }> {
      const who = await person();
      if (via === 'himself') return { who, principal: who.id, group: '' };
      const group = await admin.create('Group', { name: `group ${String(++count)}`, members: [who.id] });
      if (via === 'his group') return { who, principal: group, group };
      const principal = await admin.create('Group', { name: `above ${String(++count)}`, members: [group] });
      return { who, principal, group };
    }
    /** Permission for an endpoint of nobody else's. */
    async function permission(principal: string): Promise<{ id: string; signature: string }> {
      const signature = 'Thing';
      const id = await admin.create('ResourceAccess', {
        signature,
        flags: 1,
        grantees: [{ id: principal, allowed: ['read'] }],
      });
      return { id, signature };
    }

    it.each(DOORS)('a permission: taken back (%s)', async (door) => {
      const { who, principal } = await granted();
      for (const revoke of [
        (id: string) => remove(door, 'ResourceAccess', id),
        (id: string) => change(door, 'ResourceAccess', id, 'flags', 0),
        (id: string) => change(door, 'ResourceAccess', id, 'signature', 'Other'),
        (id: string) => change(door, 'ResourceAccess', id, 'hidden', true),
        (id: string) => change(door, 'ResourceAccess', id, 'grantees', []),
        (id: string) => must(admin.post('/scriptRevoke', { who: principal, what: id })),
        async (id: string) => {
          const found = await admin.get(`/Security?accessControllableId=${id}`);
          const links = found.body.result as { id: string; principalId: string }[];
          const link = links.find(({ principalId }) => principalId === principal);
          await must(admin.delete(`/Security/${link?.id ?? ''}`));
        },
      ]) {
        const { id } = await permission(principal);
        expect(await statuses(who, '/Thing')).toEqual(all(200));
        await revoke(id);
        expect([String(revoke), await statuses(who, '/Thing')]).toEqual([String(revoke), all(401)]);
        await admin.delete(`/ResourceAccess/${id}`);
      }
    });

    it.each(DOORS)('a schema grant: taken back (%s)', async (door) => {
      const { who, principal } = await granted();
      const [type] = (await admin.get('/SchemaNode?name=Thing')).body.result as { id: string }[];
      const thing = await admin.create('Thing', { title: 'granted' });
      const open = await allow(admin, 'Thing/_id', 'user', ['GET']);
      for (const revoke of [
        (id: string) => remove(door, 'SchemaGrant', id),
        (id: string) => change(door, 'SchemaGrant', id, 'allowRead', false),
        (id: string) => change(door, 'SchemaGrant', id, 'principal', null),
      ]) {
        const grant = { principal, schemaNode: type?.id, allowRead: true };
        const id = await admin.create('SchemaGrant', grant);
        expect(await statuses(who, `/Thing/${thing}`)).toEqual(all(200));
        await revoke(id);
        expect([String(revoke), await statuses(who, `/Thing/${thing}`)]).toEqual([String(revoke), all(404)]);
        await admin.delete(`/SchemaGrant/${id}`);
      }
      await admin.delete(`/ResourceAccess/${open}`);
    });

    if (via === 'himself') return;
    it('membership: ended by every door', async () => {
      for (const leave of [
        (group: string) => must(admin.put(`/Group/${group}`, { members: [] })),
        (_: string, { id }: Person) => must(admin.put(`/User/${id}`, { groups: [] })),
        (group: string, { id }: Person) => must(admin.post('/scriptLeave', { group, user: id })),
        async (group: string, { id }: Person) => {
          const found = await admin.get(`/GroupCONTAINSPrincipal?sourceId=${group}&targetId=${id}`);
          await must(admin.delete(`/GroupCONTAINSPrincipal/${String(found.body.result[0].id)}`));
        },
        (group: string) => must(admin.delete(`/Group/${group}`)),
      ]) {
        const { who, principal, group } = await granted();
        const { id } = await permission(principal);
        expect(await statuses(who, '/Thing')).toEqual(all(200));
        await leave(group, who);
        expect([String(leave), await statuses(who, '/Thing')]).toEqual([String(leave), all(401)]);
        await admin.delete(`/ResourceAccess/${id}`);
      }
    });
  });
});

describe('a permission that is had along relationships', () => {
  it('ends with the right on the object it comes from', async () => {
    const [node] = (await admin.get('/SchemaNode?name=Thing')).body.result as { id: string }[];
    const permissions = await admin.create('SchemaNode', { name: 'ResourceAccess' });
    await admin.relate(node?.id ?? '', 'CARRIES', permissions, {
      sourceJsonName: 'carrier',
      targetJsonName: 'carried',
      permissionPropagation: 'Out',
      readPropagation: 'Add',
    });
    const who = await person();
    const carrier = await admin.create('Thing', { grantees: [{ id: who.id, allowed: ['read'] }] });
    const id = await admin.create('ResourceAccess', { signature: 'Thing', flags: 1, carrier });
    expect(await statuses(who, '/Thing')).toEqual(all(200));
    await must(admin.put(`/Thing/${carrier}`, { grantees: [] }));
    expect(await statuses(who, '/Thing')).toEqual(all(401));
    await admin.delete(`/ResourceAccess/${id}`);
    await admin.delete(`/SchemaNode/${permissions}`);
  });
});

describe('a type that is one of users no longer', () => {
  it.each(['loses the trait', 'is deleted'])('takes the login from them: it %s', async (how) => {
    const name = `Worker${String(++count)}`;
    const type = await admin.create('SchemaNode', { name, inheritedTraits: ['User'] });
    const who = await person({ isAdmin: true }, name);
    expect(await statuses(who, '/Thing')).toEqual(all(200));
    if (how === 'is deleted') await must(admin.delete(`/SchemaNode/${type}`));
    else await must(admin.put(`/SchemaNode/${type}`, { inheritedTraits: [] }));
    expect(await statuses(who, '/Thing')).toEqual(all(401));
    expect((await server.as().post('/token', { refresh_token: who.refreshToken })).status).toBe(401);
  });

  it('of groups takes their rights from the members', async () => {
    const type = await admin.create('SchemaNode', { name: 'Team', inheritedTraits: ['Group'] });
    const who = await person();
    const team = await admin.create('Team', { name: 'team', members: [who.id] });
    await admin.create('ResourceAccess', { signature: 'Thing', flags: 1, grantees: [{ id: team, allowed: ['read'] }] });
    expect(await statuses(who, '/Thing')).toEqual(all(200));
    await must(admin.put(`/SchemaNode/${type}`, { inheritedTraits: [] }));
    expect(await statuses(who, '/Thing')).toEqual(all(401));
  });
});
