import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteGraph } from '../../src/main/graph/index.js';
import { answer, type AskedEvents, DEFINITION, TYPES } from '../analytics/column-runs.js';

const CHILD = join(import.meta.dirname, '../support/columns-child.mjs');
const ROUNDS = 8;

const asked: AskedEvents = {
  question: {
    kind: 'aggregation',
    pattern: 'yyyy-MM-dd',
    zone: 'UTC',
    indent: false,
    filters: [],
    named: [{ name: 'refs', source: 'ref=.*' }],
  },
  queries: [{ kind: 'nodes', types: TYPES }],
};

/** One life of a process that writes, killed at some time. */
function live(path: string, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), milliseconds));
    child.on('error', reject);
    child.on('close', (_, signal) => {
      if (signal === 'SIGKILL') resolve();
      else reject(new Error('the process that writes has ended by itself'));
    });
  });
}

test('columns of a killed server are right, or made anew', { timeout: 300_000 }, async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-columns-'));
  const errors: unknown[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await live(path, 100 + 150 * round);
      const graph = await openSqliteGraph({ path, onError: (error) => errors.push(error) });
      await graph.columns?.set(DEFINITION, 50);
      const plain = await answer(graph, asked, false);
      // As they were found, and with what is made of the rest.
      expect(await answer(graph, asked, true)).toBe(plain);
      await graph.columns?.settled();
      expect(await answer(graph, asked, true)).toBe(plain);
      await graph.close();
    }
    expect(readdirSync(join(path, 'columns')).length).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  } finally {
    rmSync(path, { recursive: true });
  }
});
