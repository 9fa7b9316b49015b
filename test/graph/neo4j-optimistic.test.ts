/** Transactions that take the lock at their end, on Neo4j: beside each other, and beside those of another instance. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AccessRule,
  type CypherStatement,
  type Graph,
  newId,
  type NodeQuery,
  openNeo4jGraph,
  type OpenTransaction,
  type PropertyMap,
  type WriteTransaction,
} from '../../src/main/graph/index.js';
import { exclusive } from '../support/neo4j-lock.js';
import { cypher, neo4jOptions, neo4jUrl, openEmpty } from './neo4j.js';
import { isConflict, optimistic, optimistically } from './optimistic.js';
import { modelRuns } from './model-runs.js';
import { serialRuns } from './serial-runs.js';

if (neo4jUrl === undefined) test.skip('Neo4j: set NEO4J_URL', () => undefined);
else {
  exclusive();
  let one: Graph;
  let other: Graph;

  beforeEach(async () => {
    one = (await openEmpty()).graph;
    other = await openNeo4jGraph(neo4jOptions());
  });
  afterEach(async () => {
    await one.close();
    await other.close();
  });

  const create = (graph: Graph, id: string, properties: PropertyMap = {}, type = 'T'): Promise<unknown> =>
    graph.write((tx) => tx.createNode({ id, type, properties }));
  const linkIn = (tx: WriteTransaction, sourceId: string, targetId: string, relType = 'R'): Promise<unknown> =>
    tx.createRelationship({ id: newId(), type: `T${relType}T`, relType, sourceId, targetId, properties: {} });
  const list = (where?: NodeQuery['where'], more: Partial<NodeQuery> = {}): NodeQuery => ({
    kind: 'nodes',
    types: ['T'],
    ...(where === undefined ? {} : { where }),
    ...more,
  });
  const equals = (key: string, value: string | number) => ({ op: 'equals', key, value }) as const;
  const n = async (id: string): Promise<unknown> => (await other.read((tx) => tx.node(id)))?.properties['n'];

  /** Whether a transaction that reads, and then writes something of its own, conflicts with what another instance does meanwhile. */
  async function conflicts(
    read: (tx: OpenTransaction) => Promise<unknown>,
    meanwhile: (tx: WriteTransaction) => Promise<unknown>,
  ): Promise<boolean> {
    const tx = one.open({ locking: 'last' });
    await read(tx);
    await tx.createNode({ id: newId(), type: 'Own', properties: {} });
    await other.write(meanwhile);
    try {
      await tx.commit();
      return false;
    } catch (error) {
      if (!isConflict(error)) throw error;
      return true;
    }
  }

  describe('what another instance commits', () => {
    beforeEach(async () => {
      await one.write(async (tx) => {
        for (const id of ['a', 'b', 'c']) await tx.createNode({ id, type: 'T', properties: { n: 1, name: id } });
      });
    });

    const said = (text: string): CypherStatement => ({ text, parameters: {}, mostRows: 100, mostText: 10_000 });
    type Read = (tx: OpenTransaction) => Promise<unknown>;
    type Write = (tx: WriteTransaction) => Promise<unknown>;
    const update =
      (id: string, properties: PropertyMap): Write =>
      (tx) =>
        tx.updateNode(id, properties);
    const rule: AccessRule = { right: 'read', principals: ['a'], ids: [], types: [], keys: ['visibleToPublicUsers'] };

    test.each<[string, boolean, Read, Write]>([
      ['a node that was read is changed', true, (tx) => tx.node('a'), update('a', { n: 2 })],
      ['another node is changed', false, (tx) => tx.node('a'), update('b', { n: 2 })],
      [
        'a node that was not there is made',
        true,
        (tx) => tx.node('x'),
        (tx) => tx.createNode({ id: 'x', type: 'T', properties: {} }),
      ],
      ['a node that was read is deleted', true, (tx) => tx.nodes(['a']), (tx) => tx.deleteNode('a')],
      [
        'a list gets another',
        true,
        (tx) => tx.find(list()),
        (tx) => tx.createNode({ id: 'x', type: 'T', properties: {} }),
      ],
      [
        'a list of another type gets one',
        false,
        (tx) => tx.find(list()),
        (tx) => tx.createNode({ id: 'x', type: 'U', properties: {} }),
      ],
      ['a list of a condition may get one', true, (tx) => tx.find(list(equals('n', 5))), update('a', { n: 5 })],
      ['a condition looks at something else', false, (tx) => tx.find(list(equals('name', 'b'))), update('a', { n: 5 })],
      ['one of a list is changed', true, (tx) => tx.find(list(equals('n', 1))), update('a', { more: 5 })],
      [
        'a number of others grows',
        true,
        (tx) => tx.count(list()),
        (tx) => tx.createNode({ id: 'x', type: 'T', properties: {} }),
      ],
      ['one that is counted is changed', false, (tx) => tx.count(list()), update('a', { n: 2 })],
      ['one that is counted is counted no more', true, (tx) => tx.count(list(equals('n', 1))), update('a', { n: 2 })],
      [
        'a page in another order',
        true,
        (tx) => tx.find(list(undefined, { sort: [{ key: 'n' }, { key: 'name' }], limit: 1 })),
        update('c', { n: 0 }),
      ],
      [
        'a node is linked',
        true,
        (tx) => tx.related(['a'], { relType: 'R', direction: 'out' }),
        (tx) => linkIn(tx, 'a', 'b'),
      ],
      [
        'a node is linked the other way',
        false,
        (tx) => tx.related(['a'], { relType: 'R', direction: 'out' }),
        (tx) => linkIn(tx, 'b', 'a'),
      ],
      [
        'a condition on linked nodes',
        true,
        (tx) => tx.find(list({ op: 'relatedNone', step: { relType: 'R', direction: 'out' } })),
        (tx) => linkIn(tx, 'a', 'b'),
      ],
      ['a node that is linked to here is changed', false, (tx) => linkIn(tx, 'a', 'b'), update('b', { n: 2 })],
      ['a node that is linked to here is deleted', true, (tx) => linkIn(tx, 'a', 'b'), (tx) => tx.deleteNode('b')],
      [
        'a node becomes one of a list of its type',
        true,
        (tx) => tx.find(list(undefined, { types: ['U'] })),
        (tx) => tx.setNodeType('a', 'U'),
      ],
      [
        'a right is given',
        true,
        (tx) => tx.find(list(undefined, { access: rule })),
        (tx) => linkIn(tx, 'a', 'b', 'OWNS'),
      ],
      [
        'a right is given to others',
        false,
        (tx) => tx.find(list(undefined, { access: rule })),
        (tx) => linkIn(tx, 'b', 'c', 'OWNS'),
      ],
      [
        'something is made visible',
        true,
        (tx) => tx.find(list(undefined, { access: rule })),
        update('c', { visibleToPublicUsers: true }),
      ],
      [
        'a statement of somebody writes',
        true,
        (tx) => tx.node('a'),
        async (tx) => tx.cypherWrite?.(said('MATCH (n {id: "b"}) SET n.n = 7')),
      ],
      [
        'a statement of somebody has read',
        true,
        async (tx) => tx.cypher?.(said('MATCH (n:NodeInterface) RETURN count(n)')),
        update('a', { n: 5 }),
      ],
      [
        'much is changed',
        true,
        (tx) => tx.node('a'),
        async (tx) => {
          for (let i = 0; i < 400; i++) await tx.createNode({ id: newId(), type: 'Many', properties: {} });
        },
      ],
    ])('%s: %s', async (_, expected, read, meanwhile) => {
      expect(await conflicts(read, meanwhile)).toBe(expected);
    });

    test('and has left no word of is a conflict with all that was read', async () => {
      const meanwhile = async (): Promise<void> => {
        await create(other, 'x', {}, 'U');
        await cypher('MATCH (x:_svc_commit) DELETE x');
      };
      const tx = one.open({ locking: 'last' });
      await tx.node('a');
      await tx.createNode({ id: newId(), type: 'Own', properties: {} });
      await meanwhile();
      await expect(tx.commit()).rejects.toMatchObject({ code: 'conflict' });
    });

    test('many times is heard of as one by one', async () => {
      const tx = one.open({ locking: 'last' });
      await tx.node('a');
      await tx.createNode({ id: newId(), type: 'Own', properties: {} });
      await Promise.all(Array.from({ length: 20 }, () => create(other, newId(), {}, 'U')));
      await tx.commit();
    });

    test('shows, while the work goes on, whether what was read still holds', async () => {
      const tx = one.open({ locking: 'last' });
      await tx.node('a');
      expect(await tx.isCurrent()).toBe(true);
      await other.write(update('a', { n: 2 }));
      expect(await tx.isCurrent()).toBe(false);
      await tx.rollBack();
    });

    test('makes having found that nothing needs to be written a conflict', async () => {
      const tx = one.open({ locking: 'last' });
      await tx.node('a');
      await other.write(update('a', { n: 2 }));
      await tx.lock();
      await expect(tx.commit()).rejects.toMatchObject({ code: 'conflict' });
    });

    test('is looked for all the time: what is read afterwards is no conflict', async () => {
      await other.write(update('a', { n: 2 }));
      const fresh = async (): Promise<boolean> => {
        const tx = one.open({ locking: 'last' });
        expect((await tx.node('a'))?.properties['n']).toBe(2);
        await tx.createNode({ id: newId(), type: 'Own', properties: {} });
        // Nothing is written, so that the lock tells nothing.
        const isFresh = await tx.isCurrent();
        await tx.rollBack();
        return isFresh;
      };
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(await fresh()).toBe(true);
    });
  });

  test('an instance that is alone leaves nothing, until its heartbeat finds another', async () => {
    const beat = (graph: Graph, name: string): Promise<unknown> =>
      graph.membership?.beat({ name, host: 'h', pid: 1, port: 2, version: '1', startedAt: new Date(0) }, 60_000) ??
      Promise.reject(new Error('there is no membership'));
    const beside = async (): Promise<boolean> => {
      // So that nothing older is news to it.
      await other.write(() => Promise.resolve());
      const tx = other.open({ locking: 'last' });
      await tx.node('a');
      await tx.createNode({ id: newId(), type: 'Own', properties: {} });
      await create(one, newId(), {}, 'U');
      return tx.commit().then(
        () => false,
        (error: unknown) => isConflict(error),
      );
    };
    await create(one, 'a', {});
    expect(await beside()).toBe(false);
    await beat(one, 'one');
    // Nobody knows what it was.
    expect(await beside()).toBe(true);
    await beat(other, 'other');
    await beat(one, 'one');
    expect(await beside()).toBe(false);
  });

  test('no update is lost between two instances', async () => {
    await create(one, 'a', { n: 0 });
    const add = (graph: Graph): Promise<void> =>
      optimistically(graph, async (tx) => {
        const before = Number((await tx.node('a'))?.properties['n']);
        await tx.updateNode('a', { n: before + 1 });
      });
    const worker = async (graph: Graph): Promise<void> => {
      for (let i = 0; i < 15; i++) await add(graph);
    };
    await Promise.all([one, other, one, other].map(worker));
    expect(await n('a')).toBe(60);
  });

  test('of two who look at each other one has to look again (write skew)', async () => {
    const ids = ['a', 'b', 'c', 'd'];
    for (let round = 0; round < 10; round++) {
      const type = `R${String(round)}`;
      for (const id of ids) await create(one, type + id, { n: 1 }, type);
      const leave = (graph: Graph, own: string): Promise<void> =>
        optimistically(graph, async (tx) => {
          const there = await tx.count(list(equals('n', 1), { types: [type] }));
          if (there.count > 1) await tx.updateNode(type + own, { n: 0 });
        });
      await Promise.all(ids.map((id, i) => leave(i % 2 === 0 ? one : other, id)));
      const left = await other.read((tx) => tx.count(list(equals('n', 1), { types: [type] })));
      expect(left.count).toBe(1);
    }
  });

  test('random histories leave what the model says', () => modelRuns(optimistic(one), 20, 5));

  test('random transactions beside each other are as if they had come one after the other', async () => {
    const { commits } = await serialRuns(one, 60, 8);
    expect(commits).toBeGreaterThan(0);
  });
}
