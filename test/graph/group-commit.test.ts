import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { Connection } from '../../src/main/graph/sqlite/connection/connection.js';
import { type DirectoryLock, openFiles } from '../../src/main/graph/sqlite/files.js';
import { GroupCommit } from '../../src/main/graph/sqlite/writing/group-commit.js';
import { Names } from '../../src/main/graph/sqlite/connection/names.js';
import { Pace } from '../../src/main/graph/sqlite/connection/pace.js';
import { WalSync } from '../../src/main/graph/sqlite/whole/wal-sync.js';
import { Writer } from '../../src/main/graph/sqlite/writing/writer.js';

let path: string;
let lock: DirectoryLock;
let connection: Connection;
let commits: number;

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
  const files = await openFiles(path);
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

/** A savepoint is set for whoever is not the first in the batch and says what he writes by `begin`. */
test('a savepoint that SQLite does not release fails its batch, and nothing after it', async () => {
  const { commit, sync } = committer(join(path, 'graph.db-wal'));
  const run = connection.run.bind(connection);
  let refused = 0;
  connection.run = (sql, params) => {
    if (sql === 'RELEASE unit' && refused++ === 0) throw new Library.SqliteError('disk I/O error', 'SQLITE_IOERR');
    return run(sql, params);
  };
  const results = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => put(commit, String(i))));
  expect(refused).toBeGreaterThan(1);
  const kept = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [String(i)] : []));
  expect(kept.length).toBeLessThan(40);
  expect(connection.all("SELECT name FROM flag WHERE name <> 'first'", []).flat().sort()).toEqual(kept.sort());
  await put(commit, 'later');
  await commit.drained();
  sync.close();
});

test('an error that nobody foresaw is told to all who wait and who come later; nobody waits for ever', async () => {
  const sync = new WalSync(join(path, 'graph.db-wal'));
  const committed = (): void => {
    throw new Error('a cache broke');
  };
  const told: Error[] = [];
  const broken = (error: Error): void => {
    told.push(error);
  };
  const commit = new GroupCommit(new Writer(connection), new Names(), sync, { committed, broken }, new Pace());
  // More than a batch, so that it is committed by the queue's own work.
  const results = await Promise.allSettled(Array.from({ length: 300 }, (_, i) => put(commit, String(i))));
  expect(results.every((one) => one.status === 'rejected')).toBe(true);
  await expect(put(commit, 'later')).rejects.toMatchObject({ name: 'GraphError', code: 'unavailable' });
  expect(told[0]?.message).toContain('a cache broke');
  sync.close();
});
