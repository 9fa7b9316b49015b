import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Graph, type NodeQuery, openSqliteGraph } from '../../src/main/graph/index.js';

const path = mkdtempSync(join(tmpdir(), 'svc-large-lists-'));
const AT_ONCE = 1_000_000;
let graph: Graph;
let lengths: number[];

beforeAll(async () => {
  graph = await openSqliteGraph({ path });
  // Small ones, then some of which a few are as much as is read at once, one that is more, and small ones again.
  lengths = Array.from({ length: 700 }, (_, i) => (i === 350 ? 1_500_000 : i >= 300 && i < 400 ? 90_000 : 10));
  await graph.write(async (tx) => {
    for (const [i, length] of lengths.entries()) {
      // Created in another order than that of the list.
      const place = (i * 333) % lengths.length;
      const text = 'x'.repeat(lengths[place] ?? length);
      await tx.createNode({ id: `n${String(place)}`, type: 'Note', properties: { place, text } });
    }
  });
});
afterAll(async () => {
  await graph.close();
  rmSync(path, { recursive: true });
});

it.each([false, true])('large objects of a list come a few at a time, in order; descending: %s', async (descending) => {
  const query: NodeQuery = { kind: 'nodes', types: ['Note'], sort: [{ key: 'place', descending }] };
  const found: [place: unknown, length: number][] = [];
  const batches: number[] = [];
  await graph.read(async (tx) => {
    for await (const batch of tx.stream(query)) {
      const texts = batch.map(({ properties }) => String(properties['text']).length);
      found.push(...batch.map(({ properties }, i): [unknown, number] => [properties['place'], texts[i] ?? 0]));
      // One that is larger than that comes alone.
      if (batch.length > 1) batches.push(texts.reduce((sum, one) => sum + one, 0));
    }
  });
  const all = lengths.map((length, place): [unknown, number] => [place, length]);
  expect(found).toEqual(descending ? all.reverse() : all);
  expect(Math.max(...batches)).toBeLessThanOrEqual(AT_ONCE);
  expect(batches.length).toBeGreaterThan(9);
});
