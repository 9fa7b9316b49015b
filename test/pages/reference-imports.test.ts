/** HTML made nodes and instructions of exports, row by row, beyond `imports/` (docs/interface/pages.md 8.2, 8.6). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { call, stateOf } from '../support/trees.js';

let server: TestServer;
let admin: Client;
let count = 0;
const ids: Record<string, string> = {};

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  ids['user'] = await admin.create('User', { name: 'owen' });
  ids['group'] = await admin.create('Group', { name: 'crew' });
  ids['page'] = await admin.create('Page', { name: 'target' });
  const folder = await admin.create('Folder', { name: 'docs' });
  ids['file'] = await admin.create('File', { name: 'a.txt', parent: folder });
});
afterAll(() => server.stop());

type State = Readonly<Record<string, unknown>> & {
  readonly children: { readonly id: string; readonly type: string }[];
};

/** What is in `body` of a page that was imported. */
async function imported(inside: string, more: object = {}): Promise<State[]> {
  const code = `<!doctype html><html><body>${inside}</body></html>`;
  const answer = await admin.post('/Page/importPage', { name: `imported-${String(++count)}`, code, ...more });
  expect(answer.status, answer.text).toBe(200);
  let state = (await stateOf(admin, answer.body.result.id as string)) as State;
  for (const type of ['Html', 'Body']) {
    const below = state.children.find((one) => one.type === type);
    state = (await stateOf(admin, String(below?.id))) as State;
  }
  return Promise.all(state.children.map(async ({ id }) => (await stateOf(admin, id)) as State));
}

describe('HTML', () => {
  test.each<readonly [html: string, becomes: readonly object[]]>([
    ['<p> </p>\n\t<!-- -->', [{ type: 'P', children: [] }]],
    ['<p id="i" class="c d">x</p>', [{ type: 'P', tag: 'p', _html_id: 'i', _html_class: 'c d' }]],
    ['\n\ttext here\n', [{ type: 'Content', content: 'text here', contentType: 'text/plain' }]],
    ['<svg><g></g></svg>', [{ type: 'Content', content: '<svg><g></g></svg>', contentType: 'text/xml' }]],
    ['<script>x</script>', [{ type: 'Script', _html_type: 'text/javascript' }]],
    ['<script type="module">x</script>', [{ type: 'Script', _html_type: 'module' }]],
    // Neither changes the schema or runs.
    ['<script type="application/schema+json">{}</script>', [{ type: 'Script', _html_type: 'application/schema+json' }]],
    ['<script type="application/x-svc-script">x</script>', [{ _html_type: 'application/x-svc-script' }]],
    ['<style>x</style>', [{ type: 'Style', _html_type: 'text/css' }]],
    ['<my-part a="1">x</my-part>', [{ type: 'DOMElement', tag: 'my-part', _custom_html_a: '1' }]],
    ['<input value="v" onclick="f()">', [{ type: 'Input', _html_value: 'v', _html_onclick: 'f()' }]],
    ['<p aria-label="l" data-x="y"></p>', [{ '_custom_html_aria-label': 'l', '_custom_html_data-x': 'y' }]],
    [
      '<p data-svc-meta-data-key="k" data-svc-meta-show-for-locales="de" data-svc-meta-nothing="x"></p>',
      [{ dataKey: 'k', showForLocales: 'de' }],
    ],
    ['<p data-svc-meta-function-query="find(&quot;User&quot;)"></p>', [{ functionQuery: 'find("User")' }]],
    [
      '<p data-svc-rendering-mode="load" data-svc-insert="true" data-svc-unknown="x"></p>',
      [{ 'data-svc-rendering-mode': 'load', 'data-svc-insert': true }],
    ],
    ['<option data-svc-meta-selected-values="x"></option>', [{ type: 'Option', selectedValues: 'x' }]],
    ['<p>a</p>b<!-- c -->', [{ type: 'P' }, { type: 'Content', content: 'b' }, { type: 'Comment', content: ' c ' }]],
  ])('%s', async (html, becomes) => {
    const nodes = await imported(html);
    expect(nodes).toMatchObject(becomes);
    for (const node of nodes) expect(Object.keys(node)).not.toContain('data-svc-unknown');
  });

  test('texts of scripts and styles are of their types', async () => {
    const nodes = await imported('<script>a</script><script type="module">b</script><style>c</style>');
    const texts = await Promise.all(nodes.map(({ children: [text] }) => stateOf(admin, String(text?.id))));
    expect(texts.map((one) => one.contentType)).toEqual(['text/javascript', 'module', 'text/css']);
  });

  test.each([
    [{ publicVisible: true, authVisible: true }, true, true],
    [{ publicVisible: true }, true, false],
    [{ authVisible: true }, false, true],
    [{}, false, false],
  ])('%j is of all nodes', async (flags, visibleToPublicUsers, visibleToAuthenticatedUsers) => {
    expect(await imported('<p>x</p>y', flags)).toMatchObject([
      { visibleToPublicUsers, visibleToAuthenticatedUsers },
      { visibleToPublicUsers, visibleToAuthenticatedUsers },
    ]);
  });
});

describe('instructions', () => {
  const flags = (visibleToPublicUsers: boolean, visibleToAuthenticatedUsers: boolean): object => ({
    visibleToPublicUsers,
    visibleToAuthenticatedUsers,
  });
  const said = (inside: string): Promise<State[]> => imported(inside, { processDeploymentInfo: true });
  test.each<readonly [instructions: string, fields: object]>([
    ['@svc:public', flags(true, true)],
    ['@svc:public-only', flags(true, false)],
    ['@svc:protected', flags(false, true)],
    ['@svc:private', flags(false, false)],
    ['@svc:hidden', { hidden: true }],
    ['@svc:show(a &lt; &quot;b&quot; &amp;&amp; c)', { showConditions: 'a < "b" && c' }],
    ['@svc:hide(f(1, 2))', { hideConditions: 'f(1, 2)' }],
    ['@svc:show-for-locales(de, en)', { showForLocales: 'de, en' }],
    ['@svc:hide-for-locales(fr)', { hideForLocales: 'fr' }],
    ['@svc:name(my (name))', { name: 'my (name)' }],
    ['@svc:protected, @svc:hidden, @svc:name(x)', { ...flags(false, true), hidden: true, name: 'x' }],
  ])('%s', async (instructions, fields) => {
    expect(await said(`<!-- ${instructions} --><p>x</p>`)).toMatchObject([{ type: 'P', ...fields }]);
    expect(await said(`<!-- ${instructions} -->text`)).toMatchObject([{ type: 'Content', content: 'text', ...fields }]);
  });

  test.each([
    ['link(/docs/a.txt)', 'file'],
    ['pagelink(target)', 'page'],
    ['pagelink(/target)', 'page'],
  ])('%s', async (instruction, key) => {
    expect(await said(`<!-- @svc:${instruction} --><a>x</a>`)).toMatchObject([{ linkableId: ids[key] }]);
  });

  test('a page by its id, an owner, and grants', async () => {
    expect(await said(`<!-- @svc:pagelink(${String(ids['page'])}) --><a>x</a>`)).toMatchObject([
      { linkableId: ids['page'] },
    ]);
    const [p] = await said('<!-- @svc:owner(owen), @svc:grant(crew,rwda), @svc:grant(owen,r) --><p>x</p>');
    expect(p).toMatchObject({ owner: { id: ids['user'] } });
    const { result } = (await admin.get(`/Security/all?targetId=${String(p?.['id'])}`)).body;
    const allowed = new Map(
      (result as { sourceId: string; allowed: string[] }[]).map((one) => [one.sourceId, one.allowed]),
    );
    expect([...(allowed.get(ids['group'] ?? '') ?? [])].sort()).toEqual(['accessControl', 'delete', 'read', 'write']);
    expect(allowed.get(ids['user'] ?? '')).toContain('read');
  });

  const EMPTY = { type: 'Content', content: '' };
  test.each<readonly [html: string, becomes: readonly object[]]>([
    ['<!-- @svc:content(text/markdown) --># x', [{ type: 'Content', content: '# x', contentType: 'text/markdown' }]],
    ['<!-- @svc:content(text/html) --><p>x</p>', [{ ...EMPTY, contentType: 'text/html' }, { type: 'P' }]],
    [
      '<p>x</p><!-- @svc:content(text/html), @svc:name(n) -->',
      [{ type: 'P' }, { ...EMPTY, contentType: 'text/html', name: 'n' }],
    ],
    [
      '<!-- @svc:content(text/html) --><!-- @svc:content(text/xml) -->',
      [
        { ...EMPTY, contentType: 'text/html' },
        { ...EMPTY, contentType: 'text/xml' },
      ],
    ],
    ['<!-- kept --><p>x</p>', [{ type: 'Comment', content: ' kept ' }, { type: 'P' }]],
  ])('%s', async (html, becomes) => {
    expect(await said(html)).toMatchObject(becomes);
  });

  test('are comments where nobody says that they count', async () => {
    expect(await imported('<!-- @svc:hidden --><p>x</p>')).toMatchObject([
      { type: 'Comment', content: ' @svc:hidden ' },
      { type: 'P', hidden: false },
    ]);
  });
});

describe('elements of exports', () => {
  const said = (inside: string): Promise<State[]> => imported(inside, { processDeploymentInfo: true });

  test('svc:component is what refers to a component, by its name or id', async () => {
    const [nav] = await imported('<nav class="c"><b>x</b></nav>');
    await admin.put(`/Nav/${String(nav?.['id'])}`, { name: 'menu' });
    const component = (await call(admin, String(nav?.['id']), 'createComponent')).body.result.id as string;
    for (const src of ['menu', component, `menu-${component}`])
      expect(await said(`<svc:component src="${src}"></svc:component>`)).toMatchObject([
        { type: 'Nav', sharedComponentId: component, children: [] },
      ]);
  });

  test('svc:shared-template is made once, and svc:template refers to it', async () => {
    const shared = '<svc:shared-template name="card"><b>${render(children)}</b></svc:shared-template>';
    const [first] = await said(`${shared}<svc:template src="card"><p>x</p></svc:template>`);
    expect(first).toMatchObject({ type: 'Template', content: '<b>${render(children)}</b>', contentType: 'text/html' });
    expect(first?.['sharedComponentId']).not.toBe(null);
    const [second] = await said(
      '<svc:shared-template name="card">other</svc:shared-template><svc:template src="card"></svc:template>',
    );
    expect(second?.['sharedComponentId']).toBe(first?.['sharedComponentId']);
  });

  test('a shared template stays what it is, whatever a reference is said to be', async () => {
    const shared = '<svc:shared-template name="frame">${render(children)}</svc:shared-template>';
    const reference =
      '<!-- @svc:content(text/markdown) --><svc:template src="frame" data-svc-meta-name="mine" data-svc-meta-show-conditions="true"></svc:template>';
    const [made] = await said(`${shared}${reference}`);
    expect(made).toMatchObject({ name: 'frame', contentType: 'text/html', showConditions: 'true' });
    expect(await stateOf(admin, String(made?.['sharedComponentId']))).toMatchObject({
      ...{ name: 'frame', contentType: 'text/html', showConditions: null },
    });
    // Who may read it alone stands on it.
    await allow(admin, 'Page/importPage', 'user', ['POST']);
    await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
    const component = String(made?.['sharedComponentId']);
    await admin.put(`/Template/${component}`, { visibleToAuthenticatedUsers: true });
    const code = `<html><body>${reference}</body></html>`;
    const input = { name: 'hers', code, processDeploymentInfo: true };
    const answer = await server.as('anna', 'Anna-pass-1').post('/Page/importPage', input);
    expect(answer.status, answer.text).toBe(200);
    expect((await stateOf(admin, component)).name).toBe('frame');
  });

  test('svc:template of an unknown name is a new one', async () => {
    expect(await said('<svc:template src="fresh"><i>${1}</i></svc:template>')).toMatchObject([
      { type: 'Template', name: 'fresh', content: '<i>${1}</i>', sharedComponentId: null },
    ]);
  });
});
