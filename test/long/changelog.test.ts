/** The changelog of servers that are killed while they write (docs/design/changelog.md 2). */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepare, replayed, step, stored } from '../events/replay.js';
import { TestServer } from '../support/server.js';

const SETTINGS = { 'application.changelog.enabled': true, 'application.changelog.user_centric.enabled': true };
const ROUNDS = 4;
/** Steps of a round, and some more by chance. */
const STEPS = 100;
const CLIENTS = 8;

it('tells the whole graph, and nothing else, after any number of kills', async () => {
  let server = await TestServer.start({ settings: SETTINGS });
  const { folder } = server;
  try {
    await prepare(server);
    const ids: string[] = [];
    const random = (below: number): number => Math.floor(Math.random() * below);
    for (let round = 0; round < ROUNDS; round++) {
      const { admin } = server;
      let over = false;
      let left = STEPS + random(STEPS);
      let enough = (): void => undefined;
      const killed = new Promise<void>((resolve) => {
        enough = resolve;
      });
      const works = Array.from({ length: CLIENTS }, async () => {
        // What is on its way when the server dies has no answer.
        while (!over) {
          await step(admin, ids, random).catch(() => undefined);
          if (--left === 0) enough();
        }
      });
      await killed;
      await server.end('SIGKILL');
      over = true;
      await Promise.all(works);
      server = await TestServer.start({ settings: SETTINGS, folder });
    }
    await server.end();
    const actual = await stored(folder);
    expect(replayed(join(folder, 'changelog'))).toEqual(actual);
    expect(ids.length).toBeGreaterThan(20);
  } finally {
    await server.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}, 300_000);
