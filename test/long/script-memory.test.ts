/** Memory comes back after scripts that ran into their limits. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

const MB = 1024 * 1024;
const RUNS = 31;
/** What it may keep: buffers of the engine, isolates that are kept for the next scripts. */
const BACK_WITHIN = 64 * MB;
/** "Within a minute of quiet". */
const BACK_IN = 60_000;

let server: TestServer;
let admin: Client;
let pid: string;

beforeAll(async () => {
  server = await TestServer.start({
    launched: true,
    settings: { 'application.restart': false, 'application.scripting.js.timeout.cpu': 500 },
  });
  ({ admin } = server);
  const launcher = String(server.child.pid);
  pid = (await readFile(`/proc/${launcher}/task/${launcher}/children`, 'utf8')).trim();
});
afterAll(() => server.stop());

async function memory(): Promise<number> {
  server.assertAlive();
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

test.each([
  ['memory', '{ const all = []; for (;;) all.push(new Array(10000).fill(Math.random())); }'],
  ['texts', "{ const all = []; for (let i = 0; ; i++) all.push(('x' + i).repeat(100000).split('1').join('2')); }"],
  ['time', '{ for (;;); }'],
  ['what crosses', "{ for (;;) $.store('k' + Math.random(), 'x'.repeat(1000000)); }"],
])('after %s', async (name, source) => {
  const path = `bomb_${name.replace(' ', '_')}`;
  await admin.create('SchemaMethod', { name: path, source });
  await admin.create('SchemaMethod', { name: `plain_${path}`, source: '{ return 1; }' });
  expect((await admin.post(`/plain_${path}`, {})).status).toBe(200);
  const before = await memory();
  const statuses = new Set<number>();
  for (let done = 0; done < RUNS; done += 8) {
    const some = Array.from({ length: Math.min(8, RUNS - done) }, () => admin.post(`/${path}`, {}));
    for (const { status } of await Promise.all(some)) statuses.add(status);
  }
  for (const status of statuses) expect([422, 503]).toContain(status);
  const after = await memory();
  const end = Date.now() + BACK_IN;
  let now = after;
  while (now > before + BACK_WITHIN) {
    if (Date.now() > end) {
      throw new Error(`${String(before >> 20)} MB before, ${String(after >> 20)} after, ${String(now >> 20)} now`);
    }
    await sleep(500);
    now = await memory();
  }
  console.log(`${name}: ${String(before >> 20)} MB before, ${String(after >> 20)} after, ${String(now >> 20)} now`);
});
