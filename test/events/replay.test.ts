/** That the changelog is complete: what it tells is the whole graph, whatever has written it. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomRuns, runsOf } from '../support/random.js';
import { TestServer } from '../support/server.js';
import { prepare, replayed, step, stored } from './replay.js';

const SETTINGS = { 'application.changelog.enabled': true, 'application.changelog.user_centric.enabled': true };

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: SETTINGS });
  await prepare(server);
});
afterAll(async () => {
  await server.end('SIGKILL');
  await rm(server.folder, { recursive: true, force: true });
});

it('replayed from nothing, it is the graph, after any operations', async () => {
  const ids: string[] = [];
  const choices = fc.array(fc.nat(10_000), { minLength: 50, maxLength: 150 });
  await randomRuns(
    fc.asyncProperty(choices, async (list) => {
      let at = 0;
      const random = (below: number): number => (below === 0 ? 0 : (list[at++] ?? 0) % below);
      while (at < list.length) await step(server.admin, ids, random);
    }),
    runsOf(100),
    2,
  );
  const id = await server.admin.create('Task', { title: 'the last' });
  await server.end();
  const [actual, told] = [await stored(server.folder), replayed(join(server.folder, 'changelog'))];
  expect(Object.keys(actual).length).toBeGreaterThan(50);
  expect(told).toEqual(actual);
  // One line less is noticed.
  const file = join(server.folder, 'changelog', 'n', ...id.slice(0, 4), id);
  const lines = await readFile(file, 'utf8');
  await writeFile(file, lines.replace(/.*"key":"title".*\n/, ''));
  expect(() => {
    expect(replayed(join(server.folder, 'changelog'))).toEqual(actual);
  }).toThrow();
});
