/** What becomes of a schema that is there: what stays the object that it is, what is told, and nothing that stays behind. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SchemaWorld } from './in-process.js';

let world: SchemaWorld;
beforeAll(async () => {
  world = await SchemaWorld.open();
});
afterAll(() => world.close());
afterEach(() => world.clear());

type Definitions = Record<string, object>;
const apply = (definitions: Definitions, methods: object[] = []) => world.apply({ definitions, methods });

/** Ids of the objects of a type by their names. */
async function ids(type: string): Promise<Record<string, string>> {
  const nodes = await world.graph.read((tx) => tx.find({ kind: 'nodes', trait: type, types: [type] }));
  return Object.fromEntries(nodes.map(({ id, properties }) => [String(properties['name']), id]));
}

const related = (more: object = {}): Definitions => ({
  R: { rel: 'HAS', $source: '#/definitions/A', $target: '#/definitions/B', ...more },
});

describe('replacing a schema', () => {
  it('keeps what has the same name, and tells every difference', async () => {
    await apply(
      {
        A: {
          properties: { due: { type: 'string' }, old: { type: 'long' } },
          methods: { go: { source: '1' } },
          views: { v: ['due'] },
        },
        B: {},
        ...related({ targetName: 'bs' }),
      },
      [{ name: 'sum', source: '1' }],
    );
    const before = { ...(await ids('SchemaNode')), ...(await ids('SchemaProperty')), ...(await ids('SchemaMethod')) };
    const relation = await ids('SchemaRelationshipNode');
    const { differences } = await apply(
      {
        A: {
          category: 'x',
          properties: { due: { type: 'string', format: 'date-time' }, fresh: { type: 'boolean' } },
          methods: { go: { source: '2', parameters: { a: {} } } },
          views: { v: ['due', 'fresh'] },
        },
        B: {},
        C: {},
        ...related({ targetName: 'others', cardinality: 'OneToOne' }),
      },
      [{ name: 'sum', source: '1', httpVerb: 'GET' }],
    );
    expect(differences).toEqual([
      'changed type A: category (none) → x',
      'changed property A.due: propertyType String → Date',
      'added property A.fresh',
      'removed property A.old',
      'changed view A.v: keys due → due, fresh',
      'changed method A.go: source',
      'added parameter A.go.a',
      'added type C',
      'changed relation AHASB: sourceMultiplicity (none) → 1; targetMultiplicity (none) → 1; targetJsonName bs → others',
      'changed function sum: httpVerb (none) → GET',
    ]);
    const after = { ...(await ids('SchemaNode')), ...(await ids('SchemaProperty')), ...(await ids('SchemaMethod')) };
    for (const name of ['A', 'B', 'due', 'go', 'sum']) expect([name, after[name]]).toEqual([name, before[name]]);
    expect(await ids('SchemaRelationshipNode')).toEqual(relation);
  });

  it('touches nothing that is equal, and changes nothing when it only tries', async () => {
    const definitions = { A: { properties: { due: { type: 'string' } } }, B: {}, ...related() };
    await apply(definitions, [{ name: 'sum' }]);
    const { version } = world.schemas.schema;
    expect((await apply(definitions, [{ name: 'sum' }])).differences).toEqual([]);
    const tried = await world.apply({ definitions: { B: {} }, methods: [] }, { dryRun: true });
    expect(tried.differences).toEqual(['removed type A', 'removed relation AHASB', 'removed function sum']);
    expect(world.schemas.schema.version).toBe(version);
    expect((await world.apply(await world.text())).differences).toEqual([]);
  });

  it('leaves no object behind', async () => {
    await apply(
      {
        A: { properties: { a: { type: 'string' } }, methods: { m: { parameters: { p: {} } } }, views: { v: ['a'] } },
        B: {},
        File: { properties: { shelf: { type: 'string' } }, exact: { byNameOnly: true } },
        ...related({ properties: { x: { type: 'string' } } }),
      },
      [{ name: 'sum', parameters: { p: {} } }],
    );
    await world.clear();
    for (const type of [
      'SchemaNode',
      'SchemaProperty',
      'SchemaView',
      'SchemaMethod',
      'SchemaMethodParameter',
      'SchemaRelationshipNode',
    ])
      expect([type, await ids(type)]).toEqual([type, {}]);
  });

  it.each<[string, Definitions, Definitions]>([
    [
      'an end that gets an object of its own',
      { A: {}, R: { rel: 'OF', $source: '#/definitions/A', $target: 'x/static/User' } },
      { A: {}, User: {}, R: { rel: 'OF', $source: '#/definitions/A', $target: '#/definitions/User' } },
    ],
    [
      'relations that change their names',
      {
        A: {},
        B: {},
        ...related({ targetName: 'x', sourceName: 'y' }),
        S: { rel: 'S', $source: '#/definitions/A', $target: '#/definitions/B', targetName: 'z' },
      },
      {
        A: {},
        B: {},
        ...related({ targetName: 'z', sourceName: 'y' }),
        S: { rel: 'S', $source: '#/definitions/A', $target: '#/definitions/B', targetName: 'x' },
      },
    ],
    ['a type that takes the name of its parent away', { A: {}, B: { traits: ['A'] } }, { B: {} }],
    [
      'another order of a view',
      { A: { properties: { a: { type: 'string' }, b: { type: 'string' } }, views: { v: ['a', 'b', 'id'] } } },
      {
        A: {
          properties: { a: { type: 'string' }, b: { type: 'string' } },
          views: { v: ['a', 'b', 'id'] },
          exact: { viewKeys: { v: ['b', 'id', 'a'] } },
        },
      },
    ],
    [
      'an extension by name that becomes an object',
      { File: { exact: { byNameOnly: true }, properties: { a: { type: 'string' } } } },
      { File: { properties: { a: { type: 'string' } } } },
    ],
    ['a view that becomes a method', { A: { views: { v: ['id'] } } }, { A: { methods: { v: {} } } }],
    ['a method that becomes a view', { A: { methods: { v: {} } } }, { A: { views: { v: ['id'] } } }],
    ['a type that becomes a relation', { A: {}, B: {}, AHASB: {} }, { A: {}, B: {}, ...related() }],
    ['a relation that becomes a type', { A: {}, B: {}, ...related() }, { A: {}, B: {}, AHASB: {} }],
  ])('there and back: %s', async (_, first, second) => {
    await apply(first);
    const one = await world.text();
    await world.clear();
    await apply(second);
    const two = await world.text();
    expect(two).not.toBe(one);
    await apply(first);
    expect(await world.text()).toBe(one);
    await apply(second);
    expect(await world.text()).toBe(two);
  });
});

describe('extending a schema', () => {
  it('adds, replaces some, and takes nothing away', async () => {
    await apply(
      {
        A: {
          category: 'c',
          summary: 's',
          tags: ['a'],
          properties: { due: { type: 'string', indexed: true, default: '1' }, stays: { type: 'string' } },
          methods: { m: { source: '1' } },
        },
      },
      [{ name: 'f', source: '1' }],
    );
    const more = {
      definitions: {
        A: {
          tags: ['b'],
          properties: { due: { type: 'long' }, fresh: { type: 'string' } },
          methods: { m: { source: '2' }, n: {} },
        },
        B: {},
      },
      methods: [{ name: 'g' }, { name: 'f', source: '2' }],
    };
    await world.apply(more, { mode: 'extend' });
    const { definitions, methods } = JSON.parse(await world.text()) as {
      definitions: Record<string, Record<string, unknown>>;
      methods: object[];
    };
    expect(definitions['A']).toMatchObject({
      category: 'c',
      tags: ['a', 'b'],
      properties: {
        due: { type: 'long', indexed: true, default: '1' },
        fresh: { type: 'string' },
        stays: { type: 'string' },
      },
      methods: { m: { source: '2' }, n: {} },
    });
    expect(definitions['A']).not.toHaveProperty('summary');
    expect(definitions['B']).toBeDefined();
    expect(methods).toMatchObject([{ name: 'f', source: '2' }, { name: 'g' }]);
  });
});
