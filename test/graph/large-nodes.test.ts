import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { newId, openSqliteGraph } from '../../src/main/graph/index.js';
import type { CachedNode } from '../../src/main/graph/sqlite/caches/cached-node.js';
import { NodeCache } from '../../src/main/graph/sqlite/caches/node-cache.js';

const entry = (text: string): CachedNode => ({
  pk: 7,
  node: { kind: 'node', id: 'large', type: 'Note', properties: { text } },
  size: 1_000_000,
  used: false,
  at: -1,
});

test('a node too large for the cache is shared by those who use it, until a commit touches it', () => {
  const cache = new NodeCache();
  const kept = entry('one');
  cache.put(kept);
  expect(cache.get('large')?.node).toBe(kept.node);
  expect(cache.byKey(7)?.node).toBe(kept.node);
  cache.delete('large');
  expect([cache.get('large'), cache.byKey(7)]).toEqual([undefined, undefined]);
});

test('who asks while a large node is decoded gets the same one; not who asks after a commit', async () => {
  const { large } = new NodeCache();
  let decode: (made: CachedNode) => void = () => undefined;
  const first = large.share('large', () => new Promise((resolve) => (decode = resolve)));
  const second = large.coming('large');
  large.delete('large');
  expect(large.coming('large')).toBeUndefined();
  const after = large.share('large', () => Promise.resolve(entry('after')));
  decode(entry('before'));
  expect((await first).properties).toEqual({ text: 'before' });
  expect(await second).toBe(await first);
  expect((await after).properties).toEqual({ text: 'after' });
  // What was read before the commit is not what later readers find.
  expect(large.get('large')?.node).toBe(await after);
  expect(large.coming('large')).toBeUndefined();
});

test('a page of objects that are too large to be read at once is given up before they are decoded', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-large-'));
  const text = 'x'.repeat(3_000_000);
  let graph = await openSqliteGraph({ path });
  await graph.write((tx) => tx.createNode({ id: newId(), type: 'Note', properties: { text } }));
  await graph.close();
  graph = await openSqliteGraph({ path });
  const parsing = vi.spyOn(JSON, 'parse');
  try {
    const page = await graph.read(async (tx) => tx.page?.({ kind: 'nodes', types: ['Note'], limit: 5 }));
    expect(page).toBeUndefined();
    expect(parsing.mock.calls.filter(([json]) => json.length > text.length)).toHaveLength(0);
    expect(await graph.read((tx) => tx.find({ kind: 'nodes', types: ['Note'], limit: 5 }))).toHaveLength(1);
    expect(parsing.mock.calls.filter(([json]) => json.length > text.length)).toHaveLength(1);
  } finally {
    parsing.mockRestore();
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  }
});
