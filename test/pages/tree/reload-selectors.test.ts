/** What selectors of old pages mean is the same when they are saved and when the page is shown (docs/interface/pages.md 7.2). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { getPage, makePage, nodeNamed } from '../../support/pages.js';
import { TestServer } from '../../support/server.js';

let server: TestServer;
let admin: Client;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'html.indentation': false } });
  ({ admin } = server);
});
afterAll(() => server.stop());

const ELEMENTS = [
  ['p', { name: 'one', _html_id: 'first', _html_class: 'big red' }],
  ['p', { name: 'two', _html_name: 'field', _html_class: 'big' }],
  ['i', { name: 'three', _html_id: 'second', _html_class: 'red\tbig' }],
] as const;

test.each([
  ['p', ['one', 'two']],
  ['three', ['three']],
  ['field', ['two']],
  ['.big', ['one', 'two', 'three']],
  ['p.big', ['one', 'two']],
  ['.red.big', ['one', 'three']],
  ['#second', ['three']],
  ['i#first', []],
  ['p#first.red', ['one']],
  ['[name=field]', ['two']],
  ['[name="three"]', ['three']],
  ["p[name='field'].big", ['two']],
  [' #first , #second', ['one', 'three']],
  ['p i', []],
  ['p > i', []],
  ['*', []],
  ['.', []],
  ['#', []],
  ['', []],
])('%j', async (selector, expected) => {
  const name = `selects${String(count++)}`;
  const button = ['button', { name, 'data-svc-reload-target': selector }] as const;
  const found = (text: string): string[] =>
    ELEMENTS.filter((_, i) => new RegExp(`data-svc-render-state[^>]*>${String(i)}<`).test(text)).map(
      ([, fields]) => fields.name,
    );
  const elements = ELEMENTS.map(([tag, fields], i) => [tag, fields, String(i)] as const);
  // Elements that come behind the selectors are linked by nobody.
  await makePage(admin, `${name}-shown`, [['html', {}, ['body', {}, button, ...elements]]]);
  expect(found((await getPage(server.as(), `/${name}-shown`)).text)).toEqual(expected);
  const id = await nodeNamed(admin, name);
  expect((await admin.get(`/DOMElement/${id}/all`)).body.result.reloadTargets).toEqual([]);
  // Those that are there when they are saved are.
  await admin.put(`/DOMElement/${id}`, { 'data-svc-reload-target': 'nothing' });
  await admin.put(`/DOMElement/${id}`, { 'data-svc-reload-target': selector });
  const { body } = await admin.get(`/DOMElement/${id}/all`);
  const linked = (body.result.reloadTargets as { name: string }[]).map((one) => one.name);
  expect(linked.sort()).toEqual([...expected].sort());
  expect(found((await getPage(server.as(), `/${name}-shown`)).text)).toEqual(expected);
});

let count = 0;
