/** A process that is killed while it migrates: the next ones go on where it was, and do nothing twice (issue: startup migrations). */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqliteGraph } from '../../src/main/graph/index.js';

const CHILD = join(import.meta.dirname, '../support/migrate-child.mjs');
const NAMES = ['f0', 'f1', 'f2', 'f3', 'first', 'last'];

/** How a process ends that is to kill itself at a moment. */
function migrate(folder: string, moment: number): Promise<{ signal: unknown; out: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--no-node-snapshot', CHILD, folder, String(moment)], (error, out, errors) => {
      resolve({ signal: (error as { signal?: unknown } | null)?.signal, out: out + errors });
    });
  });
}

/** Three moments a piece: with 3 each process dies behind its first piece, with 5 within its second one. */
it.each([3, 5])('each killed at moment %i of its own, together they do each piece once', async (moment) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-killed-'));
  try {
    let killed = 0;
    for (; ; killed++) {
      const { signal, out } = await migrate(folder, moment);
      if (signal !== 'SIGKILL') {
        expect(out).toMatch(/^done$/m);
        break;
      }
      expect(killed).toBeLessThan(10);
    }
    // Four pieces: nobody came further than behind the first one.
    expect(killed).toBe(moment === 3 ? 4 : 3);
    const graph = await openSqliteGraph({ path: folder });
    const nodes = await graph.read((tx) => tx.find({ kind: 'nodes', trait: 'Folder', types: ['Folder'] }));
    await graph.close();
    expect(nodes.map(({ properties }) => properties['name']).sort()).toEqual(NAMES);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
