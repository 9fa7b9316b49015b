/** Ten visitors at once for each of 1,000 pages of 20 sites, while these are edited (`test/pages/attacks/crowd.ts`). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crowd } from '../pages/attacks/crowd.js';
import { TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

test('1,000 pages of 20 sites', async () => {
  const { requests, edits, seconds } = await crowd(server, 20, 50, 100);
  console.log(`${String(requests)} requests and ${String(edits)} edits in ${seconds.toFixed(1)} s`);
  expect(requests).toBeGreaterThanOrEqual(10_000);
  expect(edits).toBeGreaterThanOrEqual(100);
  server.assertAlive();
});
