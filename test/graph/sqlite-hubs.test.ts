/** Lists of what is linked to one node, by whatever way they are found, are what looking at each node gives (docs/design/sqlite.md 15). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Graph, type GraphNode, newId, type NodeQuery, openSqliteGraph } from '../../src/main/graph/index.js';
import { Random } from '../fuzz/random.js';
import { tryAll } from '../support/random.js';
import { HubModel } from './hub-model.js';

const step = { relType: 'HAS', direction: 'in', types: ['Hub'] } as const;
const forward = { relType: 'HAS', direction: 'out', types: ['Thing'] } as const;
const things = { kind: 'nodes', trait: 'Thing', types: ['Thing'] } as const;

describe('what is linked to a hub', () => {
  let graph: Graph;
  let path: string;
  const hubs: string[] = [];
  /** Hubs of each thing, in the order of linking; things in the order of creation. */
  const linked = new Map<string, string[]>();

  beforeAll(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-hubs-'));
    graph = await openSqliteGraph({ path });
    await graph.setIndexes([
      { trait: 'Thing', types: ['Thing'], key: 'number', unique: false },
      { trait: 'Thing', types: ['Thing'], key: 'kind', unique: false },
    ]);
    await graph.indexesReady();
    await graph.write(async (tx) => {
      for (let i = 0; i < 4; i++) {
        const id = newId();
        hubs.push(id);
        await tx.createNode({ id, type: 'Hub', traits: ['Hub'], properties: { title: `hub ${String(i)}` } });
      }
      for (let i = 0; i < 700; i++) {
        const id = newId();
        const properties = { number: (i * 389) % 700, kind: `k${String(i % 7)}`, visibleToPublicUsers: i % 3 !== 0 };
        await tx.createNode({ id, type: i % 50 === 49 ? 'Other' : 'Thing', traits: ['Thing'], properties });
        // The first has nearly all, the third a few, the last none; some are linked twice.
        const its = [0, ...(i % 5 === 0 ? [1] : []), ...(i % 90 === 0 ? [2] : []), ...(i % 100 === 7 ? [0] : [])];
        for (const hub of i % 11 === 5 ? its.slice(1) : its) await link(tx, hubs[hub] ?? '', id);
      }
    });
  });
  afterAll(async () => {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  });

  async function link(
    tx: Parameters<Parameters<Graph['write']>[0]>[0],
    sourceId: string,
    targetId: string,
  ): Promise<void> {
    await tx.createRelationship({
      id: newId(),
      type: 'HubHASThing',
      relType: 'HAS',
      sourceId,
      targetId,
      properties: {},
    });
    linked.set(targetId, [...(linked.get(targetId) ?? []), sourceId]);
  }

  const all = (): Promise<GraphNode[]> => graph.read((tx) => tx.find(things));
  async function expected(fits: (node: GraphNode, its: readonly string[]) => boolean): Promise<string[]> {
    return (await all()).filter((node) => fits(node, linked.get(node.id) ?? [])).map(({ id }) => id);
  }
  /** All pages, one after the other. */
  async function pages(query: NodeQuery): Promise<string[]> {
    const ids: string[] = [];
    for (let offset = 0; ; offset += 30) {
      const page = await graph.read((tx) => tx.find({ ...query, offset, limit: 30 }));
      ids.push(...page.map(({ id }) => id));
      if (page.length < 30) return ids;
    }
  }

  const kinds = { op: 'in', key: 'kind', values: ['k1', 'k4'] } as const;
  const cases: readonly (readonly [
    string,
    (hub: string) => Partial<NodeQuery>,
    (node: GraphNode, its: readonly string[], hub: string) => boolean,
  ])[] = [
    ['from it', (id) => ({ from: { id, step: forward } }), (_, its, hub) => its.includes(hub)],
    ['by its id', (id) => ({ where: { op: 'relatedAll', step, ids: [id] } }), (_, its, hub) => its.includes(hub)],
    [
      'by its id alone',
      (id) => ({ where: { op: 'relatedExactly', step, ids: [id] } }),
      (_, its, hub) => its.length > 0 && its.every((one) => one === hub),
    ],
    [
      'by two ids',
      (id) => ({ where: { op: 'relatedAll', step, ids: [id, hubs[1] ?? ''] } }),
      (_, its, hub) => its.includes(hub) && its.includes(hubs[1] ?? ''),
    ],
    [
      'by a property of it',
      (id) => ({ where: { op: 'relatedSome', step, where: { op: 'equals', key: 'id', value: id } } }),
      (_, its, hub) => its.includes(hub),
    ],
    [
      'with a property of their own',
      (id) => ({ where: { op: 'and', terms: [{ op: 'relatedAll', step, ids: [id] }, kinds] } }),
      (node, its, hub) => its.includes(hub) && ['k1', 'k4'].includes(String(node.properties['kind'])),
    ],
  ];
  const rule = { right: 'read', principals: [], ids: [], types: [], keys: ['visibleToPublicUsers'] } as const;

  describe.each(cases)('%s', (_, queryOf, fits) => {
    it.each([0, 1, 2, 3])('hub %i: pages in any order, and their number', async (n) => {
      const hub = hubs[n] ?? '';
      const wanted = await expected((node, its) => fits(node, its, hub));
      const query: NodeQuery = { ...things, ...queryOf(hub) };
      const found = await pages(query);
      expect(new Set(found)).toEqual(new Set(wanted));
      expect(found).toHaveLength(wanted.length);
      expect(await graph.read((tx) => tx.count(query))).toEqual({ count: wanted.length, exact: true });
      for (const key of ['number', 'id'] as const) {
        const sorted = await pages({ ...query, sort: [{ key, descending: n % 2 === 1 }] });
        const value = new Map(
          (await all()).map((node) => [node.id, key === 'id' ? node.id : Number(node.properties['number'])]),
        );
        const order = [...wanted].sort((a, b) => ((value.get(a) ?? 0) < (value.get(b) ?? 0) ? -1 : 1));
        expect(sorted).toEqual(n % 2 === 1 ? order.reverse() : order);
      }
      const seen = await expected(
        (node, its) => fits(node, its, hub) && node.properties['visibleToPublicUsers'] === true,
      );
      const asReader = { ...query, access: rule };
      expect(new Set(await pages(asReader))).toEqual(new Set(seen));
      expect((await graph.read((tx) => tx.count(asReader))).count).toBe(seen.length);
    });
  });

  it('is counted anew when something is linked, and when it is linked no more', async () => {
    const hub = hubs[3] ?? '';
    const query: NodeQuery = { ...things, from: { id: hub, step: forward } };
    const count = async (): Promise<number> => (await graph.read((tx) => tx.count(query))).count;
    const [node] = await all();
    expect([await count(), (await pages(query)).length]).toEqual([0, 0]);
    await graph.write((tx) => link(tx, hub, node?.id ?? ''));
    expect([await count(), (await pages(query)).length]).toEqual([1, 1]);
    await graph.write(async (tx) => {
      const [links = []] = await tx.links([hub], forward);
      for (const { relationship } of links) await tx.deleteRelationship(relationship.id);
    });
    expect([await count(), (await pages(query)).length]).toEqual([0, 0]);
  });
});

describe.each([
  // All in one go, so that it is of the state that the transaction began with.
  ['on the loop', true, { loopBudget: 10_000 }],
  ['in threads and slices', false, { loopBudget: 0 }],
  ['beside the thread that writes', false, { threadFrom: 0, loopBudget: 10_000 }],
] as const)('histories of links, read %s', (_, isOneState, options) => {
  it('give what looking at each node gives, before and after each commit and within it', async () => {
    const seed = tryAll ? Math.floor(Math.random() * 2 ** 31) : 20_261_126;
    const random = new Random(seed);
    const path = mkdtempSync(join(tmpdir(), 'svc-hubs-'));
    const graph = await openSqliteGraph({ path, ...options });
    const model = new HubModel(graph, random);
    try {
      await model.begin();
      for (let round = 0; round < (tryAll ? 60 : 6); round++) {
        const before = model.frozen();
        await graph.read(
          async (tx) => {
            if (isOneState) await model.ask(tx, before);
            await graph.write(async (writing) => {
              for (let i = 0; i <= random.below(4); i++) await model.change(writing);
              for (let i = 0; i < 3; i++) await model.ask(writing);
            });
            if (isOneState) await model.ask(tx, before);
          },
          { snapshot: true },
        );
        for (let i = 0; i < 4; i++) await graph.read((tx) => model.ask(tx));
      }
    } catch (error) {
      throw new Error(`seed ${String(seed)}`, { cause: error });
    } finally {
      await graph.close();
      rmSync(path, { recursive: true, force: true });
    }
  });
});

it('a node with many links to itself is deleted with each of them once', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-hubs-'));
  const graph = await openSqliteGraph({ path });
  const [hub, other] = [newId(), newId()];
  const unlinked = new Map<string, number>();
  graph.onCommit((changes) => {
    for (const { verb, entity } of changes)
      if (verb === 'unlink') unlinked.set(entity.id, (unlinked.get(entity.id) ?? 0) + 1);
  });
  await graph.write(async (tx) => {
    for (const id of [hub, other]) await tx.createNode({ id, type: 'Hub', properties: {} });
    const ends = [
      [hub, hub],
      [hub, other],
      [other, hub],
    ] as const;
    for (let i = 0; i < 600; i++) {
      const [sourceId, targetId] = ends[i % 3] ?? [hub, hub];
      await tx.createRelationship({
        id: newId(),
        type: 'HubHASHub',
        relType: 'HAS',
        sourceId,
        targetId,
        properties: {},
      });
    }
  });
  await graph.write((tx) => tx.deleteNode(hub));
  expect([unlinked.size, new Set(unlinked.values())]).toEqual([600, new Set([1])]);
  expect(await graph.read((tx) => tx.count({ kind: 'relationships' }))).toEqual({ count: 0, exact: true });
  await graph.close();
  rmSync(path, { recursive: true, force: true });
});
