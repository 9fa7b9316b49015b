/**
 * What users without administrators' rights do with nodes that they may write: where they put them, what they have them stand for and lead to
 * (docs/interface/pages.md 3.5). Nothing of it is run, and nothing gets into what others have made.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../support/client.js';
import { getPage, makeAction, makePage, nodeNamed } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { makeFile } from '../../support/serving.js';
import { TestServer } from '../../support/server.js';

const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
const CODE = 'stranger()';

let server: TestServer;
let admin: Client;
let mallory: Client;
let malloryId: string;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'html.indentation': false } });
  ({ admin } = server);
  malloryId = await admin.create('User', { name: 'mallory', password: 'a-password' });
  mallory = server.as('mallory', 'a-password');
  const links = ['DOMNodeCONTAINSDOMNode', 'DOMNodeSYNCDOMNode', 'LinkSourceLINKLinkable'];
  for (const type of ['DOMNode', 'DOMElement', 'Content', 'Template', 'Script', 'Div', 'Input', 'Page', ...links])
    for (const signature of [type, `${type}/_id`, `${type}/_id/children`, `${type}/_id/appendChild`])
      await allow(admin, signature, 'user', ALL);
  await allow(admin, 'Script/_id/insertBefore', 'user', ALL);
  await allow(admin, 'move', 'user', ['POST']);
  const source =
    "{ const p = $.args; $.find('DOMNode', p.parent).children = [...$.find('DOMNode', p.parent).children, $.find('DOMNode', p.child)]; }";
  await admin.create('SchemaMethod', { name: 'move', source });
});
afterAll(() => server.stop());

const writable = (): object => ({ grantees: [{ id: malloryId, allowed: ['read', 'write'] }] });
const text = async (path: string, client = server.as()): Promise<string> => (await getPage(client, path)).text;

interface Place {
  readonly path: string;
  readonly parent: string;
  readonly child: string;
}

/** A page with an element that the user may write, and a text of an administrator elsewhere in it, which he may write as well. */
async function place(tag = 'script', fields: object = {}): Promise<Place> {
  const name = `place${String(++count)}`;
  await makePage(admin, name, [
    [
      'html',
      {},
      [
        'body',
        {},
        [tag, { name, ...writable(), ...fields }, ['', { content: 'own();', contentType: 'text/javascript' }]],
        ['p', {}, ['', { name: `${name}-text`, content: CODE, contentType: 'text/html', ...writable() }]],
      ],
    ],
  ]);
  return { path: `/${name}`, parent: await nodeNamed(admin, name), child: await nodeNamed(admin, `${name}-text`) };
}

const childrenOf = async (id: string): Promise<readonly string[]> =>
  (await admin.get(`/DOMNode/${id}/all`)).body.result.children.map((one: { id: string }) => one.id) as string[];

const pageOf = async (path: string): Promise<string> =>
  ((await admin.get(`/Page?name=${path.slice(1)}`)).body.result as { id: string }[])[0]?.id ?? '';

const DOORS: readonly (readonly [string, (place: Place) => Promise<unknown>])[] = [
  ['its parent', ({ parent, child }) => mallory.put(`/Content/${child}`, { parent })],
  ['parentId', ({ parent, child }) => mallory.put(`/Content/${child}`, { parentId: parent })],
  [
    'the children of the element',
    async ({ parent, child }) =>
      mallory.put(`/DOMNode/${parent}`, { children: [...(await childrenOf(parent)), child] }),
  ],
  ['bulk PATCH', ({ parent, child }) => mallory.patch('/Content', [{ id: child, parent }])],
  ['appendChild', ({ parent, child }) => mallory.post(`/Script/${parent}/appendChild`, { newChild: child })],
  [
    'insertBefore',
    async ({ parent, child }) =>
      mallory.post(`/Script/${parent}/insertBefore`, { newChild: child, refChild: (await childrenOf(parent))[0] }),
  ],
  [
    'the relationship',
    async ({ parent, child }) => {
      await mallory.put(`/Content/${child}`, { parent: null });
      await mallory.post('/DOMNodeCONTAINSDOMNode', { sourceId: parent, targetId: child });
    },
  ],
  ['a script', ({ parent, child }) => mallory.post('/move', { parent, child })],
];

describe("an administrator's text that somebody else has put into an administrator's script", () => {
  it.each(DOORS)('by %s', async (_, door) => {
    const made = await place();
    const { path, parent, child } = made;
    await door(made);
    expect(await childrenOf(parent)).toContain(child);
    const page = await text(path);
    expect(page).toContain('own();');
    expect(page + (await text(`/${parent}`))).not.toContain(CODE);
    // Put there by an administrator it is his.
    await admin.put(`/Content/${child}`, { parent: null });
    await admin.put(`/Content/${child}`, { parent });
    expect(await text(path)).toContain(CODE);
  });

  it('counts as put there by whoever has moved it, however often', async () => {
    const { path, parent, child } = await place();
    await admin.put(`/Content/${child}`, { parent });
    expect(await text(path)).toContain(CODE);
    const { body } = await admin.get(`/DOMNodeCONTAINSDOMNode?targetId=${child}`);
    const link = (body.result as { id: string }[])[0]?.id ?? '';
    expect((await mallory.put(`/DOMNodeCONTAINSDOMNode/${link}`, { position: 0 })).status).toBe(200);
    expect(await text(path)).not.toContain(CODE);
    for (const value of [false, null, 0]) await mallory.put(`/DOMNodeCONTAINSDOMNode/${link}`, { sandboxed: value });
    expect(await text(path)).not.toContain(CODE);
  });

  it('below what he has put there', async () => {
    const { path, parent, child } = await place();
    const between = await admin.create('Template', {
      content: '${render(children)}',
      contentType: 'text/html',
      ...SHOWN,
      ...writable(),
    });
    await admin.put(`/Content/${child}`, { parent: between });
    await mallory.put(`/Template/${between}`, { parent });
    expect(await text(path)).not.toContain(CODE);
  });

  it.each([
    ['style', {}],
    ['noscript', {}],
    ['i', { _html_onclick: '${render(children)}' }],
    ['i', { _html_style: 'x: ${render(this.children)}' }],
  ])('%s %j', async (tag, fields) => {
    const { path, parent, child } = await place(tag, fields);
    await mallory.put(`/Content/${child}`, { parent });
    const page = await text(path);
    const shown = tag === 'i' ? /<i[^>]*>/.exec(page)?.[0] : page;
    expect(shown).toContain('own();');
    expect(shown).not.toContain(CODE);
  });

  it('is shown where it is text', async () => {
    const { path, parent, child } = await place('div');
    await mallory.put(`/Content/${child}`, { parent });
    expect(await text(path)).toContain(`own();${CODE}`);
  });
});

describe('what somebody else has put somewhere stays his there', () => {
  const script = (page: string): string => /<script[^>]*>[^]*<\/script>/.exec(page)?.[0] ?? '';

  it('when an administrator copies the page', async () => {
    const { path, parent, child } = await place();
    await mallory.put(`/Content/${child}`, { parent });
    expect((await admin.post(`/Page/${await pageOf(path)}/clonePage`, {})).status).toBe(200);
    expect(script(await text(`${path}-1`))).toContain('own();');
    expect(script(await text(`${path}-1`))).not.toContain(CODE);
  });

  it('when an administrator makes a shared component of the script', async () => {
    const { path, parent, child } = await place();
    await mallory.put(`/Content/${child}`, { parent });
    expect((await admin.post(`/Script/${parent}/createComponent`, {})).status).toBe(200);
    expect(script(await text(path))).toContain('own();');
    expect(script(await text(path))).not.toContain(CODE);
  });

  it('when an administrator wraps it', async () => {
    const { path, parent, child } = await place();
    await mallory.put(`/Content/${child}`, { parent });
    const fields = { content: '${render(children)}', contentType: 'text/html', ...SHOWN };
    const wrapper = await admin.create('Template', fields);
    expect((await admin.post(`/Content/${child}/wrapNode`, { wrapper })).status).toBe(200);
    expect(script(await text(path))).not.toContain(CODE);
  });

  it('of what stands for a component, and what leads to a file, in copies of them', async () => {
    const holder = await place('div');
    await admin.put(`/Content/${holder.child}`, { parent: holder.parent });
    const component = (await admin.post(`/Div/${holder.parent}/createComponent`, {})).body.result.id as string;
    const file = await makeFile(server, { name: 'copied.js', content: CODE });
    const { path, parent } = await place('script', { _html_src: '${link.path}' });
    for (const id of await childrenOf(parent)) await admin.put(`/Content/${id}`, { parent: null });
    await mallory.put(`/Script/${parent}`, { sharedComponent: component, linkable: file });
    const copied = (await admin.post(`/Script/${parent}/cloneNode`, { deep: true })).body.result.id as string;
    await admin.post(`/Script/${parent}/removeNode`, {});
    const [body] = (await admin.get(`/Body?pageId=${await pageOf(path)}`)).body.result as { id: string }[];
    expect((await admin.put(`/Script/${copied}`, { parent: body?.id, ...SHOWN })).status).toBe(200);
    const page = await text(path);
    expect(script(page)).toContain('<script');
    expect(script(page)).not.toMatch(/copied|stranger/);
  });
});

describe('what somebody else has a node stand for', () => {
  it('is not shown in a script', async () => {
    const { path, parent } = await place('script', {});
    await admin.delete(`/Script/${parent}/children`);
    for (const id of await childrenOf(parent)) await admin.put(`/Content/${id}`, { parent: null });
    const holder = await place('div');
    await admin.put(`/Content/${holder.child}`, { parent: holder.parent });
    const component = (await admin.post(`/Div/${holder.parent}/createComponent`, {})).body.result.id as string;
    expect((await mallory.put(`/Script/${parent}`, { sharedComponent: component })).status).toBe(200);
    const script = async (): Promise<string> => /<script[^>]*>[^]*<\/script>/.exec(await text(path))?.[0] ?? '';
    expect(await script()).not.toContain(CODE);
    await admin.put(`/Script/${parent}`, { sharedComponent: null });
    await admin.put(`/Script/${parent}`, { sharedComponent: component });
    expect(await script()).toContain(CODE);
  });

  it('says nothing in a script that it says from then on', async () => {
    const { path, parent } = await place();
    const [own = ''] = await childrenOf(parent);
    await admin.put(`/Content/${own}`, writable());
    const holder = await place('div');
    await admin.put(`/Content/${holder.child}`, { content: 'x' });
    const component = (await admin.post(`/Content/${holder.child}/createComponent`, {})).body.result.id as string;
    expect((await mallory.put(`/Content/${own}`, { sharedComponent: component })).status).toBe(200);
    await admin.put(`/Content/${component}`, { content: CODE });
    expect((await admin.get(`/Content/${own}`)).body.result.content).toBe(CODE);
    expect(/<script[^>]*>[^]*<\/script>/.exec(await text(path))?.[0]).not.toContain(CODE);
  });

  it('is no page, and no page stands for it', async () => {
    const page = await makePage(admin, `paged${String(++count)}`, []);
    const component = await admin.create('Div', { tag: 'div', name: 'x', ...SHOWN });
    for (const answer of [
      await admin.put(`/Page/${page}`, { sharedComponent: component }),
      await admin.put(`/Div/${component}`, { syncedNodes: [page] }),
      await admin.put(`/Div/${component}`, { sharedComponent: page }),
      await admin.post('/DOMNodeSYNCDOMNode', { sourceId: component, targetId: page }),
    ]) {
      expect([answer.status, answer.body.errors?.[0]?.token]).toEqual([422, 'invalid_child']);
    }
    // Its name would be that of the component.
    await admin.put(`/Div/${component}`, { name: 'a;b%c' });
    expect((await admin.get(`/Page/${page}`)).body.result.name).toBe(`paged${String(count)}`);
  });
});

describe('what somebody else has an element lead to', () => {
  it('is loaded as no script', async () => {
    const file = await makeFile(server, { name: 'stranger.js', content: CODE });
    const { path, parent } = await place('script', { _html_src: '${link.path}' });
    expect((await mallory.put(`/Script/${parent}`, { linkable: file })).status).toBe(200);
    expect(await text(path)).not.toContain('stranger.js');
    await admin.put(`/Script/${parent}`, { linkable: null });
    await admin.put(`/Script/${parent}`, { linkable: file });
    expect(await text(path)).toContain('<script src="/stranger.js"');
  });

  it('is where a link leads', async () => {
    const file = await makeFile(server, { name: 'stranger.txt' });
    const { path, parent } = await place('a', { _html_href: '${link.path}' });
    expect((await mallory.put(`/DOMNode/${parent}`, { linkable: file })).status).toBe(200);
    expect(await text(path)).toContain('<a href="/stranger.txt"');
  });
});

describe('elements of others', () => {
  it('are no part of a form, and no name that others are found by', async () => {
    const name = `form${String(++count)}`;
    await makePage(admin, name, [
      ['html', {}, ['body', {}, ['form', { _html_id: 'own', _html_method: 'post' }], ['div', { name, ...writable() }]]],
    ]);
    const parent = await nodeNamed(admin, name);
    const fields = {
      _html_form: 'own',
      _custom_html_form: 'own',
      _html_name: 'role',
      _html_value: 'admin',
      _html_id: 'word',
    };
    const buttons = {
      _html_formmethod: 'get',
      _custom_html_formtarget: 'x',
      _custom_html_command: 'close',
      _custom_html_commandfor: 'own',
      _custom_html_popovertarget: 'own',
    };
    const made = await mallory.post('/Input', {
      tag: 'input',
      parent,
      ...SHOWN,
      ...fields,
      ...buttons,
      'data-x': 'css(#pass)',
    });
    expect(made.status).toBe(201);
    expect(/<input[^>]*>/.exec(await text(`/${name}`))?.[0]).toBe(
      '<input name="user-content-role" value="admin" id="user-content-word" data-x="json(&quot;css(#pass)&quot;)">',
    );
  });
});

describe('targets of actions that scripts make', () => {
  /** What becomes of a target, with a text of a visitor in it. */
  async function target(fields: object, said: string): Promise<string | undefined> {
    const name = `target${String(++count)}`;
    await makePage(admin, name, [['html', {}, ['body', {}, ['button', { name }]]]]);
    await makeAction(admin, name, { event: 'click', action: 'none', ...fields });
    const tag = await text(`/${name}?said=${encodeURIComponent(said)}`);
    return /data-svc-success-target="([^"]*)"/.exec(tag)?.[1];
  }
  const refresh = (successPartial: string): object => ({ successBehaviour: 'partial-refresh', successPartial });
  const navigate = (successURL: string): object => ({ successBehaviour: 'navigate-to-url', successURL });

  it.each(['url:https://evil.example', 'url:', 'sign-out', 'event:x', 'css:x', 'toast:x', 'template:x'])(
    'selectors are never %s',
    async (said) => {
      expect(await target(refresh('${request.said}'), said)).toBe(undefined);
    },
  );

  it('what the author has begun goes on', async () => {
    expect(await target(refresh('#list, ${request.said}'), '.more')).toBe('#list, .more');
    expect(await target(refresh('toast:${request.said}'), 'url:x')).toBe('toast:url:x');
    expect(await target(navigate('/next?n=${request.said}'), 'a//b')).toBe('url:/next?n=a//b');
    expect(await target(navigate('${request.said}'), 'https://elsewhere.example')).toBe(
      'url:https://elsewhere.example',
    );
  });

  it.each(['/evil.example', '\\evil.example', '\t/evil.example', '/evil.example:80/x'])(
    'an address of this site stays one: %j',
    async (said) => {
      expect(await target(navigate('/${request.said}'), said)).toBe(undefined);
      expect(await target(navigate('/${request.said}'), 'x')).toBe('url:/x');
    },
  );

  it('data attributes of what sets off an action hold texts', async () => {
    const name = `data${String(++count)}`;
    await makePage(admin, name, [
      [
        'html',
        {},
        [
          'body',
          {},
          ['button', { name, 'data-a': '${request.said}', 'data-b': 'css(#${request.said})' }],
          ['i', { 'data-a': '${request.said}' }],
        ],
      ],
    ]);
    await makeAction(admin, name, { event: 'click', action: 'none' });
    const page = await text(`/${name}?said=${encodeURIComponent('css(#password)')}`);
    expect(/<button[^>]*>/.exec(page)?.[0]).toContain(
      'data-a="json(&quot;css(#password)&quot;)" data-b="css(#css(#password))"',
    );
    expect(/<i [^>]*>/.exec(page)?.[0]).toBe('<i data-a="css(#password)">');
  });
});
