import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { type Graph, openSqliteGraph } from '../../src/main/graph/index.js';
import { accessRuns } from './access-model.js';
import { modelRuns } from './model-runs.js';
import { inFormat6 } from './older-format.js';

/** What a test may take here; the long tests take more (test/long/graph-model). */
const SECONDS = 3;

async function runs(
  count: number,
  options: { loopBudget?: number; threadFrom?: number },
  body: (graph: Graph, count: number, seconds: number) => Promise<void> = modelRuns,
): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'svc-model-'));
  const graph = await openSqliteGraph({ path, ...options });
  try {
    await body(graph, count, SECONDS);
  } finally {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  }
}

test('random histories leave what the model says', () => runs(400, {}));

test('also when queries run in a worker or in slices', () => runs(80, { loopBudget: 0 }));

test('also when a thread writes', () => runs(150, { threadFrom: 0 }));

test('random rules of access allow what the model says', () => runs(100, {}, accessRuns));

test('also when a thread writes the rules', () => runs(40, { threadFrom: 0 }, accessRuns));

test('random histories leave the entries that are made anew for an older file', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-model-'));
  const entries = (change = ''): unknown[] => {
    const db = new Library(join(path, 'graph.db'));
    const rows = db.prepare('SELECT * FROM access_entry ORDER BY principal, type, node').all();
    if (change !== '') inFormat6(db);
    db.exec(change);
    db.close();
    return rows;
  };
  for (let round = 0; round < 3; round++) {
    let graph = await openSqliteGraph({ path });
    await accessRuns(graph, 1 + 2 * round, SECONDS);
    await graph.close();
    const kept = entries('DROP TABLE access_entry; PRAGMA user_version = 1;');
    graph = await openSqliteGraph({ path });
    await graph.close();
    expect(entries('DELETE FROM access_entry WHERE principal < 0; PRAGMA user_version = 2;')).toEqual(kept);
    graph = await openSqliteGraph({ path });
    await graph.close();
    expect(entries()).toEqual(kept);
  }
  rmSync(path, { recursive: true, force: true });
});

test('also when rules are decided in a worker or in slices', () => runs(20, { loopBudget: 0 }, accessRuns));
