/** Pages that are too much: each has a limit and says so, and meanwhile others are served (docs/interface/pages.md 1, 3.4; docs/design/pages.md 5). */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { bare, getPage, makePage, nodeNamed } from '../support/pages.js';
import { TestServer } from '../support/server.js';

const WATCH = fileURLToPath(new URL('../support/loop-watch.mjs', import.meta.url));
const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

let server: TestServer;
let admin: Client;
let nobody: Client;

beforeAll(async () => {
  server = await TestServer.start({ nodeArguments: ['--import', WATCH], environment: { LOOP_LIMIT: '200' } });
  ({ admin } = server);
  nobody = server.as();
  await makePage(admin, 'small', [['html', {}, ['body', {}, 'small']]]);
});
afterAll(() => server.stop());

const held = (): number => server.logged(/loop held up/).length;

/** What a page answers, and milliseconds that the slowest of others had to wait meanwhile. */
async function beside(path: string, client = nobody): Promise<{ status: number; text: string; slowest: number }> {
  let isOver = false;
  let slowest = 0;
  const others = (async () => {
    while (!isOver) {
      const begun = performance.now();
      const { status } = await getPage(nobody, '/small');
      expect(status).toBe(200);
      slowest = Math.max(slowest, performance.now() - begun);
    }
  })();
  const answer = await getPage(client, path);
  isOver = true;
  await others;
  return { ...answer, slowest };
}

describe('parts that show each other end', () => {
  test('a template that renders itself', async () => {
    await makePage(admin, 'itself', [
      bare(['Template', { name: 'again', contentType: 'text/html', content: "x${include('again')}" }]),
    ]);
    const { status, text } = await getPage(nobody, '/itself');
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(2000);
    expect(server.logged(/show each other more than 100 levels deep/).length).toBeGreaterThan(0);
  });

  test('two templates that include each other, twice each', async () => {
    await makePage(admin, 'each', [
      bare(
        ['Template', { name: 'ping', contentType: 'text/html', content: "a${include('pong')}${include('pong')}" }],
        ['Template', { name: 'pong', contentType: 'text/html', content: "b${include('ping')}${include('ping')}" }],
      ),
    ]);
    const before = held();
    const { status, slowest } = await beside('/each');
    // 2^100 parts: what ends it is the time, or the length.
    expect([200, 422, 500]).toContain(status);
    expect(server.logged(/took more than|longer than|computed for more than/).length).toBeGreaterThan(0);
    expect(held()).toBe(before);
    console.log(`templates that include each other: others wait ${slowest.toFixed(0)} ms at most`);
  }, 120_000);

  test('in attributes', async () => {
    await makePage(admin, 'attributes', [
      ['html', {}, ['body', {}, ['i', { name: 'attribute', _html_title: "${include('attribute')}" }]]],
    ]);
    const { status } = await beside('/attributes');
    expect(status).toBe(200);
  });
});

describe('a part that becomes too long', () => {
  const line = 'x'.repeat(1000);

  test.each([
    ['in a text', "${include('long')}"],
    ['in a text of JavaScript that goes on', "${{ try { $.include('long'); } catch (e) {} $.print('after'); }}"],
    ['in an attribute of JavaScript that goes on', undefined],
  ])(
    '%s',
    async (kind, content) => {
      const name = `long-${String(kind.length)}`;
      await makePage(
        admin,
        name,
        [
          [
            'html',
            {},
            [
              'body',
              {},
              content === undefined
                ? ['i', { _html_title: "${{ try { $.include('long'); } catch (e) {} return 'after'; }}" }]
                : ['Template', { contentType: 'text/html', content }],
            ],
          ],
        ],
        { pageCreatesRawData: true },
      );
      const before = held();
      const { status, text } = await beside(`/${name}`);
      expect([status, text.includes('longer than')]).toEqual([500, true]);
      expect(text.length).toBeLessThan(2000);
      expect(held()).toBe(before);
    },
    60_000,
  );

  beforeAll(async () => {
    const query = '{ Array.from({ length: 90 }, (_, n) => ({ n })) }';
    const inner = { dataKey: 'b', functionQuery: query, contentType: 'text/html', content: line };
    const middle = { dataKey: 'a', functionQuery: query, contentType: 'text/html', content: '${render(children)}' };
    const outer = {
      name: 'long',
      dataKey: 'z',
      functionQuery: query,
      contentType: 'text/html',
      content: '${render(children)}',
    };
    // 90 * 90 * 90 thousand characters.
    await makePage(admin, 'holder', [bare(['Template', outer, ['Template', middle, ['Template', inner]]])]);
  });
});

test('a render that writes leaves as a whole, and what fails leaves nothing', async () => {
  await admin.defineType('Visit', [{ name: 'n', propertyType: 'Integer' }]);
  const write = "${create('Visit', 'n', 1)}";
  const filler = 'x'.repeat(50_000);
  const page = (name: string, last: string): Promise<string> =>
    makePage(admin, name, [
      [
        'html',
        {},
        ['body', {}, ['p', {}, write], ['p', {}, filler], ['Template', { contentType: 'text/html', content: last }]],
      ],
    ]);
  await page('writes', 'end');
  await page('writes-for-ever', '${{ for (;;) $.create("Visit", { n: 2 }); }}');
  const count = async (): Promise<number> => (await admin.get('/Visit?_pageSize=1')).body.result_count as number;
  const { status, text } = await beside('/writes', admin);
  expect([status, text.includes('end'), await count()]).toEqual([200, true, 1]);
  const before = held();
  const failed = await beside('/writes-for-ever', admin);
  expect(failed.slowest).toBeLessThan(60_000);
  expect(held()).toBe(before);
  // All of it or nothing: what has failed is told, where the page goes on.
  expect([1, 2]).toContain(await count());
}, 120_000);

test('50,000 elements, and 100,001', async () => {
  await makePage(admin, 'many', [['html', {}, ['body', { name: 'many-body' }]]]);
  const parent = await nodeNamed(admin, 'many-body');
  const add = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += 10_000) {
      const some = Array.from({ length: Math.min(10_000, count - made) }, () => ({ tag: 'i', parent, ...SHOWN }));
      const answer = await admin.post('/I', some);
      expect(answer.status, answer.text.slice(0, 300)).toBe(201);
    }
  };
  await add(50_000);
  // The first view reads and compiles it; the next ones are what visitors see.
  await getPage(nobody, '/many');
  const before = held();
  const { status, text, slowest } = await beside('/many');
  expect([status, text.split('<i>').length]).toEqual([200, 50_001]);
  expect(held()).toBe(before);
  console.log(`50,000 elements: others wait ${slowest.toFixed(0)} ms at most`);
  await add(50_000);
  const { status: refused, text: message } = await getPage(nobody, '/many');
  expect([refused, message.includes('has more than 100000 nodes')]).toEqual([500, true]);
}, 240_000);
