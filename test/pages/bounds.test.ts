/** Pages that are too much: each has a limit and says so, and meanwhile others are served (docs/interface/pages.md 1, 3.4; docs/design/pages.md 5). */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { paced } from '../support/loop.js';
import { bare, getPage, makePage } from '../support/pages.js';
import { TestServer } from '../support/server.js';

const WATCH = fileURLToPath(new URL('../support/loop-watch.mjs', import.meta.url));

let server: TestServer;
let admin: Client;
let nobody: Client;

beforeAll(async () => {
  server = await TestServer.start({
    nodeArguments: ['--import', WATCH],
    environment: { LOOP_LIMIT: String(paced(200)) },
    settings: { 'application.scripting.js.timeout.cpu': 500 },
  });
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
  const others = (async (): Promise<void> => {
    while (!isOver) {
      const begun = performance.now();
      const { status } = await getPage(nobody, '/small');
      expect(status).toBe(200);
      slowest = Math.max(slowest, performance.now() - begun);
    }
  })();
  const answer = await getPage(client, path).finally(() => {
    isOver = true;
  });
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

  test('two templates that include each other', async () => {
    await makePage(admin, 'each', [
      bare(
        ['Template', { name: 'ping', contentType: 'text/html', content: "a${include('pong')}" }],
        ['Template', { name: 'pong', contentType: 'text/html', content: "b${include('ping')}" }],
      ),
    ]);
    const { status, text } = await beside('/each');
    expect([status, text.length < 5000]).toEqual([200, true]);
  });

  // 2^100 parts, were there no limit.
  test.each([
    ['as a whole', true],
    ['by its beginning', false],
  ])(
    'a template that shows itself twice, sent %s',
    async (_, pageCreatesRawData) => {
      const name = `twice-${String(pageCreatesRawData)}`;
      const content = `\${render(this)}\${render(this)}${'x'.repeat(100)}`;
      await makePage(admin, name, [bare(['Template', { contentType: 'text/html', content }])], { pageCreatesRawData });
      const before = held();
      if (pageCreatesRawData) {
        const { status, text, slowest } = await beside(`/${name}`);
        expect([status, text.includes('shows more than 250000 parts, or more than 10000')]).toEqual([500, true]);
        console.log(`parts in parts: others wait ${slowest.toFixed(0)} ms at most`);
      } else {
        // What has left cannot be taken back: the answer is broken off.
        const whole = await beside(`/${name}`).catch((error: unknown) => (error as Error).message);
        expect(typeof whole === 'string' ? whole : whole.status).toBeOneOf(['terminated', 500]);
      }
      expect(held()).toBe(before);
      server.assertAlive();
    },
    60_000,
  );

  test('in attributes', async () => {
    await makePage(admin, 'attributes', [
      ['html', {}, ['body', {}, ['i', { name: 'attribute', _html_title: "${include('attribute')}" }]]],
    ]);
    const { status } = await beside('/attributes');
    expect(status).toBe(200);
  });
});

describe('a part that becomes too long', () => {
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
                ? ['i', { _html_title: "${{ try { $.include('long'); } catch (e) {} 'after'; }}" }]
                : ['Template', { contentType: 'text/html', content }],
            ],
          ],
        ],
        { pageCreatesRawData: true },
      );
      const before = held();
      const { status, text } = await beside(`/${name}`);
      expect([status, text.includes('longer than')], text.slice(0, 500)).toEqual([500, true]);
      expect(text.length).toBeLessThan(2000);
      expect(held()).toBe(before);
    },
    60_000,
  );

  beforeAll(async () => {
    const rows = '{ Array.from({ length: 90 }, (_, n) => ({ n })) }';
    const long = {
      name: 'long',
      dataKey: 'n',
      functionQuery: rows,
      contentType: 'text/html',
      content: 'x'.repeat(1_000_000),
    };
    await makePage(admin, 'holder', [bare(['Template', long])]);
  });
});

test('a render that writes leaves as a whole, and one that is refused leaves nothing', async () => {
  await admin.defineType('Visit', [{ name: 'n', propertyType: 'Integer' }]);
  const page = (name: string, n: number, last: string): Promise<string> =>
    makePage(admin, name, [
      [
        'html',
        {},
        [
          'body',
          {},
          ['p', {}, `\${create('Visit', 'n', ${String(n)})}`],
          ['p', {}, 'x'.repeat(50_000)],
          ['Template', { contentType: 'text/html', content: last }],
        ],
      ],
    ]);
  await page('writes', 1, 'end');
  await page('writes-too-much', 2, "${include('long')}");
  const count = async (n: number): Promise<number> =>
    (await admin.get(`/Visit?n=${String(n)}`)).body.result.length as number;
  const { status, text } = await beside('/writes', admin);
  expect([status, text.includes('end'), await count(1)]).toEqual([200, true, 1]);
  const { status: refused } = await beside('/writes-too-much', admin);
  expect([refused, await count(2)]).toEqual([500, 0]);
}, 60_000);
