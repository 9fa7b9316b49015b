/** The commands of docs/pages.md, run as they are pasted, against the real server. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

const run = promisify(execFile);
const GUIDE = readFileSync(new URL('../../docs/pages.md', import.meta.url), 'utf8');

let server: TestServer;
/** What each block of commands but the first has printed. */
let printed: string[];

beforeAll(async () => {
  server = await TestServer.start();
  const blocks = [...GUIDE.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  const script = blocks.join("\nprintf '@@'\n").replace('http://localhost:8082', server.url);
  const { stdout } = await run('bash', ['-e', '-u', '-c', script]);
  printed = stdout.split('@@').slice(1);
});
afterAll(() => server.stop());

it('a first page', () => {
  expect(printed[0]).toContain('<title>Towns</title>');
  expect(printed[0]).toContain('<h1>Hello world</h1>');
  expect(printed[0]).toContain('<h1>Hello start</h1>');
});

it('a repeater', () => {
  expect(printed[1]).toMatch(/<a href="\/town\/Brest">Brest<\/a>[^]*<a href="\/town\/Lyon">Lyon<\/a>/);
});

it('a style sheet', () => {
  expect(printed[2]).toMatch(/<link rel="stylesheet" href="\/assets\/towns\.css\?\d+">[^]*h1 { color: teal }\s*$/);
});

it('a form with an action', async () => {
  expect(printed[3]).toMatch(/<form [^>]*data-svc-action="create"/);
  expect(printed[3]).toMatch(/<ul [^>]*>[^]*>Nantes<\/a>[^]*<\/ul>\s*$/);
  const { body } = await server.admin.get('/Form');
  const [form] = body.result as readonly { readonly id: string }[];
  const refused = await fetch(`${server.url}/svc/rest/DOMElement/${form?.id ?? ''}/event`, {
    method: 'POST',
    body: '{"htmlEvent": "submit", "name": "Nowhere"}',
  });
  expect(refused.status).toBe(401);
});

it('a route', () => {
  expect(printed[4]).toContain('Brest: By the sea');
});

it('languages', () => {
  expect(printed[5]).toContain('<h2>Ihr Motto</h2>');
});

it('error pages', () => {
  expect(printed[6]).toContain('<body>Nothing is at /nowhere.</body>');
});
