/** The form of exports (docs/interface/pages.md 8.3). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { bare, getPage, makePage } from '../../support/pages.js';
import { TestServer } from '../../support/server.js';

let server: TestServer;
/** Owns nothing of what it makes. */
let root: Client;

const PUBLIC = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

beforeAll(async () => {
  server = await TestServer.start();
  root = server.superuser;
});
afterAll(() => server.stop());

async function exported(path: string): Promise<string> {
  const answer = await getPage(root, `${path}?_edit=4`);
  expect(answer.status).toBe(200);
  return answer.text;
}

/** Ids by the names of nodes. */
async function ids(...names: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const [one] = (await root.get(`/DOMNode?name=${name}`)).body.result as { id: string }[];
    found[name] = one?.id ?? '';
  }
  return found;
}

test('elements: attributes, fields and instructions in their order', async () => {
  await root.create('User', { name: 'owner', password: 'Owner-pass-1' });
  await root.create('Group', { name: 'editors' });
  await root.create('Group', { name: 'all (of us)' });
  await makePage(root, 'order', [
    [
      'html',
      { name: 'h', _html_lang: 'en' },
      [
        'body',
        { name: 'b', ...PUBLIC },
        [
          'div',
          {
            name: 'd',
            ...PUBLIC,
            visibleToPublicUsers: false,
            hidden: true,
            _html_title: '${"<\'>"}&',
            _html_class: 'c',
            'data-z': 'z',
            'data-a': 'a\n\tb',
            '_custom_html_aria-label': 'l',
            'data-svc-rendering-mode': 'load',
            'data-svc-insert': true,
            'data-svc-from-widget': false,
            dataKey: 'k',
            functionQuery: "find('User')",
            cypherQuery: 'MATCH (n) RETURN n',
            showForLocales: 'de',
            hideForLocales: 'en',
            showConditions: 'true',
            hideConditions: 'false',
            sharedComponentConfiguration: 'set()',
            eventMapping: '{"click":"x"}',
          },
          ['a', { name: 'i', ...PUBLIC }, 'text & <b>\n${x}'],
          ['br', { name: 'br', ...PUBLIC, visibleToAuthenticatedUsers: false }],
          ['option', { name: 'o', ...PUBLIC, selectedValues: 'list' }],
        ],
      ],
    ],
  ]);
  const id = await ids('h', 'b', 'd', 'i', 'br', 'o');
  const [owner] = (await root.get('/User?name=owner')).body.result as { id: string }[];
  await root.put(`/Div/${String(id['d'])}`, { owner: owner?.id });
  const groups = (await root.get('/Group?_sort=name')).body.result as { id: string; name: string }[];
  for (const group of groups) {
    const right = group.name === 'editors' ? 'write, read' : 'accessControl, read, delete';
    await root.put(`/Div/${String(id['d'])}`, {});
    await root.post('/SchemaMethod', {
      name: `grant${group.id}`,
      isStatic: true,
      source: `grant(first(find('Group', 'id', '${group.id}')), first(find('Div', 'id', '${String(id['d'])}')), '${right}')`,
    });
    expect((await root.post(`/grant${group.id}`, {})).status).toBe(200);
  }
  expect(await exported('/order')).toBe(
    [
      '<!DOCTYPE html>',
      `<html lang="en" data-svc-meta-name="h" data-svc-meta-id="${String(id['h'])}">`,
      `\t<body data-svc-meta-name="b" data-svc-meta-id="${String(id['b'])}">`,
      '\t\t<!-- @svc:protected, @svc:owner(owner), @svc:grant(all (of us),rda), @svc:grant(editors,rw), @svc:hidden -->',
      `\t\t<div class="c" title="\${&quot;&lt;'&gt;&quot;}&amp;" data-svc-meta-shared-component-configuration="set()" aria-label="l" data-a="a\n\tb" data-z="z"` +
        ` data-svc-insert="true" data-svc-rendering-mode="load" data-svc-meta-name="d" data-svc-meta-id="${String(id['d'])}"` +
        ' data-svc-meta-data-key="k" data-svc-meta-cypher-query="MATCH (n) RETURN n" data-svc-meta-function-query="find(\'User\')"' +
        ' data-svc-meta-show-for-locales="de" data-svc-meta-hide-for-locales="en" data-svc-meta-show-conditions="true"' +
        ' data-svc-meta-hide-conditions="false" data-svc-meta-event-mapping="{&quot;click&quot;:&quot;x&quot;}">' +
        `<!-- @svc:public -->`,
      `\t\t\t<a data-svc-meta-name="i" data-svc-meta-id="${String(id['i'])}"><!-- @svc:content(text/plain) -->text &amp; &lt;b&gt;\n\${x}</a>`,
      '\t\t\t<!-- @svc:public-only -->',
      `\t\t\t<br data-svc-meta-name="br" data-svc-meta-id="${String(id['br'])}">`,
      '\t\t\t<!-- @svc:public -->',
      `\t\t\t<option data-svc-meta-name="o" data-svc-meta-id="${String(id['o'])}" data-svc-meta-selected-values="list"></option>`,
      '\t\t</div>',
      '\t</body>',
      '</html>',
    ].join('\n'),
  );
});

test('contents, comments and templates', async () => {
  await makePage(root, 'texts', [
    [
      'Template',
      { name: 't', contentType: 'text/html', content: '<p>${render(children)}</p>', dataKey: 'k' },
      [
        '',
        {
          type: 'Content',
          name: 'c',
          content: '',
          contentType: 'text/markdown',
          showConditions: 'a < "b"',
          hideForLocales: 'de',
        },
      ],
      ['Comment', { name: 'm', content: 'note <x>' }],
      ['Template', { content: 'unnamed', contentType: '' }],
    ],
  ]);
  const { t = '' } = await ids('t');
  const [unnamed] = ((await root.get('/Template')).body.result as { id: string; name?: string }[]).filter(
    ({ name }) => name === undefined || name === null,
  );
  const inner = String(unnamed?.id);
  expect(await exported('/texts')).toBe(
    `<!-- @svc:content(text/html) --><svc:template src="t-${t}" data-svc-meta-name="t" data-svc-meta-id="${t}" data-svc-meta-data-key="k">` +
      '<!-- @svc:content(text/markdown), @svc:name(c), @svc:show(a &lt; &quot;b&quot;), @svc:hide-for-locales(de) -->' +
      '<!-- @svc:content(text/html), @svc:name(m) --><!--note &lt;x&gt;-->' +
      `<svc:template src="${inner}" data-svc-meta-id="${inner}"></svc:template></svc:template>`,
  );
});

test('links', async () => {
  const target = await makePage(root, 'target', []);
  const folder = await root.create('Folder', { name: 'a' });
  const file = await root.create('File', { name: 'b.txt', parent: folder });
  await makePage(root, 'linking', [
    bare(['a', { linkable: target, ...PUBLIC }, 'x'], ['a', { linkable: file, ...PUBLIC }, 'y']),
  ]);
  const text = (await exported('/linking')).replace(/ data-svc-meta-id="\w+"/g, '').replace(/src="[^"]*"/g, 'src');
  expect(text).toBe(
    `<!-- @svc:content(text/html) --><svc:template src data-svc-meta-name="bare"><!-- @svc:pagelink(/${target}) -->\n\t<a><!-- @svc:content(text/plain) -->x</a>` +
      '<!-- @svc:link(/a/b.txt) -->\n\t<a><!-- @svc:content(text/plain) -->y</a></svc:template>',
  );
});

test('components and what stands for them', async () => {
  const shadow = await root.create('ShadowDocument', { name: '__ShadowDocument__', hidden: true });
  const menu = await root.create('Nav', {
    tag: 'nav',
    name: 'menu',
    ownerDocument: shadow,
    visibleToPublicUsers: true,
  });
  const item = await root.create('Div', {
    tag: 'div',
    parent: menu,
    ownerDocument: shadow,
    visibleToPublicUsers: true,
  });
  const frame = await root.create('Template', { name: 'frame', content: 'x', ownerDocument: shadow });
  const page = await makePage(root, 'shared', [
    [
      'html',
      { name: 'here' },
      ['nav', { sharedComponent: menu, _html_class: 'lost', 'data-x': 'kept' }],
      ['Template', { name: 'there', sharedComponent: frame, content: 'x' }, ['b', {}, 'in it']],
    ],
  ]);
  const { here = '', there = '' } = await ids('here', 'there');
  const [nav] = (await root.get(`/Nav?pageId=${page}`)).body.result as { id: string }[];
  const [b] = (await root.get('/B')).body.result as { id: string }[];
  expect(await exported('/shared')).toBe(
    `<!DOCTYPE html>\n<html data-svc-meta-name="here" data-svc-meta-id="${here}">\n` +
      `\t<svc:component src="menu-${menu}" data-x="kept" data-svc-meta-id="${String(nav?.id)}">\n\t</svc:component>` +
      `<!-- @svc:content(text/plain) --><svc:template src="frame-${frame}" data-svc-meta-name="there" data-svc-meta-id="${there}">` +
      `<b data-svc-meta-id="${String(b?.id)}"><!-- @svc:content(text/plain) -->in it</b></svc:template>\n</html>`,
  );
  // The component itself, as exports have it in a file of its own.
  expect(await exported(`/${menu}`)).toBe(
    `<!-- @svc:public-only --><nav data-svc-meta-name="menu" data-svc-meta-id="${menu}">\n\t<div data-svc-meta-id="${item}"></div>\n</nav>`,
  );
  expect(await exported(`/${frame}`)).toBe(
    `<!-- @svc:private, @svc:content(text/plain) --><svc:template src="frame-${frame}" data-svc-meta-name="frame" data-svc-meta-id="${frame}"></svc:template>`,
  );
});
