import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newId, openSqliteGraph } from '../../src/main/graph/index.js';

test('a page read again shows what was committed meanwhile, and nothing that is not', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
  const graph = await openSqliteGraph({ path });
  const create = (name: string, n: number): Promise<string> =>
    graph.write(async (tx) => (await tx.createNode({ id: newId(), type: 'Thing', properties: { name, n } })).id);
  const page = (): Promise<unknown[]> =>
    graph.read(async (tx) => {
      const nodes = await tx.find({
        kind: 'nodes',
        types: ['Thing'],
        sort: [{ key: 'n', descending: false }],
        limit: 3,
      });
      return nodes.map((node) => node.properties['name']);
    });
  try {
    // Many enough for a walk along the index to be the best way.
    await graph.write(async (tx) => {
      for (let i = 0; i < 3000; i++) {
        await tx.createNode({ id: newId(), type: 'Thing', properties: { name: `z${String(i)}`, n: 1000 + i } });
      }
    });
    await graph.setIndexes([{ trait: 'Thing', types: ['Thing'], key: 'n', unique: false }]);
    await graph.indexesReady();
    for (let i = 0; i < 2; i++) expect(await page()).toEqual(['z0', 'z1', 'z2']);
    const first = await create('first', 1);
    for (let i = 0; i < 2; i++) expect(await page()).toEqual(['first', 'z0', 'z1']);
    await graph.write(async (tx) => {
      await tx.updateNode(first, { n: 1001.5 });
      expect(await page()).toEqual(['first', 'z0', 'z1']);
    });
    for (let i = 0; i < 2; i++) expect(await page()).toEqual(['z0', 'z1', 'first']);
    await graph.write((tx) => tx.deleteNode(first));
    for (let i = 0; i < 2; i++) expect(await page()).toEqual(['z0', 'z1', 'z2']);
  } finally {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  }
});
