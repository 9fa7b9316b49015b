/** What is a conflict between transactions, what is none, and what a transaction sees of itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AccessRule,
  type Graph,
  GraphError,
  newId,
  type NodeQuery,
  openSqliteGraph,
  type SqliteOptions,
  type OpenTransaction,
  type PropertyMap,
} from '../../src/main/graph/index.js';
import { isConflict, optimistically } from './optimistic.js';
import { serialRuns } from './serial-runs.js';

let path: string;
let graph: Graph;

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'svc-conflicts-'));
  graph = await openSqliteGraph({ path });
});
afterEach(async () => {
  await graph.close();
  rmSync(path, { recursive: true, force: true });
});

/** The same database with other limits. */
async function openAnew(options: Pick<SqliteOptions, 'gathered' | 'remembered'>): Promise<void> {
  await graph.close();
  graph = await openSqliteGraph({ path, ...options });
}

const open = (): OpenTransaction => graph.open({ locking: 'last' });
const create = (id: string, properties: PropertyMap = {}, type = 'T') =>
  graph.write((tx) => tx.createNode({ id, type, properties }));
const update = (id: string, properties: PropertyMap) => graph.write((tx) => tx.updateNode(id, properties));
const link = (sourceId: string, targetId: string, relType = 'R', properties: PropertyMap = {}) =>
  graph.write((tx) =>
    tx.createRelationship({ id: newId(), type: `T${relType}T`, relType, sourceId, targetId, properties }),
  );
const n = async (id: string): Promise<unknown> => (await graph.read((tx) => tx.node(id)))?.properties['n'];

/** Whether a transaction that reads, and then writes something of its own, conflicts with what others do meanwhile. */
async function conflicts(
  read: (tx: OpenTransaction) => Promise<unknown>,
  meanwhile: () => Promise<unknown>,
): Promise<boolean> {
  const tx = open();
  await read(tx);
  await tx.createNode({ id: newId(), type: 'Own', properties: {} });
  await meanwhile();
  try {
    await tx.commit();
    return false;
  } catch (error) {
    if (!isConflict(error)) throw error;
    return true;
  }
}

describe('conflicts', () => {
  beforeEach(async () => {
    for (const id of ['a', 'b', 'c']) await create(id, { n: 1, name: id });
  });

  const list = (where: NodeQuery['where'], more: Partial<NodeQuery> = {}): NodeQuery => ({
    kind: 'nodes',
    types: ['T'],
    ...(where === undefined ? {} : { where }),
    ...more,
  });
  const equals = (key: string, value: string | number) => ({ op: 'equals', key, value }) as const;

  test.each<[string, boolean, (tx: OpenTransaction) => Promise<unknown>, () => Promise<unknown>]>([
    ['a node that was read is changed', true, (tx) => tx.node('a'), () => update('a', { n: 2 })],
    ['another node is changed', false, (tx) => tx.node('a'), () => update('b', { n: 2 })],
    ['a node that was read is written as it is', false, (tx) => tx.node('a'), () => update('a', { n: 1 })],
    ['a node that was not there is made', true, (tx) => tx.node('x'), () => create('x')],
    ['a node that was read is deleted', true, (tx) => tx.nodes(['a']), () => graph.write((tx) => tx.deleteNode('a'))],
    ['a list gets another', true, (tx) => tx.find(list(undefined)), () => create('x')],
    ['a list of another type gets one', false, (tx) => tx.find(list(undefined)), () => create('x', {}, 'U')],
    ['a list of a condition gets one', true, (tx) => tx.find(list(equals('n', 5))), () => update('a', { n: 5 })],
    ['a list of a condition loses one', true, (tx) => tx.find(list(equals('n', 1))), () => update('a', { n: 5 })],
    ['one of a list is changed', true, (tx) => tx.find(list(equals('n', 1))), () => update('a', { other: 5 })],
    [
      'one that the condition does not hold for is made',
      false,
      (tx) => tx.find(list(equals('n', 5))),
      () => create('x'),
    ],
    [
      'a value that was free is taken',
      true,
      (tx) => tx.find(list(equals('name', 'x'))),
      () => create('x', { name: 'x' }),
    ],
    ['another value is taken', false, (tx) => tx.find(list(equals('name', 'x'))), () => create('y', { name: 'y' })],
    ['a number of others grows', true, (tx) => tx.count(list(undefined)), () => create('x')],
    ['one that is counted is changed', false, (tx) => tx.count(list(undefined)), () => update('a', { n: 2 })],
    [
      'one that is counted is counted no more',
      true,
      (tx) => tx.count(list(equals('n', 1))),
      () => update('a', { n: 2 }),
    ],
    [
      'a list in another order',
      true,
      (tx) => tx.find(list(undefined, { sort: [{ key: 'n' }], limit: 1 })),
      () => update('c', { n: 0 }),
    ],
    ['a node is linked', true, (tx) => tx.related(['a'], { relType: 'R', direction: 'out' }), () => link('a', 'b')],
    [
      'a node is linked the other way',
      false,
      (tx) => tx.related(['a'], { relType: 'R', direction: 'out' }),
      () => link('b', 'a'),
    ],
    [
      'a node is linked by another type',
      false,
      (tx) => tx.links(['a'], { relType: 'R', direction: 'out' }),
      () => link('a', 'b', 'S'),
    ],
    ['types of links are asked for, and there is another', true, (tx) => tx.relTypes('a', 'out'), () => link('a', 'b')],
    [
      'a condition on linked nodes',
      true,
      (tx) => tx.find(list({ op: 'relatedNone', step: { relType: 'R', direction: 'out' } })),
      () => link('a', 'b'),
    ],
    [
      'a node that was linked to is changed',
      false,
      (tx) =>
        tx.createRelationship({ id: newId(), type: 'TRT', relType: 'R', sourceId: 'a', targetId: 'b', properties: {} }),
      () => update('b', { n: 2 }),
    ],
    [
      'a node that was linked to is deleted',
      true,
      (tx) =>
        tx.createRelationship({ id: newId(), type: 'TRT', relType: 'R', sourceId: 'a', targetId: 'b', properties: {} }),
      () => graph.write((tx) => tx.deleteNode('b')),
    ],
    ['a node that was deleted is linked', true, (tx) => tx.deleteNode('a'), () => link('b', 'a')],
    [
      'a list of one type, and a node becomes one of it',
      true,
      (tx) => tx.find(list(undefined, { types: ['U'] })),
      () => graph.write((tx) => tx.setNodeType('a', 'U')),
    ],
  ])('%s: %s', async (_, expected, read, meanwhile) => {
    expect(await conflicts(read, meanwhile)).toBe(expected);
  });

  const rule: AccessRule = { right: 'read', principals: ['me'], ids: [], types: [], keys: ['visibleToPublicUsers'] };

  test('rights that are given or taken are, and those of others are not', async () => {
    await create('me', {}, 'User');
    await create('you', {}, 'User');
    const seen = (tx: OpenTransaction) => tx.find(list(undefined, { access: rule }));
    const asked = async (tx: OpenTransaction) =>
      tx.permitted(
        (await tx.nodes(['b'])).flatMap((node) => node ?? []),
        rule,
      );
    expect(await conflicts(seen, () => link('me', 'a', 'OWNS'))).toBe(true);
    expect(await conflicts(seen, () => link('you', 'b', 'OWNS'))).toBe(false);
    expect(await conflicts(asked, () => link('me', 'b', 'OWNS'))).toBe(true);
    expect(await conflicts(asked, () => link('me', 'c', 'OWNS'))).toBe(false);
    expect(await conflicts(seen, () => update('c', { visibleToPublicUsers: true }))).toBe(true);
    // A new object comes with its owner: it is in the list, or the condition says that it is not.
    const mine = (tx: OpenTransaction) => tx.find(list(equals('name', 'x'), { access: rule }));
    const make = (name: string) => () =>
      graph.write(async (tx) => {
        const { id } = await tx.createNode({ id: newId(), type: 'T', properties: { name } });
        await tx.createRelationship({
          id: newId(),
          type: 'O',
          relType: 'OWNS',
          sourceId: 'me',
          targetId: id,
          properties: {},
        });
      });
    expect(await conflicts(mine, make('y'))).toBe(false);
    expect(await conflicts(mine, make('x'))).toBe(true);
  });

  test('lost updates are', async () => {
    const add = (): Promise<void> =>
      optimistically(graph, async (tx) => {
        const before = Number((await tx.node('a'))?.properties['n']);
        await new Promise((resolve) => setImmediate(resolve));
        await tx.updateNode('a', { n: before + 1 });
      });
    await Promise.all(Array.from({ length: 40 }, add));
    expect(await n('a')).toBe(41);
  });

  test('an update to what another has written already is one, too', async () => {
    const tx = open();
    expect((await tx.node('a'))?.properties['n']).toBe(1);
    await update('a', { n: 2 });
    await tx.updateNode('a', { n: 2 });
    await expect(tx.commit()).rejects.toMatchObject({ code: 'conflict' });
  });

  test('so is having found that nothing needs to be written', async () => {
    const tx = open();
    await tx.node('a');
    await update('a', { n: 2 });
    await tx.lock();
    await expect(tx.commit()).rejects.toMatchObject({ code: 'conflict' });
  });

  test('write skew is: of two who look at each other one has to look again', async () => {
    const leave = (own: string): Promise<void> =>
      optimistically(graph, async (tx) => {
        const there = await tx.count(list(equals('n', 1), { types: ['T'] }));
        await new Promise((resolve) => setImmediate(resolve));
        if (there.count > 1) await tx.updateNode(own, { n: 0 });
      });
    await Promise.all(['a', 'b', 'c'].map(leave));
    expect([await n('a'), await n('b'), await n('c')].filter((value) => value === 1)).toHaveLength(1);
  });

  test('only one gets what is there once', async () => {
    const take = (id: string): Promise<boolean> =>
      optimistically(graph, async (tx) => {
        if ((await tx.find(list(equals('name', 'once')))).length > 0) return false;
        await tx.createNode({ id, type: 'T', properties: { name: 'once' } });
        return true;
      });
    const got = await Promise.all(Array.from({ length: 20 }, (_, i) => take(`once${String(i)}`)));
    expect(got.filter(Boolean)).toHaveLength(1);
    expect(await graph.read((tx) => tx.count(list(equals('name', 'once'))))).toEqual({ count: 1, exact: true });
  });

  test('a commit that is allowed is none, and a look at all anew forgets them', async () => {
    const [first, second] = [open(), open()];
    await first.node('a');
    await second.updateNode('a', { n: 7 });
    first.allow(await second.commit());
    await first.updateNode('b', { n: 7 });
    await first.commit();
    const third = open();
    await third.node('a');
    await update('a', { n: 8 });
    third.refresh();
    await third.updateNode('b', { n: 8 });
    await third.commit();
    expect(await n('b')).toBe(8);
  });

  test('of a transaction that becomes the writer show at that moment', async () => {
    await openAnew({ gathered: 1_000_000 });
    const tx = open();
    await tx.node('a');
    await tx.updateNode('b', { n: 5 });
    await update('a', { n: 5 });
    const much = async (): Promise<void> => {
      for (let i = 0; i < 2500; i++) await tx.createNode({ id: newId(), type: 'Many', properties: {} });
    };
    await expect(much()).rejects.toMatchObject({ code: 'conflict' });
    await expect(tx.commit()).rejects.toMatchObject({ code: 'conflict' });
    expect(await n('b')).toBe(1);
  });

  test('are known while the work goes on', async () => {
    const tx = open();
    await tx.node('a');
    expect(await tx.isCurrent()).toBe(true);
    await update('a', { n: 5 });
    expect(await tx.isCurrent()).toBe(false);
    await tx.rollBack();
  });

  test('of those who forget too much to tell are taken for granted', async () => {
    await openAnew({ remembered: 1000 });
    const tx = open();
    await tx.node('a');
    await tx.updateNode('b', { n: 5 });
    for (let i = 0; i < 6; i++) {
      await graph.write(async (other) => {
        for (let k = 0; k < 200; k++) await other.updateNode('c', { n: i * 200 + k });
      });
    }
    await expect(tx.commit()).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a transaction that gathers', () => {
  test('holds nobody up, and nobody sees it before its end', async () => {
    const tx = open();
    await tx.createNode({ id: 'a', type: 'T', properties: { n: 1 } });
    await create('b', { n: 2 });
    expect(tx.isWriter).toBe(false);
    expect(await n('a')).toBe(undefined);
    expect((await tx.find({ kind: 'nodes', types: ['T'] })).map(({ id }) => id)).toEqual(['b', 'a']);
    await create('c', { n: 2 }, 'U');
    await tx.commit();
    expect(await n('a')).toBe(1);
  });

  test('is taken back, and tells nobody', async () => {
    let heard = 0;
    graph.onCommit(() => heard++);
    const tx = open();
    await tx.createNode({ id: 'a', type: 'T', properties: {} });
    // Asked of the engine, with all that is written so far.
    await tx.find({ kind: 'nodes', where: { op: 'relatedNone', step: { relType: 'R', direction: 'out' } } });
    await tx.rollBack();
    await tx.rollBack();
    expect(heard).toBe(0);
    expect(await n('a')).toBe(undefined);
    await expect(tx.node('a')).rejects.toMatchObject({ code: 'closed' });
    await expect(tx.commit()).rejects.toMatchObject({ code: 'closed' });
  });

  test('is taken back as a whole when its last step fails', async () => {
    const tx = open();
    await tx.createNode({ id: 'a', type: 'T', properties: {} });
    const last = async (): Promise<void> => {
      await Promise.reject(new Error('no'));
    };
    await expect(tx.commit(last)).rejects.toThrow('no');
    expect(await graph.read((read) => read.node('a'))).toBe(undefined);
  });

  test('finds what it wrote by its values, also those that a savepoint gave back', async () => {
    await create('old', { code: 'o', n: 1 });
    const tx = open();
    const ids = async (key: string, ...values: (string | number | bigint)[]): Promise<string[]> => {
      const [value = ''] = values;
      const where: NodeQuery['where'] =
        values.length === 1 ? { op: 'equals', key, value } : { op: 'in', key, values: [...values] };
      return (await tx.find({ kind: 'nodes', types: ['T'], where })).map(({ id }) => id);
    };
    for (const id of ['x', 'y', 'z']) await tx.createNode({ id, type: 'T', properties: { code: id, n: 1 } });
    await expect(
      tx.savepoint(async () => {
        await tx.updateNode('x', { code: 'b', n: 2 });
        await tx.deleteNode('y');
        await tx.updateNode('old', { code: 'z' });
        // Asked for the first time here.
        expect([await ids('code', 'b'), await ids('code', 'x'), await ids('code', 'y')]).toEqual([['x'], [], []]);
        expect(await ids('code', 'z', 'o')).toEqual(['old', 'z']);
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    expect([await ids('code', 'b'), await ids('code', 'x'), await ids('code', 'y')]).toEqual([[], ['x'], ['y']]);
    expect(await ids('code', 'o')).toEqual(['old']);
    // Numbers that are equal are one value, whatever they are stored as; in the order of creation.
    await tx.updateNode('x', { n: 7 });
    await tx.updateNode('x', { n: 1 });
    expect([await ids('n', 1), await ids('n', 1n)]).toEqual([
      ['old', 'x', 'y', 'z'],
      ['old', 'x', 'y', 'z'],
    ]);
    await tx.commit();
    expect(await graph.read((read) => read.node('x'))).toMatchObject({ properties: { code: 'x', n: 1 } });
  });

  test('becomes the writer with its savepoints, where it has gathered much', async () => {
    await openAnew({ gathered: 1_000_000 });
    await create('a', { n: 0 });
    const tx = open();
    await tx.updateNode('a', { n: 1 });
    const fails = tx.savepoint(async () => {
      await tx.updateNode('a', { n: 2 });
      await tx.savepoint(async () => {
        await tx.updateNode('a', { n: 3 });
        for (let i = 0; i < 2500; i++) await tx.createNode({ id: newId(), type: 'Many', properties: { i } });
      });
      expect(tx.isWriter).toBe(true);
      expect((await tx.node('a'))?.properties['n']).toBe(3);
      throw new Error('undo');
    });
    await expect(fails).rejects.toThrow('undo');
    expect((await tx.node('a'))?.properties['n']).toBe(1);
    expect(tx.changes()).toHaveLength(1);
    await tx.savepoint(() => tx.createNode({ id: 'b', type: 'T', properties: {} }));
    await tx.commit();
    expect(await n('a')).toBe(1);
    expect(await graph.read((read) => read.count({ kind: 'nodes' }))).toEqual({ count: 2, exact: true });
  });

  test('becomes the writer where what it asks for costs much, and goes on', async () => {
    const tx = open();
    for (let i = 0; i < 300; i++) {
      await tx.createNode({ id: `m${String(i)}`, type: 'T', properties: { n: i } });
      const found = await tx.count({
        kind: 'nodes',
        where: { op: 'relatedNone', step: { relType: 'R', direction: 'in' } },
      });
      expect(found.count).toBe(i + 1);
    }
    expect(tx.isWriter).toBe(true);
    await tx.commit();
    expect(await n('m299')).toBe(299);
  });

  test('ends with its time and its signal', async () => {
    const short = graph.open({ locking: 'last', timeout: 20 });
    await short.createNode({ id: 'a', type: 'T', properties: {} });
    await new Promise((resolve) => setTimeout(resolve, 40));
    await expect(short.node('a')).rejects.toMatchObject({ code: 'query_timeout' });
    await expect(short.commit()).rejects.toMatchObject({ code: 'query_timeout' });
    const control = new AbortController();
    const cut = graph.open({ locking: 'last', signal: control.signal });
    await cut.createNode({ id: 'a', type: 'T', properties: {} });
    control.abort();
    await expect(cut.commit()).rejects.toBeInstanceOf(GraphError);
    expect(await n('a')).toBe(undefined);
  });

  test('is a conflict when its caller says so at the end', async () => {
    let holds = true;
    const tx = graph.open({ locking: 'last', holds: () => holds });
    await tx.createNode({ id: 'a', type: 'T', properties: {} });
    holds = false;
    await expect(tx.commit()).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('other ways to lock', () => {
  test('with the first write: what is read before is as committed, and no conflict', async () => {
    await create('a', { n: 1 });
    const tx = graph.open({ locking: 'first-write' });
    expect((await tx.node('a'))?.properties['n']).toBe(1);
    await update('a', { n: 2 });
    expect((await tx.node('a'))?.properties['n']).toBe(2);
    await tx.updateNode('a', { n: 3 });
    expect(tx.isWriter).toBe(true);
    const behind = update('a', { n: 4 });
    await tx.commit();
    await behind;
    expect(await n('a')).toBe(4);
  });

  test('now: others wait from the first read on', async () => {
    await create('a', { n: 1 });
    const tx = graph.open({ locking: 'now' });
    expect((await tx.node('a'))?.properties['n']).toBe(1);
    const behind = update('a', { n: 2 });
    await tx.updateNode('a', { n: 3 });
    await tx.commit();
    await behind;
    expect(await n('a')).toBe(2);
  });
});

test('random transactions beside each other are as if they had come one after the other', async () => {
  const { commits, conflicts: refused } = await serialRuns(graph, 400, 4);
  expect(commits).toBeGreaterThan(refused / 10);
  expect(refused).toBeGreaterThan(0);
});
