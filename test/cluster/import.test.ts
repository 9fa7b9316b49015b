/** An application that one of two instances imports, as the other one answers meanwhile and afterwards (docs/interface/deployment.md 3.2). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applicationOf, type ApplicationSize, isWhole, markIn, QUESTIONS, type Mark } from '../support/applications.js';
import type { Client } from '../support/client.js';
import { EventStream } from '../support/event-stream.js';
import { writeTree } from '../support/export-tree.js';
import { type Instance, seen, startInstances } from './instances.js';

const SIZE: ApplicationSize = { types: 3, pages: 2, elements: 10, files: 4, words: 10 };

let folder: string;
let first: Instance;
let second: Instance;
let close: () => Promise<void>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cluster-import-'));
  for (const mark of ['a', 'b'] as const) await writeTree(join(folder, mark), applicationOf(mark, SIZE));
  // The contents of files are in one place.
  const settings = {
    'deployment.roots': folder,
    'files.path': join(folder, 'files'),
    'httpservice.servlets': 'JsonRestServlet HtmlServlet EventSourceServlet',
  };
  const started = await startInstances(2, settings);
  ({ close } = started);
  [first, second] = started.instances as [Instance, Instance];
});
afterAll(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

async function imported(mark: Mark): Promise<void> {
  const answer = await first.server.admin.post('/maintenance/deploy', { mode: 'import', source: join(folder, mark) });
  expect([answer.status, answer.body.result]).toEqual([200, []]);
}

it('the other instance has the old application or the new one as a whole, and then the new one', async () => {
  await imported('a');
  await first.server.admin.create('Thing', {
    ...{ name: 'data', visibleToPublicUsers: true, visibleToAuthenticatedUsers: true },
  });
  await seen(async () => markIn((await second.server.as().get('/Thing')).text) === 'a');
  await isWhole(second.server, 'a', SIZE);

  const stream = await EventStream.open(`${second.server.url}/svc/EventSource`, second.server.admin.credentials);
  const counts = { a: 0, b: 0 };
  let [isOver, slowest] = [false, 0];
  const asking = async (client: Client, at: number): Promise<void> => {
    let last: Mark = 'a';
    for (let n = at; !isOver; n++) {
      const question = QUESTIONS[n % QUESTIONS.length];
      const since = performance.now();
      const answer = await question?.ask(client);
      slowest = Math.max(slowest, performance.now() - since);
      expect([question?.what, answer?.status], answer?.text.slice(0, 300)).toEqual([question?.what, 200]);
      // Throws for an answer that is of both.
      const mark = markIn(answer?.text ?? '');
      expect(mark).toBeDefined();
      // Who has seen the new one does not see the old one again.
      if (last === 'b') expect([question?.what, mark]).toEqual([question?.what, 'b']);
      last = mark ?? last;
      counts[last]++;
    }
  };
  const clients = [second.server.as(), second.server.admin, first.server.as()];
  const askers = Promise.all(clients.map((client, i) => asking(client, i * 3)));
  const work = async (): Promise<void> => {
    await imported('b');
    await seen(async () => markIn((await second.server.as().get('/Thing')).text) === 'b');
    await isWhole(second.server, 'b', SIZE);
  };
  await Promise.race([work(), askers]).finally(() => {
    isOver = true;
  });
  await askers;
  expect(Math.min(counts.a, counts.b), JSON.stringify(counts)).toBeGreaterThan(5);
  console.log(`${JSON.stringify(counts)} answers; the slowest took ${slowest.toFixed(0)} ms`);

  // Administrators hear of it there, too (live.md 10).
  const told = (await stream.events(3)).map(([name, data]) => {
    const { type, subtype } = JSON.parse(data) as Record<string, unknown>;
    return [name, type, subtype];
  });
  stream.close();
  expect(told).toEqual(
    ['QUEUED', 'BEGIN', 'PROGRESS'].map((one) => ['GENERIC_MESSAGE', 'DEPLOYMENT_IMPORT_STATUS', one]),
  );

  // What the other one writes is by the new schema.
  expect((await second.server.admin.post('/OnlyB1', { name: 'x' })).status).toBe(201);
  expect((await second.server.admin.post('/OnlyA1', { name: 'x' })).status).toBe(404);
});
