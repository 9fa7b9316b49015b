/** What becomes of a tree, row by row: lines, tags, attributes, texts, templates, conditions, repeaters (docs/interface/pages.md 3, 4, 5). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { bare, getPage, makePage, type Tree } from '../support/pages.js';
import { makeFile } from '../support/serving.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let count = 0;
beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.defineType('Row', [
    { name: 'label', propertyType: 'String' },
    { name: 'rank', propertyType: 'Integer' },
    { name: 'kind', propertyType: 'Enum', format: 'small,large' },
  ]);
  for (const [label, kind] of [
    ['one', 'small'],
    ['two', 'large'],
  ] as const)
    await admin.create('Row', { name: label, label, kind, rank: label === 'one' ? 1 : 2, visibleToPublicUsers: true });
});
afterAll(() => server.stop());

/** What these trees become for nobody in particular. */
async function become(trees: readonly Tree[], query = '', headers: Record<string, string> = {}): Promise<string> {
  const name = `page${String(++count)}`;
  await makePage(admin, name, trees);
  const { status, text } = await getPage(server.as(), `/${name}${query}`, headers);
  expect(status).toBe(200);
  return text;
}

type Row = readonly [what: string, trees: readonly Tree[], becomes: string];

describe('lines', () => {
  test.each<Row>([
    [
      'the doctype, one tab a level, nothing behind the end',
      [['html', {}, ['head', {}], ['body', {}, ['div', {}, ['p', {}, 'x']]]]],
      '<!DOCTYPE html>\n<html>\n\t<head></head>\n\t<body>\n\t\t<div>\n\t\t\t<p>x</p>\n\t\t</div>\n\t</body>\n</html>',
    ],
    ['no doctype without html', [bare(['div', {}, 'x'])], '<div>x</div>'],
    [
      'the end is on a line of its own where a child is not inline, even one that is not shown',
      [bare(['div', {}, ['p', { hidden: true }], ['b', {}, 'x']])],
      '<div><b>x</b>\n</div>',
    ],
    [
      'render(children) begins at the margin',
      [
        [
          'html',
          {},
          ['body', {}, ['Template', { content: '${render(children)}', contentType: 'text/html' }, ['div', {}]]],
        ],
      ],
      '<!DOCTYPE html>\n<html>\n\t<body><div></div></body>\n</html>',
    ],
  ])('%s', async (_, trees, becomes) => {
    expect(await become(trees)).toBe(becomes);
  });

  test('a repeater adds a level', async () => {
    const text = await become([
      bare(['ul', {}, ['li', { dataKey: 'one', functionQuery: "find('Row', sort('rank'))" }, '${one.label}']]),
    ]);
    expect(text.replace(/ data-repeater-data-object-id="\w+"/g, '')).toBe(
      '<ul>\n\t\t<li>one</li>\n\t\t<li>two</li>\n</ul>',
    );
  });

  const INLINE =
    'a b bdi bdo cite code data dfn em g i img kbd mark pre q rp rt ruby s samp small span strong sub sup textarea time u var wbr';
  const VOID = 'area base br col command embed hr img input keygen link meta param source track wbr';
  test('inline elements get no line, void ones no end', async () => {
    const tags = [...new Set(`${INLINE} ${VOID} abbr label button select`.split(' '))];
    const text = await become([bare(['div', {}, ...tags.map((tag): Tree => [tag]), ['p', {}]])]);
    const [inline, empty] = [INLINE, VOID].map((list) => new Set(list.split(' ')));
    const shown = tags.map(
      (tag) => `${inline?.has(tag) === true ? '' : '\n\t'}<${tag}>${empty?.has(tag) === true ? '' : `</${tag}>`}`,
    );
    expect(text).toBe(`<div>${shown.join('')}\n\t<p></p>\n</div>`);
  });
});

describe('attributes', () => {
  test.each<Row>([
    ['& < > " are escaped, \' is not', [bare(['p', { _html_title: `&<>"'` }])], `<p title="&amp;&lt;&gt;&quot;'"></p>`],
    ['an empty one is written', [bare(['p', { _html_class: '' }])], '<p class=""></p>'],
    [
      'free ones are trimmed and sorted behind the others, which keep their blanks',
      [bare(['p', { _custom_html_zz: ' z ', 'data-b': ' b ', 'data-a': 'a', _html_class: ' c ' }])],
      '<p class=" c " zz="z" data-a="a" data-b="b"></p>',
    ],
    ['scripts that are all null leave it out', [bare(['p', { _html_title: "${if(false, 'x', null)}" }])], '<p></p>'],
    ['other text stays', [bare(['p', { _html_title: 'other ${null}' }])], '<p title="other "></p>'],
    ['a script without an end stays', [bare(['p', { _html_title: 'a ${b' }])], '<p title="a ${b"></p>'],
    ['a script that fails leaves it out', [bare(['p', { _html_title: '${nothing.like.this()}' }])], '<p></p>'],
    [
      'false of a free one is not written',
      [bare(['p', { 'data-svc-insert': false, 'data-x': 'y' }])],
      '<p data-x="y"></p>',
    ],
    ['what the type does not have is not shown', [bare(['area', { _html_href: 'x', _html_alt: 'y' }])], '<area>'],
    ['but by another name', [bare(['area', { '_custom_html_aria-label': 'x' }])], '<area aria-label="x">'],
    [
      'customOpeningTag of html stands as it is',
      [['html', { customOpeningTag: '<html lang="de" x>' }, ['body', {}]]],
      '<!DOCTYPE html>\n<html lang="de" x>\n\t<body></body>\n</html>',
    ],
    [
      'the type of a script and a style',
      [bare(['script', {}], ['style', {}])],
      '<script type="text/javascript"></script><style type="text/css"></style>',
    ],
    [
      'data-svc-manual-reload-target is never there',
      [bare(['p', { 'data-svc-manual-reload-target': true }])],
      '<p></p>',
    ],
  ])('%s', async (_, trees, becomes) => {
    expect(await become(trees)).toBe(becomes);
  });

  const option = (selectedValues: string, functionQuery: string, fields: object = {}): Tree =>
    bare(['option', { dataKey: 'one', functionQuery, selectedValues, ...fields }, '${one.label}${one.value}']);
  test.each<readonly [what: string, tree: Tree, selected: string]>([
    ['an object of a list', option("find('Row', 'label', 'two')", "find('Row', sort('rank'))"), 'two'],
    ['the object', option("first(find('Row', 'label', 'one'))", "find('Row', sort('rank'))"), 'one'],
    ['the value of an enum', option("'large'", "enumInfo('Row', 'kind')"), 'large'],
    ['none where it says so itself', option("'large'", "enumInfo('Row', 'kind')", { _html_selected: 'x' }), ''],
  ])('an option is selected: %s', async (_, tree, selected) => {
    const text = await become([tree]);
    expect([.../ selected>([^<]*)/g[Symbol.matchAll](text)].map(([, one]) => one).join()).toBe(selected);
  });
});

describe('texts', () => {
  const content = (contentType: string | null, text: string): Tree => ['div', {}, ['', { contentType, content: text }]];
  test.each<Row>([
    [
      'text/plain, with results of scripts',
      [bare(content('text/plain', "<&>\n${'<i>'}"))],
      '<div>&lt;&amp;&gt;<br>&lt;i&gt;</div>',
    ],
    ['in a textarea lines stay', [bare(['textarea', {}, 'a\nb'])], '<textarea>a\nb</textarea>'],
    ...['text/html', 'text/xml', 'application/json', 'text/css', 'text/javascript', 'x/y'].map((type): Row => [
      `${type} as it is`,
      [bare(content(type, '<b>&</b>'))],
      '<div><b>&</b></div>',
    ]),
    [
      'nothing of null, blank and failing results',
      [bare(content('text/html', "[${null}${''}${nope.x()}]"))],
      '<div>[]</div>',
    ],
    ['nothing of a script without an end', [bare(content('text/html', 'a ${b'))], '<div>a </div>'],
    [
      'print() writes where it is, the value follows',
      [bare(content('text/html', "a ${print('b', 'c')} d"))],
      '<div>a bc d</div>',
    ],
    [
      'a text in a script is of its type',
      [bare(['script', {}, ['', { content: '1 < 2 && "x"' }]])],
      '<script type="text/javascript">1 < 2 && "x"</script>',
    ],
    ['comments, with scripts', [['Comment', { content: " a ${'<b>'} " }]], '<!-- a <b> -->'],
    ['comments for the service are left out', [['Comment', { content: ' @svc:public ' }]], ''],
    [
      'an element without a tag, with what is in it, is left out',
      [bare(['div', { type: 'Div', tag: '' }, ['p', {}, 'x']], ['p', {}, 'y'])],
      '<p>y</p>',
    ],
  ])('%s', async (_, trees, becomes) => {
    expect(await become(trees)).toBe(becomes);
  });
});

describe('templates and functions', () => {
  const template = (content: string, ...children: Tree[]): Tree => [
    'Template',
    { name: 'outer', content, contentType: 'text/html' },
    ...children,
  ];
  test.each<Row>([
    ['children are there when they are rendered', [template('[x]', ['p', {}, 'no'])], '[x]'],
    ['one of them', [template('[${render(first(children))}]', ['p', {}, '1'], ['p', {}, '2'])], '[<p>1</p>]'],
    [
      'one by its name',
      [template("[${includeChild('b')}]", ['p', { name: 'a' }], ['b', { name: 'b' }, 'x'])],
      '[<b>x</b>]',
    ],
    [
      'with a collection',
      [template("${includeChild('b', find('Row', sort('rank')), 'one')}", ['b', { name: 'b' }, '${one.label}'])],
      '<b>one</b><b>two</b>',
    ],
    [
      'names of what is around',
      [
        template('${render(children)}', [
          'p',
          { name: 'par' },
          ['Template', { name: 'in', content: '${this.name} ${parent.name} ${template.name} ${page.type}' }],
        ]),
      ],
      '<p>in par in Page</p>',
    ],
    [
      'what fails in an element is told in it',
      [template('${render(children)}', ['p', { name: 'x' }, 'a'])],
      '<p>a</p>',
    ],
  ])('%s', async (_, trees, becomes) => {
    expect(await become(trees)).toBe(becomes);
  });

  test('files by their names', async () => {
    for (const [name, type, shown] of [
      ['a.css', 'text/css', /^<link [^>]*href="\/\w{32}\?\d+"[^>]*>$/],
      ['a.js', 'text/javascript', /^<script src="\/\w{32}\?\d+"[^>]*><\/script>$/],
      ['a.svg', 'image/svg+xml', /^<svg><\/svg>$/],
      ['a.png', 'image/png', /^<img [^>]*src="\/\w{32}\?\d+"[^>]*>$/],
    ] as const) {
      await makeFile(server, {
        name,
        content: name === 'a.svg' ? '<svg></svg>' : 'x',
        properties: { contentType: type },
      });
      expect((await become([template(`\${include('${name}')}`)])).trim()).toMatch(shown);
    }
  });

  test('the keywords of a request', async () => {
    const words = 'locale host pathInfo queryString statusCode baseUrl applicationRootPath remoteAddress'.split(' ');
    const text = await become(
      [
        template(
          `${words.map((word) => `\${${word}}`).join('|')}|\${request.a}|\${parameterMap.a}|\${is(empty(me), 'nobody')}`,
        ),
      ],
      '?_locale=de_AT&a=b',
    );
    const path = `/page${String(count)}`;
    expect(text.split('|').slice(0, 4)).toEqual(['de_AT', '127.0.0.1', path, '_locale=de_AT&a=b']);
    expect(text.split('|').slice(4)).toEqual(['200', server.url, '', '127.0.0.1', 'b', '[b]', 'nobody']);
  });
});

describe('conditions', () => {
  const when = (fields: object): Tree => bare(['p', { ...fields }, 'x']);
  const SHOWN = '<p>x</p>';
  test.each<readonly [what: string, fields: object, locale: string, shown: boolean]>([
    ['showForLocales with it', { showForLocales: 'de_DE,en_US' }, 'de_DE', true],
    ['a part of it', { showForLocales: 'en_US' }, 'en', true],
    ['showForLocales without it', { showForLocales: 'fr' }, 'de_DE', false],
    ['hideForLocales with it', { hideForLocales: 'de_DE' }, 'de_DE', false],
    ['hideForLocales wins', { showForLocales: 'de', hideForLocales: 'de' }, 'de', false],
    ['hideConditions true', { hideConditions: 'equal(1, 1)' }, 'de', false],
    ['hideConditions of any other value', { hideConditions: "'true'" }, 'de', true],
    ['showConditions false', { showConditions: '{ 1 === 2 }' }, 'de', false],
    ['showConditions null', { showConditions: 'null' }, 'de', true],
    ['showConditions empty', { showConditions: "''" }, 'de', true],
    ['showConditions that fail', { showConditions: 'nope.x.y()' }, 'de', true],
    ['hidden', { hidden: true }, 'de', false],
  ])('%s', async (_, fields, locale, shown) => {
    expect(await become([when(fields)], `?_locale=${locale}`)).toBe(shown ? SHOWN : '');
  });

  test('hidden is hidden from administrators', async () => {
    await makePage(admin, 'hiding', [when({ hidden: true })]);
    expect((await getPage(admin, '/hiding')).text).toBe('');
  });
});

describe('repeaters', () => {
  const li = (fields: object, text = '${one.label}'): Tree => bare(['li', { dataKey: 'one', ...fields }, text]);
  test.each<Row>([
    ['without a key it is shown once', [bare(['li', { functionQuery: "find('Row')" }, 'x'])], '<li>x</li>'],
    ['a list of maps', [li({ functionQuery: "{ [{ label: 'a' }, { label: 'b' }] }" })], '\n\t<li>a</li>\n\t<li>b</li>'],
    ['one map', [li({ functionQuery: "{ ({ label: 'a' }) }" })], '\n\t<li>a</li>'],
    [
      'one object, which says its id',
      [li({ functionQuery: "first(find('Row', 'label', 'one'))" })],
      '\n\t<li data-repeater-data-object-id="ID">one</li>',
    ],
    ['a text is none', [li({ functionQuery: "'text'" })], ''],
    ['an empty list', [li({ functionQuery: "find('Row', 'label', 'none')" })], ''],
    ['a source that fails', [li({ functionQuery: 'nope.x.y()' })], ''],
    [
      'conditions for each',
      [li({ functionQuery: "find('Row', sort('rank'))", showConditions: "equal(one.label, 'two')" })],
      '\n\t<li data-repeater-data-object-id="ID">two</li>',
    ],
    [
      'within itself: the property of that name',
      [
        bare([
          'ul',
          { dataKey: 'one', functionQuery: "{ ({ one: [{ label: 'in' }] }) }" },
          ['li', { dataKey: 'one' }, '${one.label}'],
          '${size(one.one)}',
        ]),
      ],
      '\n\t<ul>\n\t\t\t<li>in</li>1.0\n\t</ul>',
    ],
  ])('%s', async (_, trees, becomes) => {
    const text = (await become(trees)).replace(/(object-id=")\w+/g, '$1ID');
    expect(text.replace(/1(?:\.0)?(?=\n\t<\/ul>)/, '1.0')).toBe(becomes);
  });

  test('nodeId stands for what every repeater shows', async () => {
    const [{ id }] = (await admin.get('/Row?label=two')).body.result;
    const both = [li({ functionQuery: "find('Row')" }), li({ functionQuery: "{ [{ label: 'a' }] }" })];
    expect((await become(both, `?nodeId=${String(id)}`)).match(/>two</g)).toHaveLength(2);
  });
});
