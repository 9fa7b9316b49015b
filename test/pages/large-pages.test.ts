/** A page of many nodes is read, compiled and exported beside other requests (docs/interface/pages.md 1, 2.11). */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { paced } from '../support/loop.js';
import { getPage } from '../support/pages.js';
import { TestServer } from '../support/server.js';

const WATCH = fileURLToPath(new URL('../support/loop-watch.mjs', import.meta.url));
/** Nodes of the page: in one go its first view takes 94 ms of the loop, its form of exports 216 ms. */
const NODES = 10_000;

let server: TestServer;
let admin: Client;
beforeAll(async () => {
  server = await TestServer.start({
    nodeArguments: ['--import', WATCH],
    environment: { LOOP_LIMIT: String(paced(70)) },
  });
  ({ admin } = server);
  const code = `<html><body>${'<p class="a">'.repeat(NODES)}</body></html>`;
  const made = await admin.post('/Page/importPage', { name: 'large', code, publicVisible: true, authVisible: true });
  expect(made.status, made.text.slice(0, 500)).toBe(200);
});
afterAll(() => server.stop());

test.each([
  ['the first view', '/large'],
  ['its source', '/large?_edit=1'],
  ['its form of exports', '/large?_edit=4'],
])('%s does not hold up others', async (_, path) => {
  const before = server.logged(/loop held up/).length;
  const { status, text } = await getPage(admin, path);
  expect([status, text.match(/<p /g)?.length]).toEqual([200, NODES]);
  // What the server has said of its loop is here when it answers.
  await admin.get('/me');
  expect(server.logged(/loop held up/).slice(before)).toEqual([]);
});
