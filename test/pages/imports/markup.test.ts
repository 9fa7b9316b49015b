/** HTML made nodes of pages by functions of scripts (docs/interface/pages.md 8.2), and style sheets made rules (8.4). */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { getPage } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { uploaded } from '../../support/storage.js';
import { call, childrenOf, emptyPage, pageOf, stateOf } from '../../support/trees.js';
import { refused, SHOWN } from './support.js';

const node = (key: string): string => `$.find('DOMNode', $.retrieve('${key}'))`;
const METHODS: Record<string, string> = {
  insertIt: `{ return $.insertHtml(${node('id')}, $.retrieve('html')); }`,
  importIt: `{ return $.importHtml(${node('id')}, $.retrieve('html')); }`,
  replaceIt: `{ return $.replaceDomChild(${node('id')}, ${node('child')}, $.retrieve('html')); }`,
  removeIt: `{ $.removeDomChild(${node('id')}, ${node('child')}); }`,
  insertTwice: `{
    $.insertHtml(${node('id')}, '<b>gone</b>');
    $.insertHtml(${node('id')}, $.retrieve('html'));
  }`,
  rules: "{ return $.importCss($.find('File', $.retrieve('id'))); }",
  classes: `{ return $.hasCssClass(${node('id')}, $.retrieve('classes')); }`,
};

let server: TestServer;
let admin: Client;
let anna: Client;
let annaId: string;
let count = 0;
beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  annaId = await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
  for (const [name, source] of Object.entries(METHODS)) {
    await admin.create('SchemaMethod', { name, source, ...SHOWN });
    if (name !== 'importIt') await allow(admin, name, 'user', ['POST']);
  }
});
afterAll(() => server.stop());

const page = async (): Promise<{ name: string; body: string; page: string; html: string }> => {
  const name = `page${String(++count)}`;
  return { name, ...(await emptyPage(admin, name, SHOWN)) };
};
/** What visitors see below `body`, without blanks between tags. */
const seen = async (name: string, client = server.as()): Promise<string> => {
  const { text } = await getPage(client, `/${name}`);
  return (/<body>([^]*)<\/body>/.exec(text)?.[1] ?? text).replace(/\s*\n\s*/g, '');
};
const insert = async (id: string, html: string, client = admin): Promise<{ id: string; type: string }[]> => {
  const answer = await client.post('/insertIt', { id, html });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.result;
};

describe('insertHtml()', () => {
  test.each<[html: string, becomes: string]>([
    ['<p class="a" id="b">x</p>', '<p class="a" id="b">x</p>'],
    ['  <p>a<p>b', '<p>a</p><p>b</p>'],
    ['a &lt;b&gt; &amp; "c"', 'a &lt;b&gt; &amp; &quot;c&quot;'],
    ['<a href="/x?a=1&amp;b=2">x</a>', '<a href="/x?a=1&amp;b=2">x</a>'],
    ['<tr><td>1</td></tr>', '<tr><td>1</td></tr>'],
    ['<table><tr><td>1</table>', '<table><tbody><tr><td>1</td></tr></tbody></table>'],
    ['<img src="a.png" loading="lazy" alt="">', '<img loading="lazy" alt="" src="a.png">'],
    ['<p aria-label="l" data-x="y">z</p>', '<p aria-label="l" data-x="y">z</p>'],
    ['<my-part>x</my-part>', '<my-part>x</my-part>'],
    ['<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>', '<svg viewBox="0 0 1 1"><path d="M0 0"></path></svg>'],
    ['<noscript><p>x</p></noscript>', '<noscript><p>x</p></noscript>'],
    ['<script>if (a < b && c) d("x")</script>', '<script type="text/javascript">if (a < b && c) d("x")</script>'],
    ['<body><p>only this</p></body>', '<body><p>only this</p></body>'],
    ["${upper('a')}", 'A'],
  ])('%s', async (html, becomes) => {
    const { name, body } = await page();
    await insert(body, html);
    const sorted = (text: string): string =>
      text.replace(/<([\w-]+)((?: [\w-]+="[^"]*")+)>/g, (_all, tag: string, list: string) => {
        return `<${tag} ${(list.match(/[\w-]+="[^"]*"/g) ?? []).sort().join(' ')}>`;
      });
    expect(sorted(await seen(name))).toContain(sorted(becomes));
  });

  it('puts all behind the last child, in its page, and answers what is new; importHtml() is the same', async () => {
    const { name, body, page: id } = await page();
    const [first] = await insert(body, '<i>1</i>');
    const answer = await admin.post('/importIt', { id: body, html: '<b>2</b>text<!-- note --><!-- -->' });
    const made = answer.body.result as { id: string; type: string }[];
    expect(made.map(({ type }) => type)).toEqual(['B', 'Content', 'Comment']);
    expect(await childrenOf(admin, body)).toEqual([first?.id, ...made.map((one) => one.id)]);
    for (const one of made) expect(await pageOf(admin, one.id)).toBe(id);
    expect(await seen(name)).toBe('<i>1</i><b>2</b>text<!-- note -->');
  });

  it('what the service does with an element is said by attributes, as in exports', async () => {
    const { body } = await page();
    const html =
      '<ul data-svc-meta-function-query="merge(1)" data-svc-meta-data-key="n" data-svc-meta-name="list" data-svc-meta-id="x" ' +
      'data-svc-meta-owner="y" data-svc-reload-target="#a" data-svc-unknown="z" data-svc-insert="true"></ul>';
    const [list] = await insert(body, html);
    const state = await stateOf(admin, list?.id ?? '');
    expect(state).toMatchObject({ functionQuery: 'merge(1)', dataKey: 'n', name: 'list', 'data-svc-insert': true });
    expect(state['data-svc-reload-target']).toBe('#a');
    expect(state).not.toHaveProperty('data-svc-unknown');
    expect(state.id).not.toBe('x');
  });

  it('of users who are no administrators runs nothing', async () => {
    const { name, body } = await page();
    await admin.put(`/DOMNode/${body}`, { owner: annaId });
    await insert(
      body,
      '<p onclick="alert(1)">${me.name}</p><script>alert(1)</script><a href="javascript:alert(1)">x</a><iframe src="/"></iframe>' +
        '<svg><script>alert(1)</script></svg>',
      anna,
    );
    const text = await seen(name, admin);
    expect(text).toContain('<p>${me.name}</p>');
    expect(text).not.toMatch(/script|onclick|iframe|alert/);
  });

  it('needs the right to write the element', async () => {
    const { body } = await page();
    refused(await anna.post('/insertIt', { id: body, html: '<p>x</p>' }), 403, /not permitted/i);
    refused(await server.as().post('/insertIt', { id: body, html: '<p>x</p>' }), 401, /Access denied/);
    expect(await childrenOf(admin, body)).toEqual([]);
  });

  it.each<[what: string, html: string, message: RegExp]>([
    ['too many nodes', '<b>x</b>'.repeat(10_001), /more than 20000 nodes/],
    ['too many levels', '<b><i>'.repeat(200), /levels deep/],
    ['too long', 'x'.repeat(4 * 1024 * 1024 + 1), /at most 4194304 characters/],
  ])('refuses what has %s, and nothing is left', async (_what, html, message) => {
    const { body } = await page();
    refused(await admin.post('/insertTwice', { id: body, html }), 422, message);
    expect(await childrenOf(admin, body)).toEqual([]);
  });

  it('keeps the rules of trees', async () => {
    const { page: id, body } = await page();
    refused(await admin.post('/insertIt', { id, html: '<p>x</p>' }), 422, /document element/);
    let deep = body;
    for (let level = 0; level < 3; level++) {
      const [top] = await insert(deep, '<div>'.repeat(80));
      for (deep = top?.id ?? ''; ;) {
        const [child] = await childrenOf(admin, deep);
        if (child === undefined) break;
        deep = child;
      }
    }
    refused(await admin.post('/insertIt', { id: deep, html: '<div>'.repeat(20) }), 422, /levels|deep/);
    expect(await childrenOf(admin, deep)).toEqual([]);
  });
});

describe('what was inserted', () => {
  it('cannot be moved into itself, or what it is in into it', async () => {
    const { body } = await page();
    const [outer] = await insert(body, '<div><p>x</p></div>');
    const [inner = ''] = await childrenOf(admin, outer?.id ?? '');
    refused(await call(admin, inner, 'appendChild', { newChild: outer?.id }), 422, /ancestor|circular/i);
    refused(await call(admin, inner, 'appendChild', { newChild: body }), 422, /ancestor|circular/i);
    expect(await childrenOf(admin, body)).toEqual([outer?.id]);
  });

  it('may be much, and others are answered meanwhile', async () => {
    const { body } = await page();
    let done = false;
    const inserting = insert(body, `<p>${'<b>x</b>'.repeat(1000)}</p>`).finally(() => (done = true));
    let answered = 0;
    while (!done) {
      expect((await admin.get('/me')).status).toBe(200);
      answered++;
    }
    expect(await inserting).toHaveLength(1);
    expect(answered).toBeGreaterThan(10);
  });
});

describe('replaceDomChild() and removeDomChild()', () => {
  it('put HTML in the place of a child, or nothing; the child is in the recycle bin', async () => {
    const { name, body } = await page();
    const [a, b, c] = await insert(body, '<i>a</i><i>b</i><i>c</i>');
    const answer = await admin.post('/replaceIt', { id: body, child: b?.id, html: '<b>1</b><b>2</b>' });
    expect(answer.status, answer.text).toBe(200);
    expect(await seen(name)).toBe('<i>a</i><b>1</b><b>2</b><i>c</i>');
    expect(await pageOf(admin, b?.id ?? '')).toBeNull();
    expect((await admin.post('/removeIt', { id: body, child: a?.id })).status).toBe(200);
    expect(await seen(name)).toBe('<b>1</b><b>2</b><i>c</i>');
    refused(await admin.post('/removeIt', { id: body, child: a?.id }), 422, /not a child/);
    refused(await admin.post('/replaceIt', { id: c?.id, child: body, html: '<b>1</b>' }), 422, /not a child/);
    refused(await anna.post('/removeIt', { id: body, child: c?.id }), 403, /not permitted/i);
    expect(await seen(name)).toBe('<b>1</b><b>2</b><i>c</i>');
  });
});

describe('style sheets', () => {
  it('importCss() makes objects of rules', async () => {
    const css = `@charset "utf-8"; /* a { } */
      a, .b:not(.c, .d) { color: red; background: url("x;y}.png") }
      @media (min-width: 10px) { p { margin: 0 } @supports (a: b) { q::before { content: '{' } } }`;
    const file = await uploaded(admin, {}, 'site.css', Buffer.from(css));
    const answer = await admin.post('/rules', { id: file });
    expect([answer.status, answer.body.result], answer.text).toEqual([200, true]);
    const list = (await admin.get('/CssRule/all')).body.result as Record<string, any>[]; // eslint-disable-line @typescript-eslint/no-explicit-any
    const byText = (begin: string): any => list.find(({ cssText }) => String(cssText).startsWith(begin)); // eslint-disable-line @typescript-eslint/no-explicit-any
    expect(list).toHaveLength(6);
    expect(byText('a, .b')).toMatchObject({ ruleType: 1, parentRule: null });
    const names = async (type: string, query = ''): Promise<string[]> =>
      ((await admin.get(`/${type}/all?${query}`)).body.result as { name: string }[]).map((one) => one.name).sort();
    expect(await names('CssSelector')).toEqual(['.b:not(.c, .d)', 'a', 'p', 'q::before']);
    expect(await names('CssDeclaration', `rule=${byText('a, .b').id as string}`)).toEqual([
      'background: url("x;y}.png")',
      'color: red',
    ]);
    expect(byText('@charset')).toMatchObject({ ruleType: 2 });
    expect(byText('@supports').parentRule.id).toBe(byText('@media').id);
    expect(byText('q::before').parentRule.id).toBe(byText('@supports').id);
    // A file that somebody may not read is none for him.
    expect((await anna.post('/rules', { id: file })).body.result).toBe('');
    expect((await admin.get('/CssRule')).body.result_count).toBe(6);
  });

  it('importCss() refuses what has too many rules', async () => {
    const file = await uploaded(admin, {}, 'large.css', Buffer.from('a{b:c}'.repeat(7000)));
    refused(await admin.post('/rules', { id: file }), 422, /more than 20000 rules/);
    const nested = await uploaded(admin, {}, 'deep.css', Buffer.from('@media x {'.repeat(30)));
    refused(await admin.post('/rules', { id: nested }), 422, /levels deep/);
  });

  it('hasCssClass() says whether an element has all of some classes', async () => {
    const { body } = await page();
    const [p] = await insert(body, '<p class="card  wide">x</p>');
    const has = async (classes: string): Promise<unknown> =>
      (await admin.post('/classes', { id: p?.id, classes })).body.result;
    expect([await has('wide card'), await has('car'), await has('card narrow')]).toEqual([true, false, false]);
  });
});
