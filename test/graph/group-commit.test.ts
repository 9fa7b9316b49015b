import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Connection } from '../../src/main/graph/sqlite/connection.js';
import { type DirectoryLock, openFiles } from '../../src/main/graph/sqlite/files.js';
import { GroupCommit } from '../../src/main/graph/sqlite/group-commit.js';
import { Names } from '../../src/main/graph/sqlite/names.js';
import { Pace } from '../../src/main/graph/sqlite/pace.js';
import { WalSync } from '../../src/main/graph/sqlite/wal-sync.js';
import { Writer } from '../../src/main/graph/sqlite/writer.js';

let path: string;
let lock: DirectoryLock;
let connection: Connection;
let commits: number;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
  const files = openFiles(path);
  lock = files.lock;
  connection = new Connection(files.file, { cacheMegabytes: 4, guard: { check: () => undefined } });
  connection.run('INSERT INTO flag(name, value) VALUES (?, 1)', ['first']);
  commits = 0;
});
afterEach(() => {
  connection.close();
  lock.release();
  rmSync(path, { recursive: true, force: true });
});

function committer(walFile: string): { commit: GroupCommit; sync: WalSync } {
  const sync = new WalSync(walFile);
  const commit = new GroupCommit(new Writer(connection), new Names(), sync, { committed: () => commits++ }, new Pace());
  return { commit, sync };
}

function put(commit: GroupCommit, name: string): Promise<void> {
  return commit.run(
    async (unit) => {
      unit.begin();
      connection.run('INSERT INTO flag(name, value) VALUES (?, 1)', [name]);
      await Promise.resolve();
    },
    { timeout: 0 },
  );
}

test('transactions that queue together share one commit', async () => {
  const { commit, sync } = committer(join(path, 'graph.db-wal'));
  await Promise.all(Array.from({ length: 100 }, (_, i) => put(commit, String(i))));
  expect(commits).toBeLessThan(20);
  await put(commit, 'later');
  expect(connection.get('SELECT count(*) FROM flag', [])).toEqual([102]);
  sync.close();
});

test('a full disk fails what was in the batch and nothing after it', async () => {
  const { commit, sync } = committer(join(path, 'graph.db-wal'));
  const pages = Number(connection.db.pragma('page_count', { simple: true }));
  connection.db.pragma(`max_page_count = ${String(pages + 2)}`);
  const results = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => put(commit, String(i).repeat(1500))));
  const failed = results.filter((one) => one.status === 'rejected');
  expect(failed.length).toBeGreaterThan(0);
  for (const one of failed) expect(one.reason).toMatchObject({ name: 'GraphError' });
  expect(failed.some((one) => (one.reason as { code: string }).code === 'storage_full')).toBe(true);
  expect(connection.get('SELECT count(*) - 1 FROM flag', [])).toEqual([40 - failed.length]);
  connection.db.pragma('max_page_count = 100000');
  await put(commit, 'later');
  sync.close();
});

test('after a failed sync nothing is promised any more', async () => {
  // The kernel refuses to sync this device.
  const { commit, sync } = committer('/dev/full');
  await expect(put(commit, 'a')).rejects.toMatchObject({ name: 'GraphError', code: 'unavailable' });
  await expect(put(commit, 'b')).rejects.toMatchObject({ name: 'GraphError', code: 'unavailable' });
  expect(commits).toBe(1);
  sync.close();
});
