import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GraphError, newId, openSqliteGraph } from '../../src/main/graph/index.js';

test('damage that is found at run time ends writing with a reason, told once; reads of what is whole go on', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
  try {
    const errors: unknown[] = [];
    const options = { path, cacheMegabytes: 1, onError: (error: unknown) => errors.push(error) };
    let graph = await openSqliteGraph(options);
    const first = newId();
    const create = (id: string): Promise<unknown> =>
      graph.write((tx) => tx.createNode({ id, type: 'Thing', properties: { text: 'x'.repeat(3000) } }));
    await create(first);
    for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 100 }, () => create(newId())));
    await graph.close();
    graph = await openSqliteGraph(options);
    const file = join(path, 'graph.db');
    const fd = openSync(file, 'r+');
    const half = Math.floor(statSync(file).size / 8192) * 4096;
    writeSync(fd, Buffer.alloc(100 * 4096, 0xa5), 0, 100 * 4096, half);
    closeSync(fd);
    const all = graph.read((tx) => tx.find({ kind: 'nodes', types: ['Thing'] }));
    await expect(all).rejects.toMatchObject({ name: 'GraphError', code: 'damaged' });
    await expect(create(newId())).rejects.toMatchObject({ name: 'GraphError', code: 'damaged' });
    const told = errors.filter((error) => error instanceof GraphError && error.code === 'damaged');
    expect(told).toHaveLength(1);
    expect(String(told[0])).toMatch(
      /Nothing is written any more\. Stop the server, look at the database with `svc graph check`/,
    );
    expect((await graph.read((tx) => tx.node(first)))?.id).toBe(first);
    await expect(graph.close()).rejects.toMatchObject({ code: 'damaged' });
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});
