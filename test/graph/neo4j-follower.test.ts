/** Threads that read Neo4j beside the main thread: what they are told, and when (docs/design/threads.md 16). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Graph,
  type Neo4jFollowerOptions,
  newId,
  type Notice,
  openNeo4jFollower,
  openNeo4jGraph,
} from '../../src/main/graph/index.js';
import { bookmarkOf, partsOf, transactionOf } from '../../src/main/graph/neo4j/connection/bookmarks.js';
import { Shown } from '../../src/main/graph/neo4j/connection/shown.js';
import { Seats } from '../../src/main/graph/neo4j/follower/seats.js';
import { Catalog } from '../../src/main/graph/neo4j/query/catalog.js';
import { exclusive } from '../support/neo4j-lock.js';
import { neo4jOptions, neo4jUrl, openEmpty } from './neo4j.js';

const ITEMS = { kind: 'nodes', types: ['Item'] } as const;
const NO_FACTS = { ready: [], parts: [], texts: [] };

function follow(graph: Graph, options: Partial<Neo4jFollowerOptions> = {}): Promise<Graph> {
  const seat = graph.seat?.();
  if (seat?.engine !== 'neo4j') throw new Error('no seat');
  return openNeo4jFollower(seat, { ...neo4jOptions(), poolSize: 2, ...options });
}

function create(graph: Graph, type = 'Item', id = newId()): Promise<string> {
  return graph.write(async (tx) => {
    await tx.createNode({ id, type, properties: { n: 1 } });
    return id;
  });
}

const link = (graph: Graph, relType: string, type: string, sourceId: string, targetId: string): Promise<unknown> =>
  graph.write((tx) => tx.createRelationship({ id: newId(), type, relType, sourceId, targetId, properties: {} }));

/** What its caches are told. */
function hearing(graph: Graph): Notice['changes'][] {
  const heard: Notice['changes'][] = [];
  graph.watch({
    concerns: ({ entity }) => entity.type === 'Watched',
    changed: (changes) => {
      heard.push(changes);
    },
  });
  return heard;
}

if (neo4jUrl === undefined) test.skip('Neo4j: set NEO4J_URL', () => undefined);
else {
  exclusive();
  let graph: Graph;
  let follower: Graph;
  let others: Graph[] = [];
  beforeEach(async () => {
    graph = (await openEmpty()).graph;
    follower = await follow(graph);
  });
  afterEach(async () => {
    for (const one of [...others.splice(0), follower, graph]) await one.close();
  });

  describe('a thread that reads', () => {
    test('has heard of a commit when the next request begins, without waiting', async () => {
      const heard = hearing(follower);
      for (let n = 1; n <= 20; n++) {
        const id = await create(graph);
        expect(follower.current()).toBeUndefined();
        expect(heard).toHaveLength(n);
        expect(heard.at(-1)).toEqual([expect.objectContaining({ verb: 'create', kind: 'node', id, type: 'Item' })]);
        expect(follower.commitNumber).toBe(graph.commitNumber);
        expect((await follower.read((tx) => tx.node(id)))?.id).toBe(id);
      }
    });

    test('waits at the next request until who keeps something has taken that in', async () => {
      let done = (): void => undefined;
      const taken = new Promise<void>((resolve) => (done = resolve));
      follower.watch({ concerns: () => false, changed: () => taken });
      await create(graph);
      const current = follower.current();
      expect(current).toBeInstanceOf(Promise);
      done();
      await current;
      expect(follower.current()).toBeUndefined();
    });

    test('writes nothing, and says so', async () => {
      const refused = { code: 'writer_elsewhere' };
      await expect(follower.write(() => Promise.resolve())).rejects.toMatchObject(refused);
      await expect(follower.setIndexes([])).rejects.toMatchObject(refused);
      await expect(follower.notes.set('note', 'text')).rejects.toMatchObject(refused);
      await expect(follower.notes.claim('note', 'text')).rejects.toMatchObject(refused);
      await graph.notes.set('note', 'text');
      expect(await follower.notes.claim('note', 'another')).toBe('text');
      const open = follower.open({ locking: 'last' });
      await expect(open.createNode({ id: newId(), type: 'Item', properties: {} })).rejects.toMatchObject(refused);
      await open.rollBack();
      expect(follower.membership).toBeUndefined();
      expect(follower.seat).toBeUndefined();
    });

    test('finds relationships of a type of the database that was never used before', async () => {
      const [a, b] = [await create(graph), await create(graph)];
      const all = { kind: 'relationships', types: ['Links'] } as const;
      await link(graph, 'ONE', 'Links', a, b);
      await follower.current();
      expect(await follower.read((tx) => tx.find(all))).toHaveLength(1);
      await link(graph, 'OTHER', 'Links', a, b);
      await follower.current();
      expect(await follower.read((tx) => tx.find(all))).toHaveLength(2);
    });

    test('uses the indexes that the main thread has made, and leaves texts to it until then', async () => {
      const sorted = { ...ITEMS, sort: [{ key: 'n' }], limit: 2 } as const;
      const search = (): Promise<unknown> =>
        follower.read((tx) => tx.search('words', { op: 'words', text: 'one' }, { offset: 0, limit: 5 }));
      await expect(search()).rejects.toMatchObject({ code: 'writer_elsewhere' });
      const id = await graph.write(async (tx) => {
        const node = await tx.createNode({ id: newId(), type: 'Item', properties: { n: 1, text: 'one two' } });
        return node.id;
      });
      await graph.setIndexes(
        [{ trait: 'Item', types: ['Item'], key: 'n', unique: false }],
        [{ name: 'words', kind: 'nodes', label: 'Item', key: 'text', types: ['Item'] }],
      );
      await graph.indexesReady();
      await follower.current();
      expect(await follower.explain(sorted)).toEqual(await graph.explain(sorted));
      await expect.poll(search).toEqual([expect.objectContaining({ id })]);
    });

    test('counts of many, which it keeps, are of now', async () => {
      await graph.write(async (tx) => {
        for (let i = 0; i < 600; i++) await tx.createNode({ id: newId(), type: 'Item', properties: { n: 1 } });
      });
      const count = async (): Promise<number> => {
        await follower.current();
        const found = await follower.read((tx) =>
          tx.count({ ...ITEMS, where: { op: 'equals', key: 'n', value: 1 } }, 10_000),
        );
        return found.count;
      };
      expect([await count(), await count()]).toEqual([600, 600]);
      const id = await create(graph);
      expect(await count()).toBe(601);
      await graph.write((tx) => tx.updateNode(id, { n: 2 }));
      expect(await count()).toBe(600);
      // What does not concern it leaves it as it is.
      await create(graph, 'Other');
      expect(await count()).toBe(600);
    });

    test('reads one state beside a writer: what it cannot tell it leaves to the main thread', async () => {
      await graph.write(async (tx) => {
        for (const id of ['a', 'b']) await tx.createNode({ id, type: 'Item', properties: { n: 5 } });
      });
      const state = { isOver: false };
      const writing = (async () => {
        for (let n = 0; !state.isOver; n++) {
          await graph.write(async (tx) => {
            await tx.updateNode('a', { n });
            await tx.updateNode('b', { n: 10 - n });
          });
        }
      })();
      let read = 0;
      for (let round = 0; round < 60; round++) {
        await follower.current();
        const sum = await follower
          .read(
            async (tx) => {
              const a = await tx.node('a');
              const b = await tx.node('b');
              return Number(a?.properties['n']) + Number(b?.properties['n']);
            },
            { snapshot: true },
          )
          .catch((error: unknown) => {
            expect(error).toMatchObject({ code: 'writer_elsewhere' });
            return undefined;
          });
        if (sum === undefined) continue;
        expect(sum).toBe(10);
        read++;
      }
      state.isOver = true;
      await writing;
      expect(read).toBeGreaterThan(0);
    });

    test('hears of what other instances change, not later than the main thread', async () => {
      const other = await openNeo4jGraph(neo4jOptions());
      others = [other];
      hearing(other);
      const heard = hearing(follower);
      const seen = { isBehind: false, waits: false };
      graph.watch({
        concerns: () => false,
        changed: async () => {
          void follower.current();
          seen.isBehind ||= heard.length === 0;
          await Promise.resolve();
          // As long as somebody is told here, requests of the main thread wait.
          seen.waits = graph.current() !== undefined;
        },
      });
      const id = await create(other, 'Watched');
      await follower.reached(other.commitNumber);
      expect(heard).toEqual([[expect.objectContaining({ verb: 'create', id, type: 'Watched' })]]);
      await graph.current();
      expect(seen).toEqual({ isBehind: false, waits: true });
      expect(graph.current()).toBeUndefined();
    });

    test('finds relationships that another instance was the first to make', async () => {
      const other = await openNeo4jGraph(neo4jOptions());
      others = [other];
      const [a, b] = [await create(graph), await create(graph)];
      await link(graph, 'ONE', 'Links', a, b);
      for (const one of [graph, follower]) hearing(one);
      await link(other, 'NEWER', 'Links', a, b);
      await follower.reached(other.commitNumber);
      const found = await follower.read((tx) => tx.find({ kind: 'relationships', types: ['Links'] }));
      expect(found).toHaveLength(2);
    });

    test('hears that anything may have changed', async () => {
      const heard = hearing(follower);
      await graph.forget();
      await follower.current();
      expect(heard[0]).toBe('everything');
    });

    test('ends with the main thread, which does not wait for it for long', async () => {
      const closing = graph.close();
      await expect
        .poll(() => follower.read((tx) => tx.node('a')).catch((error: unknown) => error))
        .toMatchObject({
          code: 'closed',
        });
      await follower.close();
      await closing;
    });
  });

  test('in a cluster a thread waits for what another one has shown', async () => {
    const url = (neo4jUrl ?? '').replace(/^bolt:/, 'neo4j:');
    const routed = await openNeo4jGraph({ ...neo4jOptions(), url });
    others = [routed];
    const seat = routed.seat?.();
    if (seat?.engine !== 'neo4j') throw new Error('no seat');
    const thread = await openNeo4jFollower(seat, { ...neo4jOptions(), url });
    others.unshift(thread);
    const shown = new Shown(seat.shown);
    const before = transactionOf(shown.bookmarks[0]) ?? 0;
    const id = await create(routed);
    const after = transactionOf(shown.bookmarks[0]) ?? 0;
    expect(after).toBeGreaterThan(before);
    await thread.current();
    expect((await thread.read((tx) => tx.node(id)))?.id).toBe(id);
    // The server knows the bookmark that was put together from the number: one of later transactions it would wait for in vain.
    await create(graph);
    await thread.read((tx) => tx.node(id));
    expect(transactionOf(shown.bookmarks[0])).toBeGreaterThan(after);
  });
}

test('bookmarks are put together as they are read', () => {
  const database = new Uint8Array(16).map((_, i) => i * 7);
  for (const number of [1n, 127n, 128n, 70_000n, 2n ** 40n]) {
    const bookmark = bookmarkOf(database, number);
    expect(transactionOf(bookmark)).toBe(Number(number));
    const parts = partsOf(bookmark);
    expect([...(parts?.database ?? [])]).toEqual([...database]);
    expect(parts?.transaction).toBe(Number(number));
  }
  // As Neo4j 5 writes it.
  expect(partsOf('FB:kcwQrW/Qq0CoTMu1tE726ouI6ckCS5A=')?.transaction).toBe(0x24b);
  expect(partsOf('FB:kcwQrW/Qq0CoTMu1tE726ouI6ckCS5E=')).toBeUndefined();
  const shown = new Shown();
  expect(shown.bookmarks).toEqual([]);
  shown.take([bookmarkOf(database, 7n), bookmarkOf(database, 5n), 'of another form']);
  expect(new Shown(shown.memory).bookmarks).toEqual([bookmarkOf(database, 7n)]);
});

test('a thread that does not take its messages in is told that it has missed some', async () => {
  const seats = new Seats({
    catalog: new Catalog(),
    facts: () => NO_FACTS,
    parts: () => undefined,
    shown: new SharedArrayBuffer(24),
    mostLeft: 2000,
  });
  const { port } = seats.open();
  const heard: { what: string; serial: number }[] = [];
  for (let n = 1; n <= 10; n++) seats.reached(n);
  port.on('message', (message) => heard.push(message as { what: string; serial: number }));
  await expect.poll(() => heard.map(({ what }) => what)).toEqual(['indexes', 'reached', 'reached']);
  port.close();
  await seats.close();
});
