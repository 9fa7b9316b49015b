/** What Neo4j's engine keeps of lists: counts and pages far from the beginning are what they are without, whoever writes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AccessRule,
  type Graph,
  type IndexDefinition,
  newId,
  type NodeQuery,
  openNeo4jGraph,
  type ReadTransaction,
  StatementLog,
  type WriteTransaction,
} from '../../src/main/graph/index.js';
import { exclusive } from '../support/neo4j-lock.js';
import { BESIDE, cypher, neo4jOptions, neo4jUrl, openEmpty } from './neo4j.js';

const THINGS = 1400;
const ids: readonly string[] = Array.from({ length: THINGS }, newId);
const thingId = (i: number): string => ids[i] ?? '';
const HAS = { relType: 'HAS', direction: 'out', types: ['Thing'] } as const;

const rule = (more: Partial<AccessRule>): AccessRule => ({
  right: 'read',
  principals: [],
  ids: [],
  types: [],
  keys: ['visibleToPublicUsers'],
  ...more,
});
const RULES: Record<string, AccessRule | undefined> = {
  administrator: undefined,
  anonymous: rule({}),
  user: rule({ principals: ['user'], keys: ['visibleToAuthenticatedUsers'] }),
};
const LISTS: Record<string, NodeQuery> = {
  sorted: { kind: 'nodes', types: ['Thing'], sort: [{ key: 'number' }] },
  filtered: {
    kind: 'nodes',
    types: ['Thing'],
    where: { op: 'equals', key: 'category', value: 'many' },
    sort: [{ key: 'number' }],
  },
  'of a hub': { kind: 'nodes', from: { id: 'hub', step: HAS } },
  'by a hub': {
    kind: 'nodes',
    types: ['Thing'],
    where: { op: 'relatedAll', ids: ['hub'], step: { relType: 'HAS', direction: 'in', types: ['Hub'] } },
    sort: [{ key: 'number' }],
  },
};
/** Each statement takes Neo4j long to plan. */
const ASKED = [
  ['sorted', 'administrator'],
  ['sorted', 'anonymous'],
  ['filtered', 'user'],
  ['of a hub', 'administrator'],
  ['by a hub', 'user'],
] as const;

describe.skipIf(neo4jUrl === undefined)('lists that are kept, Neo4j', () => {
  exclusive();
  let one: Graph;
  let other: Graph;
  const sent: string[] = [];
  const queries = ASKED.map(([list, who]) => {
    const access = RULES[who];
    const query = { ...LISTS[list], kind: 'nodes', ...(access === undefined ? {} : { access }) } as const;
    return { name: `${list}, ${who}`, query };
  });

  beforeAll(async () => {
    const statements = new StatementLog(({ text }) => {
      if (!BESIDE.test(text) || text.includes('AS guard')) sent.push(text);
    });
    statements.all = true;
    one = (await openEmpty({ statements })).graph;
    other = await openNeo4jGraph(neo4jOptions());
    const index = (key: string): IndexDefinition => ({ trait: 'Thing', types: ['Thing'], key, unique: false });
    await one.setIndexes([index('number'), index('category')]);
    await one.indexesReady();
    await one.write(
      async (tx) => {
        await tx.createNode({ id: 'hub', type: 'Hub', properties: {} });
        await tx.createNode({ id: 'user', type: 'User', properties: {} });
        for (let i = 0; i < THINGS; i++) await makeThing(tx, thingId(i), i);
      },
      { timeout: 0 },
    );
  }, 120_000);
  afterAll(async () => {
    await one.close();
    await other.close();
  });

  async function makeThing(tx: WriteTransaction, id: string, i: number): Promise<void> {
    const flags = { visibleToPublicUsers: i % 10 !== 3, visibleToAuthenticatedUsers: i % 10 < 7 };
    const category = i % 7 === 1 ? 'few' : 'many';
    await tx.createNode({
      id,
      type: 'Thing',
      properties: { number: (i * 7919) % 3001, category, note: 'a', ...flags },
    });
    await link(tx, 'HAS', 'hub', id);
    if (i % 5 === 0) await link(tx, 'OWNS', 'user', id);
  }

  async function link(tx: WriteTransaction, relType: string, sourceId: string, targetId: string): Promise<string> {
    const id = newId();
    await tx.createRelationship({ id, type: `X${relType}`, relType, sourceId, targetId, properties: {} });
    return id;
  }

  /** All lists, and their counts, as far as they are counted. */
  async function shown(tx: ReadTransaction): Promise<Record<string, unknown>> {
    const all: Record<string, unknown> = {};
    for (const { name, query } of queries) {
      // Across the place where the ids that are kept begin anew.
      const page = await tx.find({ ...query, offset: query.access === undefined ? 990 : 440, limit: 50 });
      all[name] = page.map(({ id, properties }) => [id, properties]);
      all[`count, ${name}`] = await tx.count(query, query.access === undefined ? undefined : 600);
    }
    return all;
  }

  /** In a transaction that writes nothing is kept. */
  const asItIs = (): Promise<Record<string, unknown>> => one.write((tx) => shown(tx), { timeout: 0 });

  const MADE = newId();
  let linked = '';
  const changes: Record<string, (tx: WriteTransaction) => Promise<unknown>> = {
    'a value of the order': (tx) => tx.updateNode(thingId(1000), { number: -1, category: 'few' }),
    'a value that is shown only': (tx) => tx.updateNode(thingId(700), { note: 'b' }),
    'a new object': (tx) => makeThing(tx, MADE, 5),
    'an object less': (tx) => tx.deleteNode(thingId(4)),
    'a flag': (tx) => tx.updateNode(thingId(21), { visibleToPublicUsers: false, visibleToAuthenticatedUsers: false }),
    'a right': (tx) => link(tx, 'OWNS', 'user', thingId(8)),
    'a second relationship': async (tx) => (linked = await link(tx, 'HAS', 'hub', thingId(30))),
    'that less': (tx) => tx.deleteRelationship(linked),
    'another type': (tx) => tx.setNodeType(thingId(40), 'Other'),
    'the hub': (tx) => tx.deleteNode('hub'),
  };

  test('is found without looking at anything before it', async () => {
    const expected = await asItIs();
    expect(await one.read((tx) => shown(tx))).toEqual(expected);
    sent.length = 0;
    expect(await one.read((tx) => shown(tx))).toEqual(expected);
    const walked = sent.filter((text) => !text.includes('AS guard'));
    // Of one list the number is one that Neo4j knows.
    expect(walked).toEqual([expect.stringMatching(/RETURN count\(\*\)$/)]);
    // What does not concern them leaves them as they are, of whichever instance.
    for (const graph of [one, other]) {
      await graph.write((tx) => tx.createNode({ id: newId(), type: 'Plain', properties: { number: 1 } }));
      await graph.write((tx) => tx.updateNode(thingId(3), { note: `of ${graph === one ? 'one' : 'other'}` }));
    }
    const after = await asItIs();
    sent.length = 0;
    expect(await one.read((tx) => shown(tx))).toEqual(after);
    expect(sent.filter((text) => !text.includes('AS guard')).length).toBe(walked.length);
  });

  test.each(Object.keys(changes))('%s counts at once', async (change) => {
    const [writer, reader] = Object.keys(changes).indexOf(change) % 2 === 0 ? [one, other] : [other, one];
    // Kept by both, whoever wrote before.
    for (const graph of [one, other]) await graph.read((tx) => shown(tx));
    await writer.write((tx) => changes[change]?.(tx) ?? Promise.resolve());
    const found = [await reader.read((tx) => shown(tx)), await writer.read((tx) => shown(tx), { snapshot: true })];
    const expected = await asItIs();
    for (const each of found) expect(each).toEqual(expected);
  });

  test('what another client makes or takes away is seen at once', async () => {
    const query = { ...LISTS['sorted'], kind: 'nodes', offset: 300, limit: 20 } as const;
    const page = (): Promise<string[]> => one.read(async (tx) => (await tx.find(query)).map(({ id }) => id));
    for (let time = 0; time < 3; time++) await page();
    await cypher('MATCH (n:`_svc_type_Thing`) WITH n ORDER BY n.number LIMIT 3 DETACH DELETE n');
    expect(await page()).toEqual(await one.write(async (tx) => (await tx.find(query)).map(({ id }) => id)));
  });
});
