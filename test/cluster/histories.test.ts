/** Clients of two instances read and write at once, and one of these is killed meanwhile: docs/fuzzing.md. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldOf } from '../fuzz/field.js';
import { checkLists, checkTransfers, defineHistories } from '../fuzz/histories.js';
import { Random, secondsOf, seedOf } from '../fuzz/random.js';
import { TestServer } from '../support/server.js';
import { type Instance, seen, startInstances } from './instances.js';

const SECONDS = secondsOf(14) / 2;

describe('two instances on one database', () => {
  let instances: Instance[];
  let close: () => Promise<void>;
  let servers: TestServer[];
  const random = new Random(seedOf('histories of two instances'));

  beforeAll(async () => {
    ({ instances, close } = await startInstances(2));
    servers = instances.map(({ server }) => server);
    await defineHistories(field(0).admin());
    const known = async (type: string): Promise<boolean> =>
      (await servers[1]?.admin.get(`/${type}/fuzz`))?.status === 200;
    for (const type of ['Register', 'Account']) await seen(() => known(type));
  });
  afterAll(async () => {
    // One that was started in place of another is not among the instances.
    await servers[1]?.end();
    await close();
  });

  const field = (kills: number) =>
    fieldOf({
      random,
      servers,
      seconds: SECONDS,
      kills,
      start: (folder) =>
        TestServer.start({
          folder,
          settings: { 'database.connection.url': instances[1]?.line.url ?? '' },
          environment: { REPLICA: '1' },
        }),
    });

  it('lists that scripts append to and read are serialisable, and REST sees them in time', async () => {
    expect(await checkLists(field(1))).toBeGreaterThan(50);
  });

  it('transfers by scripts, by REST and by both keep the sum, and nobody takes what is not there', async () => {
    expect(await checkTransfers(field(0))).toBeGreaterThan(20);
  });
});
