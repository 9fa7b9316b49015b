import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** What lets somebody log in as an administrator is written by him and by administrators, whoever may write his object. */
const p = '$.methodParameters';
const EVERYTHING = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const RIGHTS = ['read', 'write', 'delete', 'accessControl'];
const PASSWORD = 'a-password';

/** A value each that is not the one there. */
const LOGIN = {
  password: 'mallorys-own',
  eMail: 'mallory@example.org',
  name: 'somebody-else',
  salt: 'salt',
  blocked: true,
  twoFactorSecret: 'ABCDEFGHIJKLMNOP',
  isTwoFactorUser: false,
  twoFactorConfirmed: false,
};

describe('logins of administrators', () => {
  let server: TestServer;
  let admin: Client;
  let mallory: Client;
  let malloryId: string;
  let groupId: string;
  let targets: { readonly administrator: string; readonly member: string; readonly other: string };
  let chef: Client;

  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    malloryId = await admin.create('User', { name: 'mallory', password: PASSWORD });
    mallory = server.as('mallory', PASSWORD);
    // A type of the application: relations of its own lead to it, so that it is reached as a nested object.
    const staff = await admin.defineType('Staff', [], { inheritedTraits: ['User'] });
    const grantees = [{ id: malloryId, allowed: RIGHTS }];
    const user = (name: string, more: object = {}): Promise<string> =>
      admin.create('Staff', {
        name,
        password: PASSWORD,
        eMail: `${name}@example.org`,
        // Without one given, a new one is made, and no second factor is confirmed.
        twoFactorSecret: 'PONMLKJIHGFEDCBA',
        isTwoFactorUser: true,
        twoFactorConfirmed: true,
        grantees,
        ...more,
      });
    const [administrator, member, other] = [
      await user('boss', { isAdmin: true }),
      await user('deputy'),
      await user('clerk'),
    ];
    targets = { administrator, member, other };
    const chefId = await admin.create('User', { name: 'chef', password: PASSWORD });
    chef = server.as('chef', PASSWORD);
    const inner = await admin.create('Group', { name: 'inner', members: [member, chefId] });
    groupId = await admin.create('Group', { name: 'administrators', isAdmin: true, members: [inner], grantees });
    const work = await admin.defineType('Work', [{ name: 'title', propertyType: 'String' }]);
    await admin.relate(work, 'DONE_BY', staff, {
      sourceMultiplicity: '*',
      targetMultiplicity: '*',
      sourceJsonName: 'work',
      targetJsonName: 'workers',
    });
    await admin.create('SchemaMethod', { name: 'change', source: `{ $.set($.find('User', ${p}.id), ${p}.values); }` });
    for (const type of ['User', 'Principal', 'Group', 'Work'])
      for (const signature of [type, `${type}/_id`]) await allow(admin, signature, 'user', EVERYTHING);
    await allow(admin, 'change', 'user', ['POST']);
  });
  afterAll(() => server.stop());

  const DOORS = {
    'PUT by type': (id: string, values: object) => mallory.put(`/User/${id}`, values),
    'PATCH by trait': (id: string, values: object) => mallory.patch(`/Principal/${id}`, values),
    'PATCH of a list': (id: string, values: object) => mallory.patch('/User', [{ id, ...values }]),
    'nested object': (id: string, values: object) => mallory.post('/Work', { workers: [{ id, ...values }] }),
    script: (id: string, values: object) => mallory.post('/change', { id, values }),
  } as const;
  const stored = async (id: string): Promise<unknown> => {
    const all = (await admin.get(`/User/${id}/all`)).body.result as Record<string, unknown>;
    const { name, eMail, blocked, isTwoFactorUser, twoFactorConfirmed, passwordChangeDate } = all;
    return { name, eMail, blocked, isTwoFactorUser, twoFactorConfirmed, passwordChangeDate };
  };

  for (const [door, send] of Object.entries(DOORS))
    for (const who of ['administrator', 'member'] as const)
      it(`${door}: whoever may write the object of ${who === 'member' ? 'a member of a group of administrators' : 'an administrator'} may not change how he logs in`, async () => {
        const before = await stored(targets[who]);
        for (const [key, value] of Object.entries(LOGIN)) {
          const answer = await send(targets[who], { [key]: value });
          expect([key, answer.status]).toEqual([key, 403]);
        }
        expect(await stored(targets[who])).toEqual(before);
        expect((await send(targets[who], { locale: 'de' })).status).toBeLessThan(300);
      });

  it('the reference by which tokens name a group of administrators is theirs', async () => {
    expect((await mallory.put(`/Group/${groupId}`, { jwksReferenceId: 'mine' })).status).toBe(403);
    expect((await chef.put(`/Group/${groupId}`, { jwksReferenceId: 'mine' })).status).toBe(403);
    expect((await admin.put(`/Group/${groupId}`, { jwksReferenceId: 'theirs' })).status).toBe(200);
  });

  it('members of a group of administrators write that of each other, not that of an administrator', async () => {
    expect((await chef.put(`/User/${targets.member}`, { eMail: 'new@example.org' })).status).toBe(200);
    expect((await chef.put(`/User/${targets.administrator}`, { eMail: 'new2@example.org' })).status).toBe(403);
    expect((await admin.put(`/User/${targets.administrator}`, { eMail: 'new3@example.org' })).status).toBe(200);
  });

  it('other users are written by who has write on them', async () => {
    for (const [key, value] of Object.entries(LOGIN).filter(([one]) => one !== 'salt'))
      expect([key, (await mallory.put(`/User/${targets.other}`, { [key]: value })).status]).toEqual([key, 200]);
  });

  it('nobody becomes the superuser by his id', async () => {
    const id = '0'.repeat(32);
    const user = { id, name: 'zero', password: PASSWORD };
    for (const client of [mallory, admin]) {
      const { status, body } = await client.post('/User', user);
      expect([status, body.errors[0].token]).toEqual([422, 'already_taken']);
    }
    expect((await admin.get(`/User/${id}`)).status).toBe(404);
  });
});
