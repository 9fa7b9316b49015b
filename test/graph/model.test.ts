import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { type Graph, openSqliteGraph } from '../../src/main/graph/index.js';
import { accessRuns } from './access-model.js';
import { modelRuns } from './model-runs.js';

async function runs(
  count: number,
  options: { loopBudget?: number },
  body: (graph: Graph, count: number) => Promise<void> = modelRuns,
): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'svc-model-'));
  const graph = await openSqliteGraph({ path, ...options });
  try {
    await body(graph, count);
  } finally {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  }
}

test('a thousand random histories leave what the model says', { timeout: 60_000 }, () => runs(1000, {}));

test('also when queries run in a worker or in slices', { timeout: 60_000 }, () => runs(200, { loopBudget: 0 }));

test('random rules of access allow what the model says', { timeout: 120_000 }, () => runs(250, {}, accessRuns));

test('also when rules are decided in a worker or in slices', { timeout: 120_000 }, () =>
  runs(40, { loopBudget: 0 }, accessRuns),
);
