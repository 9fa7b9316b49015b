/** Nobody sees the past, on whatever connection and in whatever thread (docs/design/threads.md 4); longer in test/long/thread-histories.test.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random, seedOf } from '../fuzz/random.js';
import { people } from '../fuzz/visible/people.js';
import { play } from '../fuzz/visible/play.js';
import { makeRegister, playRegister } from '../fuzz/visible/register.js';
import { things } from '../fuzz/visible/things.js';
import { connectionsTo, type Connection } from '../support/many-connections.js';
import { onNeo4j, SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

const SETTINGS = {
  'application.http.threads': 3,
  'security.jwt.secret': 'a-secret-of-more-than-32-characters-for-tests',
};

describe.skipIf(onNeo4j)('with three threads', () => {
  let server: TestServer;
  let connections: readonly Connection[];
  let random: Random;
  beforeAll(async () => {
    server = await TestServer.start({ settings: SETTINGS });
    connections = connectionsTo(server.url, 12, { 'X-User': 'superadmin', 'X-Password': SUPERUSER_PASSWORD });
    random = new Random(seedOf('histories of threads'));
  });
  afterAll(async () => {
    for (const one of connections) one.close();
    await server.stop();
  });

  it('a value that all write and read is one value', async () => {
    const register = await makeRegister(server.admin);
    const { operations, problem } = await playRegister(register, connections, random, (count) => count >= 400);
    expect(problem).toBeUndefined();
    expect(operations).toBeGreaterThanOrEqual(400);
  });

  it('what was answered is seen by all: things, names, types, settings, rights, logins', async () => {
    const subjects = [...(await things(server)), ...(await people(server))];
    const { looks } = await play(subjects, connections, random, (changes) => changes >= 3);
    expect(looks).toBeGreaterThan(subjects.length * 3 * 3);
  });
});
