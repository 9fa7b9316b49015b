/** Who may change trees: every door asks the same (docs/rights.md). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { call, childrenOf, element, emptyPage, stateOf } from '../../support/trees.js';

let server: TestServer;
let admin: Client;
let editor: Client;
let editorId: string;
let page: string;
let body: string;
/** The editor may write the first, and read the second. */
let own: string;
let foreign: string;
let count = 0;

const READABLE = { visibleToAuthenticatedUsers: true };

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  editorId = await admin.create('User', { name: 'editor', password: 'Editor-pass-1' });
  editor = server.as('editor', 'Editor-pass-1');
  const signatures = [
    'DOMNode',
    'Div',
    'Page',
    'Body',
    'DOMNodeCONTAINSDOMNode',
    'DOMNodePAGEPage',
    'PagePath',
    'place',
  ];
  const methods = [
    'cloneNode appendChild setOwnerDocument getOwnerDocument insertBefore replaceChild removeChild removeNode wrapNode',
    'createComponent insertComponent children',
  ].flatMap((names) => names.split(' '));
  for (const one of [
    ...signatures,
    ...signatures.map((signature) => `${signature}/_id`),
    ...methods.flatMap((name) => [`DOMNode/_id/${name}`, `Body/_id/${name}`, `Div/_id/${name}`]),
    'Page/_id/clonePage',
    'PagePath/_id/updatePathAndParameters',
    'DOMNode/emptyRecycleBin',
    'DOMNode/getRecycleBin',
  ])
    await allow(admin, one, 'user', ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']);
  await admin.create('SchemaMethod', {
    name: 'place',
    source: `{
      const [parent, child] = [$.find('DOMNode', $.methodParameters.parent), $.find('DOMNode', $.methodParameters.child)];
      if ($.methodParameters.how === 'append') parent.appendChild({ newChild: child });
      else if ($.methodParameters.how === 'children') parent.children = [child];
      else child.parent = parent;
    }`,
    visibleToAuthenticatedUsers: true,
  });
});
afterAll(() => server.stop());

async function grant(id: string, ...allowed: string[]): Promise<void> {
  await admin.create('Security', { sourceId: editorId, targetId: id, allowed });
}

beforeEach(async () => {
  ({ page, body } = await emptyPage(admin, `rights-${String(count++)}`, READABLE));
  own = await element(admin, 'Div', { name: 'own', parent: body, ...READABLE });
  foreign = await element(admin, 'Div', { name: 'foreign', parent: body, ...READABLE });
  await grant(own, 'read', 'write', 'delete');
});

function expectForbidden(answer: Answer): void {
  expect([answer.status, answer.body.message]).toEqual([403, expect.stringMatching(/not permitted/)]);
}

describe('a place below what one may not write is refused', () => {
  const doors: readonly (readonly [string, (parent: string, child: string) => Promise<Answer>])[] = [
    ['parent', (parent, child) => editor.put(`/Div/${child}`, { parent })],
    ['parentId', (parent, child) => editor.put(`/Div/${child}`, { parentId: parent })],
    ['children', (parent, child) => editor.put(`/DOMNode/${parent}`, { children: [child] })],
    ['childrenIds', (parent, child) => editor.put(`/DOMNode/${parent}`, { childrenIds: [child] })],
    ['a link', (parent, child) => editor.post('/DOMNodeCONTAINSDOMNode', { sourceId: parent, targetId: child })],
    ['appendChild', (parent, child) => call(editor, parent, 'appendChild', { newChild: child })],
    ['setOwnerDocument', (parent, child) => call(editor, parent, 'setOwnerDocument', { newChild: child })],
    ['a script that appends', (parent, child) => editor.post('/place', { parent, child, how: 'append' })],
    ['a script that lists', (parent, child) => editor.post('/place', { parent, child, how: 'children' })],
    ['a script that assigns', (parent, child) => editor.post('/place', { parent, child, how: 'parent' })],
  ];

  test.each(doors)(
    'by %s',
    async (_, put) => {
      expectForbidden(await put(foreign, own));
      // Nor is what one may not write put below what one may.
      expectForbidden(await put(own, foreign));
      expect(await childrenOf(admin, body)).toEqual([own, foreign]);
      expect([await childrenOf(admin, own), await childrenOf(admin, foreign)]).toEqual([[], []]);
      await grant(foreign, 'read', 'write');
      expect((await put(foreign, own)).status).toBeLessThan(300);
      expect(await childrenOf(admin, foreign)).toEqual([own]);
    },
    30_000,
  );

  test('and new nodes there; where one may write they need no right on the page', async () => {
    expectForbidden(await editor.post('/Div', { tag: 'div', parent: foreign }));
    const made = await editor.create('Div', { tag: 'div', parent: own });
    expect((await stateOf(admin, made)).pageId).toBe(page);
    expect((await stateOf(admin, page)).version).toBeGreaterThan(0);
  });
});

test('a page is named by who may write it', async () => {
  const loose = await editor.create('Div', { tag: 'div' });
  expectForbidden(await editor.put(`/Div/${loose}`, { ownerDocument: page }));
  expectForbidden(await editor.put(`/Div/${loose}`, { pageId: page }));
  expectForbidden(await editor.post('/DOMNodePAGEPage', { sourceId: loose, targetId: page }));
  expectForbidden(await editor.put(`/Page/${page}`, { elements: [loose] }));
  expectForbidden(await editor.put(`/Page/${page}`, { children: [] }));
  await grant(page, 'read', 'write');
  expect((await editor.put(`/Div/${loose}`, { ownerDocument: page })).status).toBe(200);
});

test('the order of children is written by who may write their parent', async () => {
  expectForbidden(await editor.put(`/Body/${body}`, { children: [foreign, own] }));
  const [link] = (await editor.get(`/DOMNodeCONTAINSDOMNode?targetId=${foreign}`)).body.result;
  expectForbidden(await editor.put(`/DOMNodeCONTAINSDOMNode/${String(link.id)}`, { position: 0 }));
  expectForbidden(await call(editor, body, 'insertBefore', { newChild: own, refChild: foreign }));
  await grant(body, 'read', 'write');
  expect((await editor.put(`/Body/${body}`, { children: [foreign, own] })).status).toBe(200);
  expect(await childrenOf(admin, body)).toEqual([foreign, own]);
});

test('children that one may not see keep their places', async () => {
  await grant(body, 'read', 'write');
  const secret = await element(admin, 'Div', { name: 'secret' });
  await admin.put(`/Body/${body}`, { children: [own, secret, foreign] });
  expect(await childrenOf(editor, body)).toEqual([own, foreign]);
  expect((await editor.put(`/Body/${body}`, { children: [foreign, own] })).status).toBe(200);
  expect(await childrenOf(editor, body)).toEqual([foreign, own]);
  expect(await childrenOf(admin, body)).toContain(secret);
  const refused = await call(editor, own, 'appendChild', { newChild: secret });
  expect(refused.status).toBe(422);
  expect(refused.text).not.toContain('secret');
});

test('what one may not write is not taken out, wrapped, shared, emptied or deleted', async () => {
  expectForbidden(await call(editor, foreign, 'removeNode'));
  expectForbidden(await call(editor, body, 'removeChild', { child: foreign }));
  expectForbidden(await call(editor, body, 'replaceChild', { newChild: own, refChild: foreign }));
  expectForbidden(await call(editor, foreign, 'wrapNode', { wrapper: own }));
  // The shadow document is nobody's to write but administrators'.
  expectForbidden(await call(editor, own, 'createComponent'));
  expect((await admin.get('/ShadowDocument')).body.result_count).toBe(0);
  expect((await editor.delete(`/Div/${foreign}`)).status).toBe(403);
  await admin.put(`/Div/${foreign}`, { parent: null });
  expect((await editor.post('/DOMNode/getRecycleBin')).body.result).toHaveLength(1);
  expectForbidden(await editor.post('/DOMNode/emptyRecycleBin'));
  expect((await stateOf(admin, foreign)).id).toBe(foreign);
  await admin.delete(`/Div/${foreign}`);
});

test('a copy is made of what one may read, and is one`s own; what was written by somebody less stays marked', async () => {
  await element(admin, 'Span', { parent: own, name: 'unseen' });
  await element(admin, 'Span', { parent: own, name: 'seen', ...READABLE });
  const answer = await call(editor, own, 'cloneNode', { deep: true });
  expect(answer.status).toBe(200);
  const copy = answer.body.result.id as string;
  const below = (await admin.get(`/DOMNode/${copy}/children`)).body.result;
  expect(below.map(({ name }: { name: string }) => name)).toEqual(['seen']);
  expect((await stateOf(admin, copy)).owner.id).toBe(editorId);
  expectForbidden(await call(editor, foreign, 'appendChild', { newChild: copy }));
  // An administrator copies what the editor has written: nothing in it runs.
  const text = await editor.create('Div', { tag: 'div', parent: own, _html_class: '${2 + 3}', ...READABLE });
  const trusted = (await call(admin, text, 'cloneNode')).body.result.id as string;
  await call(admin, body, 'appendChild', { newChild: trusted });
  await admin.put(`/Div/${trusted}`, { visibleToPublicUsers: true });
  const shown = await fetch(`${server.url}/${trusted}`);
  expect([shown.status, await shown.text()]).toEqual([200, expect.not.stringContaining('5')]);
});

test('routes are written by who may write their page', async () => {
  const path = await admin.create('PagePath', { name: '/a', page, ...READABLE });
  const input = { path: '/a/{key}', names: ['key'] };
  expectForbidden(await editor.post(`/PagePath/${path}/updatePathAndParameters`, input));
  expectForbidden(await editor.post('/PagePath', { name: '/b', page }));
  await grant(path, 'read', 'write');
  expect((await editor.post(`/PagePath/${path}/updatePathAndParameters`, input)).status).toBe(200);
});
