import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Graph, newId, openSqliteGraph, type WriteTransaction } from '../../src/main/graph/index.js';
import { Connection } from '../../src/main/graph/sqlite/connection/connection.js';
import { WriteRecord } from '../../src/main/graph/sqlite/writing/write-record.js';
import { randomNumbers } from '../../bench/dataset.js';

/** What transactions see of others that are recorded, in the thread, or on the loop, and not committed. */
describe('what is not committed', () => {
  let path: string;
  let graph: Graph;
  let onLoop: string[];

  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
    graph = await openSqliteGraph({ path, threadFrom: 0 });
    await graph.setIndexes([{ trait: 'A', types: ['A', 'B'], key: 'k', unique: false }]);
    await graph.indexesReady();
    onLoop = [];
    const run = Connection.prototype.run;
    vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection, sql, params) {
      if (/^(INSERT INTO|UPDATE|DELETE FROM) (node|rel|prop_index|access_entry)\b/.test(sql)) onLoop.push(sql);
      return run.call(this, sql, params);
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  });

  const many = <T>(work: (i: number) => Promise<T>, n = 64): Promise<T[]> =>
    Promise.all(Array.from({ length: n }, (_, i) => work(i)));

  test('is written by the thread alone: insertions, changes, deletions, relationships, rights and failed savepoints', async () => {
    const wait = vi.spyOn(Atomics, 'wait');
    const owner = await graph.write((tx) => tx.createNode({ id: newId(), type: 'B', properties: { k: 0 } }));
    await many(async (i) => {
      const node = await graph.write(async (tx) => {
        const made = await tx.createNode({ id: newId(), type: 'A', properties: { k: i, visibleToPublicUsers: true } });
        for (const relType of ['OWNS', 'SECURITY']) {
          const properties = { allowed: ['read', 'write'] };
          await tx.createRelationship({
            ...{ id: newId(), type: 'R', relType, sourceId: owner.id, targetId: made.id, properties },
          });
        }
        return made;
      });
      await graph.write(async (tx) => {
        await tx.updateNode(node.id, { k: 1000 + i, visibleToPublicUsers: null });
        const same = { op: 'equals', key: 'k', value: 1000 + i } as const;
        const found = await tx.find({ kind: 'nodes', types: ['A', 'B'], where: same, limit: 2 });
        expect(found.map(({ id }) => id)).toEqual([node.id]);
      });
      const [grant] = await graph.write(async (tx) => {
        await tx
          .savepoint(async () => {
            await tx.deleteNode(node.id);
            throw new Error('on purpose');
          })
          .catch(() => undefined);
        return (await tx.links([node.id], { relType: 'SECURITY', direction: 'in' }))[0] ?? [];
      });
      await graph.write((tx) => tx.updateRelationship(grant?.relationship.id ?? '', { allowed: ['delete'] }));
      await graph.write((tx) => tx.setNodeType(node.id, 'B'));
      if (i % 2 === 0) await graph.write((tx) => tx.deleteNode(node.id));
    });
    expect(onLoop).toEqual([]);
    expect(wait).not.toHaveBeenCalled();
    const [kept = []] = await graph.read((tx) => tx.related([owner.id], { relType: 'OWNS', direction: 'out' }));
    expect(kept.map(({ type, properties }) => [type, properties['k']])).toEqual(
      Array.from({ length: 32 }, (_, i) => ['B', 1001 + 2 * i]),
    );
    for (const [right, all] of [
      ['delete', true],
      ['accessControl', true],
    ] as const) {
      const rule = { right, principals: [owner.id], ids: [], types: [], keys: [] };
      expect(await graph.read((tx) => tx.permitted(kept, rule))).toEqual(kept.map(() => all));
    }
    // The owner's rights go with his relationship; those of the grant are left.
    for (const node of kept) {
      await graph.write(async (tx) => {
        const [[own] = []] = await tx.links([node.id], { relType: 'OWNS', direction: 'in' });
        await tx.deleteRelationship(own?.relationship.id ?? '');
      });
    }
    for (const right of ['read', 'write', 'delete'] as const) {
      const rule = { right, principals: [owner.id], ids: [], types: [], keys: [] };
      expect(await graph.read((tx) => tx.permitted(kept, rule))).toEqual(kept.map(() => right === 'delete'));
    }
  });

  test('loses no update of one object, and gives a key to one object only', async () => {
    const { id } = await graph.write((tx) => tx.createNode({ id: newId(), type: 'A', properties: { n: 0 } }));
    let taken = 0;
    await many(async (i) => {
      await graph.write(async (tx) => {
        const n = Number((await tx.node(id))?.properties['n']);
        await tx.updateNode(id, { n: n + 1 });
      });
      await graph.write(async (tx) => {
        const key = { op: 'equals', key: 'k', value: i % 10 } as const;
        if ((await tx.find({ kind: 'nodes', types: ['A'], where: key, limit: 1 })).length > 0) taken++;
        else await tx.createNode({ id: newId(), type: 'A', properties: { k: i % 10 } });
      });
    });
    expect(taken).toBe(54);
    expect(onLoop).toEqual([]);
    expect((await graph.read((tx) => tx.node(id)))?.properties['n']).toBe(64);
    expect((await graph.read((tx) => tx.count({ kind: 'nodes', types: ['A'] }))).count).toBe(11);
  });

  test('is lost together with what has read it', async () => {
    const { id } = await graph.write((tx) => tx.createNode({ id: newId(), type: 'A', properties: { n: 0 } }));
    const add = vi.spyOn(WriteRecord.prototype, 'addLast');
    const run = WriteRecord.prototype.add;
    // The database refuses the first batch: a key of a row that is taken.
    add.mockImplementationOnce(function (this: WriteRecord) {
      for (let i = 0; i < 2; i++) run.call(this, 'INSERT INTO name_table(id, text) VALUES (?, ?)', [9999, 'twice']);
    });
    const reads: unknown[] = [];
    const first = graph.write((tx) => tx.updateNode(id, { n: 1 }));
    const rest = many(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return graph
        .write(async (tx) => {
          const n = (await tx.node(id))?.properties['n'];
          await new Promise((resolve) => setImmediate(resolve));
          return n;
        })
        .then(
          (n) => reads.push(n),
          () => undefined,
        );
    }, 4);
    await expect(first).rejects.toThrow();
    await rest;
    for (const n of reads) expect(n).toBe(0);
    expect((await graph.read((tx) => tx.node(id)))?.properties['n']).toBe(0);
    await graph.write((tx) => tx.updateNode(id, { n: 2 }));
    expect((await graph.read((tx) => tx.node(id)))?.properties['n']).toBe(2);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('is seen by every transaction as the model says (seed %i)', async (seed) => {
    const random = randomNumbers(seed);
    const below = (n: number): number => Math.floor(random() * n);
    let model = new Model();
    await many(async () => {
      for (let round = 0; round < 8; round++) {
        await graph
          .write(async (tx) => {
            const before = model;
            model = model.copy();
            try {
              await steps(tx, () => model, below);
              if (below(6) === 0) throw new Planned();
            } catch (error) {
              model = before;
              throw error;
            }
          })
          .catch((error: unknown) => {
            if (!(error instanceof Planned)) throw error;
          });
      }
    }, 24);
    const stored = await graph.read(async (tx) => ({
      nodes: await tx.find({ kind: 'nodes' }),
      links: await tx.find({ kind: 'relationships' }),
    }));
    const byId = (list: readonly { id: string }[]): unknown[] => list.map(({ id }) => id).sort();
    expect(byId(stored.nodes)).toEqual([...model.nodes.keys()].sort());
    expect(byId(stored.links)).toEqual([...model.links.keys()].sort());
    for (const { id, type, properties } of stored.nodes) expect([type, properties['k']]).toEqual(model.nodes.get(id));
    for (const type of ['A', 'B']) {
      for (let k = 0; k < 5; k++) {
        const where = { op: 'equals', key: 'k', value: k } as const;
        const found = await graph.read((tx) => tx.find({ kind: 'nodes', types: [type], where, sort: [{ key: 'id' }] }));
        expect(byId(found)).toEqual(model.matching(type, k).sort());
      }
    }
  });

  class Planned extends Error {}

  class Model {
    nodes = new Map<string, [type: string, k: number]>();
    links = new Map<string, [source: string, target: string]>();

    copy(): Model {
      const copy = new Model();
      copy.nodes = new Map(this.nodes);
      copy.links = new Map(this.links);
      return copy;
    }

    matching(type: string, k: number): string[] {
      return [...this.nodes].filter(([, node]) => node[0] === type && node[1] === k).map(([id]) => id);
    }

    /** Targets in the order of linking. */
    targets(source: string): string[] {
      return [...this.links.values()].filter(([from]) => from === source).map(([, to]) => to);
    }
  }

  /** A few random steps and looks at what they have done, in the graph and in the model. */
  async function steps(tx: WriteTransaction, model: () => Model, below: (n: number) => number): Promise<void> {
    const { nodes, links } = model();
    const any = (map: ReadonlyMap<string, unknown>): string | undefined => [...map.keys()][below(map.size)];
    for (let left = 1 + below(4); left > 0; left--) {
      const [id, link] = [any(nodes), any(links)];
      const what = below(12);
      if (what < 3 || id === undefined) {
        const made = what === 0 ? `chosen-${String(below(1e9))}` : newId();
        const [type, k] = [below(2) === 0 ? 'A' : 'B', below(5)];
        await tx.createNode({ id: made, type, properties: { k } });
        nodes.set(made, [type, k]);
      } else if (what < 5) {
        const k = below(5);
        await tx.updateNode(id, { k });
        nodes.set(id, [nodes.get(id)?.[0] ?? '', k]);
      } else if (what < 7) {
        const [made, target] = [newId(), any(nodes) ?? id];
        await tx.createRelationship({
          ...{ id: made, type: 'R', relType: 'TO', sourceId: id, targetId: target, properties: {} },
        });
        links.set(made, [id, target]);
      } else if (what === 7) {
        await tx.deleteNode(id);
        nodes.delete(id);
        for (const [one, [source, target]] of [...links]) if (source === id || target === id) links.delete(one);
      } else if (what === 8 && link !== undefined) {
        await tx.deleteRelationship(link);
        links.delete(link);
      } else if (what === 9) {
        const type = nodes.get(id)?.[0] === 'A' ? 'B' : 'A';
        await tx.setNodeType(id, type);
        nodes.set(id, [type, nodes.get(id)?.[1] ?? 0]);
      } else if (what === 10) {
        await tx
          .savepoint(async () => {
            await tx.updateNode(id, { k: 99 });
            await tx.deleteNode(id);
            throw new Planned();
          })
          .catch((error: unknown) => {
            if (!(error instanceof Planned)) throw error;
          });
      } else {
        // What only the connection tells: the transaction goes on on the loop.
        const found = await tx.find({ kind: 'nodes', types: ['A'], sort: [{ key: 'k' }, { key: 'id' }] });
        expect(found.map((one) => one.id).sort()).toEqual(
          [...nodes].flatMap(([one, [type]]) => (type === 'A' ? [one] : [])).sort(),
        );
      }
    }
    await look(tx, model(), below);
  }

  async function look(tx: WriteTransaction, model: Model, below: (n: number) => number): Promise<void> {
    const [type, k] = [below(2) === 0 ? 'A' : 'B', below(5)];
    const where = { op: 'equals', key: 'k', value: k } as const;
    const found = await tx.find({ kind: 'nodes', types: [type], where, limit: 3 });
    const matching = model.matching(type, k);
    expect(found).toHaveLength(Math.min(3, matching.length));
    for (const { id } of found) expect(matching).toContain(id);
    expect((await tx.count({ kind: 'nodes', types: [type], where })).count).toBe(matching.length);
    const id = [...model.nodes.keys()][below(model.nodes.size)];
    if (id === undefined) return;
    const node = await tx.node(id);
    expect([node?.type, node?.properties['k']]).toEqual(model.nodes.get(id));
    const [targets = []] = await tx.related([id], { relType: 'TO', direction: 'out' });
    expect(targets.map((one) => one.id)).toEqual(model.targets(id));
    for (const one of targets) expect([one.type, one.properties['k']]).toEqual(model.nodes.get(one.id));
    const [[first] = []] = await tx.links([id], { relType: 'TO', direction: 'out' }, 1);
    expect(first?.node.id).toBe(model.targets(id)[0]);
  }
});
