import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Graph, openSqliteGraph } from '../../src/main/graph/index.js';
import { accessRuns } from '../graph/access-model.js';
import { modelRuns } from '../graph/model-runs.js';
import { neo4jUrl, openEmpty } from '../graph/neo4j.js';
import { optimistic } from '../graph/optimistic.js';
import { serialRuns } from '../graph/serial-runs.js';
import { exclusive } from '../support/neo4j-lock.js';

type Runs = (graph: Graph, count: number, seconds: number) => Promise<void>;

async function runs(
  body: Runs,
  count: number,
  seconds: number,
  options: { loopBudget?: number; threadFrom?: number } = {},
): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'svc-model-'));
  const graph = await openSqliteGraph({ path, ...options });
  try {
    await body(graph, count, seconds);
  } finally {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  }
}

test('random histories leave what the model says', () => runs(modelRuns, 15_000, 40));

test('also when queries run in a worker or in slices', () => runs(modelRuns, 3000, 20, { loopBudget: 0 }));

test('also when a thread writes', () => runs(modelRuns, 3000, 20, { threadFrom: 0 }));

test('random rules of access allow what the model says', () => runs(accessRuns, 700, 40));

test('also when rules are decided in a worker or in slices', () => runs(accessRuns, 300, 30, { loopBudget: 0 }));

test('also in optimistic transactions', async () => {
  await runs((graph, ...most) => modelRuns(optimistic(graph), ...most, false), 3000, 20);
  await runs((graph, ...most) => accessRuns(optimistic(graph), ...most), 400, 15);
});

test('random transactions beside each other are as if they had come one after the other', () =>
  runs(
    async (graph, ...most) => {
      const { commits, conflicts } = await serialRuns(graph, ...most);
      expect(commits).toBeGreaterThan(conflicts / 10);
    },
    6000,
    30,
  ));

if (neo4jUrl === undefined) test.skip('the same on Neo4j: set NEO4J_URL', () => undefined);
else
  describe('in a database of others', () => {
    exclusive();
    test('the same on Neo4j', async () => {
      const { graph, remove } = await openEmpty();
      try {
        await modelRuns(graph, 100, 25);
        await accessRuns(graph, 20, 15);
      } finally {
        await remove();
      }
    });
  });
