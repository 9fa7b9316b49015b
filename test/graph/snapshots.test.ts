/** Transactions that read one state of the database although others commit meanwhile. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  newId,
  openSqliteGraph,
  OWNS,
  type AccessRule,
  type Graph,
  type ReadTransaction,
} from '../../src/main/graph/index.js';

const MINE: AccessRule = { right: 'read', principals: ['owner'], ids: [], types: [], keys: [] };
const SNAPSHOT = { snapshot: true };
/** By which a query moves to a worker, or a thread writes, whatever there is to do. */
const WAYS = [
  ['on the loop', {}],
  ['with a thread that writes', { threadFrom: 0 }],
] as const;
let path: string;
let graph: Graph;

async function open(options: { threadFrom?: number } = {}): Promise<void> {
  path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
  graph = await openSqliteGraph({ path, ...options });
  await graph.write(async (tx) => {
    for (const id of ['owner', 'left', 'right']) await tx.createNode({ id, type: 'Holder', properties: { name: id } });
    for (let i = 0; i < 20; i++) {
      const id = `item${String(i)}`;
      await tx.createNode({ id, type: 'Item', properties: { n: i, sum: 5 } });
      await link(tx, 'left', 'HAS', id);
      await link(tx, 'owner', OWNS, id);
    }
  });
  await graph.setIndexes([{ trait: 'Item', types: ['Item'], key: 'n', unique: false }]);
  await graph.indexesReady();
}
afterEach(async () => {
  await graph.close();
  rmSync(path, { recursive: true, force: true });
});

type Writing = Parameters<Parameters<Graph['write']>[0]>[0];
const link = (tx: Writing, sourceId: string, relType: string, targetId: string): Promise<unknown> =>
  tx.createRelationship({
    id: `${relType} ${sourceId} ${targetId}`,
    type: relType,
    relType,
    sourceId,
    targetId,
    properties: {},
  });

/** Everything that a transaction can ask, in all ways that have a cache of their own. */
async function all(tx: ReadTransaction): Promise<unknown> {
  const query = { kind: 'nodes', types: ['Item'] } as const;
  const nodes = await tx.nodes(['item0', 'item1', 'item2', 'new']);
  const items = await tx.find(query);
  const streamed: string[] = [];
  for await (const batch of tx.stream(query)) streamed.push(...batch.map(({ id }) => id));
  const held = await tx.related(['left', 'right'], { relType: 'HAS', direction: 'out' });
  return {
    one: await tx.node('item0'),
    nodes,
    items,
    streamed,
    sorted: (await tx.find({ ...query, sort: [{ key: 'n', descending: true }], limit: 3 })).map(({ id }) => id),
    mine: (await tx.find({ ...query, access: MINE })).map(({ id }) => id),
    may: await tx.permitted(
      nodes.filter((node) => node !== undefined),
      MINE,
    ),
    held: held.map((list) => list.map(({ id, properties }) => [id, properties])),
    links: (await tx.links(['left'], { relType: 'HAS', direction: 'out' }))[0]?.map((one) => one.relationship.id),
    relationship: await tx.relationship('HAS left item0'),
    relTypes: (await tx.relTypes('item0', 'in')).sort(),
    counts: [
      await tx.count(query),
      await tx.count({ kind: 'relationships', types: ['HAS'] }),
      await tx.count({ ...query, where: { op: 'equals', key: 'sum', value: 5 } }),
      await tx.count({ ...query, access: MINE }),
    ],
  };
}

/** A commit that all of these see. */
async function change(round: number): Promise<void> {
  const id = `item${String(round)}`;
  await graph.write(async (tx) => {
    await tx.updateNode(id, { n: 100 + round, sum: 0 });
    await tx.deleteRelationship(`HAS left ${id}`);
    await link(tx, 'right', 'HAS', id);
    await tx.deleteRelationship(`${OWNS} owner ${id}`);
    await tx.createNode({ id: round === 0 ? 'new' : newId(), type: 'Item', properties: { n: 200 + round, sum: 5 } });
  });
}

describe.each(WAYS)('%s', (_, options) => {
  it('all is of the state of its beginning, and of the newest for who begins now', async () => {
    await open(options);
    await graph.read(async (tx) => {
      const before = await all(tx);
      await change(0);
      expect(await all(tx)).toEqual(before);
      const now = await graph.read(all, SNAPSHOT);
      expect(now).not.toEqual(before);
      await change(1);
      await graph.write((writing) => writing.deleteNode('item2'));
      expect(await all(tx)).toEqual(before);
      expect(await graph.read(all, SNAPSHOT)).not.toEqual(now);
    }, SNAPSHOT);
    // Nothing of the old state is left in what is kept in memory.
    const after = await graph.read(all, SNAPSHOT);
    expect(after).toEqual(await graph.read(all));
    expect(after).toMatchObject({ counts: [{ count: 21 }, { count: 19 }, { count: 19 }, { count: 17 }] });
  });

  it('one that has read nothing yet sees the state of its beginning as well', async () => {
    await open(options);
    const before = await graph.read(all);
    await graph.read(async (tx) => {
      await change(0);
      expect(await all(tx)).toEqual(before);
    }, SNAPSHOT);
  });

  it('without being asked for each read sees what is committed', async () => {
    await open(options);
    await graph.read(async (tx) => {
      await all(tx);
      await change(0);
      expect(await all(tx)).toEqual(await graph.read(all));
    });
  });

  it('sums hold beside many transfers', async () => {
    await open(options);
    let over = false;
    const transfers = Array.from({ length: 12 }, async (__, k) => {
      for (let i = k; !over; i += 7) {
        const [from, to] = [`item${String(i % 20)}`, `item${String((i + 3) % 20)}`];
        await graph.write(async (tx) => {
          const [a, b] = await tx.nodes([from, to]);
          await tx.updateNode(from, { sum: Number(a?.properties['sum']) - 1 });
          await tx.updateNode(to, { sum: Number(b?.properties['sum']) + 1 });
        });
      }
    });
    const numbers = new Set<number>();
    for (let i = 0; i < 100 || numbers.size < 50; i++) {
      await graph.read(async (tx) => {
        let sum = 0;
        for (let at = 0; at < 20; at++) {
          sum += Number((await tx.node(`item${String(at)}`))?.properties['sum']);
          if (at % 7 === 0) await sleep(1);
        }
        expect(sum).toBe(100);
        numbers.add(graph.commitNumber);
      }, SNAPSHOT);
    }
    over = true;
    await Promise.all(transfers);
  });
});

it('of many states the oldest are given up: who read them reads on what is committed', async () => {
  await open();
  const before = await graph.read(all);
  const readers: { readonly reading: Promise<unknown>; readonly go: () => void }[] = [];
  for (let round = 0; round < 6; round++) {
    let go: () => void = () => undefined;
    const told = new Promise<void>((resolve) => (go = resolve));
    readers.push({ go, reading: graph.read(async (tx) => (await told, all(tx)), SNAPSHOT) });
    await change(round);
  }
  const now = await graph.read(all);
  for (const { go } of readers) go();
  const seen = await Promise.all(readers.map(({ reading }) => reading));
  expect(seen.slice(0, 2)).toEqual([now, now]);
  expect(seen.slice(2)).not.toContainEqual(now);
  expect(seen.slice(2)).not.toContainEqual(before);
  expect(new Set(seen.slice(2).map((one) => JSON.stringify(one))).size).toBe(4);
});

it('a state is given up after some seconds, so that the log can start over', async () => {
  await open();
  await graph.read(async (tx) => {
    const before = await all(tx);
    await change(0);
    expect(await all(tx)).toEqual(before);
    const now = await graph.read(all);
    const asked = Date.now();
    let seen = before;
    while (JSON.stringify(seen) === JSON.stringify(before)) {
      expect(Date.now() - asked).toBeLessThan(20_000);
      await sleep(50);
      seen = await all(tx);
    }
    // The state may have been given up between the reads of that one.
    expect(await all(tx)).toEqual(now);
  }, SNAPSHOT);
});

it('an index that was made meanwhile does not answer for an older state', async () => {
  await open();
  const query = { kind: 'nodes', types: ['Item'], where: { op: 'equals', key: 'sum', value: 5 } } as const;
  await graph.read(async (tx) => {
    expect(await tx.find(query)).toHaveLength(20);
    await graph.setIndexes([
      { trait: 'Item', types: ['Item'], key: 'n', unique: false },
      { trait: 'Item', types: ['Item'], key: 'sum', unique: false },
    ]);
    await graph.indexesReady();
    expect(await tx.find(query)).toHaveLength(20);
    expect(await tx.find({ ...query, sort: [{ key: 'sum', descending: false }] })).toHaveLength(20);
  }, SNAPSHOT);
});

it('after a list that a thread has made nothing is older than that list', async () => {
  await open();
  await graph.close();
  // What is not told by an index goes to the thread at once.
  graph = await openSqliteGraph({ path, loopBudget: 0 });
  const query = { kind: 'nodes', types: ['Item'], where: { op: 'equals', key: 'sum', value: 5 } } as const;
  await graph.read(async (tx) => {
    const first = await tx.node('item0');
    await change(0);
    expect(await tx.node('item0')).toEqual(first);
    expect((await tx.find(query)).map(({ id }) => id)).toContain('new');
    expect(await tx.node('item0')).not.toEqual(first);
    const now = await tx.node('new');
    expect(now?.properties['n']).toBe(200);
    await graph.write((writing) => writing.updateNode('new', { n: 7 }));
    expect(await tx.node('new')).toEqual(now);
  }, SNAPSHOT);
});
