/** Pages, components and templates of an application export: out, in, and out again (docs/interface/deployment.md 2.5, 3.6). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { Deploying, id } from '../support/deploying.js';
import { getPage, makePage, nodeNamed, type Tree } from '../support/pages.js';
import type { TestServer } from '../support/server.js';
import { call } from '../support/trees.js';

let deploying: Deploying;
let server: TestServer;
let admin: Client;

beforeAll(async () => {
  deploying = await Deploying.start();
  ({ server, admin } = deploying);
});
afterAll(() => deploying.stop());

const exported = (target?: string): Promise<Record<string, string>> => deploying.exported(target);
/** With the three folders that say all of pages. */
const imported = (files: Readonly<Record<string, unknown>>, more: object = {}): Promise<Answer> =>
  deploying.imported({ 'pages/.keep': '', 'components/.keep': '', 'templates/.keep': '', ...files }, more);

const visible = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

describe('an export', () => {
  it('is the same after it was imported', async () => {
    const group = await admin.create('Group', { name: 'editors (all, of us)' });
    const user = await admin.create('User', { name: 'ada', password: 'correct horse' });
    const target = await makePage(admin, 'target', []);
    await admin.put(`/Page/${target}`, { category: 'c', cacheForSeconds: 5, position: 2, owner: user });
    const tree: Tree = [
      'html',
      { name: 'root', _html_lang: 'en' },
      [
        'head',
        {},
        ['title', {}, 'A & B <c> "d"'],
        ['style', {}, ['', { contentType: 'text/css', content: 'a > b { color: "x" }\n' }]],
      ],
      [
        'body',
        { visibleToPublicUsers: false },
        ['script', {}, ['', { contentType: 'text/javascript', content: 'if (a < b && c) d("</p>");' }]],
        [
          'nav',
          { name: 'menu', _html_class: 'm', 'data-x': '1', grantees: [{ id: group, allowed: ['read', 'write'] }] },
          ['a', { linkable: target, 'aria-label': 'x' }, 'page'],
          ['table', { name: 'rows' }, ['tr', {}, ['td', {}, '1']]],
        ],
        [
          'div',
          {
            ...{ name: 'd', visibleToPublicUsers: false, hidden: true, _html_title: '${"<\'>"}&\nx', 'data-z': 'z' },
            ...{ owner: user, dataKey: 'k', functionQuery: "find('User')", cypherQuery: 'MATCH (n) RETURN n' },
            ...{ showForLocales: 'de', hideForLocales: 'en', showConditions: 'a > "b"', hideConditions: 'false' },
            ...{ 'data-svc-rendering-mode': 'load', eventMapping: '{"click":"x"}', _custom_html_viewBox: '0 0 1 1' },
          },
          'one',
          ['b', {}, '\n\ttwo\n'],
          ' ',
          ['i', {}, ' three '],
          ['', { content: '', name: 'empty', contentType: 'text/plain', visibleToPublicUsers: false }],
          [
            '',
            {
              content: '# two',
              contentType: 'text/markdown',
              name: 'm',
              showConditions: 'f(a, b) < "c" && d',
              hidden: true,
            },
          ],
          ['Comment', { content: ' note <x> @svc:public ', name: 'note' }],
          ['Comment', { content: '@svc:private' }],
          ['Comment', { content: '' }],
          ['br', {}],
          ['', { content: ' \n ', contentType: 'text/html' }],
        ],
        ['', { content: '<svg viewBox="0 0 1 1"></svg>', contentType: 'text/xml' }],
        ['pre', {}, ' a\n\tb\n', ['div', {}, 'in'], '\nc'],
        ['my-part', { type: 'DOMElement' }, 'x'],
        [
          'Template',
          { name: 'frame', contentType: 'text/html', content: '\n<b>${render(children)}</b>\n' },
          ['p', {}, 'in it'],
        ],
        ['Template', { name: 'card', contentType: 'text/html', content: '<i>${1 < 2}</i>' }],
        ['', { name: 'words', content: 'shared & words', contentType: 'text/html' }],
      ],
    ];
    await makePage(admin, 'all', [tree]);
    const other = await makePage(admin, 'all', [['html', {}, ['body', {}, 'another of this name']]]);
    for (const name of ['rows', 'menu', 'card', 'words']) {
      const made = await call(admin, await nodeNamed(admin, name), 'createComponent', {});
      expect(made.status, made.text).toBe(200);
    }
    const page = await admin.create('Page', { name: 'plain', contentType: 'text/plain', ...visible });
    await admin.create('PagePath', { name: '/all/{n}', page });
    await admin.create('Site', { name: 's', hostname: 'h.example', pages: [page] });
    // Of two pages of one name.
    const site = await admin.create('Site', { name: 'one', hostname: 'one.example', pages: [other] });
    const div = await nodeNamed(admin, 'd');
    await admin.create('ActionMapping', { event: 'click', action: 'create', triggerElements: [div] });
    const shown = (await getPage(admin, '/all')).text;
    const first = await exported();
    expect(Object.keys(first).filter((path) => path.startsWith('pages/'))).toEqual([
      expect.stringMatching(/^pages\/all(-\w{32})?\.html$/),
      expect.stringMatching(/^pages\/all(-\w{32})?\.html$/),
      'pages/plain.html',
      'pages/target.html',
    ]);
    const again = await imported(first);
    expect([again.status, again.text]).toEqual([200, expect.stringContaining('"result": []')]);
    const second = await exported();
    expect(second).toEqual(first);
    expect((await getPage(admin, '/all')).text).toBe(shown);
    expect((await admin.get(`/Site/${site}/pages`)).body.result).toMatchObject([{ id: other, name: 'all' }]);
  });

  it('has the text of each template that stands for no other and is in a page, and says which are shared', async () => {
    const text = '<b title="&amp;">${render(children)}</b> a & b\n';
    await makePage(admin, 'of-templates', [
      ['Template', { name: 'outer', contentType: 'text/html', content: text }, ['Template', { content: '${1}' }]],
      ['Template', { name: 'common', contentType: 'text/markdown', content: '# c', visibleToPublicUsers: false }],
      ['Template', { name: 'thrown', contentType: 'text/html', content: 'gone' }],
    ]);
    const [outer, reference, thrown] = await Promise.all(
      ['outer', 'common', 'thrown'].map((name) => nodeNamed(admin, name)),
    );
    const unnamed = (await admin.get(`/Template/${String(outer)}/children`)).body.result[0].id as string;
    const component = (await call(admin, String(reference), 'createComponent', {})).body.result.id as string;
    expect((await call(admin, String(thrown), 'removeNode', {})).status).toBe(200);
    const files = await exported();
    const entries = JSON.parse(files['templates.json'] ?? '') as Record<string, object>;
    const shared = { id: component, contentType: 'text/markdown', shared: 'true' };
    expect(entries).toMatchObject({
      [`outer-${String(outer)}`]: { ...visible, id: outer, contentType: 'text/html', shared: 'false' },
      [unnamed]: { ...visible, id: unnamed, shared: 'false' },
      [`common-${component}`]: { ...shared, visibleToPublicUsers: false, visibleToAuthenticatedUsers: true },
    });
    for (const id of [reference, thrown]) expect(files['templates.json']).not.toContain(id);
    expect(files[`templates/outer-${String(outer)}.html`]).toBe(text);
    expect(files[`templates/${unnamed}.html`]).toBe('${1}');
    expect(files[`templates/common-${component}.html`]).toBe('# c');
    expect(JSON.parse(files['components.json'] ?? '')).toMatchObject({ [`common-${component}`]: shared });
    expect(files[`components/common-${component}.html`]).toMatch(/^<!-- @svc:protected.*<svc:template src="common-/);
    expect(files['pages/of-templates.html']).toContain(`<svc:template src="common-${component}"`);
    // One that comes with the same id replaces the text; what an export has no file for is left out, and told.
    const key = `outer-${String(outer)}`;
    const changed = await imported(
      {
        'deployment.conf': files['deployment.conf'],
        'templates.json': { [key]: entries[key], 'lost-x': { id: id('d') } },
        [`templates/${key}.html`]: 'new ${render(children)}',
      },
      { extendExistingApp: true },
    );
    expect(changed.status, changed.text).toBe(200);
    expect((await exported())[`templates/${key}.html`]).toBe('new ${render(children)}');
    await server.untilLogged(/Entries of templates.json without file: lost-x/);
  });
});

const CONF = 'visibility-flags-relative-to = parent\nuuid-format = without_dashes\n';
const entry = (digit: string, more: object = {}): object => ({
  id: id(digit),
  contentType: 'text/html',
  ...visible,
  ...more,
});
/** One page, which is all that is left. */
const pageOf = (html: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> =>
  imported({
    ...{ 'deployment.conf': CONF, 'pages.json': { home: entry('a') }, 'pages/home.html': html },
    ...{ 'components.json': {}, 'templates.json': {}, ...more },
  });
const home = async (): Promise<string> => Buffer.from((await exported())['pages/home.html'] ?? '', 'latin1').toString();
/** Without ids and what everybody has who makes nothing of it. */
const short = (text: string): string => text.replace(/ data-svc-meta-id="\w+"/g, '').replace(/\n\t*/g, '');

describe('an import', () => {
  it('of the example of the format gives the same files again', async () => {
    const page = `<!DOCTYPE html>
<html lang="en" data-svc-meta-id="${id('1')}">
\t<body data-svc-meta-id="${id('2')}">
\t\t<!-- @svc:private, @svc:grant(editors,rw) -->
\t\t<div class="row" data-svc-meta-id="${id('3')}" data-svc-meta-data-key="item" data-svc-meta-function-query="find('Item')"><!-- @svc:content(text/plain) -->\${item.name}</div>
\t\t<svc:component src="menu-${id('4')}" data-svc-meta-id="${id('5')}">
\t\t</svc:component>
\t</body>
</html>`;
    const menu = `<!-- @svc:public --><nav data-svc-meta-name="menu" data-svc-meta-id="${id('4')}">
\t<ul data-svc-meta-id="${id('6')}"></ul>
</nav>`;
    await admin.create('Group', { name: 'editors' });
    const answer = await pageOf(page, {
      'components.json': { [`menu-${id('4')}`]: { id: id('4'), ...visible } },
      [`components/menu-${id('4')}.html`]: menu,
    });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"result": []')]);
    const files = await exported();
    expect(files['pages/home.html']).toBe(page);
    expect(files[`components/menu-${id('4')}.html`]).toBe(menu);
    // All else of pages is gone.
    expect((await admin.get('/Page')).body.result_count).toBe(2);
    expect((await admin.get('/Template')).body.result_count).toBe(0);
    expect((await admin.get(`/Nav/${id('5')}/ui`)).body.result).toMatchObject({ sharedComponentId: id('4') });
  });

  it('reads older and other forms, and tells what it leaves out', async () => {
    await admin.create('File', { name: 'a (1).txt' });
    const html = `<!DOCTYPE html>
<html>
  <head><title>a &amp; b&nbsp;&copy;</title></head>
  <head><meta charset="utf-8"/></head>
  <BODY CLASS='x' onClick="f()" data-svc-unknown="u" data-svc-meta-unknown="v" data-svc-meta-nothing-like-that="w" text="t" viewBox="0">
    <!-- @SVC:private @svc:hidden;@svc:name(n (of m)) -->
    <p>one <b>two</b> <i>three</i></p>
    <!-- @svc:content(text/html), @svc:show(a &lt; 1) --><!-- @svc:owner(nobody), @svc:grant(nobody), @svc:strange(x) --><div>four<br/></div>
    <!-- @svc:link(/a (1).txt) --><a>five</a><!-- @svc:pagelink(/none) --><a>six</a><!-- @svc:pagelink(home) --><a>seven</a>
    <svg viewBox="0 0 1 1"><linearGradient/></svg>
    <script>if (a &lt; b) c()</script><style>p { }</style>
    <script type="application/schema+json">{}</script>
    <!-- a note &lt;x&gt; -->
    <svc:shared-template name="card"><u>\${render(children)}</u></svc:shared-template>
    <svc:template src="card"><em>e</em></svc:template><svc:template src="new"><u>\${1}</u></svc:template>
    <svc:template src="gone-${id('e')}">g</svc:template><svc:component src="gone-${id('f')}"></svc:component>
    <svc:component src="made-${id('c')}"><section>made</section></svc:component><svc:component src="made-${id('c')}"></svc:component>
    <svc:component src="named"><aside>named</aside></svc:component>
  </BODY>
</html>`;
    const answer = await pageOf(html, {
      'pages.json': { home: entry('a'), lost: entry('b') },
      'pages/other.html': 'x',
      'pages/sub/x.html': '',
    });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"result": []')]);
    const read = short(await home());
    const text = '<!-- @svc:content(text/plain) -->';
    for (const part of [
      `<head><title>${text}a &amp; b\u00a0\u00a9</title><meta charset="utf-8"></head>`,
      '<body class="x" onclick="f()" viewBox="0">',
      `<!-- @svc:private, @svc:hidden --><p data-svc-meta-name="n (of m)">${text}one <b>${text}two</b>${text}&#32;<i>${text}three</i></p>`,
      `<!-- @svc:content(text/html), @svc:show(a &lt; 1) --><div>${text}four<br></div>`,
      `<!-- @svc:link(/a (1).txt) --><a>${text}five</a><a>${text}six</a><!-- @svc:pagelink(/${id('a')}) --><a>${text}seven</a>`,
      '<!-- @svc:content(text/xml) -->&lt;svg viewBox="0 0 1 1"&gt;&lt;linearGradient/&gt;&lt;/svg&gt;',
      '<script type="text/javascript"><!-- @svc:content(text/javascript) -->if (a &lt; b) c()</script>',
      '<style type="text/css"><!-- @svc:content(text/css) -->p { }</style>',
      '<!-- @svc:content(text/html) --><!-- a note &lt;x&gt; -->',
    ])
      expect(read).toContain(part);
    expect(read).toMatch(
      /<svc:template src="card-\w{32}" data-svc-meta-name="card"><em>.*<\/em><\/svc:template><!-- @svc:content\(text\/html\) --><svc:template src="new-\w{32}" data-svc-meta-name="new"><\/svc:template>/,
    );
    expect(read).toMatch(
      new RegExp(
        `(<svc:component src="made-${id('c')}"></svc:component>){2}<svc:component src="named-\\w{32}"></svc:component></body>`,
      ),
    );
    expect(Object.keys(await exported()).filter((path) => path.startsWith('components/'))).toHaveLength(3);
    expect((await admin.get(`/Page/${id('a')}/ui`)).body.result).toMatchObject({ name: 'home' });
    for (const told of [
      'Without entry in pages.json: pages/other.html, pages/sub',
      'Entries of pages.json without file: lost',
      'Unknown attribute\\(s\\): pages/home.html, line \\d+, <BODY>: data-svc-meta-nothing-like-that',
      'Unknown instruction\\(s\\): pages/home.html, line \\d+, <div>: @svc:strange',
      'Wrong instruction\\(s\\): pages/home.html, line \\d+, <div>: @svc:grant\\(nobody\\)',
      'Missing Principal\\(s\\): nobody',
      'Missing link target\\(s\\): pages/home.html, line \\d+, <a>: there is no page /none',
      'Script\\(s\\) that are not run: pages/home.html, line \\d+, <script>',
      'Missing template\\(s\\): .*there is no template gone-',
      'Missing component\\(s\\): .*there is no shared component gone-',
    ])
      await server.untilLogged(new RegExp(told));
  });

  it('gives all nodes of older exports the visibility of their page', async () => {
    const html = `<html data-svc-meta-id="${id('1')}"><!-- @svc:private --><body><p>x</p></body></html>`;
    const flags = { visibleToPublicUsers: false, visibleToAuthenticatedUsers: true };
    const answer = await pageOf(html, { 'deployment.conf': '', 'pages.json': { home: entry('a', flags) } });
    expect(answer.status).toBe(200);
    expect(short(await home())).toBe(
      '<!DOCTYPE html><html><!-- @svc:private --><body><!-- @svc:protected --><p><!-- @svc:content(text/plain) -->x</p></body></html>',
    );
  });

  it('refuses what is wrong, names it, and changes nothing', async () => {
    await pageOf(`<html data-svc-meta-id="${id('1')}"><body>stays</body></html>`);
    const before = await exported();
    const group = await admin.create('Group', { name: 'taken' });
    const html = (inside: string): Record<string, unknown> => ({
      'pages/home.html': `<html><body>${inside}</body></html>`,
    });
    for (const [files, message] of [
      [{ 'pages.json': '{"home": ' }, /^pages\.json/],
      [{ 'pages.json': [] }, /^pages\.json: an object/],
      [{ 'pages.json': { home: { contentType: 'text/html' } } }, /^pages\.json: home\.id/],
      [{ 'pages.json': { home: entry('a', { owner: 'x' }) } }, /^pages\/home\.html\.owner/],
      [{ 'pages.json': { home: { id: 'short' } } }, /^pages\/home\.html: "short" is no id/],
      [{ 'pages.json': { home: entry('a', { position: 'x' }) } }, /^pages\/home\.html: /],
      [{ 'pages/home.html': '<div>no page</div>' }, /document may only accept/],
      [
        html(`<p data-svc-meta-id="${id('2')}"></p><p data-svc-meta-id="${id('2')}"></p>`),
        /^pages\/home\.html, line 1, <p> has the id 2+, as pages\/home\.html, line 1, <p> has/,
      ],
      [html(`<p data-svc-meta-id="${group}"></p>`), /^pages\/home\.html, line 1, <p>: the id \w+ is that of a Group/],
      [html('<p data-svc-meta-id="x"></p>'), /^pages\/home\.html, line 1, <p>: "x" is no id/],
      [
        html('<!-- @svc:sandboxed(everything) --><p></p>'),
        /^pages\/home\.html, line 1, <p>: @svc:sandboxed says everything/,
      ],
      [html('<b>'.repeat(260) + '</b>'.repeat(260)), /^pages\/home\.html cannot take this HTML: .*levels deep/],
      [{ 'pages/home.html': Buffer.from([0x3c, 0xff]).toString('latin1') }, /document may only accept/],
    ] as const) {
      const answer = await pageOf(`<html><body></body></html>`, files);
      expect([String(message), answer.status, answer.body.message]).toEqual([
        String(message),
        422,
        expect.stringMatching(message),
      ]);
    }
    expect(await exported()).toEqual(before);
  });

  it('replaces only pages of the same name and components of the same id where it extends', async () => {
    const component = { [`menu-${id('4')}`]: { id: id('4'), ...visible } };
    const menu = (word: string): Record<string, unknown> => ({
      'components.json': component,
      [`components/menu-${id('4')}.html`]: `<nav data-svc-meta-name="menu" data-svc-meta-id="${id('4')}">${word}</nav>`,
    });
    const html = (word: string): string =>
      `<html data-svc-meta-id="${id('1')}"><body><p data-svc-meta-id="${id('2')}">${word}</p><svc:component src="menu-${id('4')}" data-svc-meta-id="${id('5')}"></svc:component></body></html>`;
    expect((await pageOf(html('first'), menu('m1'))).status).toBe(200);
    const mapping = await admin.create('ActionMapping', {
      event: 'click',
      action: 'create',
      triggerElements: [id('2')],
    });
    const route = await admin.create('PagePath', { name: '/there', page: id('a') });
    await makePage(admin, 'beside', [['html', {}, ['body', {}, 'beside']]]);
    const extend = { extendExistingApp: true };
    const onlyMenu = await imported({ 'deployment.conf': CONF, ...menu('m2') }, extend);
    expect(onlyMenu.status, onlyMenu.text).toBe(200);
    expect((await getPage(admin, '/home')).text).toMatch(/first[^]*m2/);
    const onlyPage = await imported(
      { 'deployment.conf': CONF, 'pages.json': { home: entry('b') }, 'pages/home.html': html('second') },
      extend,
    );
    expect(onlyPage.status, onlyPage.text).toBe(200);
    expect((await getPage(admin, '/home')).text).toMatch(/second[^]*m2/);
    expect((await getPage(admin, '/beside')).text).toContain('beside');
    expect((await admin.get('/Page?name=home')).body.result).toMatchObject([{ id: id('b') }]);
    // What stays is linked with what has come in the place of what it was linked with.
    expect((await admin.get(`/ActionMapping/${mapping}/ui`)).body.result).toMatchObject({
      triggerElements: [{ id: id('2') }],
    });
    expect((await admin.get(`/PagePath/${route}`)).status).toBe(200);
    // An id of something else than a node of pages takes nothing away.
    const group = await admin.create('Group', { name: 'not to be replaced' });
    for (const [list, ending] of [
      ['components', `<p data-svc-meta-id="${group}"></p>`],
      ['templates', 'text'],
    ] as const) {
      const files = {
        'deployment.conf': CONF,
        [`${list}.json`]: { [`x-${group}`]: { id: group, contentType: 'text/html', ...visible } },
        [`${list}/x-${group}.html`]: ending,
      };
      const answer = await imported(files, extend);
      expect([list, answer.status, answer.body.message]).toEqual([
        list,
        422,
        expect.stringMatching(new RegExp(`^${list}/x-${group}\\.html.*: the id ${group} is that of a Group`)),
      ]);
    }
    expect((await admin.get(`/Group/${group}`)).status).toBe(200);
  });

  it('keeps what users who are no administrators have written theirs', async () => {
    const html = `<html><body><!-- @svc:content(text/html), @svc:sandboxed(node, place) -->\${me.name}</body></html>`;
    const template = { id: id('7'), contentType: 'text/html', sandboxed: true, ...visible };
    const answer = await pageOf(
      html.replace(
        '</body>',
        `<svc:template src="t-${id('7')}" data-svc-meta-name="t" data-svc-meta-id="${id('7')}"></svc:template></body>`,
      ),
      {
        'templates.json': { [`t-${id('7')}`]: template },
        [`templates/t-${id('7')}.html`]: 'T${me.name}',
      },
    );
    expect(answer.status, answer.text).toBe(200);
    expect((await getPage(admin, '/home')).text).toMatch(/\$\{me\.name\}T\$\{me\.name\}/);
    const files = await exported();
    expect(files['templates.json']).toContain('"sandboxed": true');
    expect(files['pages/home.html']).toContain('@svc:sandboxed(node, place)');
  });
});
