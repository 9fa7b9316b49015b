import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteGraph } from '../../src/main/graph/index.js';
import { conformance } from './conformance.js';

conformance('sqlite', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
  const graph = await openSqliteGraph({ path });
  return {
    graph,
    remove: async () => {
      await graph.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
});
