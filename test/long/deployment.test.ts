/**
 * Data and the graph out and in again, in bounded memory, and a database that is emptied (docs/interface/deployment.md 4, 5,
 * operations.md 9.3); `SVC_LONG_NODES` for more.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { untilJob, type JobInfo } from '../support/jobs.js';
import { paced } from '../support/loop.js';
import { TestServer } from '../support/server.js';

const NODES = Number(process.env['SVC_LONG_NODES'] ?? 20_000);
const LINKS = 5 * NODES;
/** MB that an import or export may take beside what the server has anyway. */
const MOST = 400;
const PATIENCE = 3_600_000;
const WATCH = fileURLToPath(new URL('../support/loop-watch.mjs', import.meta.url));
/** Milliseconds in which a database of 100,000 relationships is to be empty, and for which its loop may compute in one go. */
const CLEARED = 5000;
const LONGEST_TURN = 100;

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-long-data-'));
  server = await start();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const start = (): Promise<TestServer> =>
  TestServer.start({ nodeArguments: ['--import', WATCH], environment: { LOOP_LIMIT: '20' } });

const id = (kind: string, n: number): string => kind + n.toString(16).padStart(31, '0');

async function generate(path: string, count: number, entry: (n: number) => object): Promise<void> {
  const handle = await open(path, 'w');
  for (let from = 0; from < count; from += 5000) {
    const some = Array.from({ length: Math.min(5000, count - from) }, (_, i) => JSON.stringify(entry(from + i)));
    await handle.appendFile((from === 0 ? '[' : ',') + some.join(',\n'));
  }
  await handle.appendFile(']');
  await handle.close();
}

async function checksum(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

/** How many there are at an address of REST, and what they are, whatever their order. */
async function content(path: string): Promise<{ readonly count: number; readonly sum: string }> {
  const size = 20_000;
  let [count, sum] = [0, 0n];
  for (let page = 1; ; page++) {
    const { body } = await server.admin.get(`${path}?_pageSize=${String(size)}&_page=${String(page)}`);
    const rows = body.result as Record<string, unknown>[];
    for (const row of rows) {
      const keys = Object.keys(row).sort();
      const text = JSON.stringify(keys.map((key) => [key, row[key]]));
      sum = BigInt.asUintN(64, sum + createHash('sha256').update(text).digest().readBigUInt64BE());
    }
    count += rows.length;
    if (rows.length < size) return { count, sum: sum.toString(16) };
  }
}

const memory = async (): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${String(server.child.pid)}/status`, 'utf8'))?.[1]) / 1024;

/** The job when it has ended, and what it took: MB at most, seconds. */
async function ran(command: string, body: object, client = server.admin): Promise<JobInfo> {
  const before = await memory();
  let peak = before;
  const timer = setInterval(() => {
    void memory().then((now) => (peak = Math.max(peak, now)));
  }, 500);
  const answer = await client.post(`/maintenance/${command}`, { ...body, background: true });
  const jobId = answer.body.result[0].jobId as number;
  let info: JobInfo;
  const end = Date.now() + PATIENCE;
  do info = await untilJob(client, jobId, ({ ended, duration }) => ended !== null || duration > 0);
  while (info.ended === null && Date.now() < end && (await new Promise((resolve) => setTimeout(resolve, 500, true))));
  clearInterval(timer);
  const mb = (value: number): string => String(Math.round(value));
  console.log(
    `${command} ${JSON.stringify(body)}: ${String(info.duration / 1000)} s, ${mb(before)} MB, at most ${mb(peak)} MB`,
  );
  expect(info.status).toBe('FINISHED');
  expect(peak - before).toBeLessThan(MOST);
  return info;
}

async function defineTypes(admin: Client): Promise<void> {
  const thing = await admin.create('SchemaNode', {
    name: 'Thing',
    schemaProperties: [
      { name: 'count', propertyType: 'Integer' },
      { name: 'label', propertyType: 'String', indexed: true },
    ],
    schemaViews: [{ name: 'told', nonGraphProperties: 'id, type, name, count, label' }],
  });
  const names = { sourceJsonName: 'before', targetJsonName: 'after' };
  await admin.relate(thing, 'NEXT', thing, { sourceMultiplicity: '*', ...names });
}

it(
  'is the same after it was imported, in bounded memory',
  async () => {
    const { admin } = server;
    await defineTypes(admin);
    const source = join(folder, 'source');
    for (const part of ['nodes', 'relationships']) await mkdir(join(source, part), { recursive: true });
    await generate(join(source, 'nodes/Thing.json'), NODES, (n) => ({
      ...{ id: id('a', n), type: 'Thing', name: `thing ${String(n)}`, count: n, label: `label ${String(n % 1000)}` },
      owner: { name: 'admin' },
      grantees: [{ name: 'admin', allowed: ['read', 'write'] }],
    }));
    await generate(join(source, 'relationships/ThingNEXTThing.json'), LINKS, (n) => ({
      ...{ id: id('b', n), sourceId: id('a', n % NODES), targetId: id('a', (n * 7 + 1) % NODES), relType: 'NEXT' },
    }));
    expect(await ran('deployData', { mode: 'import', source })).toMatchObject({
      result: { created: NODES, relationships: LINKS, failed: 0 },
    });
    const before = [await content('/Thing/told'), await content('/ThingNEXTThing')];
    console.log(`${String(NODES)} nodes and ${String(LINKS)} relationships: ${JSON.stringify(before)}`);
    expect(before.map(({ count }) => count)).toEqual([NODES, LINKS]);
    const [first, second, archive] = ['first', 'second', 'all.zip'].map((name) => join(folder, name));
    await ran('deployData', { mode: 'export', target: first, types: 'Thing' });
    await ran('sync', { mode: 'export', file: archive });
    await server.stop();
    server = await start();
    await defineTypes(server.admin);
    const done = await ran('sync', { mode: 'import', file: archive, batchSize: 1000 });
    expect(done.result.failed).toBe(0);
    await ran('deployData', { mode: 'export', target: second, types: 'Thing' });
    for (const file of ['nodes/Thing.json', 'relationships/ThingNEXTThing.json'])
      expect(await checksum(join(second ?? '', file))).toBe(await checksum(join(first ?? '', file)));
    expect([await content('/Thing/told'), await content('/ThingNEXTThing')]).toEqual(before);

    // Writers wait for it and go on, the loop does not.
    const lines = server.lines.length;
    const writing = server.superuser.post('/Folder', { name: 'beside' });
    const cleared = await ran('clearDatabase', {}, server.superuser);
    expect((await writing).status).toBe(201);
    expect(cleared.result.relationships).toBeGreaterThanOrEqual(LINKS);
    const held = server.lines.slice(lines).map((line) => Number(/loop held up for (\d+) ms/.exec(line)?.[1] ?? 0));
    console.log(
      `cleared in ${String(cleared.duration)} ms; loop held up for ${String(Math.max(0, ...held))} ms at most`,
    );
    expect(cleared.duration).toBeLessThan(paced((CLEARED * Math.max(LINKS, 100_000)) / 100_000));
    expect(Math.max(0, ...held)).toBeLessThan(paced(LONGEST_TURN));
  },
  PATIENCE,
);
