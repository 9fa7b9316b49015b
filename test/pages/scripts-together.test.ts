/** Scripts of JavaScript that follow each other in a page: they cross to their isolate together, and nobody sees that (docs/design/pages.md 6). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { getPage, makePage, type Tree } from '../support/pages.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let nobody: Client;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'application.scripting.js.timeout.cpu': 400 } });
  ({ admin } = server);
  nobody = server.as();
});
afterAll(() => server.stop());

/** A page of paragraphs, one a text, each with one or several scripts. */
async function shown(name: string, texts: readonly Tree[], fields = {}): Promise<string[]> {
  await makePage(admin, name, [['html', {}, ['body', {}, ...texts.map((text): Tree => ['p', {}, text])]]], fields);
  const { text, status } = await getPage(nobody, `/${name}`);
  expect(status).toBe(200);
  return [...text.matchAll(/<p>([^]*?)<\/p>/g)].map(([, inside = '']) => inside.trim());
}

test('each is written where it stands, whatever it asks for, waits for, or fails with', async () => {
  const texts = [
    '${{ 1 + 1 }}',
    '${{ "a<b" }} and ${{ const x = [3, 4]; x[1] }}',
    '${{ $.print("printed"); "lost" }}',
    '${{ throw new Error("of the fourth") }}',
    '${{ (async () => "waited")() }}',
    '${{ this is no script }}',
    '${{ await 7 }}',
    '${{ $.requestStore.seen = "by all"; "" }}',
    '${{ $.requestStore.seen }}',
    '${{ if (true) { "branch" } else { "other" } }}',
    '${{ null }}',
    '${upper("expression")}',
    '${{ $.page.name }}',
    '${{ $.this.type }}',
  ];
  const expected = ['2', 'a&lt;b and 4', 'printed', '', 'waited', '', '7', '', 'by all', 'branch', '', 'EXPRESSION'];
  expect(await shown('several', texts)).toEqual([...expected, 'several', 'Content']);
  expect(server.logged(/of the fourth/).length).toBe(1);
  // The context of the last page is that of the next one.
  expect((await getPage(nobody, '/several')).text).toContain('by all');
});

test('what they render and print stands between what others answer', async () => {
  const template: Tree = [
    'Template',
    {
      contentType: 'text/html',
      content: '${{ "1" }}${{ $.print("2"); $.render($.children); $.print("4") }}${{ "5" }}',
    },
    ['b', {}, '${{ "3" }}${{ "x" }}'],
  ];
  await makePage(admin, 'rendering', [template]);
  expect((await getPage(nobody, '/rendering')).text).toBe('12<b>3x</b>45');
});

test('one that does not end ends by itself', async () => {
  expect(await shown('endless', ['${{ "before" }}', '${{ for (;;); }}', '${{ "behind" }}', '${{ "last" }}'])).toEqual([
    'before',
    '',
    'behind',
    'last',
  ]);
  expect(server.logged(/computed for more than 400 ms/).length).toBe(1);
});

test('they see what repeaters stand for, and what they change in it', async () => {
  await admin.post('/SchemaNode', {
    name: 'TogetherRow',
    schemaProperties: [{ name: 'code', propertyType: 'String' }],
  });
  for (const code of ['a', 'b'])
    await admin.create('TogetherRow', { name: `row ${code}`, code, visibleToPublicUsers: true });
  const row: Tree = [
    'html',
    { dataKey: 'row', functionQuery: "find('TogetherRow', sort('code'))" },
    ['p', {}, '${{ $.row.name.toUpperCase() }}'],
    ['p', {}, '${{ $.doPrivileged(() => { $.row.code += "!" }); $.row.code }}'],
    ['p', {}, '${{ $.row.code + $.row.id.length }}'],
  ];
  const id = (await admin.get('/TogetherRow?code=a')).body.result as readonly { readonly id: string }[];
  const length = String(id[0]?.id.length);
  await makePage(admin, 'rows', [row]);
  const { text } = await getPage(nobody, '/rows');
  expect([...text.matchAll(/<p>([^<]+)<\/p>/g)].map(([, inside]) => inside)).toEqual([
    ...['ROW A', 'a!', `a!${length}`],
    ...['ROW B', 'b!', `b!${length}`],
  ]);
});

test('nobody sees what the scripts of others have left', async () => {
  await makePage(admin, 'leaving', [
    ['Template', { contentType: 'text/html', content: '${{ globalThis.left ??= $.request.q; left }}${{ "." }}' }],
  ]);
  const all = await Promise.all(['a', 'b', 'c'].map((q) => getPage(nobody, `/leaving?q=${q}`)));
  expect(all.map(({ text }) => text)).toEqual(['a.', 'b.', 'c.']);
  expect((await getPage(nobody, '/leaving?q=d')).text).toBe('d.');
});

test('those that need no isolate show what whoever asks may read, and what is so now', async () => {
  await admin.post('/SchemaNode', {
    name: 'PlainRow',
    schemaProperties: [
      { name: 'code', propertyType: 'String' },
      { name: 'number', propertyType: 'Integer' },
      { name: 'secret', propertyType: 'Password' },
    ],
  });
  const make = (name: string, fields: object): Promise<string> =>
    admin.create('PlainRow', { name, code: '<b>', number: 3, secret: 'never shown', ...fields });
  const seen = await make('seen', { visibleToPublicUsers: true });
  await make('unseen', {});
  const row: Tree = [
    'html',
    { dataKey: 'row', functionQuery: "find('PlainRow', sort('name'))" },
    ['p', {}, '${{ $.row.name.toUpperCase() + $.row.code + $.row.number * 2 }}'],
    ['p', {}, '${{ $.row.secret }}${{ `${$.row.secret}` }}'],
    ['p', {}, '${{ $.me === null }}${{ $.this.type }}'],
  ];
  await makePage(admin, 'plain-rows', [row]);
  const paragraphs = async (): Promise<(string | undefined)[]> =>
    [...(await getPage(nobody, '/plain-rows')).text.matchAll(/<p>([^]*?)<\/p>/g)].map(([, inside]) => inside);
  expect(await paragraphs()).toEqual(['SEEN&lt;b&gt;6', 'null', 'trueContent']);
  await admin.put(`/PlainRow/${seen}`, { number: 4 });
  expect(await paragraphs()).toEqual(['SEEN&lt;b&gt;8', 'null', 'trueContent']);
});

test('what they are told of objects does not add up in one context', async () => {
  const small = await TestServer.start({ settings: { 'application.scripting.js.memory': 16 } });
  try {
    await small.admin.defineType('LongRow', [{ name: 'text', propertyType: 'String' }]);
    const rows = Array.from({ length: 40 }, () => ({ text: 'x'.repeat(50_000), visibleToPublicUsers: true }));
    for (let i = 0; i < 10; i++) expect((await small.admin.post('/LongRow', rows)).status).toBe(201);
    const row: Tree = [
      'html',
      { dataKey: 'row', functionQuery: "find('LongRow')" },
      ['p', {}, '${{ (() => $.row.type)() }}'],
    ];
    await makePage(small.admin, 'rows', [row]);
    const { text } = await getPage(small.as(), '/rows');
    expect([...text.matchAll(/<p>LongRow/g)].length).toBe(400);
    expect(small.logged(/memory/)).toEqual([]);
  } finally {
    await small.stop();
  }
});
