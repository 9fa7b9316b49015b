import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { openSqliteGraph, type Graph } from '../../src/main/graph/index.js';
import { accessConformance } from './access-conformance.js';
import { accessRuns } from './access-model.js';
import { conformance, type Opened } from './conformance.js';
import { modelRuns } from './model-runs.js';
import { optimistic } from './optimistic.js';
import { textConformance } from './text-conformance.js';

function opener(options: { loopBudget?: number; threadFrom?: number }): () => Promise<Opened> {
  return async () => {
    const path = mkdtempSync(join(tmpdir(), 'svc-optimistic-'));
    const graph = await openSqliteGraph({ path, ...options });
    return {
      graph: optimistic(graph),
      remove: async () => {
        await graph.close();
        rmSync(path, { recursive: true, force: true });
      },
    };
  };
}

conformance('optimistic', opener({}), { queues: false });
accessConformance('optimistic', opener({}));
textConformance('optimistic', opener({}));
conformance('optimistic, writing in a thread', opener({ threadFrom: 0 }), { queues: false });
accessConformance('optimistic, every query in a worker or in slices', opener({ loopBudget: 0 }));

async function model(body: (graph: Graph) => Promise<void>): Promise<void> {
  const { graph, remove } = await opener({})();
  try {
    await body(graph);
  } finally {
    await remove();
  }
}

test('random histories leave what the model says', () => model((graph) => modelRuns(graph, 300, 3, false)));

test('random rules of access allow what the model says', () => model((graph) => accessRuns(graph, 60, 2)));
