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

describe('a part of a text', () => {
  let graph: Graph;
  let path: string;
  beforeAll(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-parts-'));
    graph = await openSqliteGraph({ path });
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

  it('is found as well in what has been written since', async () => {
    const query = (key: string): Partial<NodeQuery> => ({
      where: { op: 'contains', key, value: 'later on', ignoreCase: true },
    });
    expect((await found('indexed', query)).count).toBe(0);
    await graph.write((tx) =>
      tx.createNode({ id: newId(), type: 'Thing', traits: ['Thing'], properties: { indexed: 'Later ON that day' } }),
    );
    expect((await found('indexed', query)).count).toBe(1);
  });
});
