/** Clients read and write at once, by REST and by scripts, and the server is killed meanwhile: docs/fuzzing.md. */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkLists, checkRegisters, checkTransfers, CLIENTS, defineHistories, type Field } from '../fuzz/histories.js';
import { Random, secondsOf, seedOf } from '../fuzz/random.js';
import { exclusive } from '../support/neo4j-lock.js';
import { onNeo4j, TestServer } from '../support/server.js';

const SECONDS = secondsOf(100);
/** Operations on lists that have to be checked; on Neo4j as many as the time allows. */
const OPERATIONS = onNeo4j || process.env['FUZZ_SECONDS'] !== undefined ? 500 : 100_000;
/** What a slow machine gets beyond the time. */
const PATIENCE = 600;
/** Kills a run. Starts take longer on a database that is shared. */
const KILLS = onNeo4j ? 2 : 4;

let server: TestServer;
let random: Random;

// A Neo4j is one database that tests empty.
if (onNeo4j) exclusive();

beforeEach(async () => {
  random = new Random(seedOf(expect.getState().currentTestName ?? 'histories'));
  server = await TestServer.start();
  await defineHistories(server.admin);
});
afterEach(async () => {
  await server.stop();
  await rm(server.folder, { recursive: true, force: true });
});

/** One server, which is killed some times within the seconds. */
function field(seconds: number): Field {
  return {
    random,
    snapshots: !onNeo4j,
    admin: () => server.admin,
    run: async (client, enough = () => true) => {
      let over = false;
      /** Set while the server is away: clients wait for it. */
      let back: Promise<void> | undefined;
      const clients = Array.from({ length: CLIENTS }, async (_, number) => {
        for (let turn = 0; !over; turn++) {
          await back;
          await client(server.admin, number, turn);
        }
      });
      const failing = Promise.all(clients).finally(() => {
        over = true;
      });
      // What fails is told at the end.
      failing.catch(() => undefined);
      for (let kill = 0; kill <= KILLS; kill++) {
        await sleep((seconds * 1000 * (0.5 + random.next())) / (KILLS + 1));
        if (kill === KILLS) break;
        let done = (): void => undefined;
        back = new Promise((resolve) => (done = resolve));
        await server.end('SIGKILL');
        server = await TestServer.start({ folder: server.folder });
        back = undefined;
        done();
      }
      for (let waited = 0; !over && !enough() && waited < PATIENCE; waited++) await sleep(1000);
      over = true;
      await failing;
    },
  };
}

test('lists that scripts append to and read are serialisable, and REST sees them in time', async () => {
  expect(await checkLists(field(SECONDS * 0.5), OPERATIONS)).toBeGreaterThanOrEqual(OPERATIONS);
});

test('a value that many write and read by REST is one value', async () => {
  expect(await checkRegisters(field(SECONDS * 0.2))).toBeGreaterThan(100);
});

test('transfers between accounts by scripts, by REST and by both keep the sum, and nobody takes what is not there', async () => {
  expect(await checkTransfers(field(SECONDS * 0.3))).toBeGreaterThan(50);
});
