/** What repeaters show, row by row, beyond `reference-html.test.ts` (docs/interface/pages.md 5). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { bare, getPage, makePage, type Tree } from '../support/pages.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let count = 0;
const ids = new Map<string, string>();
const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'html.indentation': false } });
  ({ admin } = server);
  const row = await admin.defineType('Row', [{ name: 'rank', propertyType: 'Integer' }]);
  await admin.relate(row, 'IS_IN', row, { sourceJsonName: 'around', targetJsonName: 'row' });
  for (const [rank, name] of ['a', 'b', 'c'].entries()) {
    const around = name === 'a' ? null : ids.get('a');
    ids.set(name, await admin.create('Row', { name, rank, around, ...SHOWN }));
  }
  ids.set('hidden', await admin.create('Row', { name: 'hidden', rank: 9 }));
});
afterAll(() => server.stop());

async function become(trees: readonly Tree[], query = ''): Promise<string> {
  const name = `page${String(++count)}`;
  await makePage(admin, name, [bare(...trees)]);
  const { status, text } = await getPage(server.as(), `/${name}${query}`);
  expect(status).toBe(200);
  return text.replace(/ data-repeater-data-object-id="\w+"/g, '');
}

const ALL = "find('Row', sort('rank'))";
const i = (fields: object, text = '${one.name}'): Tree => ['i', { dataKey: 'one', ...fields }, text];
const named = (name: string): string => `first(find('Row', 'name', '${name}'))`;

test.each<readonly [what: string, trees: readonly Tree[], becomes: string]>([
  ['a key of blanks is none', [i({ dataKey: ' ', functionQuery: ALL }, 'x')], '<i>x</i>'],
  ['a key with blanks around', [i({ dataKey: ' one ', functionQuery: ALL })], '<i>a</i><i>b</i><i>c</i>'],
  ['a list of a function', [i({ functionQuery: ALL })], '<i>a</i><i>b</i><i>c</i>'],
  [
    'an array',
    [i({ functionQuery: "{ return $.find('Row', $.predicate.sort('rank')).slice(1); }" })],
    '<i>b</i><i>c</i>',
  ],
  ['one object', [i({ functionQuery: named('b') })], '<i>b</i>'],
  [
    'maps, with what is in them',
    [i({ functionQuery: "{ [{ in: { name: 'x' } }, {}] }" }, '[${one.in.name}]')],
    '<i>[x]</i><i>[]</i>',
  ],
  [
    'a map of an expression',
    [i({ functionQuery: 'toGraphObject(null)' }), i({ functionQuery: "{ ({ name: 'm' }) }" })],
    '<i>m</i>',
  ],
  ...['1', "'a'", '1 == 1', 'null', "''", '{ 7 }', '{ undefined }', '{ true }'].map(
    (functionQuery): readonly [string, readonly Tree[], string] => [
      `${functionQuery} is nothing`,
      [i({ functionQuery })],
      '',
    ],
  ),
  ['no source', [i({})], ''],
  ['restQuery is no source', [i({ restQuery: '/Row' })], ''],
  [
    'the whole of it, with what is in it',
    [['p', { dataKey: 'one', functionQuery: ALL }, ['b', {}, '${one.name}'], 'x']],
    '<p><b>a</b>x</p><p><b>b</b>x</p><p><b>c</b>x</p>',
  ],
  [
    'attributes, too',
    [['p', { dataKey: 'one', functionQuery: named('a'), _html_id: '${one.name}' }, ['b', { 'data-x': '${one.rank}' }]]],
    '<p id="a"><b data-x="0"></b></p>',
  ],
  [
    'conditions know the object',
    [i({ functionQuery: ALL, hideConditions: "equal(one.name, 'b')" })],
    '<i>a</i><i>c</i>',
  ],
  [
    'one in the other with the same key, which is what it was behind it',
    [
      [
        'p',
        { dataKey: 'one', functionQuery: named('a') },
        i({ functionQuery: "find('Row', sort('rank', true))" }),
        '${one.name}',
      ],
    ],
    '<p><i>c</i><i>b</i><i>a</i>a</p>',
  ],
  [
    'one in the other with another key: both are known',
    [['p', { dataKey: 'two', functionQuery: named('c') }, i({ functionQuery: named('a') }, '${one.name}${two.name}')]],
    '<p><i>ac</i></p>',
  ],
  ['behind it the key is nothing', [i({ functionQuery: named('a') }), ['b', {}, '[${one.name}]']], '<i>a</i><b>[]</b>'],
  [
    'without a source of its own: the property of that name of the object around',
    [['p', { dataKey: 'row', functionQuery: named('a') }, i({ dataKey: 'row' }, '${row.name}')]],
    '<p><i>b</i><i>c</i></p>',
  ],
  [
    'the same where its source brings nothing',
    [
      [
        'p',
        { dataKey: 'row', functionQuery: named('a') },
        i({ dataKey: 'row', functionQuery: "find('Row', 'name', 'none')" }, '${row.name}'),
      ],
    ],
    '<p><i>b</i><i>c</i></p>',
  ],
  ['a text', [['', { dataKey: 'one', functionQuery: ALL, content: '${one.name},' }]], 'a,b,c,'],
  [
    'a template',
    [['Template', { dataKey: 'one', functionQuery: ALL, content: '<u>${one.name}</u>', contentType: 'text/html' }]],
    '<u>a</u><u>b</u><u>c</u>',
  ],
  ['a comment is shown once', [['Comment', { dataKey: 'one', functionQuery: ALL, content: 'x' }]], '<!--x-->'],
])('%s', async (_, trees, becomes) => {
  expect(await become(trees)).toBe(becomes);
});

test('nodeId is what every repeater shows, whatever its sources say; where it is none, these count', async () => {
  const trees = [i({ functionQuery: ALL }), ['b', {}, 'x'], i({ dataKey: 'other' }, '${other.name}')] as const;
  expect(await become(trees, `?nodeId=${String(ids.get('c'))}`)).toBe('<i>c</i><b>x</b><i>c</i>');
  for (const nodeId of ['0123456789abcdef0123456789abcdef', 'x', '', String(ids.get('hidden'))])
    expect([nodeId, await become(trees, `?nodeId=${nodeId}`)]).toEqual([nodeId, '<i>a</i><i>b</i><i>c</i><b>x</b>']);
});

test('what may not be seen is not asked for', async () => {
  const asking = { functionQuery: "{ $.log('asked for it'); return []; }", dataKey: 'one' };
  expect(
    await become([
      ['i', { ...asking, visibleToPublicUsers: false }, 'x'],
      ['i', { ...asking, hidden: true }, 'x'],
    ]),
  ).toBe('');
  expect(server.lines.filter((line) => line.includes('asked for it'))).toEqual([]);
  expect(await become([['i', asking, 'x']])).toBe('');
  await server.untilLogged(/asked for it/);
});
