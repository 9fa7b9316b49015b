import { test } from 'vitest';
import type { Graph } from '../../src/main/graph/index.js';
import { accessRuns } from './access-model.js';
import { conformance } from './conformance.js';
import { modelRuns } from './model-runs.js';
import { opener } from './openers.js';
import { optimistic } from './optimistic.js';

// By other ways: test/long/graph-ways.test.ts.
conformance('optimistic', opener({}, optimistic), { queues: false });

async function model(body: (graph: Graph) => Promise<void>): Promise<void> {
  const { graph, remove } = await opener({}, optimistic)();
  try {
    await body(graph);
  } finally {
    await remove();
  }
}

test('random histories leave what the model says', () => model((graph) => modelRuns(graph, 300, 3, false)));

test('random rules of access allow what the model says', () => model((graph) => accessRuns(graph, 60, 2)));
