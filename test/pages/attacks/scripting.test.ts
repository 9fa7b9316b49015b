/**
 * What users without administrators' rights, and visitors, write into pages runs in no browser (docs/interface/pages.md 3.5). The texts are in `corpus.ts`; many of them
 * are in one page, and each says which one it is when it runs.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { bare, getPage, makePage, nodeNamed, type Tree } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { change, makeFile } from '../../support/serving.js';
import { browserPath, Stage, unique } from '../actions/browser.js';
import { ADDRESSES, ATTRIBUTES, DIALECTS, MARKUP, TAGS } from './corpus.js';
import { marked, ranAt } from './touch.js';

const FORMATS = [
  'plain',
  'html',
  'markdown',
  'asciidoc',
  'textile',
  'mediawiki',
  'confluence',
  'tracwiki',
  'xml',
  'css',
];
/** In these, results of scripts are what an administrator has said they are: markup. */
const RAW: ReadonlySet<string> = new Set(['html', 'xml', 'css']);

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let stage: Stage;
  let admin: Client;
  let nobody: Client;
  /** No administrator; may make nodes of pages. */
  let eve: Client;
  let eveId: string;

  beforeAll(async () => {
    stage = await Stage.open();
    ({ admin } = stage);
    nobody = stage.server.as();
    eveId = await admin.create('User', { name: 'eve', password: 'Eve-pass-1' });
    eve = stage.server.as('eve', 'Eve-pass-1');
    for (const type of ['Page', 'A', 'Img', 'I', 'DOMElement', 'Content', 'Comment', 'Localization']) {
      for (const signature of [type, `${type}/_id`]) await allow(admin, signature, 'user', ['GET', 'POST', 'PUT']);
    }
    for (const signature of ['upload', '_upload', 'File/_id']) await allow(admin, signature, 'user', ['POST', 'PUT']);
    await admin.defineType('Said', [{ name: 'text', propertyType: 'String' }]);
    await make(
      admin,
      'Said',
      marked([...MARKUP, ...DIALECTS]).map((text) => ({ text, visibleToPublicUsers: true })),
    );
  });
  afterAll(() => stage.close());

  /** Objects of one type, at once. */
  async function make(client: Client, type: string, objects: readonly object[]): Promise<readonly string[]> {
    const answer = await client.post(`/${type}`, objects);
    expect(answer.status, answer.text).toBe(201);
    return (answer.body as { result: string[] }).result;
  }

  /** A page of an administrator, with an element that eve may fill. */
  async function open(
    tag = 'div',
    fields: object = {},
  ): Promise<{ readonly path: string; readonly page: string; readonly place: object }> {
    const name = unique('page');
    const page = await makePage(admin, name, [['html', {}, ['body', {}, [tag, { name: `${name}-in`, ...fields }]]]]);
    const parent = await nodeNamed(admin, `${name}-in`);
    await change(admin, `/DOMNode/${parent}`, { owner: eveId });
    return { path: `/${name}`, page, place: { parent, visibleToPublicUsers: true } };
  }

  const ran = (...paths: string[]): Promise<string[]> => ranAt(stage, ...paths);

  test('the test sees what runs', async () => {
    const name = unique('seen');
    const content =
      '<script>hit(1)</script><img src=x onerror=hit(2)><a href="javascript:hit(3)">x</a><b onclick=hit(4)>x</b><input autofocus onfocus=hit(5)>';
    await makePage(admin, name, [bare(['div', {}, ['', { contentType: 'text/html', content }]])]);
    const hits = new Set((await ran(`/${name}`)).map((one) => one.split(' ')[1]));
    expect([...hits].sort()).toEqual(['1', '2', '4', '5', 'javascript:hit(3)']);
  });

  test('texts of others, in all formats', async () => {
    const paths: string[] = [];
    const texts = marked([...MARKUP, ...DIALECTS]);
    for (const format of FORMATS) {
      const { path, place } = await open();
      await make(
        eve,
        'Content',
        texts.map((content) => ({ ...place, content, contentType: `text/${format}` })),
      );
      paths.push(path);
    }
    expect((await getPage(nobody, paths[0] ?? '')).text).toContain('&lt;script&gt;hit(0)');
    expect(await ran(...paths)).toEqual([]);
  });

  test('attributes, elements and comments of others', async () => {
    const values = marked([...MARKUP, ...ADDRESSES]);
    const { path, place } = await open();
    await make(
      eve,
      'A',
      values.map((value) => ({ ...place, tag: 'a', _html_href: value, _html_title: value })),
    );
    await make(
      eve,
      'Img',
      values.map((value) => ({ ...place, tag: 'img', _html_src: value, _custom_html_alt: value })),
    );
    await make(
      eve,
      'Comment',
      values.map((content) => ({ ...place, content })),
    );
    const named = ATTRIBUTES.map((name) => ({ [`_custom_html_${name}`]: 'hit(0)', [`data-${name}`]: 'hit(1)' }));
    await make(
      eve,
      'I',
      named.map((more) => ({ ...place, tag: 'i', _html_onclick: 'hit(2)', _html_tabindex: '0', ...more })),
    );
    const own = { _custom_html_src: 'javascript:hit(3)', _custom_html_href: 'javascript:hit(4)', _html_style: 'x' };
    await make(
      eve,
      'DOMElement',
      marked(TAGS).map((tag) => ({ ...place, ...own, tag, customOpeningTag: '<b onclick=hit(5)>' })),
    );
    expect((await getPage(nobody, path)).text).toContain('title="&lt;script&gt;hit(0)');
    expect(await ran(path)).toEqual([]);
  });

  test('what others write into elements whose text is no HTML', async () => {
    const name = unique('page');
    const tags = ['script', 'style', 'textarea', 'title', 'noscript', 'iframe', 'template'];
    const places = tags.map((tag): Tree => [tag, { name: `${name}-${tag}` }]);
    await makePage(admin, name, [['html', {}, ['body', {}, ...places]]]);
    for (const tag of tags) {
      const parent = await nodeNamed(admin, `${name}-${tag}`);
      await change(admin, `/DOMNode/${parent}`, { owner: eveId });
      const texts = ['plain', 'html', 'markdown'].flatMap((format) =>
        marked(MARKUP).map((content) => ({
          parent,
          visibleToPublicUsers: true,
          content,
          contentType: `text/${format}`,
        })),
      );
      await make(eve, 'Content', texts);
    }
    expect((await getPage(nobody, `/${name}`)).text).toContain('<textarea>&lt;script&gt;hit(0)');
    expect(await ran(`/${name}`)).toEqual([]);
  });

  test('parts of others that scripts put where no HTML is', async () => {
    const { place } = await open();
    const part = unique('part');
    const content = ' autofocus tabindex=0 onfocus=hit(1) x ';
    await make(eve, 'Content', [{ ...place, name: part, content, contentType: 'text/plain' }]);
    await make(eve, 'Content', [{ ...place, name: `${part}-code`, content: 'hit(2)', contentType: 'text/plain' }]);
    const include = `\${include('${part}')}`;
    const name = unique('parts');
    await makePage(admin, name, [
      [
        'html',
        {},
        [
          'body',
          {},
          ['i', { _html_title: `a${include}b`, _html_tabindex: '0' }, 'x'],
          ['i', { 'data-x': include, _html_tabindex: '0', showConditions: `include('${part}')` }, 'x'],
          ['script', {}, ['', { contentType: 'text/javascript', content: `var x = 1;\n\${include('${part}-code')}` }]],
          ['style', {}, ['', { contentType: 'text/css', content: `b {}\n\${include('${part}')}` }]],
        ],
      ],
    ]);
    const { text } = await getPage(nobody, `/${name}`);
    expect(text).toContain(`title="a${content}b"`);
    expect(text).toContain(`data-x="${content}"`);
    expect(await ran(`/${name}`)).toEqual([]);
  });

  test('files of others are no scripts of a page that includes a file by its name', async () => {
    const file = unique('code');
    const by = { 'X-User': 'eve', 'X-Password': 'Eve-pass-1' };
    await makeFile(stage.server, {
      name: `${file}.js`,
      content: 'hit(1)',
      by,
      properties: { contentType: 'text/javascript' },
    });
    const name = unique('includes');
    await makePage(admin, name, [
      ['html', {}, ['body', {}, ['', { contentType: 'text/html', content: `x\${include('${file}.js')}` }]]],
    ]);
    expect(await ran(`/${name}`)).toEqual([]);
  });

  test('a content type of others', async () => {
    const { path, page, place } = await open();
    await change(admin, `/Page/${page}`, { owner: eveId });
    // In this encoding what stands between is not read as HTML; the end of the first title is lost.
    await make(eve, 'I', [{ ...place, tag: 'i', _html_title: '\u001b$B' }]);
    await make(eve, 'Content', [{ ...place, content: '\u001b(B' }]);
    await make(eve, 'I', [{ ...place, tag: 'i', _html_title: ' tabindex=0 onclick=hit(1) onfocus=hit(1) autofocus ' }]);
    for (const charset of ['iso-2022-jp', 'utf-7', 'utf-16le', 'x-user-defined']) {
      await change(eve, `/Page/${page}`, { contentType: `text/html; charset=${charset}` });
      expect((await getPage(nobody, path)).headers.get('content-type'), charset).toMatch(/utf-8/i);
      expect(await ran(path), charset).toEqual([]);
    }
  });

  test('results of scripts: objects, texts in other languages, parameters', async () => {
    const keys = marked([...MARKUP, ...DIALECTS]);
    await make(
      eve,
      'Localization',
      keys.map((localizedName, i) => ({ name: `key${String(i)}`, locale: 'en', localizedName })),
    );
    const name = unique('results');
    const places = (script: string): Tree[] => [
      [
        'a',
        {
          _html_href: `/s?q=${script}`,
          _html_title: `${script}`,
          'data-v': `${script}`,
          'data-svc-x': `${script}`,
        },
        `${script}`,
      ],
      ...['--', '-', '<!-', '--!', ''].map((before): Tree => ['Comment', { content: `${before}${script}` }]),
      ['Comment', { content: `${script}--${script}` }],
      ['Comment', { content: `\${print('--')}${script}` }],
      ['textarea', {}, `${script}`],
      ['p', {}, `\${unknown('<img src=x onerror=hit(0)>')}${script}`],
    ];
    // One text for each: a conversion takes some milliseconds.
    const formats = FORMATS.filter((one) => !RAW.has(one)).map((one): Tree => [
      'div',
      {},
      ['', { contentType: `text/${one}`, content: "${join(extract(find('Said'), 'text'), '\n\n')}" }],
    ]);
    const numbers = `{ [...Array(${String(keys.length)}).keys()].map((v) => ({ v, t: $.request['p' + v] })) }`;
    const again = { _html_id: 'again', 'data-svc-reload-target': '#again' };
    await makePage(admin, name, [
      [
        'html',
        {},
        [
          'body',
          {},
          ['div', { dataKey: 'x', functionQuery: "find('Said')" }, ...places('${x.text}')],
          ['div', {}, ...formats],
          ['div', { dataKey: 'n', functionQuery: numbers }, ...places("${localize(concat('key', n.v))}")],
        ],
      ],
    ]);
    await makePage(admin, `${name}-asked`, [
      ['html', {}, ['body', {}, ['div', { ...again, dataKey: 'n', functionQuery: numbers }, ...places('${n.t}')]]],
    ]);
    const marks = (text: string): number => text.split('title="&lt;script&gt;hit(0)').length - 1;
    expect(marks((await getPage(nobody, `/${name}?_locale=en`)).text)).toBe(2);
    const queries = [0, 50].map((from) =>
      keys
        .slice(from, from + 50)
        .map((key, i) => `p${String(from + i)}=${encodeURIComponent(key)}&${encodeURIComponent(key)}=x`)
        .join('&'),
    );
    expect(marks((await getPage(nobody, `/${name}-asked?${queries[0] ?? ''}`)).text)).toBe(1);
    expect(await ran(`/${name}?_locale=en`, ...queries.map((query) => `/${name}-asked?${query}`))).toEqual([]);
  });
});
