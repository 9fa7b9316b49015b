/** As test/serving/histories.test.ts for longer; and the server with its threads is killed while they read and write (docs/fuzzing.md). */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fieldOf } from '../fuzz/field.js';
import { checkRegisters, checkTransfers, defineHistories, type Field } from '../fuzz/histories.js';
import { Random, secondsOf, seedOf } from '../fuzz/random.js';
import { people } from '../fuzz/visible/people.js';
import { play } from '../fuzz/visible/play.js';
import { makeRegister, playRegister } from '../fuzz/visible/register.js';
import { THREAD_SETTINGS } from '../fuzz/visible/settings.js';
import { things } from '../fuzz/visible/things.js';
import { connectionsTo } from '../support/many-connections.js';
import { onNeo4j, SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

const SECONDS = secondsOf(60);
const OPTIONS = { settings: THREAD_SETTINGS };

describe.skipIf(onNeo4j)('with three threads', () => {
  let servers: TestServer[];
  let random: Random;
  beforeEach(async () => {
    random = new Random(seedOf(expect.getState().currentTestName ?? 'histories of threads'));
    servers = [await TestServer.start(OPTIONS)];
  });
  afterEach(async () => {
    for (const server of servers) {
      await server.stop();
      await rm(server.folder, { recursive: true, force: true });
    }
  });
  const until = (part: number): (() => boolean) => {
    const end = performance.now() + SECONDS * 1000 * part;
    return () => performance.now() > end;
  };

  it('what was answered is seen by all, while a value that all write and read is one value', async () => {
    const [server] = servers;
    if (server === undefined) throw new Error('there is no server');
    const connections = connectionsTo(server.url, 32, {
      'X-User': 'superadmin',
      'X-Password': SUPERUSER_PASSWORD,
    });
    const register = await makeRegister(server.admin);
    const subjects = [...(await things(server)), ...(await people(server))];
    const enough = until(0.5);
    const [played, { operations, problem }] = await Promise.all([
      play(subjects, connections.slice(0, 16), random, enough),
      playRegister(register, connections.slice(16), random, enough),
    ]);
    for (const one of connections) one.close();
    expect(problem).toBeUndefined();
    expect(operations).toBeGreaterThan(100);
    expect(played.changes).toBeGreaterThanOrEqual(subjects.length);
  });

  const field = (seconds: number): Field =>
    fieldOf({
      random,
      servers,
      seconds,
      kills: 3,
      patience: 600,
      start: (folder) => TestServer.start({ ...OPTIONS, folder }),
    });

  it('nothing that was acknowledged is lost when it is killed', async () => {
    const [server] = servers;
    if (server === undefined) throw new Error('there is no server');
    await defineHistories(server.admin);
    expect(await checkRegisters(field(SECONDS * 0.25))).toBeGreaterThan(100);
    expect(await checkTransfers(field(SECONDS * 0.25))).toBeGreaterThan(10);
  });
});
