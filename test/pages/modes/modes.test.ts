/** Edit modes of pages (docs/interface/pages.md 2.11). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { bare, getPage, makePage, type Tree } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';

let server: TestServer;
let admin: Client;
let nobody: Client;
let anna: Client;

/** By the name of a node. */
async function idOf(name: string, type = 'DOMNode'): Promise<string> {
  const { body } = await admin.get(`/${type}?name=${name}`);
  return (body.result as { id: string }[])[0]?.id ?? '';
}

const TREE: readonly Tree[] = [
  [
    'html',
    { name: 'top' },
    [
      'body',
      { name: 'body' },
      [
        'p',
        {
          name: 'item',
          _html_class: 'a ${1} & "b"',
          'data-x': '${2}',
          dataKey: 'one',
          functionQuery: "find('User')",
          showConditions: 'false',
          hideForLocales: 'en',
          eventMapping: '{"click":"x"}',
        },
        '${one.name} <b>',
      ],
      ['div', { name: 'away', hidden: true }, ['span', { visibleToPublicUsers: false }, 'x']],
      ['Comment', { content: ' note ' }],
      ['Comment', { content: '@svc:public' }],
    ],
  ],
];

beforeAll(async () => {
  server = await TestServer.start({
    settings: { 'httpservice.httpbasicauth.enabled': true },
  });
  ({ admin } = server);
  nobody = server.as();
  await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
  await makePage(admin, 'page', TREE);
});
afterAll(() => server.stop());

describe('who edits', () => {
  test.each(['1', '2', '3', '4', '5'])('_edit=%s is nothing for others than administrators', async (mode) => {
    const plain = await getPage(nobody, '/page');
    for (const client of [nobody, anna]) {
      const answer = await getPage(client, `/page?_edit=${mode}`);
      expect([answer.status, answer.text]).toEqual([200, plain.text]);
    }
  });

  test.each(['0', '6', 'x', '', '11'])('_edit=%s is no mode', async (mode) => {
    expect((await getPage(admin, `/page?_edit=${mode}`)).text).toBe((await getPage(admin, '/page')).text);
  });

  test('`edit` is a parameter of pages, unless parameters are legacy ones', async () => {
    expect((await getPage(admin, '/page?edit=1')).text).not.toContain('data-svc-meta-');
    await server.reload({ 'application.legacy.requestparameters.enabled': true });
    expect((await getPage(admin, '/page?edit=1')).text).toContain('data-svc-meta-');
    expect((await getPage(admin, '/page?_edit=1')).text).not.toContain('data-svc-meta-');
    expect((await getPage(nobody, '/page?edit=1')).text).not.toContain('data-svc-meta-');
    await server.reload({ 'application.legacy.requestparameters.enabled': false });
  });

  test.each(['1', '2', '3', '4', '5'])('nobody keeps a copy of _edit=%s', async (mode) => {
    const { headers } = await getPage(admin, `/page?_edit=${mode}`);
    expect(headers.get('cache-control')).toContain('no-store');
    // Nothing is made harmless in a source.
    expect(headers.get('content-security-policy')).toBe('134'.includes(mode) ? 'sandbox' : null);
  });

  test('pages of other sites are edited at any address, with _edit=2', async () => {
    const page = await makePage(admin, 'elsewhere', [bare(['p', {}, 'x'])]);
    await admin.create('Site', { name: 's', hostname: 'elsewhere.example', pages: [page] });
    expect((await getPage(admin, '/elsewhere')).status).toBe(404);
    expect((await getPage(nobody, '/elsewhere?_edit=2')).status).toBe(404);
    expect((await getPage(admin, '/elsewhere?_edit=1')).status).toBe(404);
    expect((await getPage(admin, '/elsewhere?_edit=2')).status).toBe(200);
  });

  test('pages with a password do not ask those who edit', async () => {
    await makePage(admin, 'closed', [bare(['p', {}, 'x'])], { enableBasicAuth: true });
    expect((await getPage(nobody, '/closed?_edit=2')).status).toBe(401);
    expect((await getPage(admin, '/closed?_edit=2')).status).toBe(200);
  });
});

describe('WIDGET and RAW', () => {
  const lines = (hash: (name: string) => string): string =>
    [
      '<!DOCTYPE html>',
      `<html data-svc-meta-name="top"${hash('top')}>`,
      `\t<body data-svc-meta-name="body"${hash('body')}>`,
      '\t\t<p class="a ${1} & "b"" data-x="${2}" data-svc-meta-name="item" data-svc-meta-data-key="one" ' +
        'data-svc-meta-function-query="find(\'User\')" data-svc-meta-hide-for-locales="en" data-svc-meta-show-conditions="false" ' +
        `data-svc-meta-event-mapping="{"click":"x"}"${hash('item')}>\${one.name} <b></p>`,
      `\t\t<div data-svc-meta-name="away"${hash('away')}><span${hash('span')}>x</span></div><!-- note -->`,
      '\t</body>',
      '</html>',
    ].join('\n');

  test('1: scripts, values and texts as they are stored, whatever their conditions say', async () => {
    expect((await getPage(admin, '/page?_edit=1')).text).toBe(lines(() => ''));
  });

  test('3: the same with the id of each element', async () => {
    const [away = {}] = (await admin.get('/Span')).body.result as { id?: string }[];
    const ids = new Map([['span', away.id ?? '']]);
    for (const name of ['top', 'body', 'item', 'away']) ids.set(name, await idOf(name));
    expect((await getPage(admin, '/page?_edit=3')).text).toBe(
      lines((name) => ` data-svc-hash="${ids.get(name) ?? ''}"`),
    );
  });

  test('of one element', async () => {
    const id = await idOf('away');
    const answer = await getPage(admin, `/${id}?_edit=1`);
    expect([answer.text, answer.headers.get('content-type')]).toEqual([
      '<div data-svc-meta-name="away"><span>x</span></div>',
      'text/html;charset=UTF-8',
    ]);
  });
});

describe('CONTENT', () => {
  test('elements have their id, the first one that of the page, texts marks around them', async () => {
    const page = await makePage(admin, 'content', [
      ['html', {}, ['body', {}, ['p', { 'data-svc-id': 'own' }, `a \${'2'} "b" <i>-->\n`]]],
    ]);
    const [content] = (await admin.get(`/Content?pageId=${page}`)).body.result as { id: string }[];
    const elements = (await admin.get(`/DOMElement?pageId=${page}`)).body.result as { id: string; type: string }[];
    const id = (type: string): string => elements.find((one) => one.type === type)?.id ?? '';
    expect((await getPage(admin, '/content?_edit=2')).text).toBe(
      [
        '<!DOCTYPE html>',
        `<html data-svc-id="${id('Html')}" data-svc-page="${page}">`,
        `\t<body data-svc-id="${id('Body')}">`,
        `\t\t<p data-svc-id="${id('P')}"><!--data-svc-id="${String(content?.id)}" ` +
          'data-svc-raw-value="a ${\'2\'} &quot;b&quot; &lt;i&gt;--&gt;\n"-->a 2 &quot;b&quot; &lt;i&gt;--&gt;<br><!----></p>',
        '\t</body>',
        '</html>',
      ].join('\n'),
    );
    const part = await getPage(admin, `/${id('P')}?_edit=2`);
    expect(part.text.startsWith(`<p data-svc-id="${id('P')}" data-svc-page="${page}">`)).toBe(true);
  });

  test('in scripts and styles the marks are comments of theirs, in titles and text areas there are none', async () => {
    await makePage(admin, 'marks', [
      bare(
        ['title', {}, 'T'],
        ['style', {}, ['', { type: 'Content', contentType: 'text/css', content: 'a{}' }]],
        ['script', {}, ['', { type: 'Content', contentType: 'text/javascript', content: 'f()' }]],
        ['textarea', {}, 'x'],
      ),
    ]);
    const text = (await getPage(admin, '/marks?_edit=2')).text.replace(/[0-9a-f]{32}/g, 'ID');
    const of = ' data-svc-id="ID" data-svc-page="ID"';
    expect(text).toBe(
      `<title${of}>T</title><style type="text/css"${of}>\n/* data-svc-type="Content" data-svc-id="ID" */\na{}\n/* */\n</style>` +
        `<script type="text/javascript"${of}>\n/* data-svc-type="Content" data-svc-id="ID" */\nf()\n/* */\n</script><textarea${of}>x</textarea>`,
    );
  });

  test.each(['2', '5'])(
    '_edit=%s: nothing is set off by events, and parts that are loaded later are there',
    async (mode) => {
      const name = `events-${mode}`;
      await makePage(admin, name, [
        bare(
          ['button', { name: `${name}-button`, 'data-x': '1' }, 'B'],
          ['div', { 'data-svc-rendering-mode': 'load' }, ['p', {}, 'later']],
        ),
      ]);
      await admin.create('ActionMapping', {
        event: 'click',
        action: 'update',
        triggerElements: [await idOf(`${name}-button`)],
      });
      const shown = (await getPage(admin, `/${name}`)).text;
      expect([shown.includes('data-svc-action="update"'), shown.includes('later')]).toEqual([true, false]);
      const { text } = await getPage(admin, `/${name}?_edit=${mode}`);
      expect(text).toContain('data-x="1"');
      expect(text).toContain('later');
      expect(text).not.toMatch(/data-svc-(action|event)/);
    },
  );

  test('conditions, visibility and repeaters count', async () => {
    const { text } = await getPage(admin, '/page?_edit=2');
    expect(text).not.toContain('<p');
    expect(text).not.toContain('away');
  });

  test('what strangers have written runs no more than on the page', async () => {
    const page = await makePage(admin, 'strange', [bare(['div', {}, 'x'])]);
    const [content] = (await admin.get(`/Content?pageId=${page}&content=x`)).body.result as { id: string }[];
    await allow(admin, 'Content/_id', 'user', ['PUT']);
    await admin.put(`/Content/${String(content?.id)}`, { owner: await idOf('anna', 'User') });
    const put = await anna.put(`/Content/${String(content?.id)}`, {
      content: '--><script>alert(1)</script>${1}<b>y</b>',
      contentType: 'text/html',
    });
    expect(put.status).toBe(200);
    const { text } = await getPage(admin, '/strange?_edit=2');
    expect(text).not.toContain('<script');
    expect(text.endsWith('-->--&gt;${1}<b>y</b><!----></div>')).toBe(true);
    // Sources show it as it is: nothing of them runs.
    const source = await getPage(admin, `/${String(content?.id)}?_edit=3`);
    expect(source.text).toContain('<script>alert(1)</script>');
    expect(source.headers.get('content-security-policy')).toBe('sandbox');
  });
});

describe('PREVIEW', () => {
  test('what is rendered by functions says who has called them', async () => {
    const page = await makePage(admin, 'preview', [
      [
        'Template',
        {
          name: 'frame',
          contentType: 'text/html',
          content: "${render(children)}|${includeChild('one')}|${include('part')}",
        },
        ['b', { name: 'one' }, 'x'],
      ],
      ['Template', { name: 'part', contentType: 'text/html', content: '<i>y</i>' }],
    ]);
    expect(page).not.toBe('');
    const id = await idOf('frame');
    expect((await getPage(nobody, '/preview')).text).toBe('<b>x</b>|<b>x</b>|<i>y</i><i>y</i>');
    expect((await getPage(admin, '/preview?_edit=5')).text).toBe(
      `<svc:render data-caller-id="${id}"><b>x</b></svc:render>|<svc:include-child data-caller-id="${id}"><b>x</b></svc:include-child>|` +
        `<svc:include data-caller-id="${id}"><i>y</i></svc:include><i>y</i>`,
    );
  });
});

describe('getSource()', () => {
  async function called(client: Client, script: string): Promise<unknown> {
    const name = `f${Math.random().toString(36).slice(2)}`;
    await admin.create('SchemaMethod', { name, source: script, isStatic: true });
    await allow(admin, name, 'user', ['POST']);
    const answer = await client.post(`/${name}`, {});
    return answer.status === 200 ? answer.body.result : answer.status;
  }
  const source = (mode: string): string => `getSource(first(find('DOMNode', 'name', 'quoted')), ${mode})`;

  beforeAll(async () => {
    await makePage(admin, 'quotes', [bare(['div', { name: 'quoted' }, "${'2'} <"])]);
  });

  test('each mode', async () => {
    const id = await idOf('quoted');
    const [content] = (await admin.get(`/Content?parentId=${id}`)).body.result as { id: string }[];
    expect(await called(admin, source('0'))).toBe('<div>2 &lt;</div>');
    expect(await called(admin, source('1'))).toBe(`<div data-svc-meta-name="quoted">\${'2'} <</div>`);
    expect(await called(admin, source('2'))).toBe(
      `<div data-svc-id="${id}"><!--data-svc-id="${String(content?.id)}" data-svc-raw-value="\${'2'} &lt;"-->2 &lt;<!----></div>`,
    );
    expect(await called(admin, source('3'))).toBe(
      `<div data-svc-meta-name="quoted" data-svc-hash="${id}">\${'2'} <</div>`,
    );
    expect(await called(admin, source('4'))).toBe(
      `<!-- @svc:public, @svc:owner(admin), @svc:grant(admin,rwda) --><div data-svc-meta-name="quoted" data-svc-meta-id="${id}">` +
        `<!-- @svc:owner(admin), @svc:grant(admin,rwda), @svc:content(text/plain) -->\${'2'} &lt;</div>`,
    );
    expect(await called(admin, source('5'))).toBe('<div>2 &lt;</div>');
  });

  test('users who are no administrators get what visitors get', async () => {
    for (const mode of ['1', '2', '3', '4', '5']) expect(await called(anna, source(mode))).toBe('<div>2 &lt;</div>');
  });

  test('what is no node or no mode', async () => {
    expect(await called(admin, 'getSource(me, 0)')).toBe(422);
    expect(await called(admin, source('6'))).toBe(422);
    expect(await called(admin, source("'x'"))).toBe(422);
    expect(await called(admin, 'getSource(null, 1)')).toBe(422);
  });

  test('within a page it is a text, and the page goes on where it was', async () => {
    await makePage(admin, 'quoting', [
      bare(['p', {}, "a ${getSource(first(find('DOMNode', 'name', 'quoted')), 0)} b"]),
    ]);
    expect((await getPage(nobody, '/quoting')).text).toBe('<p>a &lt;div&gt;2 &amp;lt;&lt;/div&gt; b</p>');
  });
});
