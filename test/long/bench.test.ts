/** The bench runs and gives numbers. What they are is no matter for a test. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasUws } from '../support/transports.js';

const BENCH = fileURLToPath(new URL('../../dist/bench/bench.js', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-bench-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Figures {
  readonly case: number;
  readonly figure: number;
  readonly baseline: { readonly median: number };
  readonly svc: { readonly median: number };
}

async function bench(...args: string[]): Promise<{ out: string; said: string; results: Figures[] }> {
  const child = spawn(process.execPath, [BENCH, '--quick', '--results', folder, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, said).toBe(0);
  const { results } = JSON.parse(await readFile(join(folder, 'latest.json'), 'utf8')) as { results: Figures[] };
  return { out, said, results };
}

if (!hasUws()) console.warn('skipped: cases of the bench beside uWebSockets.js, which does not load here');

it.skipIf(!hasUws())('npm run bench -- --quick --only 1,3', async () => {
  const { out, said, results } = await bench('--only', '1,3');
  expect(said).toMatch(/a sync of this disk takes [\d.]+ ms$/m);
  expect(out).toMatch(/1 {2}GET one object .*≥ 45 %/);
  expect(out).toMatch(/3 {2}POST one object.*≥ 3 ×/);
  expect(results.map((r) => r.case)).toEqual([1, 3]);
  for (const { figure, baseline, svc } of results) {
    for (const value of [figure, baseline.median, svc.median]) expect(value).toBeGreaterThan(0);
  }
});

/** What sends the requests of the second run, where it is installed. */
const load = spawnSync('wrk', ['-v']).error === undefined ? ['--load', 'wrk'] : [];
const cases = hasUws() ? [1, 3] : [3];
const more = ['--only', String(cases), '--sync', '20', ...load];

it(`npm run bench -- --quick ${more.join(' ')}`, async () => {
  const { said, results } = await bench(...more);
  // Longer where the machine is busy.
  expect(Number(/in this run it takes ([\d.]+) ms, on both sides/.exec(said)?.[1])).toBeGreaterThanOrEqual(20);
  expect(results.map((r) => r.case)).toEqual(cases);
  for (const { baseline, svc } of results) {
    for (const value of [baseline.median, svc.median]) expect(value).toBeGreaterThan(0);
  }
  expect(results.at(-1)?.baseline.median).toBeLessThanOrEqual(1000 / 20);
});
