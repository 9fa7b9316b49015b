/** How tests of both ways of the embedded engine open it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteGraph, type Graph } from '../../src/main/graph/index.js';
import type { Opened } from './conformance.js';

/** `threadFrom: 0` writes all it can in a thread, `loopBudget: 0` runs each query in a worker or in slices. */
export interface Ways {
  readonly loopBudget?: number;
  readonly threadFrom?: number;
}

/** Opens a database of its own, which is gone when `remove` has ended. */
export function opener(ways: Ways, as = (graph: Graph): Graph => graph): () => Promise<Opened> {
  return async () => {
    const path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
    const graph = await openSqliteGraph({ path, ...ways });
    const shown = as(graph);
    return {
      graph: shown,
      remove: async () => {
        await shown.close();
        rmSync(path, { recursive: true, force: true });
      },
    };
  };
}
