/** The short run of `crowd.ts`; that of a thousand pages is in `test/long/page-crowd.test.ts`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestServer } from '../../support/server.js';
import { crowd } from './crowd.js';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

test('visitors of pages that are edited see one state of their page', async () => {
  const { requests, edits } = await crowd(server, 6, 6, 20);
  expect(requests).toBeGreaterThanOrEqual(360);
  expect(edits).toBeGreaterThanOrEqual(20);
  server.assertAlive();
}, 60_000);
