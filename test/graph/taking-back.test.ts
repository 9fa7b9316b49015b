import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { newId, openSqliteGraph, type WriteTransaction } from '../../src/main/graph/index.js';

/** What a transaction does before it fails, beside others in the same commit that do not. */
const FAILING: Readonly<Record<string, (tx: WriteTransaction, id: string, hub: string) => Promise<unknown>>> = {
  'nodes and relationships': async (tx, id, hub) => {
    await tx.createNode({ id, type: 'Thing', properties: { name: id } });
    await link(tx, id, hub);
  },
  'a type and a key that nobody knew': async (tx, id, hub) => {
    await tx.createNode({ id, type: `Type${id}`, properties: { name: id } });
    await tx.createRelationship({
      id: newId(),
      type: `R${id}`,
      relType: 'R',
      sourceId: id,
      targetId: hub,
      properties: {},
    });
  },
  'a change after the creation': async (tx, id, hub) => {
    await tx.createNode({ id, type: 'Thing', properties: { name: id } });
    await tx.updateNode(id, { name: 'changed' });
    await tx.updateNode(hub, { name: `hub of ${id}` });
    await link(tx, id, hub);
  },
  'a change before the creation': async (tx, id, hub) => {
    await tx.updateNode(hub, { name: `hub of ${id}` });
    await tx.createNode({ id, type: 'Thing', properties: { name: id } });
  },
  'a creation and a deletion': async (tx, id, hub) => {
    await tx.createNode({ id, type: 'Thing', properties: { name: id } });
    await link(tx, id, hub);
    await tx.deleteNode(id);
  },
  'creations around a savepoint': async (tx, id, hub) => {
    await tx.createNode({ id, type: 'Thing', properties: { name: id } });
    await tx
      .savepoint(async () => {
        await tx.createNode({ id: newId(), type: `Inner${id}`, properties: { name: 'inner' } });
        throw new Error('inner');
      })
      .catch(() => undefined);
    await tx.createNode({ id: newId(), type: 'Thing', properties: { name: 'later' } });
    await link(tx, id, hub);
  },
  'an id that is taken': async (tx, id, hub) => {
    await tx.createNode({ id, type: 'Thing', properties: { name: id } });
    await tx.createNode({ id: hub, type: 'Thing', properties: { name: 'second' } });
  },
};

async function link(tx: WriteTransaction, from: string, to: string): Promise<void> {
  await tx.createRelationship({
    id: newId(),
    type: 'Link',
    relType: 'LINK',
    sourceId: from,
    targetId: to,
    properties: {},
  });
}

/** On the loop, and by the writer's thread. */
const WAYS = [undefined, 0].flatMap((threadFrom) => Object.keys(FAILING).map((name) => ({ name, threadFrom })));

test.each(WAYS)(
  'a transaction that fails takes back what it wrote, beside others: $name (thread from $threadFrom)',
  async ({ name, threadFrom }) => {
    const path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
    const graph = await openSqliteGraph({ path, ...(threadFrom === undefined ? {} : { threadFrom }) });
    const hub = newId();
    try {
      await graph.setIndexes([{ trait: 'Thing', types: ['Thing'], key: 'name', unique: false }]);
      await graph.indexesReady();
      await graph.write((tx) => tx.createNode({ id: hub, type: 'Thing', properties: { name: 'hub' } }));
      const outcomes = await Promise.allSettled(
        Array.from({ length: 30 }, (_, i) =>
          graph.write(async (tx) => {
            const id = newId();
            if (i % 3 === 1) {
              await FAILING[name]?.(tx, id, hub);
              throw new Error('fails');
            }
            await tx.createNode({ id, type: 'Thing', properties: { name: `good ${String(i)}` } });
            await link(tx, id, hub);
          }),
        ),
      );
      expect(outcomes.filter((o) => o.status === 'rejected')).toHaveLength(10);
      await graph.read(async (tx) => {
        expect((await tx.node(hub))?.properties).toEqual({ name: 'hub' });
        expect(
          await tx.find({ kind: 'nodes', types: ['Thing'], sort: [{ key: 'name', direction: 'asc' }] }),
        ).toHaveLength(21);
      });
    } finally {
      await graph.close();
    }
    const db = new Library(join(path, 'graph.db'), { readonly: true });
    const value = (sql: string): unknown => db.prepare(sql).pluck().get();
    expect(value('SELECT count(*) FROM node')).toBe(21);
    expect(value('SELECT count(*) FROM rel')).toBe(20);
    expect(value('SELECT count(*) FROM prop_index')).toBe(21);
    expect(
      value(`SELECT count(*) FROM prop_index i JOIN node n ON n.pk = i.node
        AND iif(n.props LIKE '[%', n.props ->> 1, n.props ->> 'name') = i.value`),
    ).toBe(21);
    expect(
      db.prepare('SELECT text FROM name_table WHERE text <> \'{"name":"$[1]"}\' ORDER BY id').pluck().all().sort(),
    ).toEqual(['LINK', 'Link', 'Thing', 'name']);
    expect(db.prepare('SELECT n FROM counter WHERE n > 0 ORDER BY n').pluck().all()).toEqual([20, 21]);
    expect(value('PRAGMA integrity_check')).toBe('ok');
    db.close();
    rmSync(path, { recursive: true, force: true });
  },
);
