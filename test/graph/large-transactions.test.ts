import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { Library as Sqlite } from '../../src/main/graph/sqlite/connection/library.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Graph,
  type GraphNode,
  newId,
  openSqliteGraph,
  type WriteTransaction,
} from '../../src/main/graph/index.js';
import { StatementNumbers } from '../../src/main/graph/sqlite/writing/write-record.js';
import { GroupedWrites } from '../../src/main/graph/sqlite/writing/grouped-writes.js';
import { accessConformance } from './access-conformance.js';
import { conformance, type Opened } from './conformance.js';
import { optimistic } from './optimistic.js';
import { modelRuns } from './model-runs.js';

/** Every open transaction is handed over in as many pieces as can be. */
const PIECES = { threadFrom: 0, largeFrom: 1 };

async function opened(): Promise<Opened> {
  const path = mkdtempSync(join(tmpdir(), 'svc-large-'));
  const graph = await openSqliteGraph({ path, ...PIECES });
  return {
    graph: optimistic(graph),
    remove: async () => {
      await graph.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

conformance('optimistic, in pieces', opened, { queues: false });
accessConformance('optimistic, in pieces', opened);

test('random histories leave what the model says, also in pieces', async () => {
  const { graph, remove } = await opened();
  try {
    await modelRuns(graph, 100, 3, false);
  } finally {
    await remove();
  }
});

describe('inserts of a large transaction', () => {
  const run = (...statements: [string, unknown[]][]): [string, unknown[]][] => {
    const ran: [string, unknown[]][] = [];
    const grouped = new GroupedWrites((sql, params) => ran.push([sql, [...params]]));
    for (const [sql, params] of statements) grouped.add(sql, params as never[]);
    grouped.flush();
    return ran;
  };
  const INSERT = 'INSERT INTO rel(a,b) VALUES (?,?)';

  test('are run with many rows a statement, in the order of the table', () => {
    const rows = Array.from({ length: 9 }, (_, i): [string, unknown[]] => [INSERT, [8 - i, `x${String(i)}`]]);
    const [eight, one] = run(...rows);
    expect(eight?.[0]).toBe(`INSERT INTO rel(a,b) VALUES ${Array<string>(8).fill('(?,?)').join(',')}`);
    expect(eight?.[1].filter((_, i) => i % 2 === 0)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(one).toEqual([INSERT, [8, 'x0']]);
  });

  test('come before whatever follows them', () => {
    expect(run([INSERT, [1, 2]], ['DELETE FROM t WHERE a=?', [1]], [INSERT, [3, 4]])).toEqual([
      [INSERT, [1, 2]],
      ['DELETE FROM t WHERE a=?', [1]],
      [INSERT, [3, 4]],
    ]);
  });

  test('into other tables keep their order', () => {
    const journal = 'INSERT INTO journal(a,b) VALUES (?,?)';
    expect(run([journal, [2, 'b']], [journal, [1, 'a']])).toEqual([
      [journal, [2, 'b']],
      [journal, [1, 'a']],
    ]);
  });

  test('of several rows a statement keep constants and what is done on a conflict', () => {
    const text = 'INSERT INTO rel(a,b) VALUES (?,1), (?,1)\n  ON CONFLICT DO UPDATE SET b=b+1';
    const row = 'INSERT INTO rel(a,b) VALUES (?,1)\n  ON CONFLICT DO UPDATE SET b=b+1';
    expect(run([text, [7, 5]])).toEqual([
      [row, [5]],
      [row, [7]],
    ]);
  });
});

describe('a large transaction', () => {
  let path: string;
  let graph: Graph;
  let threads: Worker[];
  const started = (worker: Worker): unknown => threads.push(worker);

  async function open(options: object = PIECES): Promise<void> {
    graph = await openSqliteGraph({ path, onError: () => undefined, ...options });
  }

  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-large-'));
    threads = [];
    process.on('worker', started);
    await open();
  });
  afterEach(async () => {
    process.off('worker', started);
    await graph.close().catch(() => undefined);
    rmSync(path, { recursive: true, force: true });
  });

  /** Many nodes, linked in a row; `last` goes into the same transaction. */
  async function chain(count: number, last?: (tx: WriteTransaction) => Promise<unknown>): Promise<void> {
    await graph.write(
      async (tx) => {
        let before: GraphNode | undefined;
        for (let i = 0; i < count; i++) {
          const node = await tx.createNode({ id: newId(), type: 'Link', properties: { i } });
          const ends = { sourceId: before?.id ?? node.id, targetId: node.id };
          await tx.createRelationship({ id: newId(), type: 'NEXT', relType: 'NEXT', ...ends, properties: {} });
          before = node;
        }
        await last?.(tx);
      },
      { large: true },
    );
  }

  const count = (type = 'Link'): Promise<number> =>
    graph.read(async (tx) => (await tx.count({ kind: 'nodes', types: [type] })).count);

  const single = (): Promise<GraphNode> =>
    graph.write((tx) => tx.createNode({ id: newId(), type: 'Single', properties: {} }));

  /** Of all tables, as another process would see it. */
  function rows(): Record<string, unknown> {
    const db = new Sqlite(join(path, 'graph.db'), { readonly: true });
    try {
      const found: Record<string, unknown> = {};
      for (const table of ['node', 'rel', 'prop_index', 'access_entry', 'name_table']) {
        found[table] = db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
      }
      return { ...found, integrity: db.pragma('integrity_check', { simple: true }) };
    } finally {
      db.close();
    }
  }

  test('is seen by nobody before it is whole', async () => {
    const seen = new Set<number>();
    let over = false;
    const writing = chain(3000).finally(() => (over = true));
    while (!over) {
      seen.add(await count());
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writing;
    seen.add(await count());
    expect([...seen].sort((a, b) => a - b)).toEqual([0, 3000]);
  });

  test('that fails at its end leaves nothing, and others write after it', async () => {
    await single();
    const before = rows();
    const failing = chain(3000, () => Promise.reject(new Error('on purpose')));
    const behind = single();
    await expect(failing).rejects.toThrow('on purpose');
    await behind;
    expect(await count()).toBe(0);
    const after = rows();
    expect(after).toEqual({ ...before, node: 2 });
    await chain(100);
    expect(await count()).toBe(100);
  });

  test('that runs out of time leaves nothing, and others write after it', async () => {
    const late = graph.write(
      async (tx) => {
        for (let i = 0; ; i++) await tx.createNode({ id: newId(), type: 'Link', properties: { i } });
      },
      { large: true, timeout: 100 },
    );
    await expect(late).rejects.toMatchObject({ code: 'query_timeout' });
    await single();
    expect([await count(), await count('Single')]).toEqual([0, 1]);
  });

  test('that the database refuses leaves nothing, and others write after it', async () => {
    await single();
    const db = new Sqlite(join(path, 'graph.db'));
    db.exec("CREATE TRIGGER refuse BEFORE INSERT ON rel BEGIN SELECT RAISE(ABORT, 'refused'); END");
    db.close();
    await expect(chain(3000)).rejects.toThrow('refused');
    await single();
    const other = new Sqlite(join(path, 'graph.db'));
    other.exec('DROP TRIGGER refuse');
    other.close();
    await chain(300);
    expect([await count(), await count('Single')]).toEqual([300, 2]);
  });

  test('that needs what only the connection on the loop shows begins anew there, once', async () => {
    await graph.setIndexes([], [{ name: 'text', kind: 'nodes', label: 'Told', types: ['Told'], key: 'text' }]);
    let runs = 0;
    await graph.write(
      async (tx) => {
        runs++;
        for (let i = 0; i < 500; i++) await tx.createNode({ id: newId(), type: 'Link', properties: { i } });
        await tx.createNode({ id: newId(), type: 'Told', properties: { text: 'words' } });
      },
      { large: true },
    );
    expect(runs).toBe(2);
    expect([await count(), await count('Told')]).toEqual([500, 1]);
  });

  test('takes back a savepoint in it', async () => {
    await chain(500, async (tx) => {
      await tx
        .savepoint(async () => {
          for (let i = 0; i < 200; i++) await tx.createNode({ id: newId(), type: 'Gone', properties: { i } });
          throw new Error('on purpose');
        })
        .catch(() => undefined);
      await tx.createNode({ id: newId(), type: 'Kept', properties: {} });
    });
    expect([await count(), await count('Gone'), await count('Kept')]).toEqual([500, 0, 1]);
  });

  test('is lost with its thread, as a whole', async () => {
    await chain(10);
    const from = StatementNumbers.prototype.from;
    let sent = 0;
    // No list: the thread ends by an error in the middle of the pieces.
    const spy = vi.spyOn(StatementNumbers.prototype, 'from').mockImplementation(function (this: StatementNumbers, at) {
      return ++sent === 20 ? (5 as never) : from.call(this, at);
    });
    await expect(chain(3000)).rejects.toMatchObject({ code: 'unavailable' });
    spy.mockRestore();
    expect(sent).toBeGreaterThanOrEqual(20);
    await graph.close().catch(() => undefined);
    await open();
    expect(await count()).toBe(10);
    await chain(10);
    expect(rows()).toMatchObject({ integrity: 'ok', node: 20 });
  });
});
