/** Paths that are no paths: whatever is asked for is a page of that name, 404 or 400 (docs/interface/pages.md 2). */
import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getPage, makePage } from '../../support/pages.js';
import { fetchPath } from '../../support/serving.js';
import { TestServer } from '../../support/server.js';

const HOSTS = ['one.example', 'two.example'] as const;
/** Of pages; each is a page of both sites. */
const NAMES = ['plain', 'wide ä', 'dots..', 'a+b', 'index.html'] as const;
const SEED = Number(process.env['SEED'] ?? 181_112);

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
  const { admin } = server;
  for (const hostname of HOSTS) {
    const site = await admin.create('Site', { name: hostname, hostname });
    for (const name of NAMES) {
      const content = `[${hostname} ${name}]`;
      await makePage(admin, name, [['Template', { content, contentType: 'text/html' }]], { sites: [site] });
    }
    const routed = { content: `[${hostname} route]\${word}`, contentType: 'text/plain' };
    const page = await makePage(admin, `routed-${hostname}`, [['Template', routed]], { sites: [site] });
    await admin.create('PagePath', { name: '/route/{word}', page });
  }
});
afterAll(() => server.stop());

/** Pieces of paths, as they are sent. */
const PIECES = [
  ...NAMES.flatMap((name) => [encodeURI(name), encodeURIComponent(name)]),
  ...['route', 'svc', 'svc/html', 'html', 'one.example', 'two.example', 'PLAIN', 'x', '%70lain', '%2570lain'],
  ...['/', '//', '/', '/', '%2f', '%2F', '%5c', '\\', '.', '..', '%2e', '%2e%2e', '.%2e', ';a=b', '%3b', '%3f', '%23'],
  ...[
    '%00',
    '%0d%0a',
    '%20',
    '%c0%af',
    '%c0%ae',
    '%e0%80%af',
    '%f0%80%80%af',
    '%ff',
    '%ed%a0%80',
    '%',
    '%2',
    '%zz',
    '%u002f',
  ],
  ...['*', '@two.example', ':80', '~', '|', '^', '`', '"', '<', '{word}', '${1}'],
];

const paths = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.constant('a'.repeat(1500)) },
    ),
    {
      maxLength: 7,
    },
  )
  .map((pieces) => `/${pieces.join('')}`);

test('random paths', async () => {
  console.log(`paths of pages: SEED=${String(SEED)}`);
  const asked = fc.sample(fc.tuple(paths, fc.constantFrom(...HOSTS)), { seed: SEED, numRuns: 1200 });
  let pages = 0;
  const ask = async ([path, host]: readonly [string, string]): Promise<void> => {
    const { status, text, headers } = await fetchPath(server, path, { Host: host, Accept: 'text/html' });
    expect([200, 400, 404, 405], `${host} ${path} answers ${String(status)}`).toContain(status);
    expect(headers.location).toBeUndefined();
    const shown = /^\[(\S+) ([^\]]*)\]/.exec(text);
    if (status !== 200 || shown === null) return;
    pages++;
    expect(shown[1], path).toBe(host);
    // What a path means it says in clear, once it is unescaped, once.
    expect(decoded(path).split('/'), path).toContain(shown[2]);
  };
  for (let i = 0; i < asked.length; i += 40) await Promise.all(asked.slice(i, i + 40).map(ask));
  expect(pages).toBeGreaterThan(10);
  server.assertAlive();
});

function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

test.each([
  ['its own', 'one.example', 200],
  ['in capitals', 'ONE.example', 200],
  ['with a dot', 'one.example.', 200],
  ['with a port', 'one.example:8080', 200],
  ['another', 'three.example', 404],
  ['with a path', 'one.example/two.example', 404],
  ['with a user', 'x@one.example', 404],
  ['two', 'one.example, two.example', 404],
  ['none', '', 404],
  ['markup', '"><script>', 404],
  ['an endless port', `one.example:${'9'.repeat(100)}`, 404],
])('the host %s', async (_, host, status) => {
  const answer = await fetchPath(server, '/plain', { Host: host });
  expect(status === 404 ? [400, 404] : [200]).toContain(answer.status);
  expect(answer.text).not.toContain('two.example plain');
  expect(answer.headers.location).toBeUndefined();
});

test('forwarded hosts of nobody that is trusted count for nothing', async () => {
  const forwarded = { 'X-Forwarded-Host': 'two.example', Forwarded: 'host=two.example', 'X-Original-URL': '/dots..' };
  const answer = await fetchPath(server, '/plain', { Host: 'one.example', ...forwarded });
  expect(answer.text).toBe('[one.example plain]');
});

test('a very long path ends', async () => {
  const status = await new Promise<number>((resolve) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path: `/${'a/'.repeat(100_000)}`, agent: false });
    asked.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    // It may be cut off before it was read.
    asked.on('error', () => {
      resolve(431);
    });
    asked.end();
  });
  // 505: what the transport reads of it has no version.
  expect([400, 404, 414, 431, 505]).toContain(status);
  expect((await fetchPath(server, '/plain', { Host: 'one.example' })).status).toBe(200);
});

test('headers of scripts are one line each', async () => {
  const bad = 'x\\r\\nX-Evil: 1\\r\\n\\r\\n<script>';
  const content = `\${setResponseHeader('X-Own', '${bad}')}\${setResponseHeader('X-A\\nX-Evil', 'b')}\${setCookie('a', '${bad}')}\${setCookie('b', 'c', false, false, 1, '${bad}', '${bad}')}ok\${setResponseHeader('X-Asked', request.q)}`;
  await makePage(server.admin, 'headers', [['Template', { content, contentType: 'text/html' }]]);
  const answer = await getPage(server.as(), '/headers?q=x%0d%0aX-Evil:%201');
  expect([answer.status, answer.text]).toEqual([200, 'ok']);
  for (const name of ['x-evil', 'x-own', 'x-asked', 'set-cookie']) expect(answer.headers.get(name), name).toBeNull();
});
