/** The bench runs and gives numbers. What they are is no matter for a test. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const BENCH = fileURLToPath(new URL('../../dist/bench/bench.js', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-bench-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('npm run bench -- --quick --only 1,3', async () => {
  const child = spawn(process.execPath, [BENCH, '--quick', '--only', '1,3', '--results', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, said).toBe(0);
  expect(out).toMatch(/1 {2}GET one object .*≥ 45 %/);
  expect(out).toMatch(/3 {2}POST one object.*≥ 3 ×/);

  const { results } = JSON.parse(await readFile(join(folder, 'latest.json'), 'utf8')) as {
    results: { case: number; figure: number; baseline: { median: number }; svc: { median: number } }[];
  };
  expect(results.map((r) => r.case)).toEqual([1, 3]);
  for (const { figure, baseline, svc } of results) {
    for (const value of [figure, baseline.median, svc.median]) expect(value).toBeGreaterThan(0);
  }
});
