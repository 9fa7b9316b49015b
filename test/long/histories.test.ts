/** Clients read and write at once, by REST and by scripts, and the server is killed meanwhile: docs/fuzzing.md. */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fieldOf } from '../fuzz/field.js';
import { checkLists, checkRegisters, checkTransfers, defineHistories, type Field } from '../fuzz/histories.js';
import { Random, secondsOf, seedOf } from '../fuzz/random.js';
import { exclusive } from '../support/neo4j-lock.js';
import { onNeo4j, TestServer } from '../support/server.js';

const SECONDS = secondsOf(75);
/** Operations on lists that have to be checked; on Neo4j as many as the time allows. */
const OPERATIONS = onNeo4j || process.env['FUZZ_SECONDS'] !== undefined ? 500 : 100_000;
/** Seconds that a slow machine gets beyond the time. */
const PATIENCE = 600;
/** Kills a run. Starts take longer on a database that is shared. */
const KILLS = onNeo4j ? 2 : 4;

let servers: TestServer[];
let random: Random;

// A Neo4j is one database that tests empty.
if (onNeo4j) exclusive();

beforeEach(async () => {
  random = new Random(seedOf(expect.getState().currentTestName ?? 'histories'));
  const server = await TestServer.start();
  servers = [server];
  await defineHistories(server.admin);
});
afterEach(async () => {
  for (const server of servers) {
    await server.stop();
    await rm(server.folder, { recursive: true, force: true });
  }
});

const field = (seconds: number): Field =>
  fieldOf({
    random,
    servers,
    seconds,
    kills: KILLS,
    patience: PATIENCE,
    start: (folder) => TestServer.start({ folder }),
  });

test('lists that scripts append to and read are serialisable, and REST sees them in time', async () => {
  expect(await checkLists(field(SECONDS * 0.5), OPERATIONS)).toBeGreaterThanOrEqual(OPERATIONS);
});

test('a value that many write and read by REST is one value', async () => {
  expect(await checkRegisters(field(SECONDS * 0.2))).toBeGreaterThan(100);
});

test('transfers by scripts, by REST and by both keep the sum, and nobody takes what is not there', async () => {
  expect(await checkTransfers(field(SECONDS * 0.3))).toBeGreaterThan(50);
});
