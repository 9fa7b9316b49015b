/** Why somebody may do what with an object (docs/interface/security.md 9.10): what is told is what happens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

interface Rule {
  readonly rule: string;
  readonly permits: boolean;
  readonly principal?: { readonly name?: string };
  readonly path?: readonly { readonly relType: string; readonly name: string }[];
}
interface Told {
  readonly permitted: boolean;
  readonly rules: readonly Rule[];
}

describe('why somebody may do what', () => {
  let server: TestServer;
  let admin: Client;
  const ids = new Map<string, string>();
  const id = (name: string): string => ids.get(name) ?? '';
  const make = async (type: string, name: string, values: Record<string, unknown> = {}): Promise<void> => {
    ids.set(name, await admin.create(type, { name, ...values }));
  };
  const told = async (object: string, user?: string): Promise<Record<string, Told>> => {
    const answer = await admin.get(`/_access/${id(object)}${user === undefined ? '' : `?user=${id(user)}`}`);
    expect(answer.status).toBe(200);
    return answer.body.result.rights as Record<string, Told>;
  };
  /** The rules that permit, with the principal that they are of. */
  const permitting = (right: Told | undefined): string[] =>
    (right?.rules ?? [])
      .filter(({ permits }) => permits)
      .map(({ rule, principal }) => [rule, principal?.name].filter(Boolean).join(' '));

  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    await admin.post('/SchemaNode', [
      { name: 'Town' },
      { name: 'House' },
      { name: 'Open', defaultVisibleToAuth: true },
    ]);
    const types = (await admin.get('/SchemaNode?name=Town;House')).body.result as { id: string; name: string }[];
    const type = (name: string): string => types.find((one) => one.name === name)?.id ?? '';
    await admin.post('/SchemaRelationshipNode', {
      sourceNode: type('Town'),
      targetNode: type('House'),
      sourceJsonName: 'town',
      targetJsonName: 'houses',
      sourceMultiplicity: '1',
      targetMultiplicity: '*',
      relationshipType: 'HAS',
      permissionPropagation: 'Out',
      readPropagation: 'Add',
    });
    for (const name of ['anna', 'bert', 'carl', 'dora']) await make('User', name, { password: `${name}s-password` });
    await make('User', 'gone', { password: 'gones-password', blocked: true });
    await make('Group', 'inner', { members: [id('anna')] });
    await make('Group', 'outer', { members: [id('inner')] });
    await make('Group', 'admins', { isAdmin: true, members: [id('dora')] });
    await make('Town', 'owned', { owner: id('anna'), grantees: [{ id: id('bert'), allowed: ['read'] }] });
    await make('Town', 'by group', { grantees: [{ id: id('outer'), allowed: ['read', 'write'] }] });
    await make('Town', 'for users', { visibleToAuthenticatedUsers: true });
    await make('Town', 'for all', { visibleToPublicUsers: true });
    await make('House', 'house', { town: id('by group') });
    await make('Open', 'open');
    await admin.post('/SchemaGrant', { principal: id('outer'), schemaNode: type('House'), allowDelete: true });
    for (const one of ['Town', 'House', 'Open']) {
      await allow(admin, `${one}/_id`, 'user', ['GET', 'PUT', 'DELETE']);
      await allow(admin, `${one}/_id`, 'anonymous', ['GET']);
    }
  });
  afterAll(() => server.stop());

  it('names owners and grants, of groups above as well', async () => {
    const anna = await told('owned', 'anna');
    for (const right of ['read', 'write', 'delete', 'accessControl'])
      expect([anna[right]?.permitted, permitting(anna[right])]).toEqual([true, ['owner anna']]);
    const bert = await told('owned', 'bert');
    expect(permitting(bert['read'])).toEqual(['grant bert']);
    expect(bert['write']).toMatchObject({ permitted: false });
    expect(bert['write']?.rules).toContainEqual({
      rule: 'grant',
      permits: false,
      principal: { id: id('bert'), type: 'User', name: 'bert' },
      allowed: ['read'],
    });
    expect(bert['write']?.rules).toContainEqual(
      expect.objectContaining({ rule: 'owner', permits: false, principal: expect.objectContaining({ name: 'anna' }) }),
    );
    expect(permitting((await told('by group', 'anna'))['write'])).toEqual(['grant outer']);
  });

  it('names flags, what the type says in their place, schema grants, and the way along relationships', async () => {
    expect(permitting((await told('for users', 'carl'))['read'])).toEqual(['visibleToAuthenticatedUsers']);
    expect((await told('for users'))['read']).toMatchObject({ permitted: false });
    expect(permitting((await told('for all'))['read'])).toEqual(['visibleToPublicUsers']);
    expect(permitting((await told('open', 'carl'))['read'])).toEqual(['typeVisibility']);
    await admin.put(`/Open/${id('open')}`, { visibleToPublicUsers: true });
    expect((await told('open'))['read']).toMatchObject({
      permitted: false,
      rules: expect.arrayContaining([{ rule: 'visibleToPublicUsers', permits: false, ignored: true }]),
    });
    expect(permitting((await told('house', 'anna'))['delete'])).toEqual(['schemaGrant outer']);
    const { read } = await told('house', 'anna');
    expect(permitting(read)).toEqual(['propagation']);
    expect(read?.rules.find(({ rule }) => rule === 'propagation')?.path).toMatchObject([
      { relType: 'HAS', direction: 'in', name: 'by group' },
    ]);
    // Flags do not go along.
    await make('House', 'of all', { town: id('for all') });
    expect((await told('of all', 'carl'))['read']).toMatchObject({ permitted: false });
  });

  it('finds the way over several relationships, as far as rights go', async () => {
    const [region] = (await admin.post('/SchemaNode', { name: 'Region' })).body.result as string[];
    await admin.post('/SchemaRelationshipNode', {
      sourceNode: region,
      targetNode: region,
      sourceJsonName: 'above',
      targetJsonName: 'below',
      sourceMultiplicity: '1',
      targetMultiplicity: '*',
      relationshipType: 'PART',
      permissionPropagation: 'Out',
      readPropagation: 'Add',
    });
    await allow(admin, 'Region/_id', 'user', ['GET']);
    await make('Region', 'r0', { grantees: [{ id: id('carl'), allowed: ['read'] }] });
    for (let i = 1; i < 8; i++) await make('Region', `r${String(i)}`, { above: id(`r${String(i - 1)}`) });
    const carl = server.as('carl', 'carls-password');
    for (let i = 0; i < 8; i++) {
      const { read } = await told(`r${String(i)}`, 'carl');
      const isSeen = (await carl.get(`/Region/${id(`r${String(i)}`)}`)).status === 200;
      // application.security.resolution.depth is 5.
      expect([i, read?.permitted, isSeen]).toEqual([i, i <= 5, i <= 5]);
      const path = read?.rules.find(({ rule }) => rule === 'propagation')?.path;
      const names = Array.from({ length: i }, (_, k) => `r${String(i - 1 - k)}`);
      expect(path?.map(({ name }) => name)).toEqual(i === 0 || i > 5 ? undefined : names);
    }
  });

  it('names administrators, themselves and who is blocked', async () => {
    expect(permitting((await told('owned', 'dora'))['write'])).toEqual(['adminGroup']);
    const me = (await admin.get('/me')).body.result.id as string;
    ids.set('admin', me);
    expect(permitting((await told('owned', 'admin'))['write'])).toEqual(['administrator']);
    ids.set('user bert', id('bert'));
    expect(permitting((await told('bert', 'bert'))['write'])).toContain('self');
    expect(permitting((await told('inner', 'anna'))['read'])).toEqual(['ownGroup']);
    const gone = await told('for users', 'gone');
    expect(gone['read']).toMatchObject({ permitted: false });
    expect(gone['read']?.rules[0]).toEqual({ rule: 'blocked', permits: false });
  });

  it('tells what happens, for every user and object', async () => {
    const objects = ['owned', 'by group', 'for users', 'for all', 'house', 'of all', 'open'];
    const users = ['anna', 'bert', 'carl', 'dora', 'gone', undefined];
    for (const object of objects)
      for (const user of users) {
        const type = object === 'open' ? 'Open' : ['house', 'of all'].includes(object) ? 'House' : 'Town';
        const client = user === undefined ? server.as() : server.as(user, `${user}s-password`);
        const path = `/${type}/${id(object)}`;
        const rights = await told(object, user);
        const seen = (await client.get(path)).status === 200;
        expect([object, user, rights['read']?.permitted]).toEqual([object, user, seen]);
        // Nothing changes by it.
        const written = (await client.put(path, { title: `by ${user ?? ''}` })).status === 200;
        const mayWrite = rights['read']?.permitted === true && rights['write']?.permitted === true;
        expect([object, user, mayWrite]).toEqual([object, user, written]);
        for (const right of Object.values(rights)) {
          const some = permitting(right).length > 0;
          expect([object, user, right.permitted]).toEqual([object, user, some && user !== 'gone']);
        }
      }
  });

  it('tells whether they may use the endpoint', async () => {
    const { endpoints } = (await admin.get(`/_access/${id('owned')}?user=${id('anna')}`)).body.result;
    expect(endpoints['PUT']).toEqual({ signature: 'Town/_id', permitted: true });
    const anonymous = (await admin.get(`/_access/${id('owned')}`)).body.result;
    expect([anonymous.user, anonymous.endpoints['GET'].permitted, anonymous.endpoints['PUT'].permitted]).toEqual([
      null,
      true,
      false,
    ]);
  });

  it('is for administrators alone, and says what is not there', async () => {
    const path = `/_access/${id('owned')}`;
    expect((await server.as('carl', 'carls-password').get(path)).status).toBe(401);
    await allow(admin, '_access/_id', 'user', ['GET']);
    expect((await server.as('carl', 'carls-password').get(path)).status).toBe(403);
    expect((await server.as('dora', 'doras-password').get(path)).status).toBe(403);
    expect((await admin.get(`/_access/${'0'.repeat(31)}1`)).status).toBe(404);
    expect((await admin.get(`${path}?user=${id('outer')}`)).status).toBe(404);
    expect((await admin.get(`${path}?name=a`)).status).toBe(400);
    expect((await admin.post(path, {})).status).toBe(405);
  });
});
