/** Large pages: repeaters over more objects than a script may have, 50,000 elements, and pages that are too large (docs/interface/pages.md 1, 5). */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { paced } from '../support/loop.js';
import { bare, getPage, makePage, nodeNamed } from '../support/pages.js';
import { seed } from '../support/seed.js';
import { TestServer } from '../support/server.js';
import { memoryOf } from '../support/storage.js';

const WATCH = fileURLToPath(new URL('../support/loop-watch.mjs', import.meta.url));
const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
/** What a script may have, and more than that; `PAGE_ROWS=1000000` tries a million. */
const MOST_ROWS = 250_000;
const ROWS = Number(process.env['PAGE_ROWS'] ?? 300_000);
const AT_ONCE = 10_000;

let server: TestServer;
let admin: Client;
const options = { nodeArguments: ['--import', WATCH], environment: { LOOP_LIMIT: String(paced(100)) } };

beforeAll(async () => {
  server = await TestServer.start(options);
  await server.admin.defineType('Row', [{ name: 'n', propertyType: 'Integer', indexed: true }]);
  await server.end();
  await seed(server.folder, 'Row', ROWS, (n) => ({ n, ...SHOWN }));
  server = await TestServer.start({ ...options, folder: server.folder });
  ({ admin } = server);
  await makePage(admin, 'small', [['html', {}, ['body', {}, 'small']]]);
});
afterAll(async () => {
  await server.stop();
  await rm(server.folder, { recursive: true, force: true });
});

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

test('a repeater has as many objects as a script, and shows none of more', async () => {
  const rows = (name: string, functionQuery: string): Promise<string> =>
    makePage(admin, name, [
      bare(['Template', { dataKey: 'row', functionQuery, contentType: 'text/html', content: '${row.n};' }]),
    ]);
  await rows('all', "find('Row')");
  await rows('most', `find('Row', page(1, ${String(MOST_ROWS)}))`);
  await rows('part', "find('Row', page(2, 1000, 'n'))");
  const shown = async (path: string): Promise<number> => {
    const { status, text, slowest, held } = await beside(path);
    const megabytes = Math.round(await memoryOf(server.child.pid, 'VmHWM'));
    console.log(
      `${path} of ${String(ROWS)} objects: others wait ${slowest.toFixed(0)} ms at most, ${String(megabytes)} MB; ${held.join(', ')}`,
    );
    expect(status).toBe(200);
    return text.split(';').length - 1;
  };
  expect(await shown('/part')).toBe(1000);
  expect(await shown('/all')).toBe(0);
  await server.untilLogged(/More than 250000 objects: read them in parts/);
  expect(await shown('/most')).toBe(MOST_ROWS);
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
