/**
 * Requests while applications of a thousand nodes of pages are imported over each other: each answer is of one of them, and nobody waits for long
 * (docs/interface/deployment.md 3.2).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applicationOf, isWhole, markIn, QUESTIONS, type ApplicationSize, type Mark } from '../support/applications.js';
import type { Client } from '../support/client.js';
import { writeTree } from '../support/export-tree.js';
import { endedJob } from '../support/jobs.js';
import { paced } from '../support/loop.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const WATCH = fileURLToPath(new URL('../support/loop-watch.mjs', import.meta.url));
const SIZE: ApplicationSize = { types: 20, pages: 7, elements: 50, files: 8, words: 50 };
const IMPORTS = Number(process.env['SVC_LOAD_IMPORTS'] ?? 2);
/** Milliseconds for which the loop may compute in one go, as far as this watches from within. */
const LONGEST_TURN = 200;

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-import-load-'));
  for (const mark of ['a', 'b'] as const) await writeTree(join(folder, mark), applicationOf(mark, SIZE));
  server = await TestServer.start({
    nodeArguments: ['--import', WATCH],
    environment: { LOOP_LIMIT: '20' },
    settings: { 'deployment.roots': folder },
  });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Milliseconds for which requests had to wait for its commit. */
async function imported(mark: Mark): Promise<number> {
  const body = { mode: 'import', source: join(folder, mark), background: true };
  const answer = await server.admin.post('/maintenance/deploy', body);
  const { status, result } = await endedJob(server.admin, answer.body.result[0].jobId as number);
  expect([status, result.notes]).toEqual(['FINISHED', []]);
  return result.pause as number;
}

/** Milliseconds that the loop was held up at most since so many lines of the log. */
function heldUp(since: number): number {
  const times = server.lines.slice(since).map((line) => Number(/loop held up for (\d+) ms/.exec(line)?.[1] ?? 0));
  return Math.max(0, ...times);
}

it('answers each request by one application, and soon', async () => {
  const { admin } = server;
  await allow(admin, '_login', 'anonymous', ['POST']);
  await admin.create('User', { name: 'eve', password: 'correct horse' });
  const sessions = [server.as(), await server.as('eve', 'correct horse').loggedIn(), await admin.loggedIn()];
  // The first ones meet code that is not compiled yet.
  for (const mark of ['b', 'a'] as const) await imported(mark);
  await admin.create('Thing', { name: 'data', visibleToPublicUsers: true, visibleToAuthenticatedUsers: true });
  await isWhole(server, 'a', SIZE);

  let phase: { readonly old: Mark; readonly next: Mark; newSince: number } = { old: 'a', next: 'a', newSince: 0 };
  const slowest = new Map<string, number>();
  let [answers, during, isOver] = [0, 0, false];
  const asking = async (client: Client, who: string): Promise<void> => {
    for (let at = 0; !isOver; at++) {
      const question = QUESTIONS[at % QUESTIONS.length];
      if (question === undefined) return;
      const { old, next, newSince } = phase;
      const asked = phase;
      const begun = performance.now();
      const { status, text } = await question.ask(client);
      const took = performance.now() - begun;
      const mark = markIn(text);
      expect([who, question.what, status], text.slice(0, 300)).toEqual([who, question.what, 200]);
      // What was asked when somebody had the new one already is of the new one, or of one that came later.
      const possible = new Set([...(newSince < begun ? [] : [old]), next, phase.old, phase.next]);
      if (phase === asked && newSince < begun) possible.clear();
      possible.add(phase.next);
      expect([who, question.what, mark !== undefined && possible.has(mark)], text.slice(0, 300)).toEqual([
        who,
        question.what,
        true,
      ]);
      if (mark === phase.next) phase.newSince = Math.min(phase.newSince, performance.now());
      answers++;
      if (old !== next) during++;
      slowest.set(question.what, Math.max(slowest.get(question.what) ?? 0, took));
    }
  };
  const names = ['nobody', 'eve', 'admin'];
  const askers = Promise.all(sessions.map((client, i) => asking(client, names[i] ?? '')));
  const lines = server.lines.length;
  const times: number[] = [];
  const pauses: number[] = [];
  const work = async (): Promise<void> => {
    for (let i = 0; i < IMPORTS; i++) {
      const [old, next]: [Mark, Mark] = i % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
      phase = { old, next, newSince: Infinity };
      const begun = performance.now();
      pauses.push(await imported(next));
      times.push(performance.now() - begun);
      phase = { old: next, next, newSince: performance.now() };
      await isWhole(server, next, SIZE);
    }
  };
  await Promise.race([work(), askers]).finally(() => {
    isOver = true;
  });
  await askers;
  const ms = (all: readonly number[]): string => all.map((one) => one.toFixed(0)).join(', ');
  const held = heldUp(lines);
  console.log(
    `${String(IMPORTS)} imports of ${ms(times)} ms, pauses of ${ms(pauses)} ms; ${String(answers)} answers, ${String(during)} of them meanwhile; ` +
      `slowest (ms): ${[...slowest].map(([what, took]) => `${what} ${took.toFixed(0)}`).join(', ')}; loop held up for ${String(held)} ms at most`,
  );
  expect(during).toBeGreaterThan(50);
  expect(held).toBeLessThan(paced(LONGEST_TURN));
});
