import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { openSqliteGraph } from '../../src/main/graph/index.js';
import { modelRuns } from '../graph/model-runs.js';

async function runs(count: number, options: { loopBudget?: number }): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'svc-model-'));
  const graph = await openSqliteGraph({ path, ...options });
  try {
    await modelRuns(graph, count);
  } finally {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  }
}

test('thirty thousand random histories leave what the model says', () => runs(30_000, {}));

test('also when queries run in a worker or in slices', () => runs(5000, { loopBudget: 0 }));
