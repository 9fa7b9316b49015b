import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/**
 * Who says who may do what: `accessControl`, by whatever door. What hands out rights asks for these rights. What runs or counts with the
 * rights of others is written by administrators.
 */
const EVERYTHING = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const RIGHTS = ['read', 'write', 'delete', 'accessControl'];
/** What decides about the rights of others. */
const DECIDING = [
  'SchemaNode',
  'SchemaMethod',
  'SchemaProperty',
  'SchemaView',
  'SchemaRelationshipNode',
  'SchemaMethodParameter',
  'SchemaGrant',
  'ResourceAccess',
  'CorsSetting',
];
const LOCAL = 'org.svc.storage.providers.local.LocalFSStorageProvider';
const p = '$.methodParameters';

const SCRIPTS = {
  own: `{ $.set($.find('Thing', ${p}.id), 'owner', $.me); }`,
  share: `{ $.find('Thing', ${p}.id).grantees = [$.find('User', ${p}.jane)]; }`,
  show: `{ $.find('Thing', ${p}.id).visibleToPublicUsers = true; }`,
  give: `{ $.grant($.me, $.find('Thing', ${p}.id), 'read, write, delete, accessControl'); }`,
  copy: `{ $.copyPermissions($.find('Thing', ${p}.from), $.find('Thing', ${p}.id), true); }`,
  relate: `{ $.createRelationship($.me, $.find('Thing', ${p}.id), 'OWNS'); }`,
  open: `{ $.createRelationship($.find('Box', ${p}.box), $.find('Thing', ${p}.id), 'OPENS'); }`,
  make: `{ return $.create(${p}.type, ${p}.values).id; }`,
  change: `{ $.set($.find(${p}.type, ${p}.id), ${p}.values); }`,
  remove: `{ $.delete($.find(${p}.type, ${p}.id)); }`,
} as const;

describe('access control', () => {
  let server: TestServer;
  let admin: Client;
  let mallory: Client;
  let malloryId: string;
  let janeId: string;

  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    const thing = await admin.defineType('Thing', [{ name: 'title', propertyType: 'String' }]);
    const box = await admin.defineType('Box');
    const lid = await admin.defineType('Lid');
    const carries = {
      sourceMultiplicity: '*',
      readPropagation: 'Add',
      writePropagation: 'Add',
      deletePropagation: 'Add',
    };
    await admin.relate(box, 'OPENS', thing, {
      ...carries,
      sourceJsonName: 'boxes',
      targetJsonName: 'things',
      permissionPropagation: 'Out',
    });
    await admin.relate(thing, 'COVERED_BY', lid, {
      ...carries,
      sourceJsonName: 'covered',
      targetJsonName: 'lids',
      permissionPropagation: 'In',
    });
    malloryId = await admin.create('User', { name: 'mallory', password: 'a-password' });
    janeId = await admin.create('User', { name: 'jane', password: 'a-password', visibleToAuthenticatedUsers: true });
    mallory = server.as('mallory', 'a-password');
    const types = [
      'Thing',
      'Box',
      'Lid',
      'BoxOPENSThing',
      'ThingCOVERED_BYLid',
      'Security',
      'PrincipalOwnsNode',
      'Image',
    ];
    for (const type of [
      ...types,
      'User',
      'VideoFile',
      'VideoFileHAS_POSTER_IMAGEImage',
      'File',
      'MailTemplate',
      ...DECIDING,
    ])
      for (const signature of [type, `${type}/_id`]) await allow(admin, signature, 'user', EVERYTHING);
    for (const signature of ['Thing/_id/grantees', 'Thing/_id/owner', 'Box/_id/things', 'Thing/_id/boxes'])
      await allow(admin, signature, 'user', EVERYTHING);
    for (const [name, source] of Object.entries(SCRIPTS)) {
      await admin.create('SchemaMethod', { name, source });
      await allow(admin, name, 'user', ['POST']);
    }
  });
  afterAll(() => server.stop());

  const make = (type: string, allowed: readonly string[], more: object = {}): Promise<string> =>
    admin.create(type, { ...more, grantees: [{ id: malloryId, allowed }] });
  const own = async (type: string, values: object = {}): Promise<string> =>
    (await mallory.post(`/${type}`, values)).body.result[0] as string;

  /** Who has which rights on an object, and who sees it, in one value. */
  async function rights(id: string): Promise<unknown> {
    const links = (await admin.get(`/Security?targetId=${id}&_sort=sourceId`)).body.result as Record<string, unknown>[];
    const { owner, visibleToPublicUsers, visibleToAuthenticatedUsers } = (await admin.get(`/${id}/ui`)).body.result;
    const granted = links.map(({ sourceId, allowed }) => [sourceId, allowed]);
    return { owner: owner?.id, visibleToPublicUsers, visibleToAuthenticatedUsers, granted };
  }

  describe('rights on an object', () => {
    const DOORS: readonly (readonly [string, (id: string) => Promise<Answer>])[] = [
      ['owner', (id) => mallory.put(`/Thing/${id}`, { owner: malloryId })],
      ['owner, taken away', (id) => mallory.put(`/Thing/${id}`, { owner: null })],
      ['ownerId', (id) => mallory.patch(`/Thing/${id}`, { ownerId: malloryId })],
      ['the sub-collection of owners', (id) => mallory.put(`/Thing/${id}/owner`, { a: malloryId })],
      ['grantees', (id) => mallory.put(`/Thing/${id}`, { grantees: [{ id: malloryId, allowed: RIGHTS }] })],
      ['grantees, emptied', (id) => mallory.put(`/Thing/${id}`, { grantees: [] })],
      ['the sub-collection of grantees', (id) => mallory.put(`/Thing/${id}/grantees`, { a: janeId })],
      ['visibleToPublicUsers', (id) => mallory.put(`/Thing/${id}`, { visibleToPublicUsers: true })],
      ['visibleToAuthenticatedUsers', (id) => mallory.patch('/Thing', [{ id, visibleToAuthenticatedUsers: true }])],
      ['Security', (id) => mallory.post('/Security', { sourceId: janeId, targetId: id, allowed: RIGHTS })],
      ['Security, changed', async (id) => mallory.put(`/Security/${await security(id)}`, { allowed: RIGHTS })],
      ['Security, in bulk', async (id) => mallory.patch('/Security', [{ id: await security(id), allowed: RIGHTS }])],
      ['Security, deleted', async (id) => mallory.delete(`/Security/${await security(id)}`)],
      ['PrincipalOwnsNode', (id) => mallory.post('/PrincipalOwnsNode', { sourceId: malloryId, targetId: id })],
      ['ownedNodes', (id) => mallory.put(`/User/${malloryId}`, { ownedNodes: [id] })],
      ['set of a script', (id) => mallory.post('/own', { id })],
      ['an assignment in a script', (id) => mallory.post('/share', { id, jane: janeId })],
      ['a flag in a script', (id) => mallory.post('/show', { id })],
      ['grant', (id) => mallory.post('/give', { id })],
      ['copyPermissions', async (id) => mallory.post('/copy', { id, from: await own('Thing') })],
      ['createRelationship', (id) => mallory.post('/relate', { id })],
    ];
    const security = async (id: string): Promise<string> =>
      (await admin.get(`/Security?targetId=${id}&sourceId=${malloryId}`)).body.result[0].id as string;

    describe.each(DOORS)('by %s', (_, send) => {
      it('are not changed by who may read, write and delete it', async () => {
        const id = await make('Thing', ['read', 'write', 'delete'], { owner: janeId });
        const before = await rights(id);
        expect((await send(id)).status).toBe(403);
        expect(await rights(id)).toEqual(before);
      });

      it('are changed by who has accessControl', async () => {
        const id = await make('Thing', ['read', 'accessControl'], { owner: janeId });
        const before = await rights(id);
        expect((await send(id)).status).toBeLessThan(300);
        expect(await rights(id)).not.toEqual(before);
      });
    });

    it('accessControl alone writes nothing else', async () => {
      const id = await make('Thing', ['read', 'accessControl'], { title: 'old' });
      expect((await mallory.put(`/Thing/${id}`, { title: 'new' })).status).toBe(403);
      expect((await mallory.put(`/Thing/${id}`, { visibleToPublicUsers: true, title: 'new' })).status).toBe(403);
      expect((await admin.get(`/Thing/${id}/all`)).body.result).toMatchObject({
        title: 'old',
        visibleToPublicUsers: false,
      });
      expect((await mallory.delete(`/Thing/${id}`)).status).toBe(403);
    });

    it('write does not become delete', async () => {
      const id = await make('Thing', ['read', 'write']);
      await mallory.put(`/Thing/${id}`, { grantees: [{ id: malloryId, allowed: RIGHTS }] });
      await mallory.put(`/Thing/${id}`, { owner: malloryId });
      expect((await mallory.delete(`/Thing/${id}`)).status).toBe(403);
      expect((await mallory.put(`/Thing/${id}`, { title: 'written' })).status).toBe(200);
    });

    it('clients that send whole objects back are understood', async () => {
      const id = await make('Thing', ['read', 'write'], { visibleToAuthenticatedUsers: true });
      const whole = { title: 'x', visibleToAuthenticatedUsers: true, visibleToPublicUsers: false };
      expect((await mallory.put(`/Thing/${id}`, whole)).status).toBe(200);
      const refused = await mallory.put(`/Thing/${id}`, { ...whole, visibleToPublicUsers: true });
      expect([refused.status, refused.body.errors[0]]).toMatchObject([403, { property: 'visibleToPublicUsers' }]);
    });

    it('of a new object are said by who creates it, and later by its owner', async () => {
      const grantees = [{ id: janeId, allowed: ['read'] }];
      const id = await own('Thing', { visibleToPublicUsers: true, grantees });
      expect(await rights(id)).toMatchObject({ owner: malloryId, visibleToPublicUsers: true });
      expect((await mallory.put(`/Thing/${id}`, { visibleToPublicUsers: false, grantees: [] })).status).toBe(200);
      expect((await mallory.put(`/Thing/${id}`, { owner: janeId })).status).toBe(200);
    });
  });

  describe('a relationship along which rights go', () => {
    const DOORS: readonly (readonly [string, (box: string, thing: string) => Promise<Answer>])[] = [
      ['the property', (box, thing) => mallory.put(`/Box/${box}`, { things: [thing] })],
      ['the sub-collection', (box, thing) => mallory.put(`/Box/${box}/things`, { a: thing })],
      ['the relationship', (box, thing) => mallory.post('/BoxOPENSThing', { sourceId: box, targetId: thing })],
      ['relationships', (box, thing) => mallory.patch('/BoxOPENSThing', [{ sourceId: box, targetId: thing }])],
      ['a new object', (_, thing) => mallory.post('/Box', { things: [thing] })],
      ['createRelationship', (box, thing) => mallory.post('/open', { box, id: thing })],
    ];
    describe.each(DOORS)('made by %s', (_, send) => {
      it.each([
        [['read'], false],
        [['read', 'write'], false],
        [['read', 'write', 'delete'], false],
        [['read', 'accessControl'], false],
        [['read', 'write', 'accessControl'], false],
        [RIGHTS, true],
      ] as const)('hands out what is held: %s, %s', async (held, may) => {
        const thing = await make('Thing', held);
        const before = await admin.get(`/Thing/${thing}/ui`);
        const answer = await send(await own('Box'), thing);
        expect(answer.status < 300).toBe(may);
        if (!may) expect((await admin.get(`/Thing/${thing}/ui`)).body.result).toEqual(before.body.result);
        expect((await mallory.delete(`/Thing/${thing}`)).status).toBe(
          may ? 200 : held.length === 3 && held[2] === 'delete' ? 200 : 403,
        );
      });
    });

    it('is made from the other end by who holds that, whatever he may do with what gets the rights', async () => {
      const box = await make('Box', ['read']);
      expect((await mallory.post('/Thing', { boxes: [box] })).status).toBe(201);
    });

    it('against its direction asks for the other end', async () => {
      const thing = await make('Thing', ['read']);
      expect((await mallory.post('/ThingCOVERED_BYLid', { sourceId: thing, targetId: await own('Lid') })).status).toBe(
        403,
      );
      const lid = await make('Lid', ['read']);
      expect((await mallory.post('/ThingCOVERED_BYLid', { sourceId: await own('Thing'), targetId: lid })).status).toBe(
        201,
      );
    });

    it('is removed by who might make it', async () => {
      const linked = async (held: readonly string[]): Promise<{ box: string; link: string }> => {
        const [box, thing] = [await make('Box', RIGHTS), await make('Thing', held)];
        return { box, link: await admin.create('BoxOPENSThing', { sourceId: box, targetId: thing }) };
      };
      // The rights on the box reach the thing, but `accessControl` does not.
      const { box, link } = await linked(['read']);
      expect((await mallory.delete(`/BoxOPENSThing/${link}`)).status).toBe(403);
      expect((await mallory.put(`/Box/${box}`, { things: [] })).status).toBe(403);
      const other = await linked(RIGHTS);
      expect((await mallory.delete(`/BoxOPENSThing/${other.link}`)).status).toBe(200);
    });

    it('of a poster opens no image and no video', async () => {
      const [image, video] = [
        await make('Image', ['read'], { name: 'i' }),
        await make('VideoFile', ['read'], { name: 'v' }),
      ];
      const [mine, film] = [await own('Image', { name: 'mine' }), await own('VideoFile', { name: 'film' })];
      for (const send of [
        () => mallory.put(`/VideoFile/${film}`, { posterImage: image }),
        () => mallory.put(`/Image/${mine}`, { posterImageOfVideo: video }),
        () => mallory.post('/VideoFileHAS_POSTER_IMAGEImage', { sourceId: film, targetId: image }),
        () => mallory.post('/VideoFileHAS_POSTER_IMAGEImage', { sourceId: video, targetId: mine }),
      ])
        expect((await send()).status).toBe(403);
      expect((await mallory.delete(`/Image/${image}`)).status).toBe(403);
      expect((await mallory.put(`/VideoFile/${film}`, { posterImage: mine })).status).toBe(200);
    });

    it('to a group of administrators, or to one below it, is made by who is one', async () => {
      for (const signature of ['Group/_id', 'GroupCONTAINSPrincipal', 'Group'])
        await allow(admin, signature, 'user', EVERYTHING);
      const below = await make('Group', RIGHTS, { name: 'below' });
      const admins = await make('Group', RIGHTS, { name: 'admins', isAdmin: true, members: [below] });
      for (const group of [admins, below])
        for (const send of [
          () => mallory.put(`/Group/${group}`, { members: [malloryId] }),
          () => mallory.put('/me', { groups: [group] }),
          () => mallory.post('/GroupCONTAINSPrincipal', { sourceId: group, targetId: malloryId }),
        ])
          expect((await send()).status).toBe(403);
      const plain = await make('Group', RIGHTS, { name: 'plain' });
      expect((await mallory.put(`/Group/${plain}`, { members: [malloryId] })).status).toBe(200);
      // What they have would become what the members of that group have.
      expect((await mallory.put(`/Group/${admins}`, { members: [plain, below] })).status).toBe(403);
    });

    it('of a storage goes from the file to its configuration only', async () => {
      const configuration = await make('StorageConfiguration', ['read'], { name: 'shared', provider: LOCAL });
      const file = await admin.create('File', { name: 'private', storageConfiguration: configuration });
      expect((await mallory.get(`/File/${file}`)).status).toBe(404);
      const seen = await admin.create('StorageConfiguration', { name: 'by file', provider: LOCAL });
      await make('File', ['read'], { name: 'theirs', storageConfiguration: seen });
      await allow(admin, 'StorageConfiguration/_id', 'user', ['GET']);
      expect((await mallory.get(`/StorageConfiguration/${seen}`)).status).toBe(200);
    });
  });

  describe('what runs or counts with the rights of others', () => {
    const VALUES: Readonly<Record<string, object>> = {
      SchemaNode: { name: 'Planted' },
      SchemaMethod: { name: 'planted', source: "{ $.doPrivileged(() => $.delete($.find('User'))); }" },
      SchemaProperty: { name: 'planted', propertyType: 'String', staticSchemaNodeName: 'User' },
      SchemaView: { name: 'planted' },
      SchemaRelationshipNode: { relationshipType: 'PLANTED', sourceType: 'User', targetType: 'User' },
      SchemaMethodParameter: { name: 'planted' },
      SchemaGrant: { staticSchemaNodeName: 'User', allowRead: true },
      ResourceAccess: { signature: 'Planted', flags: 1 },
      CorsSetting: { requestUri: '/planted' },
    };

    it.each(DECIDING)('%s is written by administrators alone, whatever is permitted', async (type) => {
      const values = VALUES[type] ?? {};
      const before = (await admin.get(`/${type}`)).body.result_count as number;
      for (const answer of [
        await mallory.post(`/${type}`, { ...values, ...(type === 'SchemaGrant' ? { principal: malloryId } : {}) }),
        await mallory.patch(`/${type}`, [values]),
        await mallory.post('/make', { type, values }),
      ])
        expect([answer.status, answer.body.message]).toEqual([403, expect.stringContaining('administrators')]);
      expect((await admin.get(`/${type}`)).body.result_count).toBe(before);
    });

    it.each(['SchemaNode', 'SchemaMethod', 'ResourceAccess', 'CorsSetting'])(
      '%s is not changed or deleted even by who was granted all rights on it',
      async (type) => {
        const id = await make(type, RIGHTS, {
          ...VALUES[type],
          ...(type === 'SchemaMethod' ? { name: 'theirs' } : {}),
        });
        expect((await mallory.get(`/${type}/${id}`)).status).toBe(200);
        for (const answer of [
          await mallory.put(`/${type}/${id}`, { name: 'Changed' }),
          await mallory.patch(`/${type}`, [{ id, name: 'Changed' }]),
          await mallory.post('/change', { type, id, values: { name: 'Changed' } }),
          await mallory.delete(`/${type}/${id}`),
          await mallory.delete(`/${type}?id=${id}`),
          await mallory.post('/remove', { type, id }),
        ])
          expect(answer.status).toBe(403);
        expect((await admin.get(`/${type}/${id}`)).body.result.name).not.toBe('Changed');
        await admin.delete(`/${type}/${id}`);
      },
    );

    it('nor is it made as a part of something else', async () => {
      const type = await make('SchemaNode', RIGHTS, { name: 'Container' });
      const nested = { schemaMethods: [{ name: 'planted', source: '1' }] };
      expect((await mallory.put(`/SchemaNode/${type}`, nested)).status).toBe(403);
      expect((await mallory.post('/SchemaNode', { name: 'Planted', ...nested })).status).toBe(403);
      expect((await admin.get('/SchemaMethod?name=planted')).body.result_count).toBe(0);
      await admin.delete(`/SchemaNode/${type}`);
    });

    it('texts of mails hold no scripts of users', async () => {
      expect((await mallory.post('/MailTemplate', { name: 'X_BODY', text: '${me.password}' })).status).toBe(403);
      expect((await mallory.post('/MailTemplate', { name: 'RESET_PASSWORD_BASE_URL', text: 'http://x' })).status).toBe(
        403,
      );
      expect((await mallory.post('/MailTemplate', { name: 'X_BODY', text: 'Hello ${name}' })).status).toBe(201);
    });

    it('a setting leaves it to the permissions', async () => {
      await server.reload({ 'security.administration.byusers': true });
      const made = await mallory.post('/CorsSetting', VALUES['CorsSetting']);
      await server.reload({ 'security.administration.byusers': false });
      expect(made.status).toBe(201);
      expect((await mallory.post('/CorsSetting', VALUES['CorsSetting'])).status).toBe(403);
    });

    it('skipping ownership is decided by administrators', async () => {
      for (const answer of [
        await mallory.put('/me', { skipSecurityRelationships: true }),
        await mallory.put(`/User/${malloryId}`, { skipSecurityRelationships: true }),
        await mallory.post('/User', { name: 'new', password: 'a-password', skipSecurityRelationships: true }),
        await mallory.post('/change', { type: 'User', id: malloryId, values: { skipSecurityRelationships: true } }),
      ])
        expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'is_read_only_property']);
      expect((await mallory.put('/me', { skipSecurityRelationships: false, locale: 'de' })).status).toBe(200);
      const plain = { name: 'plain', password: 'a-password', skipSecurityRelationships: false };
      expect((await mallory.post('/User', plain)).status).toBe(201);
      const skipping = { ...plain, name: 'skipping', skipSecurityRelationships: true };
      expect((await admin.post('/User', skipping)).status).toBe(201);
    });
  });
});
