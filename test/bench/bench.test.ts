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

it('npm run bench -- --quick --only 3 --sync 20', async () => {
  const { said, results } = await bench('--only', '3', '--sync', '20');
  expect(said).toMatch(/in this run it takes 2[\d.]+ ms, on both sides/);
  expect(results[0]?.baseline.median).toBeLessThanOrEqual(1000 / 20);
});

it.skipIf(!hasUws() || spawnSync('wrk', ['-v']).error !== undefined)(
  'npm run bench -- --quick --only 1,3 --load wrk (where wrk is installed)',
  async () => {
    const { results } = await bench('--only', '1,3', '--load', 'wrk');
    expect(results.map((r) => r.case)).toEqual([1, 3]);
    for (const { baseline, svc } of results) {
      for (const value of [baseline.median, svc.median]) expect(value).toBeGreaterThan(0);
    }
  },
);
