import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.js';
import { TestServer } from '../support/server.js';

const LONG = 'a'.repeat(201);

/** docs/interface/schema.md 2, 4, 6, docs/interface/builtin-types.md: what the service corrects, refuses and removes in schema objects and other built-in types. */
describe('rules of built-in types', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const first = (answer: Answer): unknown => (answer.body as { errors?: unknown[] }).errors?.[0];
  const refused = (answer: Answer, token: object): void => {
    expect(answer.status).toBe(422);
    expect((answer.body as { errors: unknown[] }).errors).toEqual(
      expect.arrayContaining([expect.objectContaining(token) as unknown]),
    );
  };
  const count = async (path: string): Promise<number> =>
    ((await server.admin.get(path)).body as { result_count: number }).result_count;

  describe('methods', () => {
    const flags = async (id: string): Promise<unknown> => {
      const { isStatic, isPrivate, includeInOpenAPI } = (await server.admin.get(`/SchemaMethod/${id}`)).body
        .result as Record<string, unknown>;
      return { isStatic, isPrivate, includeInOpenAPI };
    };

    it('deleteMethod deletes an existing method, also within its type, and is nothing to a new one', async () => {
      const type = await server.admin.create('SchemaNode', {
        name: 'Doomed',
        schemaMethods: [
          { name: 'one', deleteMethod: true },
          { name: 'two', parameters: [{ name: 'p' }] },
          { name: 'three' },
        ],
      });
      const methods = (await server.admin.get(`/SchemaNode/${type}/schema`)).body.result.schemaMethods as {
        id: string;
        name: string;
      }[];
      const id = (name: string): string => methods.find((m) => m.name === name)?.id ?? '';
      expect((await server.admin.get(`/SchemaMethod/${id('one')}/all`)).body.result.deleteMethod).toBe(false);
      const patched = await server.admin.patch(`/SchemaNode/${type}`, {
        schemaMethods: [{ id: id('one') }, { id: id('two'), deleteMethod: true }, { id: id('three') }],
      });
      expect(patched.status).toBe(200);
      expect((await server.admin.get(`/SchemaMethod/${id('two')}`)).status).toBe(404);
      expect(await count('/SchemaMethodParameter?name=p')).toBe(0);
      expect((await server.admin.put(`/SchemaMethod/${id('three')}`, { deleteMethod: true })).status).toBe(200);
      expect((await server.admin.get(`/SchemaNode/${type}/schema`)).body.result.schemaMethods).toMatchObject([
        { name: 'one' },
      ]);
    });

    it('flags are corrected at creation and at every change', async () => {
      const type = await server.admin.create('SchemaNode', { name: 'Flagged' });
      const service = await server.admin.create('SchemaNode', { name: 'FlaggedService', isServiceClass: true });
      const save = await server.admin.create('SchemaMethod', {
        schemaNode: type,
        name: 'onSaveSomething',
        isStatic: true,
        includeInOpenAPI: true,
      });
      expect(await flags(save)).toEqual({ isStatic: false, isPrivate: true, includeInOpenAPI: false });
      await server.admin.put(`/SchemaMethod/${save}`, { isPrivate: false, isStatic: true });
      expect(await flags(save)).toEqual({ isStatic: false, isPrivate: true, includeInOpenAPI: false });
      const global = await server.admin.create('SchemaMethod', { name: 'flaggedFunction', includeInOpenAPI: true });
      expect(await flags(global)).toEqual({ isStatic: true, isPrivate: false, includeInOpenAPI: true });
      const ofService = await server.admin.create('SchemaMethod', { schemaNode: service, name: 'serve' });
      expect(await flags(ofService)).toMatchObject({ isStatic: true });
      const plain = await server.admin.create('SchemaMethod', {
        schemaNode: type,
        name: 'plain',
        isPrivate: true,
        includeInOpenAPI: true,
      });
      expect(await flags(plain)).toEqual({ isStatic: false, isPrivate: true, includeInOpenAPI: false });
    });

    it('names differ on one level, whatever their case', async () => {
      const detail = 'Multiple methods with identical names (case-insensitive) are not supported on the same level';
      const token = { property: 'name', token: 'already_exists', detail };
      const type = await server.admin.create('SchemaNode', { name: 'Levels', schemaMethods: [{ name: 'runIt' }] });
      refused(await server.admin.post('/SchemaMethod', { schemaNode: type, name: 'runit' }), token);
      await server.admin.create('SchemaMethod', { name: 'runIt' });
      refused(await server.admin.post('/SchemaMethod', { name: 'runit' }), token);
      await server.admin.create('SchemaMethod', { staticSchemaNodeName: 'Location', name: 'runIt' });
      refused(await server.admin.post('/SchemaMethod', { staticSchemaNodeName: 'Location', name: 'runit' }), token);
      await server.admin.create('SchemaMethod', { staticSchemaNodeName: 'File', name: 'runIt' });
      refused(
        await server.admin.post('/SchemaNode', { name: 'Levels2', schemaMethods: [{ name: 'x' }, { name: 'x' }] }),
        token,
      );
    });

    it('a method is not called like any view of its type', async () => {
      await server.admin.create('SchemaNode', { name: 'Viewed', schemaViews: [{ name: 'short' }] });
      for (const [owner, name] of [
        [{ schemaNode: { name: 'Viewed' } }, 'short'],
        [{ schemaNode: { name: 'Viewed' } }, 'public'],
        [{ staticSchemaNodeName: 'Page' }, 'category'],
      ] as const) {
        refused(await server.admin.post('/SchemaMethod', { ...owner, name }), {
          property: 'name',
          token: 'already_exists',
          detail: `A view with name '${name}' already exists, cannot create method with the same name`,
        });
      }
      const token = { property: 'name', token: 'already_exists' };
      refused(
        await server.admin.post('/SchemaNode', {
          name: 'ViewedToo',
          schemaViews: [{ name: 'brief' }],
          schemaMethods: [{ name: 'brief' }],
        }),
        token,
      );
      refused(
        await server.admin.post('/SchemaNode', {
          name: 'ViewedHeir',
          inheritedTraits: ['Viewed'],
          schemaMethods: [{ name: 'short' }],
        }),
        token,
      );
    });

    it.each(['SchemaMethod', 'SchemaGrant'])('a %s names a type that exists', async (type) => {
      const principal = await server.admin.create('Group', { name: `static ${type}` });
      const more = type === 'SchemaGrant' ? { principal, allowRead: true } : { name: 'dangling' };
      refused(await server.admin.post(`/${type}`, { staticSchemaNodeName: 'Nowhere', ...more }), {
        property: 'staticSchemaNodeName',
        token: 'invalid_property_reference',
      });
      expect((await server.admin.post(`/${type}`, { staticSchemaNodeName: 'Folder', ...more })).status).toBe(201);
    });
  });

  describe('types', () => {
    it.each(['Relation', 'Property', 'Security'])('%s is no name for a type', async (name) => {
      const answer = await server.admin.post('/SchemaNode', { name });
      expect([answer.status, answer.body.message]).toEqual([
        422,
        `Type '${name}' already exists. To prevent unwanted/unexpected behavior this is forbidden.`,
      ]);
      expect(first(answer)).toMatchObject({ property: 'name', token: 'already_exists' });
    });

    it('inherited traits are kept in order, each once', async () => {
      await server.admin.create('SchemaNode', { name: 'TraitB' });
      await server.admin.create('SchemaNode', { name: 'TraitA' });
      const id = await server.admin.create('SchemaNode', {
        name: 'TraitHeir',
        inheritedTraits: ['TraitB', 'TraitA', 'TraitB'],
      });
      expect((await server.admin.get(`/SchemaNode/${id}`)).body.result.inheritedTraits).toEqual(['TraitA', 'TraitB']);
      await server.admin.put(`/SchemaNode/${id}`, { inheritedTraits: ['TraitB', 'TraitB'] });
      expect((await server.admin.get(`/SchemaNode/${id}`)).body.result.inheritedTraits).toEqual(['TraitB']);
    });

    it('names have at most 200 characters', async () => {
      const token = (property: string): object => ({ property, token: 'must_be_shorter_than', detail: 200 });
      const type = await server.admin.create('SchemaNode', { name: 'B'.repeat(200) });
      refused(await server.admin.post('/SchemaNode', { name: `A${LONG}` }), token('name'));
      refused(
        await server.admin.post('/SchemaProperty', { schemaNode: type, name: LONG, propertyType: 'String' }),
        token('name'),
      );
      refused(await server.admin.post('/SchemaView', { schemaNode: type, name: LONG }), token('name'));
      const ends = { sourceId: type, targetId: type, relationshipType: 'R' };
      refused(
        await server.admin.post('/SchemaRelationshipNode', { ...ends, relationshipType: LONG }),
        token('relationshipType'),
      );
      refused(
        await server.admin.post('/SchemaRelationshipNode', { ...ends, targetJsonName: LONG }),
        token('targetJsonName'),
      );
    });

    it.each([
      [{ cascadingDeleteFlag: 5 }, '0, 1, 2, 3, 4'],
      [{ cascadingDeleteFlag: -1 }, '0, 1, 2, 3, 4'],
      [{ autocreationFlag: 4 }, '0, 1, 2, 3'],
      [{ autocreationFlag: 2 ** 60 }, '0, 1, 2, 3'],
      [{ permissionPropagation: 'Sideways' }, 'None, In, Out, Both'],
      [{ readPropagation: 'Drop' }, 'Add, Keep, Remove'],
    ])('a relationship with %j is refused', async (flag, detail) => {
      const answer = await server.admin.post('/SchemaRelationshipNode', {
        sourceType: 'Location',
        targetType: 'Folder',
        relationshipType: 'FLAGGED',
        ...flag,
      });
      refused(answer, { property: Object.keys(flag)[0], token: 'must_be_one_of', detail });
    });

    it('a view has a name that is no uuid', async () => {
      const type = await server.admin.create('SchemaNode', { name: 'ViewNames' });
      refused(await server.admin.post('/SchemaView', { schemaNode: type }), {
        property: 'name',
        token: 'must_not_be_empty',
      });
      refused(await server.admin.post('/SchemaView', { schemaNode: type, name: '0123456789abcdef'.repeat(2) }), {
        property: 'name',
        token: 'must_match',
      });
      await server.admin.create('SchemaView', { schemaNode: type, name: '0123456789abcdef' });
    });
  });

  describe('properties', () => {
    it('names and stored keys of one type differ', async () => {
      const type = await server.admin.create('SchemaNode', {
        name: 'Siblings',
        schemaProperties: [{ name: 'a', propertyType: 'String', dbName: 'stored' }],
      });
      const add = (more: object): Promise<Answer> =>
        server.admin.post('/SchemaProperty', { schemaNode: type, propertyType: 'Integer', ...more });
      refused(await add({ name: 'a' }), { property: 'name', token: 'already_exists' });
      refused(await add({ name: 'b', dbName: 'stored' }), { property: 'dbName', token: 'already_taken' });
      refused(await add({ name: 'stored' }), { property: 'name', token: 'already_taken' });
      // A function stores nothing.
      expect((await add({ name: 'stored', propertyType: 'Function' })).status).toBe(201);
      refused(
        await server.admin.post('/SchemaNode', {
          name: 'Siblings2',
          schemaProperties: [
            { name: 'a', propertyType: 'String' },
            { name: 'a', propertyType: 'Integer' },
          ],
        }),
        { property: 'name', token: 'already_exists' },
      );
      // Replaced in one request: the old one is on no type any more.
      const replaced = await server.admin.patch(`/SchemaNode/${type}`, {
        schemaProperties: [{ name: 'a', propertyType: 'Integer' }],
      });
      expect(replaced.status).toBe(200);
    });

    it('a built-in type gets a property once, on whatever way', async () => {
      const property = { name: 'floor', propertyType: 'Integer' };
      await server.admin.create('SchemaProperty', { staticSchemaNodeName: 'Location', ...property });
      refused(await server.admin.post('/SchemaProperty', { staticSchemaNodeName: 'Location', ...property }), {
        property: 'name',
        token: 'already_exists',
      });
      refused(await server.admin.post('/SchemaNode', { name: 'Location', schemaProperties: [property] }), {
        property: 'name',
        token: 'already_exists',
      });
    });

    it.each([
      ['hidden', { name: 'hidden', propertyType: 'Boolean' }, 'name'],
      ['owner', { name: 'owner', propertyType: 'String' }, 'name'],
      ['type', { name: 'type', propertyType: 'String' }, 'name'],
      ['createdDate', { name: 'born', dbName: 'createdDate', propertyType: 'Date' }, 'dbName'],
      ['visibleToPublicUsers', { name: 'v', dbName: 'visibleToPublicUsers', propertyType: 'Boolean' }, 'dbName'],
      ['id', { name: 'key', dbName: 'id', propertyType: 'String' }, 'dbName'],
    ])('%s of every object is not redefined', async (builtin, property, blamed) => {
      const answer = await server.admin.post('/SchemaNode', { name: 'BaseClash', schemaProperties: [property] });
      refused(answer, { property: blamed, token: 'already_exists' });
      expect((first(answer) as { detail: string }).detail).toContain(builtin);
    });

    it('name may be redefined, and relationships keep clear of their own base', async () => {
      const type = await server.admin.create('SchemaNode', {
        name: 'NameAgain',
        schemaProperties: [
          { name: 'name', propertyType: 'String', notNull: true },
          { name: 'sourceId', propertyType: 'String' },
        ],
      });
      const relationship = await server.admin.relate(type, 'AGAIN', type);
      const add = (name: string): Promise<Answer> =>
        server.admin.post('/SchemaProperty', { schemaNode: relationship, name, propertyType: 'String' });
      refused(await add('sourceId'), { property: 'name', token: 'already_exists' });
      expect((await add('name')).status).toBe(201);
    });

    it.each([
      ['User', { name: 'password', propertyType: 'String' }, 'name'],
      ['User', { name: 'salt', propertyType: 'String' }, 'name'],
      ['User', { name: 'isUser', propertyType: 'Boolean' }, 'name'],
      ['User', { name: 'groups', propertyType: 'String' }, 'name'],
      ['User', { name: 'hash', dbName: 'password', propertyType: 'String' }, 'dbName'],
      ['Folder', { name: 'path', propertyType: 'String' }, 'name'],
      ['Folder', { name: 'parentId', propertyType: 'String' }, 'name'],
      ['Location', { name: 'city', propertyType: 'Integer' }, 'name'],
    ])('%s is not extended by %j', async (type, property, blamed) => {
      const token = { property: blamed, token: 'already_exists' };
      refused(await server.admin.post('/SchemaProperty', { staticSchemaNodeName: type, ...property }), token);
      refused(await server.admin.post('/SchemaNode', { name: type, schemaProperties: [property] }), token);
    });

    it('a type that is renamed to a built-in one is looked at again', async () => {
      const type = await server.admin.create('SchemaNode', {
        name: 'Impostor',
        schemaProperties: [{ name: 'password', propertyType: 'String' }],
      });
      refused(await server.admin.put(`/SchemaNode/${type}`, { name: 'User' }), {
        property: 'name',
        token: 'already_exists',
      });
    });

    it('a built-in property may get other flags', async () => {
      const property = { staticSchemaNodeName: 'Location', name: 'city', propertyType: 'String', notNull: true };
      const id = await server.admin.create('SchemaProperty', property);
      refused(await server.admin.post('/Location', {}), { property: 'city', token: 'must_not_be_empty' });
      refused(await server.admin.put(`/SchemaProperty/${id}`, { propertyType: 'Integer' }), {
        token: 'already_exists',
      });
      await server.admin.delete(`/SchemaProperty/${id}`);
    });

    it('computations of the service are not for schemas, and no text finds inherited ones', async () => {
      const type = await server.admin.create('SchemaNode', { name: 'Computing' });
      const add = (more: object): Promise<Answer> =>
        server.admin.post('/SchemaProperty', { schemaNode: type, ...more });
      for (const format of ['filePath', 'constructor']) {
        refused(await add({ name: 'c', propertyType: 'Computed', format }), {
          property: 'c',
          token: 'invalid_property_definition',
        });
      }
      expect((await add({ name: 'f', propertyType: 'Function', typeHint: 'constructor' })).status).toBe(201);
      expect((await server.admin.get('/_schema/Computing')).status).toBe(200);
      const id = await server.admin.create('Computing', {});
      expect((await server.admin.get(`/Computing/${id}/all`)).body.result.f).toBeNull();
    });
  });

  describe('uniqueness', () => {
    it('lists are unique as a whole', async () => {
      await server.admin.defineType('ListKey', [{ name: 'path', propertyType: 'StringArray', unique: true }]);
      const id = await server.admin.create('ListKey', { path: ['a', 'b'] });
      expect((await server.admin.post('/ListKey', { path: ['b', 'a'] })).status).toBe(201);
      refused(await server.admin.post('/ListKey', { path: ['a', 'b'] }), {
        property: 'path',
        token: 'already_taken',
        existingNodeUuid: id,
      });
      expect((await server.admin.put(`/ListKey/${id}`, { path: ['a', 'b'], name: 'same' })).status).toBe(200);
      for (const path of [[], [], null]) expect((await server.admin.post('/ListKey', { path })).status).toBe(201);
    });

    it('a redeclared name is unique among objects of the very type', async () => {
      await server.admin.create('SchemaNode', {
        name: 'Titled',
        schemaProperties: [{ name: 'name', propertyType: 'String', unique: true }],
      });
      await server.admin.create('SchemaNode', { name: 'TitledHeir', inheritedTraits: ['Titled'] });
      await server.admin.create('Titled', { name: 'x' });
      expect((await server.admin.post('/TitledHeir', { name: 'x' })).status).toBe(201);
      for (const type of ['Titled', 'TitledHeir']) {
        refused(await server.admin.post(`/${type}`, { name: 'x' }), { property: 'name', token: 'already_taken' });
      }
    });

    it('relationships have compound keys too', async () => {
      const type = await server.admin.create('SchemaNode', { name: 'Slot' });
      await server.admin.relate(type, 'NEXT', type, {
        sourceMultiplicity: '*',
        schemaProperties: [
          { name: 'day', propertyType: 'String', compound: true },
          { name: 'hour', propertyType: 'Integer', compound: true },
        ],
      });
      const [a, b, c] = [
        await server.admin.create('Slot', {}),
        await server.admin.create('Slot', {}),
        await server.admin.create('Slot', {}),
      ];
      const link = (targetId: string, hour: number): Promise<Answer> =>
        server.admin.post('/SlotNEXTSlot', { sourceId: a, targetId, day: 'monday', hour });
      expect((await link(b, 1)).status).toBe(201);
      refused(await link(c, 1), { token: 'already_taken', keys: ['day', 'hour'] });
      const other = await link(c, 2);
      expect(other.status).toBe(201);
      const [id = ''] = other.body.result as string[];
      refused(await server.admin.put(`/SlotNEXTSlot/${id}`, { hour: 1 }), { token: 'already_taken' });
    });
  });

  describe('grants', () => {
    let principal: string;
    let type: string;
    beforeAll(async () => {
      principal = await server.admin.create('Group', { name: 'granted' });
      type = await server.admin.create('SchemaNode', { name: 'Granted' });
    });

    it('one for each principal and type', async () => {
      const id = await server.admin.create('SchemaGrant', { principal, schemaNode: type, allowRead: true });
      refused(await server.admin.post('/SchemaGrant', { principal, schemaNode: type, allowWrite: true }), {
        token: 'already_taken',
        keys: ['principal', 'schemaNode', 'staticSchemaNodeName'],
        existingNodeUuid: id,
      });
      const named = { principal, staticSchemaNodeName: 'Folder', allowRead: true };
      await server.admin.create('SchemaGrant', named);
      refused(await server.admin.post('/SchemaGrant', named), { token: 'already_taken' });
      await server.admin.delete(`/SchemaGrant/${id}`);
    });

    it('one that grants nothing goes away', async () => {
      const exists = async (id: string): Promise<boolean> =>
        (await server.admin.get(`/SchemaGrant/${id}`)).status === 200;
      expect(await exists(await server.admin.create('SchemaGrant', { schemaNode: type, allowRead: true }))).toBe(false);
      expect(await exists(await server.admin.create('SchemaGrant', { principal, allowRead: true }))).toBe(false);
      const id = await server.admin.create('SchemaGrant', { principal, schemaNode: type });
      expect(await exists(id)).toBe(true);
      await server.admin.put(`/SchemaGrant/${id}`, { allowWrite: true });
      expect(await exists(id)).toBe(true);
      await server.admin.put(`/SchemaGrant/${id}`, { allowWrite: false });
      expect(await exists(id)).toBe(false);
      const unlinked = await server.admin.create('SchemaGrant', { principal, schemaNode: type, allowRead: true });
      expect((await server.admin.put(`/SchemaGrant/${unlinked}`, { principal: null })).status).toBe(200);
      expect(await exists(unlinked)).toBe(false);
    });
  });

  describe('content', () => {
    it.each(['#', '?', '%', ';', '/'])('a page name has no %s', async (character) => {
      refused(await server.admin.post('/Page', { name: `a${character}b` }), {
        property: 'name',
        token: 'contains_illegal_characters',
      });
    });

    it('a name in the DOM has no slashes', async () => {
      refused(await server.admin.post('/Div', { name: 'a/b' }), { property: 'name', token: 'may_not_contain_slashes' });
      expect((await server.admin.post('/Div', { name: 'a#b' })).status).toBe(201);
      expect((await server.admin.post('/Page', { name: 'a b' })).status).toBe(201);
      expect((await server.admin.post('/Page', {})).status).toBe(201);
    });

    it('a localization is visible to all from the start', async () => {
      const visible = async (id: string): Promise<unknown> => {
        const { result } = (await server.admin.get(`/Localization/${id}/ui`)).body as {
          result: Record<string, unknown>;
        };
        return [result['visibleToPublicUsers'], result['visibleToAuthenticatedUsers']];
      };
      const id = await server.admin.create('Localization', { name: 'hi', locale: 'en', visibleToPublicUsers: false });
      expect(await visible(id)).toEqual([true, true]);
      await server.admin.put(`/Localization/${id}`, { visibleToPublicUsers: false });
      expect(await visible(id)).toEqual([false, true]);
    });
  });

  it('after all this the server starts again', async () => {
    server = await server.restart();
    expect((await server.admin.get('/Siblings')).status).toBe(200);
  });
});
