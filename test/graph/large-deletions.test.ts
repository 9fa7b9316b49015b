/** A node with many relationships is deleted beside others, who see all of it or nothing (docs/design/transactions.md). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OWNS, SECURITY } from '../../src/main/graph/access.js';
import type { NewNode, NewRelationship } from '../../src/main/graph/graph.js';
import {
  checkSqliteGraph,
  type Graph,
  GraphError,
  newId,
  openSqliteGraph,
  type Query,
} from '../../src/main/graph/index.js';
import { Library as Sqlite } from '../../src/main/graph/sqlite/connection/library.js';
import { Random } from '../fuzz/random.js';
import { deleteBeside } from '../support/delete-beside.js';
import { runsOf } from '../support/random.js';

/** More than a transaction that is large has operations. */
const LINKS = 1200;

describe.each([
  ['written by the thread', { threadFrom: 0 }],
  ['written on the loop', { threadFrom: Infinity, largeFrom: Infinity }],
])('a hub, %s', (_, options) => {
  let graph: Graph;
  let path: string;

  async function open(): Promise<void> {
    graph = await openSqliteGraph({ path, onError: () => undefined, ...options });
  }
  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-hub-deletion-'));
    await open();
    await graph.setIndexes([{ trait: 'Thing', types: ['Thing'], key: 'n', unique: false }]);
  });
  afterEach(async () => {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  });

  const node = (type: string, n = 0): NewNode => ({ id: newId(), type, properties: { n } });
  const link = (relType: string, sourceId: string, targetId: string): NewRelationship => ({
    ...{ id: newId(), type: `to${relType}`, relType, sourceId, targetId },
    properties: relType === SECURITY ? { allowed: ['read'] } : {},
  });

  /** Hubs, each linked with the same things: half of the links lead there, half from there. Ids of hubs and of their links. */
  async function make(hubs: number): Promise<{ things: string[]; links: Map<string, string[]> }> {
    const things = Array.from({ length: LINKS }, (_, i) => node('Thing', i));
    const links = new Map<string, string[]>();
    await graph.write(async (tx) => {
      for (const thing of things) await tx.createNode(thing);
      for (let i = 0; i < hubs; i++) {
        const hub = node('Hub', i);
        await tx.createNode(hub);
        const ids: string[] = [];
        for (const [at, { id }] of things.entries()) {
          const made = at % 2 === 0 ? link('HAS', hub.id, id) : link('HAS', id, hub.id);
          await tx.createRelationship(made);
          ids.push(made.id);
        }
        links.set(hub.id, ids);
      }
    });
    return { things: things.map(({ id }) => id), links };
  }

  /** What all tables hold, as another process would see it. */
  async function tables(): Promise<Record<string, unknown>> {
    await graph.durable();
    const db = new Sqlite(join(path, 'graph.db'), { readonly: true });
    try {
      const found: Record<string, unknown> = {};
      for (const table of ['node', 'rel', 'prop_index', 'access_entry'])
        found[table] = db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
      return found;
    } finally {
      db.close();
    }
  }

  /** Closes the database, and looks at all of it. */
  async function whole(): Promise<void> {
    await graph.close();
    const found: string[] = [];
    for await (const { message } of checkSqliteGraph(path, () => undefined)) found.push(message);
    expect(found).toEqual([]);
    await open();
  }

  test('is there with all its relationships, or gone with all, for whoever reads; others write meanwhile', async () => {
    const { things, links } = await make(3);
    const hubs = [...links.keys()];
    const kept = hubs[2] ?? '';
    let over = false;
    let looks = 0;
    const step = { relType: 'HAS', direction: 'in', types: ['Hub'] } as const;
    const has = (id: string) => ({ op: 'relatedSome', step, where: { op: 'equals', key: 'id', value: id } }) as const;
    const look = async (): Promise<void> => {
      looks++;
      const isOver = over;
      // Within one state: by id, and from the other end.
      await graph.read(
        async (tx) => {
          for (const id of hubs) {
            const isThere = (await tx.node(id)) !== undefined;
            for (const one of [links.get(id)?.[0], links.get(id)?.at(-1)])
              expect((await tx.relationship(one ?? '')) !== undefined).toBe(isThere);
            const [near = []] = await tx.related([things[0] ?? ''], step);
            expect(near.some((one) => one.id === id)).toBe(isThere);
          }
        },
        { snapshot: true },
      );
      // Each of these is one statement, which may be of another moment than the next: all or nothing each.
      for (const id of hubs.slice(0, 2)) {
        const queries: readonly Query[] = [
          { kind: 'relationships', sourceId: id },
          { kind: 'relationships', targetId: id },
          { kind: 'nodes', trait: 'Thing', types: ['Thing'], where: has(id) },
        ];
        for (const query of queries) {
          const { count } = await graph.read((tx) => tx.count(query));
          expect([0, LINKS / 2]).toContain(count);
          if (isOver) expect(count).toBe(0);
        }
      }
    };
    const reader = async (): Promise<void> => {
      while (!over) {
        await look();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    let written = 0;
    const writer = async (): Promise<void> => {
      while (!over) {
        await graph.write(async (tx) => {
          const one = node('Thing', LINKS + ++written);
          await tx.createNode(one);
          await tx.createRelationship(link('HAS', kept, one.id));
        });
      }
    };
    const beside = Promise.all([reader(), reader(), writer()]);
    for (const id of hubs.slice(0, 2)) await deleteBeside(graph, (tx) => tx.deleteNode(id));
    over = true;
    await beside;
    await look();
    expect(looks).toBeGreaterThan(1);
    expect(written).toBeGreaterThan(0);
    await graph.read(async (tx) => {
      expect((await tx.count({ kind: 'relationships', types: ['toHAS'] })).count).toBe(LINKS + written);
      expect((await tx.count({ kind: 'nodes', types: ['Thing'] })).count).toBe(LINKS + written);
    });
    await whole();
  });

  test('tells each of its relationships to who hears of commits', async () => {
    const { links } = await make(1);
    const [[hub, ids] = ['', []]] = links;
    const told: string[] = [];
    graph.onCommit((changes) => told.push(...changes.map(({ verb, entity }) => `${verb} ${entity.id}`)));
    await deleteBeside(graph, (tx) => tx.deleteNode(hub));
    expect(told.at(-1)).toBe(`delete ${hub}`);
    expect(new Set(told.slice(0, -1))).toEqual(new Set(ids.map((id) => `unlink ${id}`)));
    expect(told).toHaveLength(LINKS + 1);
  });

  test('stays as it was when its deletion is taken back, refused or fails at its end', async () => {
    const { links } = await make(1);
    const [hub = ''] = links.keys();
    const before = await tables();
    const given = graph.open({ locking: 'last' });
    await given.deleteNode(hub);
    await given.rollBack();
    expect(await tables()).toEqual(before);
    const failing = graph.open({ locking: 'last' });
    await failing.deleteNode(hub);
    await expect(failing.commit(() => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose');
    expect(await tables()).toEqual(before);
    const db = new Sqlite(join(path, 'graph.db'));
    db.exec("CREATE TRIGGER refuse BEFORE DELETE ON node BEGIN SELECT RAISE(ABORT, 'refused'); END");
    await expect(deleteBeside(graph, (tx) => tx.deleteNode(hub))).rejects.toThrow('refused');
    expect(await tables()).toEqual(before);
    db.exec('DROP TRIGGER refuse');
    db.close();
    expect((await graph.read((tx) => tx.count({ kind: 'relationships', sourceId: hub }))).count).toBe(LINKS / 2);
    await deleteBeside(graph, (tx) => tx.deleteNode(hub));
    expect(await tables()).toEqual({ ...before, node: LINKS, rel: 0 });
    await whole();
  });

  test('is no matter of a small transaction, nor are hundreds of nodes', async () => {
    const { things, links } = await make(1);
    const [hub = ''] = links.keys();
    const before = await tables();
    const small = { small: true } as const;
    const large = { code: 'large' } satisfies Partial<GraphError>;
    await expect(graph.write((tx) => tx.deleteNode(hub), small)).rejects.toMatchObject(large);
    const some = (count: number) => (): Promise<void> =>
      graph.write(async (tx) => {
        for (const id of things.slice(0, count)) await tx.deleteNode(id);
      }, small);
    await expect(some(201)()).rejects.toMatchObject(large);
    expect(await tables()).toEqual(before);
    await some(200)();
    expect(await tables()).toMatchObject({ node: LINKS - 200 + 1, rel: LINKS - 200 });
  });

  test('takes the rights with it that it gave and that it had', async () => {
    const user = node('User');
    const other = node('User', 1);
    const things = Array.from({ length: LINKS }, (_, i) => node('Thing', i));
    await graph.write(async (tx) => {
      for (const one of [user, other, ...things]) await tx.createNode(one);
      for (const { id } of things) {
        for (const relType of [OWNS, SECURITY]) await tx.createRelationship(link(relType, user.id, id));
        await tx.createRelationship(link(SECURITY, other.id, id));
      }
      for (const relType of [OWNS, SECURITY]) await tx.createRelationship(link(relType, other.id, user.id));
    });
    const may = (principal: string): Promise<number> =>
      graph.read(async (tx) => {
        const access = { right: 'read', principals: [principal], ids: [], types: [], keys: [] } as const;
        return (await tx.count({ kind: 'nodes', trait: 'Thing', types: ['Thing', 'User'], access })).count;
      });
    expect([await may(user.id), await may(other.id)]).toEqual([LINKS, LINKS + 1]);
    await deleteBeside(graph, async (tx) => {
      // One of them before, in the same transaction.
      await tx.deleteNode(things[0]?.id ?? '');
      await tx.deleteNode(user.id);
    });
    expect([await may(user.id), await may(other.id)]).toEqual([0, LINKS - 1]);
    expect(await tables()).toMatchObject({ access_entry: LINKS - 1, rel: LINKS - 1 });
    await whole();
  });

  test('random histories of deletions beside links leave what the links say', async () => {
    for (let run = 0; run < runsOf(5); run++) {
      const random = new Random(Math.floor(Math.random() * 2 ** 31));
      const about = `seed ${String(random.seed)}`;
      const { things, links } = await make(4);
      const alive = new Map<string, readonly [string, string]>();
      const gone = new Set<string>();
      for (const [hub, ids] of links)
        for (const [i, id] of ids.entries())
          alive.set(id, i % 2 === 0 ? [hub, things[i] ?? ''] : [things[i] ?? '', hub]);
      const hubs = [...links.keys()];
      const pick = (list: readonly string[]): string => list[random.below(list.length)] ?? '';
      let over = false;
      const linking = async (): Promise<void> => {
        while (!over) {
          const [source, target] = [pick(hubs), pick(things)];
          const made = link('HAS', source, target);
          try {
            await graph.write((tx) => tx.createRelationship(made));
            alive.set(made.id, [source, target]);
          } catch (error) {
            // An end was deleted before.
            if (!(error instanceof GraphError) || error.code !== 'not_found') throw error;
            if (gone.size === things.length + hubs.length) return;
          }
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const beside = Promise.all([linking(), linking()]);
      for (let i = 0; i < 3; i++) {
        const victims = [hubs[i] ?? '', ...Array.from({ length: 20 }, () => pick(things))];
        const chosen = [...new Set(victims)].filter((id) => !gone.has(id));
        await deleteBeside(graph, async (tx) => {
          for (const id of chosen) await tx.deleteNode(id);
        });
        for (const id of chosen) gone.add(id);
      }
      over = true;
      await beside;
      const expected = [...alive].filter(([, ends]) => !ends.some((id) => gone.has(id))).map(([id]) => id);
      await graph.read(async (tx) => {
        const found = await tx.find({ kind: 'relationships', types: ['toHAS'] });
        const mine = found.filter(({ id }) => alive.has(id)).map(({ id }) => id);
        expect(new Set(mine), about).toEqual(new Set(expected));
        expect(mine, about).toHaveLength(expected.length);
        for (const id of gone) expect(await tx.node(id), about).toBeUndefined();
      });
      await whole();
    }
  });
});
