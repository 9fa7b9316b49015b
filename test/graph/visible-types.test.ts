/** Readers who may see all of a type, or a part of it: what counters tell, and the pages that follow the first one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type AccessRule,
  type Graph,
  type GraphNode,
  newId,
  type NodeQuery,
  openSqliteGraph,
  PUBLIC,
  StatementLog,
  USERS,
  type WriteTransaction,
} from '../../src/main/graph/index.js';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { Random, seedOf } from '../fuzz/random.js';

const ANYBODY: AccessRule = { right: 'read', principals: [], ids: [], types: [], keys: [PUBLIC] };
const USER: AccessRule = { right: 'read', principals: ['user'], ids: ['user'], types: [], keys: [PUBLIC, USERS] };

let path: string;
let graph: Graph;
/** Statements that ask who may see what. */
let asked = 0;

async function open(loopBudget?: number): Promise<void> {
  const statements = new StatementLog(({ text }) => {
    if (/^SELECT .*access_entry/.test(text)) asked++;
  });
  statements.all = true;
  graph = await openSqliteGraph({ path, statements, ...(loopBudget === undefined ? {} : { loopBudget }) });
}

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
  await open();
});

afterEach(async () => {
  await graph.close();
  rmSync(path, { recursive: true, force: true });
});

async function thing(tx: WriteTransaction, id: string, properties: Record<string, boolean | number>): Promise<void> {
  await tx.createNode({ id, type: 'Thing', properties });
}

/** Ids of all things that a rule allows, and the number of them as it is counted; whether access had to be asked for. */
async function seen(rule: AccessRule, more: Partial<NodeQuery> = {}): Promise<{ ids: string; asks: boolean }> {
  asked = 0;
  const query = { kind: 'nodes', types: ['Thing'], access: rule, ...more } as const;
  return graph.read(async (tx) => {
    const ids = (await tx.find(query)).map((node) => node.id);
    expect(await tx.count(query)).toEqual({ count: ids.length, exact: true });
    return { ids: ids.join(''), asks: asked > 0 };
  });
}

const changes: readonly (readonly [what: string, work: (tx: WriteTransaction) => Promise<unknown>, ids: string])[] = [
  ['a hidden one is made', (tx) => thing(tx, 'x', { n: 9 }), 'abc'],
  ['one is hidden', (tx) => tx.updateNode('b', { [PUBLIC]: false }), 'ac'],
  ['one that is another type becomes one', (tx) => tx.setNodeType('o', 'Thing'), 'abc'],
];

test.each(changes)('nothing is asked about access where all is visible, until %s', async (_what, work, ids) => {
  await graph.write(async (tx) => {
    for (const [n, id] of ['a', 'b', 'c'].entries()) await thing(tx, id, { n, [PUBLIC]: true });
    await tx.createNode({ id: 'o', type: 'Other', properties: { n: 5 } });
  });
  const all = { ids: 'abc', asks: false };
  expect(await seen(ANYBODY)).toEqual(all);
  expect(await seen(USER)).toEqual(all);
  expect(await seen(ANYBODY, { sort: [{ key: 'n', descending: true }] })).toEqual({ ids: 'cba', asks: false });
  await graph
    .write(async (tx) => {
      await work(tx);
      const own = await tx.find({ kind: 'nodes', types: ['Thing'], access: ANYBODY });
      expect(own.map(({ id }) => id).join('')).toBe(ids);
      throw new Error('undone');
    })
    .catch(() => undefined);
  expect(await seen(ANYBODY)).toEqual(all);
  await graph.write(work);
  expect((await seen(ANYBODY)).ids).toBe(ids);
  expect((await seen(USER)).ids).toBe(ids);
});

test('when the last hidden one is gone nothing is asked again', async () => {
  await graph.write(async (tx) => {
    for (const [n, id] of ['a', 'b', 'c', 'd'].entries()) await thing(tx, id, { n, [PUBLIC]: id < 'c' });
  });
  expect(await seen(USER)).toEqual({ ids: 'ab', asks: true });
  await graph.write((tx) => tx.deleteNode('c'));
  await graph.write((tx) => tx.setNodeType('d', 'Other'));
  expect(await seen(USER)).toEqual({ ids: 'ab', asks: false });
});

test('flags that do not count for a type, and those of users, are not taken for the public one', async () => {
  await graph.write(async (tx) => {
    for (const [n, id] of ['a', 'b'].entries()) await thing(tx, id, { n, [USERS]: true });
  });
  expect(await seen(USER)).toEqual({ ids: 'ab', asks: false });
  expect((await seen(ANYBODY)).ids).toBe('');
  expect((await seen({ ...USER, keysIgnoredFor: ['Thing'] })).ids).toBe('');
});

test('what is read by a worker, or later, asks of each node', async () => {
  await graph.write(async (tx) => {
    for (const [n, id] of ['a', 'b'].entries()) await thing(tx, id, { n, [PUBLIC]: true });
  });
  await graph.close();
  await open(0);
  expect(await seen(ANYBODY)).toEqual({ ids: 'ab', asks: true });
});

test('a page that a worker makes is full, whatever is hidden meanwhile', async () => {
  await graph.write(async (tx) => {
    for (let n = 0; n < 200; n++) await thing(tx, `t${String(n)}`, { n, [PUBLIC]: true });
  });
  await graph.close();
  await open(0);
  const query: NodeQuery = { kind: 'nodes', types: ['Thing'], access: ANYBODY, sort: [{ key: 'n' }], limit: 20 };
  for (let n = 0; n < 15; n++) {
    const reading = graph.read(async (tx) => (tx.page === undefined ? undefined : tx.page(query)));
    const hiding = graph.write((tx) => tx.updateNode(`t${String(n)}`, { [PUBLIC]: false }));
    expect(await reading).toHaveLength(20);
    await hiding;
    const ids = (await graph.read((tx) => tx.find(query))).map(({ id }) => id);
    expect([ids.length, ids[0]]).toEqual([20, `t${String(n + 1)}`]);
  }
});

test('a stream in parts shows nothing that is hidden before its part', async () => {
  await graph.write(async (tx) => {
    for (let n = 0; n < 2000; n++) await thing(tx, newId(), { n, [PUBLIC]: true });
  });
  const orders = [
    { order: {}, last: 1999 },
    { order: { sort: [{ key: 'n', descending: true }] }, last: 0 },
  ];
  for (const { order, last } of orders) {
    const [hidden] = await graph.read((tx) =>
      tx.find({ kind: 'nodes', types: ['Thing'], where: { op: 'equals', key: 'n', value: last } }),
    );
    const shown: GraphNode[] = [];
    await graph.read(async (tx) => {
      for await (const batch of tx.stream({ kind: 'nodes', types: ['Thing'], access: ANYBODY, ...order })) {
        if (shown.length === 0) {
          await graph.write((other) => other.updateNode(hidden?.id ?? '', { [PUBLIC]: false }));
        }
        shown.push(...batch);
      }
    });
    expect(shown).toHaveLength(1999);
    await graph.write((tx) => tx.updateNode(hidden?.id ?? '', { [PUBLIC]: true }));
  }
});

test.each(['clean', 'crash', 'older'])('the numbers are those of before after a stop (%s)', async (stop) => {
  await graph.write(async (tx) => {
    for (const [n, id] of ['a', 'b'].entries()) await thing(tx, id, { n, [PUBLIC]: true });
  });
  await graph.close();
  const db = new Library(join(path, 'graph.db'));
  if (stop === 'crash') db.exec("DELETE FROM flag WHERE name='clean'");
  // Files from before flags were counted.
  if (stop === 'older') db.exec("DELETE FROM counter WHERE kind IN ('flag','flags')");
  db.close();
  await open();
  expect(await seen(ANYBODY)).toEqual({ ids: 'ab', asks: false });
  await graph.write((tx) => thing(tx, 'c', { n: 3 }));
  expect((await seen(ANYBODY)).ids).toBe('ab');
});

test('pages in any order are those of the whole list, whatever is committed between them', async () => {
  const random = new Random(seedOf('visible types'));
  const nodes = new Map<string, Record<string, boolean | number>>();
  const properties = (): Record<string, boolean | number> => ({
    n: random.below(300),
    k: random.below(3),
    [PUBLIC]: random.chance(0.6),
    [USERS]: random.chance(0.5),
  });
  await graph.setIndexes(['n', 'k'].map((key) => ({ trait: 'Thing', types: ['Thing'], key, unique: false })));
  await graph.indexesReady();
  await graph.write(async (tx) => {
    for (let i = 0; i < 700; i++) {
      const id = newId();
      nodes.set(id, properties());
      await thing(tx, id, nodes.get(id) ?? {});
    }
  });
  for (let round = 0; round < 400; round++) {
    if (random.chance(0.2)) {
      const id = random.pick([...nodes.keys()]);
      const next = properties();
      nodes.set(id, next);
      await graph.write((tx) => tx.updateNode(id, next));
    }
    const isUser = random.chance(0.5);
    const sorted = random.pick([undefined, 'n', '-n']);
    const filter = random.chance(0.3) ? random.below(3) : undefined;
    const limit = random.pick([1, 20, 150]);
    const offset = limit * random.below(6);
    const query: NodeQuery = {
      kind: 'nodes',
      types: ['Thing'],
      access: isUser ? USER : ANYBODY,
      ...(sorted === undefined ? {} : { sort: [{ key: 'n', descending: sorted === '-n' }] }),
      ...(filter === undefined ? {} : { where: { op: 'equals', key: 'k', value: filter } as const }),
    };
    const wanted = [...nodes]
      .filter(([, one]) => one[PUBLIC] === true || (isUser && one[USERS] === true))
      .filter(([, one]) => filter === undefined || one['k'] === filter);
    // Nodes are in the order of creation here; what is equal stays in it, or goes against it.
    if (sorted !== undefined) wanted.sort(([, a], [, b]) => Number(a['n']) - Number(b['n']));
    if (sorted === '-n') wanted.reverse();
    const page = await graph.read((tx) => tx.find({ ...query, offset, limit }));
    expect(page.map(({ id }) => id)).toEqual(wanted.slice(offset, offset + limit).map(([id]) => id));
    expect(await graph.read((tx) => tx.count(query))).toEqual({ count: wanted.length, exact: true });
  }
});
