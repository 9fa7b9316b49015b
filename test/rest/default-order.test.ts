import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** docs/interface/lists.md 1.7: `defaultSortKey` and `defaultSortOrder` of a type. */
describe('the order that a type has by default', () => {
  let server: TestServer;
  let admin: Client;
  let cd: string;
  let shelf: string;
  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    const shelves = await admin.create('SchemaNode', { name: 'Shelf' });
    cd = await admin.create('SchemaNode', {
      name: 'Record',
      defaultSortKey: 'year',
      defaultSortOrder: 'desc',
      schemaProperties: [
        { name: 'year', propertyType: 'Integer', dbName: 'y' },
        { name: 'code', propertyType: 'Password' },
        { name: 'loose', propertyType: 'Function' },
        { name: 'kept', propertyType: 'Function', indexed: true, readFunction: 'this.name', typeHint: 'string' },
      ],
    });
    await admin.relate(shelves, 'HOLDS', cd, {
      sourceJsonName: 'shelf',
      targetJsonName: 'records',
      autocreationFlag: 1,
    });
    await admin.create('SchemaNode', { name: 'Single', inheritedTraits: ['Record'] });
    shelf = await admin.create('Shelf', {
      records: [
        { name: 'b', year: 1990 },
        { name: 'd', year: 1970 },
        { name: 'a', year: 2000, type: 'Single' },
        { name: 'c', year: 1980, type: 'Single' },
      ],
    });
  });
  afterAll(() => server.stop());

  const names = async (path: string, client = admin): Promise<string> =>
    ((await client.get(path)).body.result as { name: string }[]).map(({ name }) => name).join('');
  const set = (change: object): Promise<Answer> => admin.put(`/SchemaNode/${cd}`, change);

  it('is that of lists, pages and related objects, and of subtypes', async () => {
    expect(await names('/Record')).toBe('abcd');
    expect(await names('/Record?_pageSize=2&_page=2')).toBe('cd');
    expect(await names('/Record?year=[1975 TO ]'.replaceAll(' ', '%20'))).toBe('abc');
    expect(await names(`/Shelf/${shelf}/records`)).toBe('abcd');
    expect(await names('/Single')).toBe('ac');
  });

  it('gives way to _sort', async () => {
    expect(await names('/Record?_sort=year')).toBe('dcba');
    expect(await names('/Record?_sort=name&_order=desc')).toBe('dcba');
  });

  it('holds for whoever may read the list', async () => {
    await allow(admin, 'Record', 'anonymous', ['GET']);
    for (const record of (await admin.get('/Record')).body.result as { id: string }[])
      await admin.put(`/Record/${record.id}`, { visibleToPublicUsers: true });
    expect(await names('/Record', server.as())).toBe('abcd');
    expect((await server.as().get('/Single')).status).toBe(401);
  });

  it('changes with the type, which subtypes may have their own', async () => {
    expect((await set({ defaultSortOrder: null })).status).toBe(200);
    expect(await names('/Record')).toBe('dcba');
    await set({ defaultSortKey: 'kept', defaultSortOrder: 'asc' });
    expect(await names('/Record')).toBe('abcd');
    const single = (await admin.get('/SchemaNode?name=Single')).body.result[0].id as string;
    await admin.put(`/SchemaNode/${single}`, { defaultSortKey: 'name', defaultSortOrder: 'desc' });
    expect(await names('/Single')).toBe('ca');
    await set({ defaultSortKey: 'year', defaultSortOrder: 'desc' });
  });

  it.each([
    ['nonsense', 'no property'],
    ['shelf', 'related objects'],
    ['code', 'a secret'],
    ['loose', 'a value that is not stored'],
    ['year.x', 'a dotted name'],
  ])('is stored and told of when it cannot be by %s: %s', async (defaultSortKey) => {
    expect((await set({ defaultSortKey })).status).toBe(200);
    await server.untilLogged(new RegExp(`SchemaNode Record: defaultSortKey ${defaultSortKey} has no effect`));
    expect((await admin.get('/Record')).body.result).toHaveLength(4);
  });

  it('is asc or desc, in capitals or not', async () => {
    expect((await set({ defaultSortKey: 'year', defaultSortOrder: 'ASC' })).status).toBe(200);
    expect(await names('/Record')).toBe('dcba');
    expect((await set({ defaultSortOrder: 'DESC' })).status).toBe(200);
    expect(await names('/Record')).toBe('abcd');
    expect((await set({ defaultSortOrder: 'sideways' })).status).toBe(200);
    await server.untilLogged(/SchemaNode Record: defaultSortOrder sideways has no effect/);
    await set({ defaultSortOrder: 'desc' });
  });

  it('can be by what comes with the same request, or is inherited', async () => {
    await admin.create('SchemaNode', {
      name: 'Track',
      inheritedTraits: ['Record'],
      defaultSortKey: 'length',
      schemaProperties: [{ name: 'length', propertyType: 'Integer' }],
    });
    await admin.create('SchemaNode', { name: 'Side', inheritedTraits: ['Record'], defaultSortKey: 'year' });
    await admin.create('SchemaNode', { name: 'Page2', inheritedTraits: ['File'], defaultSortKey: 'size' });
    const both = await admin.post('/SchemaNode', [
      { name: 'Base9', schemaProperties: [{ name: 'rank', propertyType: 'Integer' }] },
      { name: 'Top9', inheritedTraits: ['Base9'], defaultSortKey: 'rank' },
    ]);
    expect(both.status).toBe(201);
  });

  it('decides which page a DELETE means', async () => {
    expect((await admin.delete('/Record?_pageSize=1')).status).toBe(200);
    expect(await names('/Record')).toBe('bcd');
    expect((await admin.delete(`/Shelf/${shelf}/records?_pageSize=1`)).status).toBe(200);
    expect(await names('/Record')).toBe('cd');
  });

  it('is none when its property is gone', async () => {
    const year = (await admin.get(`/SchemaProperty?name=year`)).body.result[0].id as string;
    expect((await admin.delete(`/SchemaProperty/${year}`)).status).toBe(200);
    expect((await names('/Record')).split('').sort().join('')).toBe('cd');
  });
});

describe('the order of keys of a view', () => {
  it('can be given for relationships, too', async () => {
    const server = await TestServer.start();
    try {
      const { admin } = server;
      const node = await admin.create('SchemaNode', { name: 'Point' });
      const relation = await admin.create('SchemaRelationshipNode', {
        sourceId: node,
        targetId: node,
        relationshipType: 'TO',
        schemaProperties: [
          { name: 'first', propertyType: 'String' },
          { name: 'second', propertyType: 'String' },
        ],
        schemaViews: [{ name: 'short', nonGraphProperties: 'first,second', sortOrder: 'second' }],
      });
      const [a, b] = [await admin.create('Point', {}), await admin.create('Point', {})];
      const link = await admin.create('PointTOPoint', { sourceId: a, targetId: b });
      const keys = async (): Promise<string[]> =>
        Object.keys((await admin.get(`/PointTOPoint/${link}/short`)).body.result as object);
      expect(await keys()).toEqual(['second', 'first']);
      await admin.put(`/SchemaRelationshipNode/${relation}`, {
        schemaViews: [{ name: 'short', nonGraphProperties: 'second,first', sortOrder: 'alphabetic' }],
      });
      expect(await keys()).toEqual(['first', 'second']);
    } finally {
      await server.stop();
    }
  });
});
