/** Large pages: a repeater over a million objects, 50,000 elements, and pages that are too large (docs/interface/pages.md 1, 5). */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { paced } from '../support/loop.js';
import { bare, getPage, makePage, nodeNamed } from '../support/pages.js';
import { TestServer } from '../support/server.js';

const WATCH = fileURLToPath(new URL('../support/loop-watch.mjs', import.meta.url));
const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
const MOST_OBJECTS = 1_000_000;
const AT_ONCE = 10_000;
/** Milliseconds for making them: what fits is taken. */
const PATIENCE = 30_000;

let server: TestServer;
let admin: Client;

beforeAll(async () => {
  server = await TestServer.start({
    nodeArguments: ['--import', WATCH],
    environment: { LOOP_LIMIT: String(paced(100)) },
  });
  ({ admin } = server);
  await makePage(admin, 'small', [['html', {}, ['body', {}, 'small']]]);
});
afterAll(() => server.stop());

/** What a page answers, milliseconds that the slowest of others had to wait meanwhile, and how often the loop was held up. */
async function beside(
  path: string,
): Promise<{ status: number; text: string; slowest: number; held: readonly string[] }> {
  const before = server.logged(/loop held up/).length;
  let isOver = false;
  let slowest = 0;
  const others = (async (): Promise<void> => {
    while (!isOver) {
      const begun = performance.now();
      expect((await getPage(server.as(), '/small')).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - begun);
    }
  })();
  const answer = await getPage(server.as(), path).finally(() => {
    isOver = true;
  });
  await others;
  return { ...answer, slowest, held: server.logged(/loop held up/).slice(before) };
}

test('a repeater over a million objects', async () => {
  await admin.defineType('Row', [{ name: 'n', propertyType: 'Integer', indexed: true }]);
  const until = Date.now() + PATIENCE;
  let made = 0;
  while (made < MOST_OBJECTS && Date.now() < until) {
    const rows = Array.from({ length: AT_ONCE }, (_, i) => ({ n: made + i, ...SHOWN }));
    expect((await admin.post('/Row', rows)).status).toBe(201);
    made += AT_ONCE;
  }
  const page = (name: string, functionQuery: string): Promise<string> =>
    makePage(admin, name, [
      bare(['Template', { dataKey: 'row', functionQuery, contentType: 'text/html', content: '${row.n};' }]),
    ]);
  await page('rows', "find('Row')");
  await page('part', "find('Row', page(2, 1000, 'n'))");
  const { status, text, slowest, held } = await beside('/rows');
  console.log(
    `a repeater over ${String(made)} objects: others wait ${slowest.toFixed(0)} ms at most; ${held.join(', ')}`,
  );
  expect(status).toBe(200);
  // More than 250,000 are read in parts.
  expect(text.split(';').length - 1).toBe(made > 250_000 ? 0 : made);
  expect(server.logged(/More than 250000 objects: read them in parts/).length > 0).toBe(made > 250_000);
  expect((await beside('/part')).text.split(';').length - 1).toBe(1000);
  server.assertAlive();
});

test('50,000 elements, and more nodes than a page may have', async () => {
  await makePage(admin, 'many', [['html', {}, ['body', { name: 'many-body' }]]]);
  const parent = await nodeNamed(admin, 'many-body');
  const add = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, () => ({ tag: 'i', parent, ...SHOWN }));
      expect((await admin.post('/I', some)).status).toBe(201);
    }
  };
  await add(50_000);
  // The first view reads and compiles it; the next ones are what visitors see.
  const first = await beside('/many');
  const { status, text, slowest, held } = await beside('/many');
  expect([first.status, status, text.split('<i>').length]).toEqual([200, 200, 50_001]);
  console.log(
    `50,000 elements: others wait ${first.slowest.toFixed(0)} ms at most, then ${slowest.toFixed(0)}; ${[...first.held, 'then', ...held].join(', ')}`,
  );
  await add(50_000);
  const { status: refused, text: message } = await beside('/many');
  expect([refused, message.includes('has more than 100000 nodes')]).toEqual([500, true]);
  server.assertAlive();
});
