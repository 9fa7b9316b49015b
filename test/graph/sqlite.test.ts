import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import {
  type AccessRule,
  type Graph,
  GraphError,
  newId,
  type NodeQuery,
  openSqliteGraph,
  PUBLIC,
  StatementLog,
  USERS,
} from '../../src/main/graph/index.js';
import { longestTurnAtBest, paced } from '../support/loop.js';
import { accessConformance } from './access-conformance.js';
import { commitConformance } from './commit-conformance.js';
import { comparisonConformance } from './comparison-conformance.js';
import { conformance } from './conformance.js';
import { opener } from './openers.js';
import { textConformance } from './text-conformance.js';
import { inFormat6 } from './older-format.js';

conformance('sqlite', opener({}));
accessConformance('sqlite', opener({}));
comparisonConformance('sqlite', opener({}));
textConformance('sqlite', opener({}));
commitConformance('sqlite', opener({}));
// The same promises hold when a thread of its own writes all it can.
conformance('sqlite, writing in a thread', opener({ threadFrom: 0 }));
commitConformance('sqlite, writing in a thread', opener({ threadFrom: 0 }));
// And for queries that are too long for the loop. More of both: test/long/graph-ways.test.ts.
conformance('sqlite, every query in a worker or in slices', opener({ loopBudget: 0 }));
accessConformance('sqlite, every query in a worker or in slices', opener({ loopBudget: 0 }));

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof GraphError ? `${error.code}: ${error.message}` : String(error);
  }
  return 'none';
}

/** Nodes in transactions of 1000: every tenth has no `n`. */
async function fill(graph: Graph, count: number, type = 'Thing'): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    await graph.write(async (tx) => {
      for (let i = done; i < Math.min(count, done + 1000); i++) {
        const properties = {
          name: `thing ${String((i * 7919) % 100_003)}`,
          ...(i % 10 === 0 ? {} : { n: i % 100 }),
          plain: i,
        };
        await tx.createNode({ id: newId(), type, properties });
      }
    });
  }
}

function index(key: string, types = ['Thing']) {
  return { trait: 'Thing', types, key, unique: false };
}

describe('the sqlite engine', () => {
  let path: string;
  let graph: Graph;

  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
    graph = await openSqliteGraph({ path });
  });
  afterEach(async () => {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  });

  const count = async (query: Omit<NodeQuery, 'kind'> = {}): Promise<number> =>
    (await graph.read((tx) => tx.count({ kind: 'nodes', ...query }))).count;

  test('serves filters, sorts and pages from the index', async () => {
    await fill(graph, 300);
    await fill(graph, 300, 'Other');
    await graph.setIndexes([index('n', ['Thing', 'Other']), index('name', ['Thing', 'Other'])]);
    await graph.indexesReady();
    const plan = async (query: Omit<NodeQuery, 'kind'>): Promise<string> =>
      (await graph.explain({ kind: 'nodes', ...query })).filter((line) => line.startsWith('rows plan')).join('\n');
    for (const types of [['Thing'], ['Thing', 'Other']]) {
      for (const query of [
        { types, sort: [{ key: 'n' }], limit: 20 },
        { types, sort: [{ key: 'n', descending: true }], limit: 20, offset: 40 },
        { types, where: { op: 'equals', key: 'n', value: 5 } as const, limit: 20 },
        { types, where: { op: 'range', key: 'n', from: 5 } as const, sort: [{ key: 'n' }], limit: 20 },
        { types, where: { op: 'startsWith', key: 'name', value: 'thing 1' } as const, sort: [{ key: 'name' }] },
      ]) {
        const text = await plan(query);
        expect(text).toMatch(/SEARCH p USING PRIMARY KEY \(type=\? AND key=\?/);
        expect(text).not.toMatch(/TEMP B-TREE|SCAN n0|SCAN p/);
      }
    }
    expect(await plan({ types: ['Thing'], where: { op: 'in', key: 'n', values: [1, 2] } })).toMatch(
      /prop_index USING PRIMARY KEY/,
    );
    expect(await plan({ types: ['Thing'], where: { op: 'equals', key: 'id', value: 'x' } })).toMatch(/\(id=\?\)/);
  });

  // SQLite prepares a statement anew for each number that is bound to a bare `LIMIT ?` (graph/sqlite/connection/sql.ts, cutTo).
  test('binds no bare number to a limit', async () => {
    await graph.close();
    const statements: string[] = [];
    const log = new StatementLog(({ text }) => statements.push(text));
    log.all = true;
    graph = await openSqliteGraph({ path, statements: log });
    await granted(50, 5);
    await graph.setIndexes([index('name', ['Thing']), index('n', ['Thing'])]);
    await graph.indexesReady();
    const { id } = await graph.write((tx) => tx.createNode({ id: newId(), type: 'Thing', properties: { name: 'x' } }));
    await graph.read(async (tx) => {
      const page = { kind: 'nodes', types: ['Thing'], limit: 20 } as const;
      for (const more of [
        {},
        { sort: [{ key: 'name' }] },
        { where: { op: 'equals', key: 'name', value: 'x' } as const },
      ]) {
        for (const rights of [{}, { access }]) {
          await tx.find({ ...page, ...more, ...rights });
          await tx.count({ ...page, ...more, ...rights }, 100);
        }
      }
      await tx.find({ ...page, types: ['Thing', 'Other'], offset: 5 });
      await tx.find({ kind: 'relationships', relTypes: ['OWNS'], limit: 5 });
      await tx.related([id], { relType: 'OWNS', direction: 'in', access }, 5);
    });
    await graph.setIndexes([index('name', ['Thing'])]);
    await graph.indexesReady();
    expect(statements.filter((text) => /LIMIT \?\+0/.test(text)).length).toBeGreaterThan(8);
    expect(statements.filter((text) => /\b(LIMIT|OFFSET) \?(?!\+0)/.test(text))).toEqual([]);
  });

  test('takes no longer for a part that is nearly found everywhere', async () => {
    const text = `${'\r'.repeat(64_000)}${'a'.repeat(500_000)}`;
    await graph.write((tx) => tx.createNode({ id: newId(), type: 'Thing', properties: { text } }));
    // What V8's search takes 2 s for, and what SQLite's takes a second for.
    const upper = { op: 'contains', key: 'text', value: `\r\n--${'A'.repeat(8000)}`, ignoreCase: true } as const;
    const lower = { op: 'contains', key: 'text', value: `${'a'.repeat(100_000)}b` } as const;
    for (const where of [upper, lower])
      expect(await longestTurnAtBest(() => count({ where }), paced(500))).toBeLessThan(paced(500));
    const found = { op: 'contains', key: 'text', value: `\r${'a'.repeat(300)}` } as const;
    expect(await count({ where: found })).toBe(1);
  });

  test('reads one step in the order of linking without sorting', async () => {
    const { id } = await graph.write((tx) => tx.createNode({ id: newId(), type: 'Thing', properties: {} }));
    await graph.write((tx) =>
      tx.createRelationship({ id: newId(), type: 'R', relType: 'R', sourceId: id, targetId: id, properties: {} }),
    );
    await graph.close();
    const db = new Library(join(path, 'graph.db'), { readonly: true });
    const plan = db
      .prepare(
        'EXPLAIN QUERY PLAN SELECT pk, target FROM rel WHERE source = 1 AND relType = 1 AND pk > 5 ORDER BY pk LIMIT 20',
      )
      .all();
    expect(JSON.stringify(plan)).toMatch(
      /COVERING INDEX rel_out \(source=\? AND relType=\? AND rowid>\?\)|COVERING INDEX rel_out/,
    );
    expect(JSON.stringify(plan)).not.toMatch(/TEMP B-TREE/);
    db.close();
  });

  test('pages through the many nodes of a hub in any order', async () => {
    await fill(graph, 6000);
    await graph.setIndexes([index('n')]);
    await graph.indexesReady();
    await graph.write(async (tx) => {
      for (const type of ['Hub', 'Other']) await tx.createNode({ id: type, type, properties: {} });
      const things = await tx.find({ kind: 'nodes', types: ['Thing'] });
      for (const [i, thing] of things.entries()) {
        if (i % 4 === 0) continue;
        const targetId = thing.id;
        await tx.createRelationship({
          id: newId(),
          type: 'R',
          relType: 'R',
          sourceId: 'Hub',
          targetId,
          properties: {},
        });
      }
    });
    const base: NodeQuery = {
      kind: 'nodes',
      types: ['Thing'],
      from: { id: 'Hub', step: { relType: 'R', direction: 'out' } },
    };
    for (const more of [
      {},
      { sort: [{ key: 'n', descending: true }] },
      { sort: [{ key: 'plain' }] },
      { where: { op: 'equals', key: 'n', value: 7 } as const },
      { where: { op: 'endsWith', key: 'name', value: '1' } as const, sort: [{ key: 'n' }] },
    ]) {
      const all = await graph.read((tx) => tx.find({ ...base, ...more }));
      const page = await graph.read((tx) => tx.find({ ...base, ...more, offset: 5, limit: 20 }));
      expect(page.map((node) => node.id)).toEqual(all.slice(5, 25).map((node) => node.id));
      expect(await count({ ...base, ...more })).toBe(all.length);
    }
    expect(await count(base)).toBe(4500);
    expect((await graph.explain({ ...base, sort: [{ key: 'n' }], limit: 20 })).join('\n')).toMatch(/rel_in/);
  });

  test('builds an index while it is in use', async () => {
    await fill(graph, 20_000);
    const query: NodeQuery = { kind: 'nodes', types: ['Thing'], where: { op: 'equals', key: 'n', value: 42 } };
    const expected = (await graph.read((tx) => tx.find(query))).length;
    const [first, second] = await graph.read((tx) => tx.find({ ...query, limit: 2 }));
    await graph.setIndexes([index('n')]);
    await graph.write((tx) => tx.updateNode(first?.id ?? '', { n: 7 }));
    await graph.write((tx) => tx.deleteNode(second?.id ?? ''));
    let added = 0;
    let ready = false;
    const built = graph.indexesReady().then(() => (ready = true));
    while (!ready) {
      await graph.write((tx) => tx.createNode({ id: newId(), type: 'Thing', properties: { n: 42 } }));
      added++;
      expect(await count({ types: ['Thing'], where: query.where ?? { op: 'and', terms: [] } })).toBe(
        expected - 2 + added,
      );
    }
    await built;
    expect((await graph.explain(query)).join('\n')).toMatch(/prop_index/);
    expect(await count({ types: ['Thing'], where: { op: 'equals', key: 'n', value: 42 } })).toBe(expected - 2 + added);
    expect(await count({ types: ['Thing'], sort: [{ key: 'n' }] })).toBe(20_000 - 1 + added);
  });

  test('goes on with an interrupted index build', async () => {
    await fill(graph, 5000);
    await graph.setIndexes([index('n')]);
    await graph.close();
    const db = new Library(join(path, 'graph.db'));
    const state = db.prepare('SELECT state, next_pk FROM index_state').get();
    expect(state).toMatchObject({ state: 'building' });
    db.close();
    graph = await openSqliteGraph({ path });
    await graph.indexesReady();
    const query: NodeQuery = { kind: 'nodes', types: ['Thing'], where: { op: 'isNull', key: 'n' } };
    expect((await graph.explain(query)).join('\n')).toMatch(/prop_index/);
    expect(await count({ types: ['Thing'], where: { op: 'isNull', key: 'n' } })).toBe(500);
  });

  test('removes what a dropped index held', async () => {
    await fill(graph, 2000);
    await graph.setIndexes([index('n'), index('name')]);
    await graph.indexesReady();
    await graph.setIndexes([index('name')]);
    await graph.indexesReady();
    await graph.close();
    const db = new Library(join(path, 'graph.db'), { readonly: true });
    expect(db.prepare('SELECT count(*) FROM prop_index').pluck().get()).toBe(2000);
    expect(db.prepare('SELECT state FROM index_state').pluck().all()).toEqual(['ready']);
    db.close();
  });

  test('builds and drops a full-text index of many texts beside other work, and goes on with both after a restart', async () => {
    const text = { name: 'Thing_name_fulltext', kind: 'nodes', label: 'Thing', types: ['Thing'], key: 'name' } as const;
    await fill(graph, 20_000);
    await graph.write((tx) =>
      tx.createNode({ id: 'long', type: 'Thing', properties: { name: 'word '.repeat(100_000) + 'last' } }),
    );
    const count = async (word: string): Promise<number> =>
      graph.read(
        async (tx) => (await tx.search(text.name, { op: 'words', text: word }, { offset: 0, limit: 30_000 })).length,
      );
    const again = async (): Promise<void> => {
      await graph.close();
      graph = await openSqliteGraph({ path });
    };
    await graph.setIndexes([], [text]);
    expect(await failure(count('thing'))).toMatch(/^unavailable: .*being built/);
    await again();
    expect(await longestTurnAtBest(() => graph.indexesReady(), paced(50))).toBeLessThan(paced(50));
    expect([await count('thing'), await count('word'), await count('last')]).toEqual([20_000, 1, 0]);
    await graph.setIndexes([], []);
    await again();
    await graph.indexesReady();
    expect(await failure(count('thing'))).toMatch(/^not_found/);
    await graph.close();
    const db = new Library(join(path, 'graph.db'));
    const tables = db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'text%' ORDER BY name",
    );
    expect(tables.pluck().all()).toEqual(['text_entry', 'text_index', 'text_part']);
    for (const table of ['text_entry', 'text_index', 'text_part']) {
      expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0);
    }
    db.close();
  });

  test('keeps data, names, counts and indexes over a restart', async () => {
    const { id } = await graph.write((tx) => tx.createNode({ id: newId(), type: 'Thing', properties: { n: 1 } }));
    await graph.setIndexes([index('n')]);
    await graph.indexesReady();
    for (let round = 0; round < 3; round++) {
      await graph.close();
      graph = await openSqliteGraph({ path });
      expect((await graph.read((tx) => tx.node(id)))?.properties['n']).toBe(1);
      expect(await count({ types: ['Thing'] })).toBe(1 + round);
      expect((await graph.explain({ kind: 'nodes', types: ['Thing'], sort: [{ key: 'n' }] })).join('\n')).toMatch(
        /prop_index/,
      );
      await graph.write((tx) => tx.createNode({ id: newId(), type: 'Thing', properties: {} }));
    }
  });

  test('lets one process in at a time', async () => {
    expect(await failure(openSqliteGraph({ path }))).toBe(
      `locked: The database in ${path} is in use by another process.`,
    );
    const module = join(import.meta.dirname, '../../dist/src/main/graph/index.js');
    const code = `const {openSqliteGraph} = await import(${JSON.stringify(module)});
      await openSqliteGraph({path: process.argv[1]}).then(() => console.log('opened'), e => console.log(e.code)); process.exit()`;
    const child = (): Promise<string> =>
      new Promise((resolve) => {
        let output = '';
        const started = spawn(process.execPath, ['--input-type=module', '-e', code, path]);
        started.stdout.on('data', (data: Buffer) => (output += data.toString()));
        started.on('close', () => {
          resolve(output.trim());
        });
      });
    expect(await child()).toBe('locked');
    await graph.close();
    expect(await child()).toBe('opened');
    graph = await openSqliteGraph({ path });
  });

  test('refuses a newer format, a foreign file and a place it cannot write', async () => {
    await graph.close();
    const db = new Library(join(path, 'graph.db'));
    db.pragma('user_version = 99');
    db.close();
    expect(await failure(openSqliteGraph({ path }))).toMatch(/^too_new: .*format 99/);
    const file = join(path, 'file');
    writeFileSync(file, 'text');
    expect(await failure(openSqliteGraph({ path: file }))).toMatch(/^not_writable: /);
    expect(await failure(openSqliteGraph({ path: join(file, 'below') }))).toMatch(/^not_writable: /);
    rmSync(join(path, 'graph.db'));
    writeFileSync(join(path, 'graph.db'), 'no database at all, but long enough to be looked at as one. '.repeat(100));
    expect(await failure(openSqliteGraph({ path }))).toMatch(/^damaged: /);
    rmSync(join(path, 'graph.db'));
    // A database was here: none is made in its place until somebody says so.
    expect(await failure(openSqliteGraph({ path }))).toMatch(/^damaged: .*missing or empty.*remove the folder/);
    rmSync(path, { recursive: true });
    graph = await openSqliteGraph({ path });
  });

  const access: AccessRule = {
    right: 'read',
    principals: ['user', 'group'],
    ids: [],
    types: [],
    keys: [PUBLIC, USERS],
  };
  /** Things of which every `nth` is granted to the user. */
  const granted = async (count: number, nth: number): Promise<void> => {
    await graph.setIndexes([index('name')]);
    await graph.indexesReady();
    await fill(graph, count);
    await graph.write(async (tx) => {
      for (const id of ['user', 'group', 'other']) await tx.createNode({ id, type: 'Principal', properties: {} });
      const things = await tx.find({ kind: 'nodes', types: ['Thing'] });
      for (const [i, thing] of things.entries()) {
        const [sourceId, properties] = [i % nth === 0 ? 'user' : 'other', { allowed: ['read'] }];
        const ends = { relType: 'SECURITY', sourceId, targetId: thing.id };
        await tx.createRelationship({ id: newId(), type: 'Security', ...ends, properties });
      }
    });
  };
  const plans = async (query: Omit<NodeQuery, 'kind'>): Promise<string> =>
    (await graph.explain({ kind: 'nodes', types: ['Thing'], limit: 20, access, ...query }))
      .filter((line) => line.includes('plan: '))
      .join('\n');

  test('lists what little somebody may see through the table of access', async () => {
    await granted(2000, 50);
    for (const sort of [[], [{ key: 'name' }], [{ key: 'name', descending: true }]]) {
      const lines = await plans({ sort });
      expect(lines).toMatch(/SEARCH (a|access_entry) USING PRIMARY KEY \(principal=\? AND type=\?\)/);
      expect(lines).not.toMatch(/SCAN (n0|node|p|a|access_entry)\b/);
      expect(lines).not.toContain('node_type');
    }
    expect(await plans({ where: { op: 'contains', key: 'name', value: '7' } })).toContain('SEARCH a USING');
    expect(await plans({ access: { ...access, types: ['Thing'] } })).not.toContain('access_entry');
  });

  test('merges what somebody may see in the order of creation, without sorting', async () => {
    await granted(4000, 1);
    const [first] = await graph.read((tx) => tx.find({ kind: 'nodes', types: ['Thing'], limit: 1 }));
    await graph.write((tx) => tx.updateNode(first?.id ?? '', { [PUBLIC]: true }));
    const page: Omit<NodeQuery, 'kind'> = { types: ['Thing'], access, offset: 3000, limit: 20 };
    const contains = { op: 'contains', key: 'name', value: '7' } as const;
    for (const more of [{}, { where: contains }, { access: { ...access, keysIgnoredFor: ['Thing'] } }]) {
      const lines = await plans({ ...page, ...more });
      expect(lines).toContain('MERGE (UNION)');
      expect(lines).toContain('SEARCH a USING PRIMARY KEY (principal=? AND type=?)');
      expect(lines).not.toMatch(/TEMP B-TREE|SCAN (n0|node|p|a|access_entry)\b|node_type/);
    }
    await graph.read(async (tx) => {
      const all = await tx.find({ kind: 'nodes', types: ['Thing'] });
      const found = await tx.find({ kind: 'nodes', ...page });
      expect(found.map((node) => node.id)).toEqual(all.slice(3000, 3020).map((node) => node.id));
      expect(await tx.count({ kind: 'nodes', types: ['Thing'], access })).toEqual({ count: 4000, exact: true });
      expect(await tx.count({ kind: 'nodes', types: ['Thing'], access }, 100)).toEqual({ count: 100, exact: false });
    });
  });

  test('walks in the order of the page where somebody may see much, with look-ups alone', async () => {
    await granted(3000, 1);
    expect(await count({ types: ['Thing'], access })).toBe(3000);
    const lines = await plans({ sort: [{ key: 'name' }] });
    expect(lines).toContain('SEARCH p USING PRIMARY KEY (type=? AND key=?)');
    expect(lines).toContain('SEARCH ae USING PRIMARY KEY (principal=? AND type=? AND node=?)');
    expect(lines).not.toContain('USE TEMP B-TREE FOR ORDER BY');
    expect(lines).not.toContain('SEARCH n0');
  });

  test('builds the table of access of a database from before it had one, or no flags in it', async () => {
    await granted(1000, 10);
    await graph.write(async (tx) => {
      const [thing] = await tx.find({ kind: 'nodes', types: ['Thing'], access, limit: 1 });
      const ends = { relType: 'OWNS', sourceId: 'user', targetId: thing?.id ?? '' };
      await tx.createRelationship({ id: 'owns', type: 'Owns', ...ends, properties: {} });
      await tx.createNode({ id: 'both', type: 'Thing', properties: { [PUBLIC]: true, [USERS]: true } });
      await tx.createNode({ id: 'one', type: 'Other', properties: { [PUBLIC]: 1, [USERS]: true } });
    });
    await graph.close();
    const entries = (): unknown[] => {
      const db = new Library(join(path, 'graph.db'));
      try {
        return db.prepare('SELECT * FROM access_entry').all();
      } finally {
        db.close();
      }
    };
    const before = entries();
    expect(before).toHaveLength(1003);
    for (const older of [
      'DROP TABLE access_entry; PRAGMA user_version = 1;',
      'DELETE FROM access_entry WHERE principal < 0; PRAGMA user_version = 2;',
    ]) {
      const db = new Library(join(path, 'graph.db'));
      inFormat6(db);
      db.exec(older);
      db.close();
      graph = await openSqliteGraph({ path });
      expect(await count({ types: ['Thing'], access })).toBe(101);
      await graph.close();
      expect(entries()).toEqual(before);
    }
    graph = await openSqliteGraph({ path });
  });

  describe('with many nodes', () => {
    const MANY = 60_000;
    const scan: NodeQuery = {
      kind: 'nodes',
      types: ['Thing'],
      where: { op: 'contains', key: 'name', value: 'THING 777', ignoreCase: true },
    };

    test('never keeps the loop waiting', async () => {
      await fill(graph, MANY);
      await graph.write(async (tx) => {
        const hub = await tx.createNode({ id: 'hub', type: 'Hub', properties: {} });
        const things = await tx.find({ kind: 'nodes', types: ['Thing'], limit: 5000 });
        for (const thing of things) {
          await tx.createRelationship({
            id: newId(),
            type: 'R',
            relType: 'R',
            sourceId: hub.id,
            targetId: thing.id,
            properties: {},
          });
        }
      });
      // The first long read starts a thread.
      await graph.read((tx) => tx.count(scan));
      const work: Record<string, () => Promise<unknown>> = {
        find: () => graph.read((tx) => tx.find(scan)),
        'a large result': () => graph.read((tx) => tx.find({ kind: 'nodes', types: ['Thing'], limit: 50_000 })),
        count: () => graph.read((tx) => tx.count(scan)),
        sort: () =>
          graph.read((tx) =>
            tx.find({ kind: 'nodes', types: ['Thing'], sort: [{ key: 'plain', descending: true }], limit: 20 }),
          ),
        stream: () =>
          graph.read(async (tx) => {
            for await (const batch of tx.stream({
              kind: 'nodes',
              types: ['Thing'],
              sort: [{ key: 'plain' }],
              limit: 20_000,
            })) {
              expect(batch.length).toBeGreaterThan(0);
            }
          }),
        'stream by key': () =>
          graph.read(async (tx) => {
            let n = 0;
            for await (const batch of tx.stream({ kind: 'nodes', types: ['Thing'] })) n += batch.length;
            expect(n).toBe(MANY);
          }),
        related: () => graph.read((tx) => tx.related(['hub'], { relType: 'R', direction: 'out' })),
        'find in a write': () =>
          graph
            .write(async (tx) => {
              await tx.createNode({ id: newId(), type: 'Thing', properties: { name: 'Thing 777 new', plain: -1 } });
              expect(await tx.find(scan)).toHaveLength(inside + 1);
              const [least] = await tx.find({ kind: 'nodes', types: ['Thing'], sort: [{ key: 'plain' }], limit: 1 });
              expect(least?.properties['plain']).toBe(-1);
              expect((await tx.count(scan)).count).toBe(inside + 1);
              throw new Error('done');
            })
            .catch((error: unknown) => {
              if (!(error instanceof Error) || error.message !== 'done') throw error;
            }),
        'delete of a hub': () =>
          graph.write(async (tx) => ((await tx.node('hub')) === undefined ? undefined : tx.deleteNode('hub'))),
        'index build': async () => {
          await graph.setIndexes([index('plain')]);
          await graph.indexesReady();
        },
      };
      const inside = (await graph.read((tx) => tx.count(scan))).count;
      expect(inside).toBeGreaterThan(0);
      for (const [name, run] of Object.entries(work)) {
        expect(await longestTurnAtBest(run, paced(50)), name).toBeLessThan(paced(50));
      }
      expect(await failure(graph.read((tx) => tx.find(scan), { timeout: 15 }))).toMatch(/^query_timeout/);
      expect(await failure(graph.write((tx) => tx.find(scan), { timeout: 15 }))).toMatch(/^query_timeout/);
      const controller = new AbortController();
      setTimeout(() => {
        controller.abort();
      }, 15);
      expect(await failure(graph.read((tx) => tx.find(scan), { signal: controller.signal }))).toMatch(/^aborted/);
      // The thread is free again at once.
      expect(await count({ types: ['Thing'], where: { op: 'endsWith', key: 'name', value: 'nothing' } })).toBe(0);
    });
  });
});
