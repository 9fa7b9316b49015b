/** What is known of the types that relationships lead to: lists are counted from relationships alone, and are right whatever happens to the nodes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type AccessRule,
  type Graph,
  newId,
  type NodeQuery,
  openSqliteGraph,
  PUBLIC,
  type ReadTransaction,
  StatementLog,
  type WriteTransaction,
} from '../../src/main/graph/index.js';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';

const LINKED = 120;
const out = { relType: 'HAS', direction: 'out', types: ['Thing'] } as const;
const back = { relType: 'HAS', direction: 'in', types: ['Hub'] } as const;
const rule: AccessRule = { right: 'read', principals: [], ids: [], types: [], keys: [PUBLIC] };
let path: string;
let graph: Graph;
/** Statements that ask nodes for their types, or for rights. */
let asked = 0;

async function open(): Promise<void> {
  const statements = new StatementLog(({ text }) => {
    if (/INDEXED BY node_type WHERE x\.type|ae\.node=(r\.target|n0\.pk)/.test(text)) asked++;
  });
  statements.all = true;
  graph = await openSqliteGraph({ path, statements, loopBudget: 10_000 });
}

async function link(tx: WriteTransaction, targetId: string): Promise<void> {
  await tx.createRelationship({
    id: newId(),
    type: 'HubHASThing',
    relType: 'HAS',
    sourceId: 'hub',
    targetId,
    properties: {},
  });
}

async function make(tx: WriteTransaction, id: string, type: string): Promise<void> {
  await tx.createNode({ id, type, properties: { [PUBLIC]: true } });
  await link(tx, id);
}

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'svc-far-'));
  await open();
  await graph.write(async (tx) => {
    await tx.createNode({ id: 'hub', type: 'Hub', properties: { [PUBLIC]: true } });
    for (let i = 0; i < LINKED; i++) await make(tx, `t${String(i)}`, 'Thing');
    await tx.createNode({ id: 'other', type: 'Other', properties: { [PUBLIC]: true } });
  });
});

afterEach(async () => {
  await graph.close();
  rmSync(path, { recursive: true, force: true });
});

const queries: readonly NodeQuery[] = [
  { kind: 'nodes', types: ['Thing'], from: { id: 'hub', step: out } },
  { kind: 'nodes', types: ['Thing'], where: { op: 'relatedAll', step: back, ids: ['hub'] } },
  { kind: 'nodes', types: ['Thing'], access: rule, from: { id: 'hub', step: { ...out, access: rule } } },
  {
    kind: 'nodes',
    types: ['Thing'],
    access: rule,
    where: { op: 'relatedAll', step: { ...back, access: rule }, ids: ['hub'] },
  },
];

/** How many there are by pages and by count, the same for all queries; statements that ask for types or rights. */
async function numbers(read: <T>(work: (tx: ReadTransaction) => Promise<T>) => Promise<T>): Promise<readonly number[]> {
  asked = 0;
  const counts = new Set<number>();
  for (const query of queries) {
    await read(async (tx) => {
      counts.add((await tx.count(query)).count);
      const ids = (await tx.find({ ...query, limit: 200 })).map(({ id }) => id);
      counts.add(new Set(ids).size);
      counts.add(ids.length);
    });
  }
  return [...counts];
}
const now = (): Promise<readonly number[]> => numbers((work) => graph.read(work));

test('nobody is asked for a type, or for rights by flags that all have', async () => {
  expect(await now()).toEqual([LINKED]);
  expect(asked).toBe(0);
});

const others: readonly (readonly [what: string, work: (tx: WriteTransaction) => Promise<unknown>, count: number])[] = [
  ['one of another type is linked', (tx) => link(tx, 'other'), LINKED],
  ['one that is linked gets another type', (tx) => tx.setNodeType('t7', 'Other'), LINKED - 1],
  ['one that is linked gets a new type', (tx) => tx.setNodeType('t7', 'New'), LINKED - 1],
];

test.each(others)('%s: before, within and after it, taken back, and after a restart', async (_, work, count) => {
  const within = new Error('undone');
  await graph
    .write(async (tx) => {
      await work(tx);
      expect(await numbers((ask) => ask(tx))).toEqual([count]);
      throw within;
    })
    .catch((error: unknown) => {
      if (error !== within) throw error;
    });
  expect(await now()).toEqual([LINKED]);
  await graph.read(
    async (tx) => {
      await tx.count({ kind: 'nodes' });
      await graph.write(work);
      expect(await numbers((ask) => ask(tx))).toEqual([LINKED]);
    },
    { snapshot: true },
  );
  expect(await now()).toEqual([count]);
  await graph.close();
  await open();
  expect(await now()).toEqual([count]);
});

test('what is not listed by an older release, which has opened the database since, is looked for', async () => {
  await graph.write((tx) => link(tx, 'other'));
  await graph.close();
  const database = new Library(join(path, 'graph.db'));
  database.exec('DELETE FROM name_table WHERE text >= char(1) AND text < char(2)');
  database.exec("UPDATE flag SET value = value + 1 WHERE name = 'opened'");
  database.close();
  await open();
  expect(await now()).toEqual([LINKED]);
});

test('a type that is gone from all nodes does not count', async () => {
  await graph.write((tx) => link(tx, 'other'));
  await now();
  expect(asked).toBeGreaterThan(0);
  await graph.write((tx) => tx.deleteNode('other'));
  expect(await now()).toEqual([LINKED]);
  expect(asked).toBe(0);
});

test('many types of one name tell nothing, and lists are right', async () => {
  await graph.write(async (tx) => {
    for (let i = 0; i < 20; i++) await make(tx, `more${String(i)}`, `Type${String(i)}`);
  });
  expect(await now()).toEqual([LINKED]);
});
