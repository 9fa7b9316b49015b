import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** What somebody with bad intentions tries. Each is refused, and changes nothing. */
describe('attacks', () => {
  let server: TestServer;
  let mallory: Client;
  let malloryId: string;
  let victim: string;
  const EVERYTHING = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

  beforeAll(async () => {
    server = await TestServer.start();
    const { admin } = server;
    await admin.defineType('Note', [{ name: 'text', propertyType: 'String', indexed: true }]);
    malloryId = await admin.create('User', { name: 'mallory', password: 'mallorys-password' });
    victim = await admin.create('User', {
      name: 'victim',
      eMail: 'victim@example.com',
      password: 'victims-password',
      visibleToAuthenticatedUsers: true,
    });
    mallory = server.as('mallory', 'mallorys-password');
    for (const signature of ['User', 'User/_id', 'User/_Ui', 'User/_id/_All', 'Note', 'Note/_id', 'Group', 'Group/_id'])
      await allow(admin, signature, 'user', EVERYTHING);
    for (const signature of [
      'GroupCONTAINSPrincipal',
      'Security',
      'PrincipalOwnsNode',
      'User/_id/groups',
      'SchemaGrant',
    ])
      await allow(admin, signature, 'user', EVERYTHING);
  });
  afterAll(() => server.stop());

  const isAdmin = async (): Promise<unknown> => (await server.admin.get(`/User/${malloryId}/ui`)).body.result.isAdmin;

  describe('mass assignment', () => {
    it.each([
      ['PUT /me', () => mallory.put('/me', { isAdmin: true })],
      ['PATCH', () => mallory.patch(`/User/${malloryId}`, { isAdmin: true })],
      ['bulk PATCH', () => mallory.patch('/User', [{ id: malloryId, isAdmin: true }])],
      ['POST', () => mallory.post('/User', { name: 'twin', isAdmin: true })],
      ['a nested object', () => mallory.post('/Note', { owner: { id: malloryId, isAdmin: true } })],
    ])('of isAdmin by %s is refused', async (_, send) => {
      const answer = await send();
      expect([answer.status, answer.body.errors[0]]).toMatchObject([
        422,
        { property: 'isAdmin', token: 'is_read_only_property' },
      ]);
      expect(await isAdmin()).not.toBe(true);
      expect((await server.admin.get('/User?name=twin')).body.result_count).toBe(0);
    });

    it('of another user’s password, owner or grants is refused', async () => {
      for (const change of [
        { password: 'taken-over' },
        { owner: malloryId },
        { grantees: [{ id: malloryId, allowed: ['write'] }] },
        { visibleToPublicUsers: true },
      ])
        expect((await mallory.patch(`/User/${victim}`, change)).status).toBe(403);
      expect((await server.as('victim', 'victims-password').get('/me')).status).toBe(200);
    });

    it('of an id, type or date of creation is refused', async () => {
      for (const change of [{ id: 'f'.repeat(32) }, { type: 'Group' }, { createdDate: '2001-01-01T00:00:00+0000' }]) {
        const answer = await mallory.patch(`/User/${malloryId}`, change);
        expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'is_system_property']);
      }
    });
  });

  describe('taking rights through relations', () => {
    let group: string;
    beforeAll(async () => {
      group = await server.admin.create('Group', { name: 'admins', isAdmin: true, visibleToAuthenticatedUsers: true });
      await server.admin.create('Note', { text: 'secret', visibleToAuthenticatedUsers: true });
    });

    it.each([
      ['his own groups', () => mallory.put('/me', { groups: [group] })],
      ['the subcollection of his groups', () => mallory.post(`/User/${malloryId}/groups`, { id: group })],
      ['the members of the group', () => mallory.patch(`/Group/${group}`, { members: [malloryId] })],
      ['a relationship', () => mallory.post('/GroupCONTAINSPrincipal', { sourceId: group, targetId: malloryId })],
      ['a new user', () => mallory.post('/User', { name: 'new', groups: [group] })],
    ])('nobody joins a group by %s', async (_, send) => {
      expect([403, 422]).toContain((await send()).status);
      expect((await server.admin.get(`/Group/${group}`)).body.result.members).toEqual([]);
    });

    it('nobody becomes owner or grantee of what he only sees', async () => {
      const before = (await server.admin.get('/Note/ui?text=secret')).body.result[0] as { id: string };
      for (const send of [
        () => mallory.put('/me', { ownedNodes: [before.id] }),
        () => mallory.put('/me', { grantedNodes: [{ id: before.id, allowed: ['write'] }] }),
        () => mallory.post('/PrincipalOwnsNode', { sourceId: malloryId, targetId: before.id }),
        () => mallory.post('/Security', { sourceId: malloryId, targetId: before.id, allowed: ['read', 'write'] }),
      ])
        expect((await send()).status).toBe(403);
      expect((await server.admin.get('/Note/ui?text=secret')).body.result[0]).toEqual(before);
    });

    it.each([
      ['a permission', { type: 'ResourceAccess', signature: 'SchemaNode', flags: 16383 }],
      ['a part of the schema', { type: 'SchemaNode', name: 'Planted' }],
      ['a template of mails', { type: 'MailTemplate', name: 'RESET_PASSWORD_BASE_URL', text: 'https://evil.example' }],
      ['a user', { type: 'User', name: 'planted' }],
    ])('nobody plants %s through the endpoint of another type', async (_, body) => {
      const before = (await server.admin.get(`/${body.type}`)).body.result_count as number;
      const answer = await mallory.post('/Note', body);
      expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'must_be_of_type']);
      expect((await server.admin.get(`/${body.type}`)).body.result_count).toBe(before);
    });

    it.each(['OAuthLogin', 'SessionDataNode', 'ResourceAccess', 'DeployedPart'])(
      'nobody plants a %s through the endpoint of what it inherits',
      async (type) => {
        await allow(server.admin, 'NodeInterface', 'user', ['POST']);
        const before = (await server.admin.get(`/${type}`)).body.result_count as number;
        const answer = await mallory.post('/NodeInterface', { type, signature: 'User', flags: 1, stateHash: 'x' });
        expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'must_be_of_type']);
        expect((await server.admin.get(`/${type}`)).body.result_count).toBe(before);
        // Others may be made there.
        expect((await mallory.post('/NodeInterface', { type: 'Note', text: 'mine' })).status).toBe(201);
      },
    );

    it('nobody changes objects of one type through the endpoint of another', async () => {
      expect((await mallory.patch('/Note', [{ id: malloryId, name: 'other' }])).status).toBe(404);
    });

    it('nobody becomes owner by a relation of the schema that looks like ownership', async () => {
      const { admin } = server;
      const [users, notes] = await Promise.all(
        ['User', 'Note'].map(async (name) => {
          const found = (await admin.get(`/SchemaNode?name=${name}`)).body.result as { id: string }[];
          return found[0]?.id ?? (await admin.create('SchemaNode', { name }));
        }),
      );
      await admin.relate(users ?? '', 'OWNS', notes ?? '', { sourceJsonName: 'holder', targetJsonName: 'held' });
      const seen = (await admin.get('/Note?text=secret')).body.result[0] as { id: string };
      expect((await mallory.put('/me', { held: [seen.id] })).status).toBe(403);
    });

    it('nobody takes over or ends the session of another', async () => {
      await allow(server.admin, '_sessions', 'user', ['GET', 'DELETE']);
      await allow(server.admin, '_sessions/_id', 'user', ['DELETE']);
      await allow(server.admin, '_login', 'anonymous', ['POST']);
      const session = await server.as('victim', 'victims-password').loggedIn();
      const [id = ''] = (await server.admin.get(`/User/${victim}/ui`)).body.result.sessionIds as string[];
      expect((await mallory.put('/me', { sessionIds: [id] })).status).toBe(422);
      expect((await mallory.delete(`/_sessions/${id}`)).status).toBe(404);
      expect((await session.get('/me')).status).toBe(200);
    });

    it.each(['confirmationKey', 'passwordChangeDate', 'twoFactorToken'])('nobody writes his own %s', async (key) => {
      const value = key.endsWith('Date') ? '2030-01-01T00:00:00+0000' : 'planted';
      const answer = await mallory.put('/me', { [key]: value });
      expect([answer.status, answer.body.errors[0]]).toMatchObject([
        422,
        { property: key, token: 'is_read_only_property' },
      ]);
    });

    it('nobody grants himself a type', async () => {
      const answer = await mallory.post('/SchemaGrant', {
        principal: malloryId,
        staticSchemaNodeName: 'User',
        allowWrite: true,
      });
      expect(answer.status).toBe(403);
      expect((await server.admin.get('/SchemaGrant')).body.result_count).toBe(0);
    });
  });

  describe('reading what is not his', () => {
    beforeAll(async () => {
      await server.admin.create('Note', { text: 'hidden one' });
      await server.admin.create('Note', { text: 'hidden two' });
    });

    it('neither lists, counts, pages, sorts, filters nor ranges tell of objects he may not see', async () => {
      for (const query of [
        '?text=hidden%20one',
        '?text=hidden&_inexact=1',
        '?text=[a TO z]'.replaceAll(' ', '%20'),
        '?_sort=text&_pageSize=1',
        '?_sort=createdDate&_order=desc&_page=2&_pageSize=1',
        '?_pageSize=0&_forceResultCount=true',
        '?text=[]',
      ]) {
        const answer = await mallory.get(`/Note${query}`);
        const text = JSON.stringify({ ...answer.body, result: answer.body.result });
        expect([query, text.includes('hidden')]).toEqual([query, false]);
        const seen = (await mallory.get('/Note')).body.result_count as number;
        expect(answer.body.result_count ?? 0).toBeLessThanOrEqual(seen);
      }
    });

    it('secrets of users are in no view, filter, sort or error', async () => {
      for (const path of [`/User/${victim}/all`, '/User/ui?name=victim', `/User/${malloryId}/all`]) {
        const { text } = await mallory.get(path);
        expect(text).not.toMatch(/argon2|victims-password/);
      }
      expect([400, 422]).toContain((await mallory.get('/User?password=x')).status);
      expect([400, 422]).toContain((await mallory.get('/User?twoFactorSecret=x')).status);
      const sorted = await mallory.get('/User?_sort=password');
      expect(sorted.text).not.toContain('argon2');
    });

    it('an error about a value that is taken does not tell whose it is', async () => {
      await server.admin.create('User', { name: 'unseen', eMail: 'unseen@example.com' });
      const answer = await mallory.post('/User', { name: 'other', eMail: 'unseen@example.com' });
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0]).not.toHaveProperty('existingNodeUuid');
    });
  });

  it('an error about a former partner whom he may not see names nobody', async () => {
    const { admin } = server;
    const slot = await admin.defineType('Slot', [{ name: 'label', propertyType: 'String' }]);
    const item = await admin.defineType('Item', [{ name: 'code', propertyType: 'String' }]);
    const one = { sourceMultiplicity: '1', targetMultiplicity: '1' };
    await admin.relate(item, 'IN_SLOT', slot, { ...one, sourceJsonName: 'item', targetJsonName: 'slot' });
    await allow(admin, 'Item', 'user', ['POST']);
    const grantees = [{ id: malloryId, allowed: ['read', 'write'] }];
    const shared = await admin.create('Slot', { label: 'shared', grantees });
    const theirs = await admin.create('Item', { slot: shared });
    const { result } = (await admin.get(`/SchemaProperty?name=code&_sort=createdDate&_order=desc`)).body;
    expect((await admin.put(`/SchemaProperty/${result[0].id as string}`, { notNull: true })).status).toBe(200);
    const answer = await mallory.post('/Item', { code: 'mine', slot: shared });
    expect([answer.status, answer.body.errors]).toEqual([422, [{ property: 'code', token: 'must_not_be_empty' }]]);
    // Who sees it is told.
    await admin.put(`/Item/${theirs}`, { code: 'x', grantees });
    await admin.put(`/SchemaProperty/${result[0].id as string}`, { notNull: false });
    await admin.put(`/Item/${theirs}`, { code: null });
    await admin.put(`/SchemaProperty/${result[0].id as string}`, { notNull: true });
    const seen = await mallory.post('/Item', { code: 'mine', slot: shared });
    expect([seen.status, seen.body.errors]).toEqual([
      422,
      [{ type: 'Item', property: 'code', token: 'must_not_be_empty', detail: theirs }],
    ]);
  });

  describe('guessing passwords', () => {
    it('from many connections at once gets no more tries than from one', async () => {
      await server.admin.create('User', { name: 'target', password: 'targets-password', isAdmin: true });
      const guesses = Array.from({ length: 40 }, (_, i) =>
        server.as('target', i === 39 ? 'targets-password' : `guess ${String(i)}`).get('/me'),
      );
      const answers = await Promise.all(guesses);
      expect(answers.every((a) => a.status === 401)).toBe(true);
      const wrong = answers.filter((a) => a.headers['reason'] !== 'loginAttempts');
      expect(wrong).toHaveLength(4);
      expect((await server.as('target', 'targets-password').get('/me')).status).toBe(401);
      const { id } = (await server.admin.get('/User/ui?name=target')).body.result[0] as { id: string };
      await server.admin.patch(`/User/${id}`, { passwordAttempts: 0 });
      expect((await server.as('target', 'targets-password').get('/me')).status).toBe(200);
    });

    it('counts failures in a row: a right password starts again', async () => {
      await server.admin.create('User', { name: 'clumsy', password: 'clumsys-password', isAdmin: true });
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 3; i++) expect((await server.as('clumsy', 'wrong').get('/me')).status).toBe(401);
        expect((await server.as('clumsy', 'clumsys-password').get('/me')).status).toBe(200);
      }
    });

    it('takes as long for an unknown user as for a wrong password', async () => {
      await server.admin.create('User', { name: 'known', password: 'knowns-password' });
      const time = async (name: string): Promise<number> => {
        const since = performance.now();
        await server.as(name, 'wrong').get('/me');
        return performance.now() - since;
      };
      const times = { unknown: [] as number[], known: [] as number[] };
      for (let i = 0; i < 3; i++) {
        times.unknown.push(await time('no such user'));
        times.known.push(await time('known'));
      }
      // Hashing takes tens of milliseconds: without it one of them would be a small part of the other.
      expect(Math.min(...times.unknown)).toBeGreaterThan(Math.min(...times.known) / 4);
    });
  });

  describe('tricks with paths', () => {
    const raw = (path: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(server.port, '127.0.0.1', () => {
          socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
        });
        let text = '';
        socket.on('data', (data) => (text += data.toString()));
        socket.on('end', () => {
          resolve(text);
        });
        socket.on('error', reject);
      });

    it.each([
      '/svc/rest/SchemaNode',
      '/svc/rest//SchemaNode',
      '/svc/rest/schemanode',
      '/svc/rest/SchemaNode/',
      '/svc/rest/SchemaNode.',
      '/svc/rest/SchemaNode%2e',
      '/svc/rest/Schema%4eode',
      '/svc/rest/Note/../SchemaNode',
      '/svc/rest/Note%2f..%2fSchemaNode',
      '/svc/rest/Note/%2e%2e/SchemaNode',
      '/svc/rest/SchemaNode%00',
      '/svc/rest/SchemaNode;x',
      '/svc//rest/SchemaNode',
      '/SVC/REST/SchemaNode',
    ])('%s is no way around a permission', async (path) => {
      const answer = await raw(path);
      expect(answer).toMatch(/^HTTP\/1\.1 (401|404|400) /);
      expect(answer).not.toContain('schemaProperties');
    });
  });

  it('nothing of a request’s headers comes back in those of an answer', async () => {
    const answer = await server.as().get('/me', {
      Cookie: 'JSESSIONID=abc; x=<script>',
      'X-SvcSessionToken': 'token-of-mine',
      Authorization: 'Bearer token-of-mine',
      'X-Forwarded-For': 'token-of-mine',
    });
    expect(JSON.stringify(answer.headers) + answer.text).not.toMatch(/abc|script|token-of-mine/);
  });
});
