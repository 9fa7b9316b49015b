/** Functions of scripts that put parts of pages into others (docs/interface/pages.md 3.4). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { getPage, makePage } from '../support/pages.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let nobody: Client;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  nobody = server.as();
});
afterAll(() => server.stop());

const template = (content: string, name?: string): readonly ['Template', Record<string, unknown>] => [
  'Template',
  { content, contentType: 'text/html', ...(name === undefined ? {} : { name }) },
];

test('render() writes where it stands, between what is printed', async () => {
  await makePage(admin, 'rendered', [
    [
      ...template('<a>${{ $.print("1"); $.render($.children); $.print("2"); }}</a>${render(first(children))}'),
      ['p', {}, 'x'],
    ],
  ]);
  expect((await getPage(nobody, '/rendered')).text).toBe('<a>1<p>x</p>2</a><p>x</p>');
});

test('include() shows the one element of a name, once for each of a collection', async () => {
  await makePage(admin, 'parts', [
    template('<i>${item.name}</i>', 'Row'),
    template('twice', 'Two'),
    template('twice', 'Two'),
  ]);
  await makePage(admin, 'including', [
    template(
      "${include('Row', merge(toGraphObject(null), find('Page', 'name', 'parts')), 'item')}|${include('Two')}|${include('None')}",
    ),
  ]);
  expect((await getPage(nobody, '/including')).text).toBe('<i>parts</i>||');
});

test('include() of a file is a tag that loads it', async () => {
  const id = await admin.create('File', { name: 'site.css', contentType: 'text/css', visibleToPublicUsers: true });
  await makePage(admin, 'styled', [template("${include('site.css')}")]);
  expect((await getPage(nobody, '/styled')).text).toMatch(new RegExp(`^<link href="/${id}[^"]*" rel="stylesheet"`));
});

test('includeChild() is for direct children of templates', async () => {
  await makePage(admin, 'children', [
    [...template("${includeChild('b')}${includeChild('c')}"), template('A', 'a'), template('B', 'b')],
  ]);
  expect((await getPage(nobody, '/children')).text).toBe('B');
});

test('templates that show each other for ever are ended', async () => {
  await makePage(admin, 'endless', [template("x${include('Loop')}", 'Loop')]);
  const { status, text } = await getPage(nobody, '/endless');
  expect(status).toBe(200);
  expect(text).toBe('x'.repeat(text.length));
  expect(text.length).toBeLessThan(1000);
  await server.untilLogged(/show each other more than 100 levels deep/);
});

test('setDetailsObject() exchanges current', async () => {
  const id = await admin.create('User', { name: 'shown', visibleToPublicUsers: true, password: 'Shown-pass-1' });
  await makePage(admin, 'details', [
    template("${setDetailsObject(first(find('User', 'name', 'shown')))}"),
    template('${current.name}'),
  ]);
  expect((await getPage(nobody, '/details')).text).toBe('shown');
  expect(id).not.toBe('');
});

test('elsewhere render() and include() answer the HTML', async () => {
  await makePage(admin, 'source', [template('<u>here</u>', 'Alone')]);
  await admin.create('SchemaMethod', { name: 'shows', source: "{ return $.include('Alone'); }" });
  expect((await admin.post('/shows', {})).body.result).toBe('<u>here</u>');
});
