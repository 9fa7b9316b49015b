/** Data and the graph out and in again, in bounded memory (docs/interface/deployment.md 4, 5); `SVC_LONG_NODES` for more. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilJob, type JobInfo } from '../support/jobs.js';
import { TestServer } from '../support/server.js';

const NODES = Number(process.env['SVC_LONG_NODES'] ?? 20_000);
const LINKS = 5 * NODES;
/** MB that an import or export may take beside what the server has anyway. */
const MOST = 400;
const PATIENCE = 3_600_000;

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-long-data-'));
  server = await TestServer.start();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

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

const memory = async (): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${String(server.child.pid)}/status`, 'utf8'))?.[1]) / 1024;

/** The job when it has ended, and what it took: MB at most, seconds. */
async function ran(command: string, body: object): Promise<JobInfo> {
  const { admin } = server;
  const before = await memory();
  let peak = before;
  const timer = setInterval(() => {
    void memory().then((now) => (peak = Math.max(peak, now)));
  }, 500);
  const answer = await admin.post(`/maintenance/${command}`, { ...body, background: true });
  const jobId = answer.body.result[0].jobId as number;
  let info: JobInfo;
  const end = Date.now() + PATIENCE;
  do info = await untilJob(admin, jobId, ({ ended, duration }) => ended !== null || duration > 0);
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

it(
  'is the same after it was imported, in bounded memory',
  async () => {
    const { admin } = server;
    const thing = await admin.defineType('Thing', [
      { name: 'count', propertyType: 'Integer' },
      { name: 'label', propertyType: 'String', indexed: true },
    ]);
    await admin.relate(thing, 'NEXT', thing, {
      sourceMultiplicity: '*',
      sourceJsonName: 'before',
      targetJsonName: 'after',
    });
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
    const [first, second, archive] = ['first', 'second', 'all.zip'].map((name) => join(folder, name));
    await ran('deployData', { mode: 'export', target: first, types: 'Thing' });
    await ran('sync', { mode: 'export', file: archive });
    await server.stop();
    server = await TestServer.start();
    const again = await server.admin.defineType('Thing', [
      { name: 'count', propertyType: 'Integer' },
      { name: 'label', propertyType: 'String', indexed: true },
    ]);
    await server.admin.relate(again, 'NEXT', again, {
      ...{ sourceMultiplicity: '*', sourceJsonName: 'before', targetJsonName: 'after' },
    });
    const done = await ran('sync', { mode: 'import', file: archive, batchSize: 1000 });
    expect(done.result.failed).toBe(0);
    await ran('deployData', { mode: 'export', target: second, types: 'Thing' });
    for (const file of ['nodes/Thing.json', 'relationships/ThingNEXTThing.json'])
      expect(await checksum(join(second ?? '', file))).toBe(await checksum(join(first ?? '', file)));
  },
  PATIENCE,
);
