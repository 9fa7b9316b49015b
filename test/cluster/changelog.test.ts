/** The changelog of two instances on one database: each writes its own files, and answers tell of all (docs/interface/changelog.md). */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { type Instance, seen, startInstances } from './instances.js';

interface Entry {
  readonly verb: string;
  readonly key?: string;
  readonly val?: string;
  readonly time: number;
}

describe('the changelog of two instances', () => {
  let instances: Instance[];
  let close: () => Promise<void>;
  let folder: string;
  const admin = (i: number): Client => {
    const instance = instances[i];
    if (instance === undefined) throw new Error(`there is no instance ${String(i)}`);
    return instance.server.admin;
  };
  const log = async (i: number, of: string): Promise<Entry[]> => {
    const answer = await admin(i).post('/maintenance/globalSchemaMethods/logOf', { of });
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { result: Entry[] }).result;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-changelog-'));
    ({ instances, close } = await startInstances(2, {
      'application.changelog.enabled': 'true',
      'changelog.path': folder,
    }));
    await admin(0).defineType('Task', [{ name: 'title', propertyType: 'String' }]);
    await admin(0).create('SchemaMethod', { name: 'logOf', source: '{ return $.changelog($.args.of, false, {}); }' });
    await seen(async () => (await admin(1).get('/Task')).status === 200);
  });
  afterAll(async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is one at both, in the order of what has happened', async () => {
    const id = await admin(0).create('Task', { title: 'made at the first' });
    for (let i = 0; i < 4; i++)
      expect((await admin(i % 2).put(`/Task/${id}`, { title: `change ${String(i)}` })).status).toBe(200);
    const titles = (entries: readonly Entry[]): unknown[] =>
      entries.filter(({ key }) => key === 'title').map(({ val }) => val);
    const expected = ['"made at the first"', '"change 0"', '"change 1"', '"change 2"', '"change 3"'];
    for (const i of [0, 1]) {
      await expect.poll(async () => titles(await log(i, id))).toEqual(expected);
      const times = (await log(i, id)).map(({ time }) => time);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
    expect(await readdir(join(folder, 'instances'))).toHaveLength(2);
  });
});
