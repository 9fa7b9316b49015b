/** Transactions that read one state of a Neo4j although others commit meanwhile: of this instance, and of another one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Graph, openNeo4jGraph, type ReadTransaction } from '../../src/main/graph/index.js';
import { exclusive } from '../support/neo4j-lock.js';
import { cypher, neo4jOptions, neo4jUrl, openEmpty } from './neo4j.js';

const ITEMS = 40;
/** So many that a statement takes long beside a commit. */
const MANY = 3000;
const SUM = 5;
const SNAPSHOT = { snapshot: true };
const LIST = { kind: 'nodes', types: ['Item'] } as const;
const HAS = { relType: 'HAS', direction: 'out' } as const;

if (neo4jUrl === undefined) test.skip('Neo4j: set NEO4J_URL', () => undefined);
else {
  exclusive();
  let one: Graph;
  let other: Graph;

  type Writing = Parameters<Parameters<Graph['write']>[0]>[0];
  const linkId = (n: number): string => `has${String(n)}`;
  const link = (tx: Writing, sourceId: string, n: number): Promise<unknown> =>
    tx.createRelationship({
      id: linkId(n),
      type: 'HolderHASItem',
      relType: 'HAS',
      sourceId,
      targetId: `item${String(n)}`,
      properties: {},
    });

  beforeEach(async () => {
    one = (await openEmpty()).graph;
    other = await openNeo4jGraph(neo4jOptions());
    await one.write(async (tx) => {
      for (const id of ['left', 'right']) await tx.createNode({ id, type: 'Holder', properties: {} });
      for (let n = 0; n < ITEMS; n++) {
        await tx.createNode({ id: `item${String(n)}`, type: 'Item', properties: { n, sum: SUM } });
        await link(tx, 'left', n);
      }
    });
  });
  afterEach(async () => {
    await one.close();
    await other.close();
  });

  const sumOf = (nodes: readonly ({ readonly properties: Readonly<Record<string, unknown>> } | undefined)[]): number =>
    nodes.reduce((sum, node) => sum + Number(node?.properties['sum']), 0);

  /** Moves a sum from the first items to the last, and the item to the other holder: what is read first and last of a list. */
  async function transfer(graph: Graph, round: number): Promise<void> {
    const [a, b] = [round % ITEMS, (round * 7 + ITEMS / 2 + 1) % ITEMS];
    if (a === b) return;
    await graph.write(async (tx) => {
      const [from, to] = await tx.nodes([`item${String(a)}`, `item${String(b)}`]);
      await tx.updateNode(`item${String(a)}`, { sum: Number(from?.properties['sum']) - 1 });
      await tx.updateNode(`item${String(b)}`, { sum: Number(to?.properties['sum']) + 1 });
      const held = (await tx.relationship(linkId(a)))?.sourceId;
      await tx.deleteRelationship(linkId(a));
      await link(tx, held === 'left' ? 'right' : 'left', a);
    });
  }

  /** What a page with relations asks, in steps. */
  async function check(tx: ReadTransaction, streams: boolean): Promise<void> {
    const page = await tx.find({ ...LIST, limit: 100 });
    const held = await tx.related(['left', 'right'], HAS);
    const nodes = await tx.nodes(page.map(({ id }) => id));
    const few = await tx.count({ ...LIST, where: { op: 'equals', key: 'sum', value: SUM } });
    const streamed: typeof page = [];
    if (streams) for await (const batch of tx.stream(LIST)) streamed.push(...batch);
    // Thrown to be tried again, as an answer is thrown away.
    await tx.confirm?.();
    const sums = [sumOf(page), sumOf(nodes), sumOf(held.flat()), streams ? sumOf(streamed) : ITEMS * SUM];
    expect({ sums, held: held.flat().length, ids: new Set(held.flat().map(({ id }) => id)).size }).toEqual({
      sums: sums.map(() => ITEMS * SUM),
      held: ITEMS,
      ids: ITEMS,
    });
    expect(few.count).toBe(page.filter((node) => node.properties['sum'] === SUM).length);
    // All lists show the same.
    const shown = (all: typeof page): string[] =>
      all.map(({ id, properties }) => `${id} ${String(properties['sum'])}`).sort();
    expect(shown(nodes.filter((node) => node !== undefined))).toEqual(shown(page));
    expect(shown(held.flat())).toEqual(shown(page));
    if (streams) expect(shown(streamed)).toEqual(shown(page));
  }

  async function beside(
    write: (round: number) => Promise<void>,
    pause: number,
    reading: () => Promise<void>,
  ): Promise<number> {
    let over = false;
    let commits = 0;
    const writing = (async () => {
      while (!over) {
        await write(commits++);
        if (pause > 0) await sleep(pause);
      }
    })();
    try {
      await reading();
    } finally {
      over = true;
      await writing;
    }
    return commits;
  }

  describe.each([
    ['the same instance', () => one],
    ['another instance', () => other],
  ])('beside %s', (_, writer) => {
    test.each([0, 15])('all that is read is of one state, with pauses of %i ms between commits', async (pause) => {
      const commits = await beside(
        (round) => transfer(writer(), round),
        pause,
        async () => {
          for (let i = 0; i < 40; i++) {
            await Promise.all([
              one.read((tx) => check(tx, false), SNAPSHOT),
              one.read((tx) => check(tx, true), SNAPSHOT),
            ]);
          }
        },
      );
      expect(commits).toBeGreaterThan(20);
    });

    test('one statement shows many objects in one state', async () => {
      const ids = Array.from({ length: MANY }, (_, n) => `many${String(n)}`);
      const [first = '', last = ''] = [ids[0], ids.at(-1)];
      await one.write(async (tx) => {
        for (const id of ids) await tx.createNode({ id, type: 'Many', properties: { sum: SUM } });
      });
      const move = (round: number): Promise<void> =>
        writer().write(async (tx) => {
          await tx.updateNode(first, { sum: SUM - round });
          await tx.updateNode(last, { sum: SUM + round });
        });
      await beside(move, 0, async () => {
        for (let i = 0; i < 50; i++) {
          const found = await one.read((tx) => tx.find({ kind: 'nodes', types: ['Many'] }), SNAPSHOT);
          expect([found.length, sumOf(found)]).toEqual([MANY, MANY * SUM]);
        }
      });
    });

    test('work that reads something else than what is changed is done once', async () => {
      await one.write((tx) => tx.createNode({ id: 'far', type: 'Far', properties: {} }));
      let times = 0;
      await beside(
        (round) => transfer(writer(), round),
        0,
        async () => {
          for (let i = 0; i < 50; i++) {
            await one.read(async (tx) => {
              times++;
              await tx.find({ kind: 'nodes', types: ['Far'] });
              await tx.related(['far'], HAS);
              await tx.node('far');
            }, SNAPSHOT);
          }
        },
      );
      expect(times).toBe(50);
    });

    test('work is done again, four times at most, and keeps others from writing the last time', async () => {
      let times = 0;
      const found = await one.read(async (tx) => {
        times++;
        const before = sumOf([await tx.node('item0')]);
        const writing = transfer(writer(), 0);
        // The last time it waits for this work.
        await Promise.race([writing, sleep(500)]);
        return [before, sumOf([await tx.node('item0')])];
      }, SNAPSHOT);
      expect(times).toBe(4);
      expect(found[0]).toBe(found[1]);
    });

    test('work of which something has left is done once', async () => {
      let times = 0;
      const work = async (tx: ReadTransaction): Promise<void> => {
        times++;
        await tx.node('item0');
        await transfer(writer(), 0);
        await tx.node('item0');
      };
      await one.read(work, { ...SNAPSHOT, repeatable: () => false });
      expect(times).toBe(1);
    });

    test('an error of work that has read of several states is not told', async () => {
      let times = 0;
      const done = await one.read(async (tx) => {
        const before = sumOf([await tx.node('item0')]);
        if (times++ === 0) await transfer(writer(), 0);
        if (sumOf([await tx.node('item0')]) !== before) throw new Error('halfway');
        return true;
      }, SNAPSHOT);
      expect([done, times]).toEqual([true, 2]);
    });
  });

  test('what other clients commit in the database does not count, and is no reason to read again', async () => {
    let times = 0;
    await one.read(async (tx) => {
      times++;
      await tx.find(LIST);
      await cypher('CREATE (:Foreign)');
      await tx.node('item0');
    }, SNAPSHOT);
    expect(times).toBe(1);
  });
}
