import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { neo4jUrl, wipe } from '../graph/neo4j.js';
import { Copying } from '../support/graph-copy.js';
import { exclusive } from '../support/neo4j-lock.js';

const MOST = 8;

let folder: string;
let copying: Copying;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-copy-'));
  copying = new Copying(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('copies go on after SIGKILL, as often as it comes', async () => {
  await copying.fill('a', 20_000);
  expect(await copying.killedUntilDone('sqlite:a', 'sqlite:b', MOST)).toBeGreaterThan(2);
  expect((await copying.copy('sqlite:b', 'sqlite:c')).out).toMatch(/^copied 20000 nodes and 20000 relationships/);
});

if (neo4jUrl === undefined) test.skip('the same to Neo4j and back: set NEO4J_URL', () => undefined);
else {
  const url = neo4jUrl;
  describe('in a database of others', () => {
    exclusive();
    test('the same to Neo4j and back', async () => {
      await wipe();
      await copying.fill('a', 5000);
      expect(await copying.killedUntilDone('sqlite:a', `neo4j:${url}`, MOST)).toBeGreaterThan(1);
      expect(await copying.killedUntilDone(`neo4j:${url}`, 'sqlite:b', MOST)).toBeGreaterThan(1);
      expect((await copying.copy('sqlite:b', 'sqlite:c')).out).toMatch(/^copied 5000 nodes and 5000 relationships/);
      await wipe();
    });
  });
}
