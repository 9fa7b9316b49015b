import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

/** docs/interface/schema.md 3 to 13: types defined, changed and deleted over REST, without a restart. */
describe('schema', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('a type is usable as soon as the request has been answered, and known to introspection', async () => {
    await server.admin.create('SchemaNode', {
      name: 'Book',
      schemaProperties: [
        { name: 'title', propertyType: 'String', notNull: true, indexed: true },
        { name: 'state', propertyType: 'Enum', format: 'open,done' },
      ],
      schemaViews: [{ name: 'short', nonGraphProperties: 'title, id' }],
    });
    const id = await server.admin.create('Book', { title: 'x', state: 'open' });
    expect((await server.admin.get(`/Book/${id}/short`)).body.result).toEqual({ title: 'x', id });
    expect(Object.keys((await server.admin.get(`/Book/${id}/short`)).body.result)).toEqual(['title', 'id']);
    expect((await server.admin.get(`/Book/${id}`)).body.result).toEqual({ id, type: 'Book', name: null });
    const info = (await server.admin.get('/_schema/Book')).body.result[0];
    expect(info).toMatchObject({ url: '/Book', type: 'Book', isBuiltin: false, isRel: false });
    expect(info.views.custom.title).toMatchObject({
      jsonName: 'title',
      type: 'String',
      notNull: true,
      indexed: true,
      dynamic: true,
      className: 'org.svc.core.property.StringProperty',
    });
    expect(
      ((await server.admin.get('/_schema/Book/custom')).body.result as { jsonName: string }[]).map((p) => p.jsonName),
    ).toEqual(['id', 'type', 'name', 'title', 'state']);
    expect(
      ((await server.admin.get('/_schema')).body.result as { type: string }[]).some((t) => t.type === 'Book'),
    ).toBe(true);
  });

  it('properties are added, changed and removed on a running server', async () => {
    const type = await server.admin.create('SchemaNode', { name: 'Growing' });
    const object = await server.admin.create('Growing', { name: 'g' });
    const property = await server.admin.create('SchemaProperty', {
      schemaNode: type,
      name: 'size',
      propertyType: 'Integer',
    });
    expect((await server.admin.put(`/Growing/${object}`, { size: 3 })).status).toBe(200);
    await server.admin.put(`/SchemaProperty/${property}`, { defaultValue: '7' });
    const fresh = await server.admin.create('Growing', {});
    expect((await server.admin.get(`/Growing/${fresh}/custom`)).body.result.size).toBe(7);
    // In its type, and not as the text of the definition.
    const described = (await server.admin.get('/_schema/Growing/custom')).body.result as unknown as object[];
    expect(described).toContainEqual(expect.objectContaining({ jsonName: 'size', defaultValue: 7 }));
    await server.admin.delete(`/SchemaProperty/${property}`);
    expect((await server.admin.get(`/Growing/${object}/custom`)).body.result).not.toHaveProperty('size');
    await server.admin.create('SchemaProperty', {
      schemaNode: { name: 'Growing' },
      name: 'size',
      propertyType: 'Integer',
    });
    expect((await server.admin.get(`/Growing/${object}/custom`)).body.result.size).toBe(3);
  });

  it('one PATCH of a type keeps, changes and adds properties', async () => {
    const type = await server.admin.create('SchemaNode', {
      name: 'Patched',
      schemaProperties: [{ name: 'a', propertyType: 'String' }],
    });
    const a = (await server.admin.get(`/SchemaNode/${type}/schema`)).body.result.schemaProperties[0];
    expect(a.name).toBe('a');
    const answer = await server.admin.patch(`/SchemaNode/${type}`, {
      schemaProperties: [
        { id: a.id, indexed: true },
        { name: 'b', propertyType: 'Long' },
      ],
    });
    expect(answer.status).toBe(200);
    const info = (await server.admin.get('/_schema/Patched/custom')).body.result as {
      jsonName: string;
      indexed: boolean;
    }[];
    expect(info.slice(3).map((p) => [p.jsonName, p.indexed])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  it('types inherit properties and views, and base types list their subtypes', async () => {
    await server.admin.defineType('Animal', [{ name: 'legs', propertyType: 'Integer' }]);
    await server.admin.defineType('Winged', [{ name: 'span', propertyType: 'Double' }]);
    await server.admin.defineType('Bird', [{ name: 'song', propertyType: 'String' }], {
      inheritedTraits: ['Winged', 'Animal'],
    });
    const id = await server.admin.create('Bird', { legs: 2, span: 1, song: 'la' });
    const bird = (await server.admin.get(`/Animal/${id}`)).body.result;
    expect(bird).toEqual({ id, type: 'Bird', name: null, legs: 2, span: 1, song: 'la' });
    expect(Object.keys(bird)).toEqual(['id', 'type', 'name', 'legs', 'span', 'song']);
    expect((await server.admin.get('/Winged?_pageSize=1')).body.result_count).toBe(1);
    const derived = await server.admin.create('Animal', { type: 'Bird', legs: 1 });
    expect((await server.admin.get(`/Bird/${derived}`)).status).toBe(200);
  });

  it('a built-in type is extended by a schema node of its name, or by staticSchemaNodeName', async () => {
    await server.admin.create('SchemaNode', {
      name: 'Location',
      schemaProperties: [{ name: 'planet', propertyType: 'String' }],
    });
    await server.admin.create('SchemaProperty', {
      staticSchemaNodeName: 'Location',
      name: 'galaxy',
      propertyType: 'String',
    });
    const id = await server.admin.create('Location', { planet: 'Earth', galaxy: 'Milky Way' });
    expect((await server.admin.get(`/Location/${id}/custom`)).body.result).toMatchObject({
      planet: 'Earth',
      galaxy: 'Milky Way',
    });
  });

  it.each([
    ['a bad type name', 'SchemaNode', { name: 'lower' }, 'name', 'must_match'],
    ['no type name', 'SchemaNode', {}, 'name', 'must_match'],
    ['a reserved type name', 'SchemaNode', { name: 'Relation' }, 'name', 'already_exists'],
    [
      'an unknown trait',
      'SchemaNode',
      { name: 'Orphan', inheritedTraits: ['Nowhere'] },
      'inheritedTraits',
      'invalid_property_reference',
    ],
    [
      'itself as a trait',
      'SchemaNode',
      { name: 'Own', inheritedTraits: ['Own'] },
      'inheritedTraits',
      'circular_reference',
    ],
    [
      'conflicting traits',
      'SchemaNode',
      { name: 'Both', inheritedTraits: ['File', 'Folder'] },
      'position',
      'invalid_property_definition',
    ],
    [
      'a bad property name',
      'SchemaNode',
      { name: 'P1', schemaProperties: [{ name: 'Upper', propertyType: 'String' }] },
      'name',
      'must_match',
    ],
    [
      'an unknown property type',
      'SchemaNode',
      { name: 'P2', schemaProperties: [{ name: 'p', propertyType: 'Strange' }] },
      'p',
      'invalid_property_definition',
    ],
    [
      'no property type',
      'SchemaNode',
      { name: 'P3', schemaProperties: [{ name: 'p' }] },
      'p',
      'invalid_property_definition',
    ],
    [
      'an enum without members',
      'SchemaNode',
      { name: 'P4', schemaProperties: [{ name: 'p', propertyType: 'Enum' }] },
      'p',
      'invalid_property_definition',
    ],
    [
      'a default that is no number',
      'SchemaNode',
      { name: 'P5', schemaProperties: [{ name: 'p', propertyType: 'Integer', defaultValue: 'x' }] },
      'p',
      'invalid_property_definition',
    ],
    [
      'a notion of nothing',
      'SchemaNode',
      { name: 'P6', schemaProperties: [{ name: 'p', propertyType: 'Notion', format: 'nothing, name' }] },
      'p',
      'invalid_property_reference',
    ],
    [
      'a broken pattern',
      'SchemaNode',
      { name: 'P7', schemaProperties: [{ name: 'p', propertyType: 'String', format: '(' }] },
      'p',
      'invalid_property_definition',
    ],
    [
      'an unknown static type',
      'SchemaProperty',
      { staticSchemaNodeName: 'Nowhere', name: 'p', propertyType: 'String' },
      'staticSchemaNodeName',
      'invalid_property_reference',
    ],
    [
      'a relationship without ends',
      'SchemaRelationshipNode',
      { relationshipType: 'R' },
      'sourceNode',
      'must_not_be_empty',
    ],
  ])('%s is refused by name, and nothing changes', async (_, type, body, property, token) => {
    const before = (await server.admin.get('/_schema')).body.result_count;
    const answer = await server.admin.post(`/${type}`, body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0]).toMatchObject({ property, token });
    expect((await server.admin.get('/_schema')).body.result_count).toBe(before);
    expect(
      (await server.admin.get(`/${type}?name=${(body as { name?: string }).name ?? 'nothing'}`)).body.result_count,
    ).toBe(0);
  });

  it('a type name is unique', async () => {
    await server.admin.create('SchemaNode', { name: 'Twice' });
    const answer = await server.admin.post('/SchemaNode', { name: 'Twice' });
    expect(answer.body.errors[0]).toMatchObject({ property: 'name', token: 'already_taken' });
  });

  it('relationship names are made up when none are given', async () => {
    const a = await server.admin.create('SchemaNode', { name: 'Source' });
    const b = await server.admin.create('SchemaNode', { name: 'City' });
    const id = await server.admin.relate(a, 'HAS_CITY', b);
    expect((await server.admin.get(`/SchemaRelationshipNode/${id}`)).body.result.name).toBe('SourceHAS_CITYCity');
    const source = await server.admin.create('Source', { name: 's' });
    expect((await server.admin.get(`/Source/${source}/custom`)).body.result).toHaveProperty('hasCityCities');
    expect(
      ((await server.admin.get('/_schema/City/custom')).body.result as { jsonName: string }[]).map((p) => p.jsonName),
    ).toContain('sourceHasCity');
    const info = (await server.admin.get('/_schema/SourceHAS_CITYCity')).body.result[0];
    expect(info).toMatchObject({
      isRel: true,
      relInfo: {
        sourceMultiplicity: '1',
        targetMultiplicity: '*',
        relationshipType: 'HAS_CITY',
        sourceType: 'Source',
        targetType: 'City',
      },
    });
    const [out, back] = await Promise.all(
      ['Source', 'City'].map(
        async (name) => (await server.admin.get(`/_schema/${name}/custom`)).body.result as object[],
      ),
    );
    // Which relationship objects stand behind a property, and at which end.
    const relationship = 'SourceHAS_CITYCity';
    expect(out).toContainEqual(expect.objectContaining({ jsonName: 'hasCityCities', relationship, direction: 'out' }));
    expect(back).toContainEqual(expect.objectContaining({ jsonName: 'sourceHasCity', relationship, direction: 'in' }));
    const twice = await server.admin.post('/SchemaRelationshipNode', {
      sourceId: a,
      targetId: b,
      relationshipType: 'HAS_CITY',
    });
    expect(twice.body.errors[0]).toMatchObject({
      property: 'relationshipType',
      token: 'duplicate_relationship_definition',
    });
  });

  it('deleting a type makes it 404; its objects come back with it', async () => {
    const type = await server.admin.create('SchemaNode', {
      name: 'Phoenix',
      schemaProperties: [{ name: 'age', propertyType: 'Integer' }],
    });
    const id = await server.admin.create('Phoenix', { age: 500 });
    await server.admin.delete(`/SchemaNode/${type}`);
    expect((await server.admin.get('/Phoenix')).status).toBe(404);
    expect((await server.admin.get(`/Phoenix/${id}`)).status).toBe(404);
    expect((await server.admin.get(`/${id}`)).status).toBe(404);
    expect((await server.admin.get('/SchemaProperty?name=age')).body.result_count).toBe(0);
    await server.admin.create('SchemaNode', {
      name: 'Phoenix',
      schemaProperties: [{ name: 'age', propertyType: 'Integer' }],
    });
    expect((await server.admin.get(`/Phoenix/${id}/custom`)).body.result.age).toBe(500);
  });

  it('renaming a property leaves values under the old key, where dbName finds them', async () => {
    const type = await server.admin.create('SchemaNode', {
      name: 'Renamed',
      schemaProperties: [{ name: 'before', propertyType: 'String' }],
    });
    const id = await server.admin.create('Renamed', { before: 'kept' });
    const property = (await server.admin.get(`/SchemaNode/${type}/schema`)).body.result.schemaProperties[0]
      .id as string;
    await server.admin.put(`/SchemaProperty/${property}`, { name: 'after' });
    expect((await server.admin.get(`/Renamed/${id}/custom`)).body.result).toMatchObject({ after: null });
    await server.admin.put(`/SchemaProperty/${property}`, { dbName: 'before' });
    expect((await server.admin.get(`/Renamed/${id}/custom`)).body.result.after).toBe('kept');
  });

  it('renaming a type leaves its objects under the old name', async () => {
    const type = await server.admin.create('SchemaNode', { name: 'OldName' });
    await server.admin.create('OldName', { name: 'stays' });
    await server.admin.put(`/SchemaNode/${type}`, { name: 'NewName' });
    expect((await server.admin.get('/OldName')).status).toBe(404);
    expect((await server.admin.get('/NewName')).body.result_count).toBe(0);
    await server.admin.put(`/SchemaNode/${type}`, { name: 'OldName' });
    expect((await server.admin.get('/OldName')).body.result_count).toBe(1);
  });

  it('changing the type of a property keeps what can be read', async () => {
    const type = await server.admin.create('SchemaNode', {
      name: 'Retyped',
      schemaProperties: [{ name: 'v', propertyType: 'String' }],
    });
    const good = await server.admin.create('Retyped', { v: '12' });
    const bad = await server.admin.create('Retyped', { v: 'twelve' });
    const property = (await server.admin.get(`/SchemaNode/${type}/schema`)).body.result.schemaProperties[0]
      .id as string;
    expect((await server.admin.put(`/SchemaProperty/${property}`, { propertyType: 'Integer' })).status).toBe(200);
    expect((await server.admin.get(`/Retyped/${good}/custom`)).body.result.v).toBe(12);
    expect((await server.admin.get(`/Retyped/${bad}/custom`)).body.result.v).toBeNull();
  });

  it('a compound key is unique as a whole', async () => {
    await server.admin.create('SchemaNode', {
      name: 'Seat',
      schemaProperties: [
        { name: 'row', propertyType: 'Integer', compound: true },
        { name: 'number', propertyType: 'Integer', compound: true },
      ],
    });
    await server.admin.create('Seat', { row: 1, number: 1 });
    expect((await server.admin.post('/Seat', { row: 1, number: 2 })).status).toBe(201);
    const answer = await server.admin.post('/Seat', { row: 1, number: 1 });
    expect(answer.body.errors[0]).toMatchObject({ token: 'already_taken', keys: ['row', 'number'] });
  });

  it('uniqueness covers subtypes', async () => {
    await server.admin.create('SchemaNode', {
      name: 'Document',
      schemaProperties: [{ name: 'number', propertyType: 'String', unique: true }],
    });
    await server.admin.create('SchemaNode', { name: 'Invoice', inheritedTraits: ['Document'] });
    await server.admin.create('Invoice', { number: '1' });
    expect((await server.admin.post('/Document', { number: '1' })).status).toBe(422);
  });

  it('a service class has no instances', async () => {
    await server.admin.create('SchemaNode', { name: 'Service', isServiceClass: true });
    expect((await server.admin.post('/Service', {})).status).toBe(422);
  });

  it('a method is there as soon as it is defined, by its own verb', async () => {
    await server.admin.create('SchemaNode', {
      name: 'Machine',
      schemaMethods: [{ name: 'start', source: '{ return 1; }' }],
    });
    const id = await server.admin.create('Machine', {});
    expect((await server.admin.post(`/Machine/${id}/start`)).body.result).toBe(1);
    expect((await server.admin.get(`/Machine/${id}/start`)).status).toBe(405);
    expect((await server.admin.post(`/Machine/${id}/stop`)).status).toBe(404);
  });

  it('many schema changes at once all hold', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => server.admin.post('/SchemaNode', { name: `Parallel${String(i)}` })),
    );
    expect(answers.map((a) => a.status)).toEqual(Array.from({ length: 12 }, () => 201));
    const after = await Promise.all(
      Array.from({ length: 12 }, (_, i) => server.admin.post(`/Parallel${String(i)}`, {})),
    );
    expect(after.map((a) => a.status)).toEqual(Array.from({ length: 12 }, () => 201));
  });
});
