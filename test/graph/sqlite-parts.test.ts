/** Parts of texts are found alike by the index of a property and by looking at each object (docs/design/sqlite.md 16). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Graph, newId, type NodeQuery, openSqliteGraph } from '../../src/main/graph/index.js';

const TEXTS = [
  ...[
    '',
    'Straße',
    'STRASSE',
    'strasse 5',
    'ΣΊΣΥΦΟΣ',
    'σίσυφος',
    '273 \u212A',
    '273 k',
    '100 % sure',
    '100 x sure',
    'a_b_c',
    'aXbXc',
  ],
  ...[
    'back\\slash',
    'İstanbul',
    'istanbul',
    'Ünïcode',
    'ünïcode',
    'ſharp',
    'sharp',
    '\u{1F600} smile',
    'two\nlines',
    'nul\0inside',
    '12345',
    'a'.repeat(5000),
  ],
];
const PARTS = [
  'strasse',
  'STRASSE',
  'straße',
  '273 k',
  '273 \u212A',
  ' % s',
  '_b_',
  'xbx',
  'k\\s',
  'istan',
  'ünï',
  'ÜNÏ',
  'sharp',
  'smile',
  '\u{1F600}',
  'two\nl',
  'nul\0i',
  '234',
  'aaaa',
  'σίσ',
  'ΦΟΣ',
  '',
];

describe.each([
  ['looked for in the index', undefined],
  ['looked for in memory', 0],
])('a part of a text, %s,', (_, packFrom) => {
  let graph: Graph;
  let path: string;
  beforeAll(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-parts-'));
    graph = await openSqliteGraph({ path, ...(packFrom === undefined ? {} : { packFrom }) });
    await graph.setIndexes([{ trait: 'Thing', types: ['Thing'], key: 'indexed', unique: false }]);
    await graph.indexesReady();
    await graph.write(async (tx) => {
      for (const [i, text] of [...TEXTS, ...TEXTS].entries()) {
        const properties = i % 9 === 8 ? {} : { indexed: text, bare: text, number: i };
        await tx.createNode({ id: newId(), type: 'Thing', traits: ['Thing'], properties });
      }
      for (const value of [123_456, true]) {
        await tx.createNode({
          id: newId(),
          type: 'Thing',
          traits: ['Thing'],
          properties: { indexed: value, bare: value },
        });
      }
    });
  });
  const isPacked = async (): Promise<boolean> => {
    const where = { op: 'contains', key: 'indexed', value: 'strasse', ignoreCase: true } as const;
    const told = await graph.explain({ kind: 'nodes', trait: 'Thing', types: ['Thing'], where });
    return told.some((text) => text.includes('SELECT value FROM json_each'));
  };
  afterAll(async () => {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  });

  async function found(
    key: string,
    query: (key: string) => Partial<NodeQuery>,
  ): Promise<{ ids: string[]; count: number }> {
    const whole = { kind: 'nodes', trait: 'Thing', types: ['Thing'], ...query(key) } as const;
    return graph.read(async (tx) => {
      const nodes = await tx.find({ ...whole, limit: 1000 });
      return { ids: nodes.map(({ id }) => id).sort(), count: (await tx.count(whole)).count };
    });
  }

  it('is looked for where it should be', async () => {
    await expect.poll(isPacked).toBe(packFrom !== undefined);
  });

  it.each(['contains', 'startsWith', 'endsWith'] as const)('that is meant by %s', async (op) => {
    for (const value of PARTS) {
      for (const ignoreCase of [false, true]) {
        for (const sorted of [false, true]) {
          const query = (key: string): Partial<NodeQuery> => ({
            where: { op, key, value, ignoreCase },
            ...(sorted ? { sort: [{ key: 'indexed' }] } : {}),
          });
          const [byIndex, byLooking] = [await found('indexed', query), await found('bare', query)];
          expect([value, ignoreCase, byIndex]).toEqual([value, ignoreCase, byLooking]);
          expect(byIndex.ids).toHaveLength(byIndex.count);
        }
      }
    }
  });

  it('is found as well in what has been written since, and not in what is gone', async () => {
    const query = (key: string): Partial<NodeQuery> => ({
      where: { op: 'contains', key, value: 'later on', ignoreCase: true },
    });
    expect((await found('indexed', query)).count).toBe(0);
    await graph.write((tx) =>
      tx.createNode({ id: newId(), type: 'Thing', traits: ['Thing'], properties: { indexed: 'Later ON that day' } }),
    );
    const [id = ''] = (await found('indexed', query)).ids;
    expect((await found('indexed', query)).count).toBe(1);
    expect(await isPacked()).toBe(packFrom !== undefined);
    await graph.write((tx) => tx.updateNode(id, { indexed: 'earlier' }));
    expect((await found('indexed', query)).count).toBe(0);
    await graph.write((tx) => tx.updateNode(id, { indexed: 'LATER on' }));
    expect((await found('indexed', query)).ids).toEqual([id]);
    await graph.write((tx) => tx.deleteNode(id));
    expect((await found('indexed', query)).count).toBe(0);
    // Many at once: all is packed anew.
    await graph.write(async (tx) => {
      for (let i = 0; i < 700; i++) {
        const properties = { indexed: `LATER on ${String(i)}` };
        await tx.createNode({ id: newId(), type: 'Thing', traits: ['Thing'], properties });
      }
    });
    expect((await found('indexed', query)).count).toBe(700);
    if (packFrom !== undefined) await expect.poll(isPacked).toBe(true);
    expect(
      (await found('indexed', (key) => ({ where: { op: 'contains', key, value: 'on 69', ignoreCase: true } }))).count,
    ).toBe(11);
  });
});

describe('a page filtered by one index and sorted by another', () => {
  let graph: Graph;
  let path: string;
  const all: { readonly id: string; readonly category: string; readonly number: number }[] = [];
  beforeAll(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-filtered-'));
    graph = await openSqliteGraph({ path, loopBudget: 10_000 });
    await graph.setIndexes(
      ['category', 'number'].map((key) => ({ trait: 'Thing', types: ['Thing'], key, unique: false })),
    );
    await graph.indexesReady();
    await graph.write(async (tx) => {
      for (let i = 0; i < 24_000; i++) {
        // One is in many, one in some, one in few.
        const category = i % 8000 === 7 ? 'gathers' : i % 10 === 0 ? 'walks' : 'asks the index';
        const thing = { id: newId(), category, number: (i * 7919) % 24_000 };
        all.push(thing);
        const { id, ...properties } = thing;
        await tx.createNode({ id, type: 'Thing', traits: ['Thing'], properties });
      }
    });
  });
  afterAll(async () => {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  });

  it.each([
    ['walks', 'p.node IN (SELECT node'],
    ['gathers', 'n0.pk IN (SELECT node'],
    ['asks the index', 'v.node=p.node'],
  ])('%s', async (category, way) => {
    for (const descending of [false, true]) {
      const query: NodeQuery = {
        ...{ kind: 'nodes', trait: 'Thing', types: ['Thing'], limit: 20 },
        where: { op: 'equals', key: 'category', value: category },
        sort: [{ key: 'number', descending }],
      };
      const sorted = all.filter((one) => one.category === category).sort((a, b) => a.number - b.number);
      if (descending) sorted.reverse();
      const found = await graph.read((tx) => tx.find(query));
      expect(found.map(({ id }) => id)).toEqual(sorted.slice(0, 20).map(({ id }) => id));
      const plan = (await graph.explain(query)).join('\n');
      expect(plan).toContain(way);
    }
  });
});
