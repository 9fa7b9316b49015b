import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type AccessRule,
  newId,
  openSqliteGraph,
  PUBLIC,
  StatementLog,
  type WriteTransaction,
} from '../../src/main/graph/index.js';

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

test('what somebody may see is listed again after a commit that concerns it, and after no other', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
  let listed = 0;
  const statements = new StatementLog(({ text }) => {
    if (text.includes('access_entry')) listed++;
  });
  statements.all = true;
  const graph = await openSqliteGraph({ path, statements });
  const access: AccessRule = { right: 'read', principals: ['user', 'group'], ids: ['user'], types: [], keys: [PUBLIC] };
  const query = { kind: 'nodes', types: ['Thing'], access } as const;
  const link = async (tx: WriteTransaction, relType: string, sourceId: string, targetId: string, id = newId()) => {
    const properties = { allowed: ['read'] };
    await tx.createRelationship({ id, type: `X${relType}`, relType, sourceId, targetId, properties });
  };
  try {
    await graph.write(async (tx) => {
      for (const id of ['user', 'group']) await tx.createNode({ id, type: 'Principal', properties: {} });
      for (const [i, id] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
        await tx.createNode({ id, type: 'Thing', properties: { n: 10 - i } });
      }
      for (const id of ['a', 'b']) await link(tx, 'SECURITY', 'user', id, `user ${id}`);
      await link(tx, 'OWNS', 'group', 'c');
    });
    /** Ids in the order of creation, and sorted. */
    const lists = async (): Promise<[string, string]> =>
      graph.read(async (tx) => {
        const whole = await tx.find(query);
        const sorted = await tx.find({ ...query, sort: [{ key: 'n' }], offset: 1, limit: 4 });
        expect(await tx.count(query, 100)).toEqual({ count: whole.length, exact: true });
        return [whole.map((node) => node.id).join(''), sorted.map((node) => node.id).join('')];
      });
    const kept = async (wanted: readonly [string, string]): Promise<void> => {
      listed = 0;
      expect(await lists()).toEqual(wanted);
      expect(listed).toBe(0);
    };
    let now: readonly [string, string] = ['abc', 'ba'];
    expect(await lists()).toEqual(now);
    await kept(now);
    const others: Record<string, (tx: WriteTransaction) => Promise<unknown>> = {
      'another type': (tx) => tx.createNode({ id: newId(), type: 'Other', properties: { n: 1, [PUBLIC]: true } }),
      'a grant on another type': (tx) => link(tx, 'SECURITY', 'user', 'group'),
      'a relationship that says nothing about access': (tx) => link(tx, 'KNOWS', 'user', 'd'),
    };
    for (const work of Object.values(others)) {
      await graph.write(work);
      await kept(now);
    }
    const concerning: [(tx: WriteTransaction) => Promise<unknown>, string, string][] = [
      [(tx) => link(tx, 'SECURITY', 'group', 'f', 'group f'), 'abcf', 'cba'],
      [(tx) => tx.updateNode('c', { n: 20 }), 'abcf', 'bac'],
      [(tx) => tx.updateNode('d', { [PUBLIC]: true }), 'abcdf', 'dbac'],
      [(tx) => tx.updateRelationship('group f', { allowed: ['write'] }), 'abcd', 'bac'],
      [(tx) => tx.deleteRelationship('user b'), 'acd', 'ac'],
      [(tx) => tx.setNodeType('a', 'Other'), 'cd', 'c'],
      [(tx) => tx.setNodeType('user', 'Thing'), 'usercd', 'cuser'],
      [(tx) => tx.deleteNode('group'), 'userd', 'user'],
      [(tx) => tx.createNode({ id: 'g', type: 'Thing', properties: { n: 1, [PUBLIC]: true } }), 'userdg', 'duser'],
      [(tx) => tx.deleteNode('d'), 'userg', 'user'],
    ];
    for (const [work, ...wanted] of concerning) {
      await graph
        .write(async (tx) => {
          await work(tx);
          throw new Error('undone');
        })
        .catch(() => undefined);
      expect(await lists()).toEqual(now);
      await graph.write(work);
      now = wanted;
      listed = 0;
      expect(await lists()).toEqual(now);
      expect(listed).toBeGreaterThan(0);
      await kept(now);
    }
  } finally {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  }
});

test('a list that a worker makes is made once for all who wait for it', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
  let listed = 0;
  const statements = new StatementLog(({ text }) => {
    if (text.startsWith('SELECT v.pk')) listed++;
  });
  statements.all = true;
  const graph = await openSqliteGraph({ path, statements, loopBudget: 0 });
  const access: AccessRule = { right: 'read', principals: [], ids: [], types: [], keys: [PUBLIC] };
  const page = (signal?: AbortSignal): Promise<unknown[]> =>
    graph.read(
      (tx) => tx.find({ kind: 'nodes', types: ['Thing'], access, sort: [{ key: 'n' }], limit: 2 }),
      signal === undefined ? {} : { signal },
    );
  try {
    await graph.write(async (tx) => {
      for (let n = 0; n < 50; n++) {
        await tx.createNode({ id: newId(), type: 'Thing', properties: { n, [PUBLIC]: n > 9 } });
      }
    });
    const cancelled = new AbortController();
    const first = page(cancelled.signal);
    const others = Promise.all(Array.from({ length: 8 }, () => page()));
    expect(listed).toBe(0);
    expect((await first).length).toBe(2);
    expect(await others).toHaveLength(8);
    expect(listed).toBe(1);
    await graph.write((tx) => tx.createNode({ id: 'new', type: 'Thing', properties: { n: 0, [PUBLIC]: true } }));
    const ended = page(cancelled.signal);
    const waiting = page();
    cancelled.abort();
    await expect(ended).rejects.toMatchObject({ code: 'aborted' });
    expect(await waiting).toMatchObject([{ id: 'new' }, { properties: { n: 10 } }]);
  } finally {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  }
});
