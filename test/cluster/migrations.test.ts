/** Migrations of several instances: the coordinator does them, once (contract, Startup migration mode). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from '../../src/main/exit-codes.js';
import { type Graph, openNeo4jGraph } from '../../src/main/graph/index.js';
import { neo4jOptions, wipeNodes } from '../graph/neo4j.js';
import { TestServer } from '../support/server.js';
import { type Instance, startInstances } from './instances.js';

const OLD = "{ return $.GET('http://127.0.0.1:1', 'text/plain', 'u', 'p').status; }";

let instances: Instance[];
let close: () => Promise<void>;
let folder: string;

beforeAll(async () => {
  ({ instances, close } = await startInstances(2));
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
});
afterAll(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

it('one instance reports and rewrites, the other neither at its start nor by the command', async () => {
  const [first, second] = instances as [Instance, Instance];
  expect(first.server.logged(/migration - step http-functions/)).toHaveLength(1);
  expect(second.server.logged(/migration - step/)).toEqual([]);
  await first.server.admin.create('SchemaMethod', { name: 'old', source: OLD });
  const migrate = { mode: 'dry-run' };
  expect((await second.server.admin.post('/maintenance/migrate', migrate)).body.result).toEqual([]);
  expect((await first.server.admin.post('/maintenance/migrate', migrate)).body.result).toMatchObject([
    { rewritten: 1 },
  ]);
});

it('a dry run beside a coordinator looks at nothing', async () => {
  const settings = { 'application.migration.mode': 'dry-run' };
  const { code, lines } = await TestServer.tryStart(folder, { folder, settings });
  expect(code).toBe(EXIT.migrationDryRun);
  expect(lines.join('\n')).toMatch(/nothing was looked at, another instance is the coordinator/);
});

it('the version of the data is kept in Neo4j, too', async () => {
  for (const { server } of instances) await server.end();
  const graph: Graph = await openNeo4jGraph(neo4jOptions());
  await graph.notes.set('migrations', JSON.stringify({ version: '7.4.1', done: {} }));
  await graph.close();
  const { code } = await TestServer.tryStart(folder, { folder });
  expect(code).toBe(EXIT.databaseTooNew);
  await wipeNodes();
});
