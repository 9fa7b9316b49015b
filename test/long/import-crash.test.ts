/**
 * A server that is killed at random moments of an import starts with the old application or the new one, complete (docs/interface/deployment.md 3.2).
 * `SVC_CRASH_ROUNDS` for more rounds.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applicationOf, isWhole, SMALL, type Mark } from '../support/applications.js';
import { treeOf, writeTree } from '../support/export-tree.js';
import { TestServer } from '../support/server.js';

const ROUNDS = Number(process.env['SVC_CRASH_ROUNDS'] ?? 4);
/** Every so many rounds the content that belongs to nobody is looked for. */
const SWEEPS = 2;
const SWEEPING = {
  'application.filesystem.sweep.delay': 1,
  'application.filesystem.sweep.age': 0,
  'application.filesystem.sweep.trash': 0,
};

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-import-crash-'));
  for (const mark of ['a', 'b'] as const) {
    const at = join(folder, mark);
    await writeTree(at, applicationOf(mark, SMALL));
    execFileSync('python3', ['-m', 'zipfile', '-c', `${at}.zip`, at]);
  }
  // Archives are unpacked here.
  await mkdir(join(folder, 'tmp'));
  server = await start();
});
afterAll(async () => {
  await server.end();
  await rm(server.folder, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

const start = (settings = {}): Promise<TestServer> =>
  TestServer.start({
    ...(server === undefined ? {} : { folder: server.folder }),
    environment: { TMPDIR: join(folder, 'tmp') },
    settings: { 'deployment.roots': folder, ...settings },
  });

/** Answers with the status, undefined when no answer came. */
async function importing(mark: Mark, ending = ''): Promise<number | undefined> {
  const body = { mode: 'import', source: join(folder, mark + ending) };
  const answer = await server.admin.post('/maintenance/deploy', body).catch(() => undefined);
  if (answer !== undefined) expect([answer.status, answer.body.result]).toEqual([200, []]);
  return answer?.status;
}

let count = 0;
async function exported(): Promise<Record<string, string>> {
  const target = join(folder, `out-${String(++count)}`);
  const answer = await server.admin.post('/maintenance/deploy', { mode: 'export', target });
  expect([answer.status, answer.body.result]).toEqual([200, []]);
  const tree = await treeOf(target);
  await rm(target, { recursive: true, force: true });
  return tree;
}

/** Names of contents on the disk. */
async function contents(): Promise<string[]> {
  const entries = await readdir(join(server.folder, 'files'), { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile() && !one.name.startsWith('.svc')).map(({ name }) => name);
}

it('is the old application or the new one after a crash, complete', async () => {
  await importing('b');
  await importing('a');
  await server.admin.create('Thing', { name: 'data', visibleToPublicUsers: true, visibleToAuthenticatedUsers: true });
  const whole: Record<Mark, Record<string, string>> = { a: await exported(), b: {} };
  await isWhole(server, 'a', SMALL);
  const files = (await contents()).length;
  // The second one in a row takes as long as those that follow.
  let took = 0;
  for (const mark of ['b', 'a', 'b'] as const) {
    const begun = performance.now();
    await importing(mark);
    took = performance.now() - begun;
  }
  whole.b = await exported();
  await isWhole(server, 'b', SMALL);
  let now: Mark = 'b';
  const outcomes = { old: 0, new: 0, answered: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const next: Mark = now === 'a' ? 'b' : 'a';
    let answered = false;
    const done = importing(next, round % 4 < 2 ? '' : '.zip').then((status) => (answered = status === 200));
    const moment = Math.random() * took * 1.15;
    await sleep(moment);
    await server.end('SIGKILL');
    await done;
    const sweeps = round % SWEEPS === SWEEPS - 1;
    server = await start(sweeps ? SWEEPING : {});
    const found = await exported();
    const is: Mark = found['localizations.json'] === whole[next]['localizations.json'] ? next : now;
    const told = `round ${String(round)}, killed after ${moment.toFixed(0)} of ${took.toFixed(0)} ms`;
    expect(found, told).toEqual(whole[is]);
    if (answered) expect(is, told).toBe(next);
    await isWhole(server, is, SMALL);
    if (sweeps) {
      await server.untilLogged(/storage of this machine: .*without a file removed/);
      expect((await contents()).length, told).toBe(files);
    }
    await expect.poll(() => readdir(join(folder, 'tmp')), { message: told }).toEqual([]);
    outcomes[is === next ? 'new' : 'old']++;
    if (answered) outcomes.answered++;
    now = is;
  }
  console.log(`import of ${took.toFixed(0)} ms, killed ${String(ROUNDS)} times: ${JSON.stringify(outcomes)}`);
});
