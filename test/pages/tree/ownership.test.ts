/** The page of a node is that of its place; what may be where (docs/interface/pages.md 1). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { TestServer } from '../../support/server.js';
import { call, element, emptyPage, namesOf, pageOf, stateOf } from '../../support/trees.js';

let server: TestServer;
let admin: Client;
let page: string;
let html: string;
let body: string;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
});
afterAll(() => server.stop());
beforeEach(async () => {
  ({ page, html, body } = await emptyPage(admin, `owned-${String(count++)}`));
});

/** A node with one below it, in no page. */
async function pair(): Promise<readonly [outer: string, inner: string]> {
  const inner = await element(admin, 'Span');
  const outer = await element(admin, 'Div', { children: [inner] });
  return [outer, inner];
}

async function pagesOf(...ids: string[]): Promise<(string | null)[]> {
  return Promise.all(ids.map((id) => pageOf(admin, id)));
}

function expectRefused(answer: Answer, message: string): void {
  expect([answer.status, answer.body.message]).toEqual([422, message]);
}

describe('what is put into a page is of it, with all below', () => {
  test('by its parent, and whoever lists it', async () => {
    const [outer, inner] = await pair();
    expect(await pagesOf(outer, inner)).toEqual([null, null]);
    await admin.put(`/Div/${outer}`, { parent: body });
    expect(await pagesOf(html, body, outer, inner)).toEqual([page, page, page, page]);
    const [second, below] = await pair();
    await admin.put(`/Body/${body}`, { children: [outer, second] });
    expect(await pagesOf(second, below)).toEqual([page, page]);
  });

  test('nested in one request, and as elements of the page', async () => {
    const id = await admin.create('Page', {
      name: 'nested',
      children: [
        {
          type: 'Html',
          tag: 'html',
          children: [{ type: 'Body', tag: 'body', children: [{ type: 'Content', content: 'x', name: 'text' }] }],
        },
      ],
    });
    const [text] = (await admin.get('/Content/all?name=text')).body.result;
    expect(text.pageId).toBe(id);
    expect((await stateOf(admin, id)).elements).toHaveLength(3);
  });

  test('by a page that somebody names, before it has a place', async () => {
    const [outer, inner] = await pair();
    await admin.put(`/Div/${outer}`, { ownerDocument: page });
    expect(await pagesOf(outer, inner)).toEqual([page, page]);
    const other = await element(admin, 'Div', {
      pageId: page,
      children: [{ type: 'Span', tag: 'span', name: 'below' }],
    });
    expect((await stateOf(admin, other)).children).toHaveLength(1);
    const [below] = (await admin.get('/Span/all?name=below')).body.result;
    expect(below.pageId).toBe(page);
  });

  test('a whole tree that a new page takes, and within a tree that has none', async () => {
    const [outer, inner] = await pair();
    const root = await element(admin, 'Html', { children: [outer] });
    expect(await pagesOf(root, outer, inner)).toEqual([null, null, null]);
    await admin.put(`/Page/${page}`, { children: [html, root] });
    expect(await pagesOf(root, outer, inner)).toEqual([page, page, page]);
  });
});

describe('what is taken out of a page is in the recycle bin, with all below', () => {
  let outer: string;
  let inner: string;
  beforeEach(async () => {
    [outer, inner] = await pair();
    await admin.put(`/Div/${outer}`, { parent: body });
  });

  const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['parent', () => admin.put(`/Div/${outer}`, { parent: null })],
    ['parentId', () => admin.put(`/Div/${outer}`, { parentId: null })],
    ['children', () => admin.put(`/Body/${body}`, { children: [] })],
    ['childrenIds', () => admin.put(`/Body/${body}`, { childrenIds: null })],
    ['removeNode', () => call(admin, outer, 'removeNode')],
    ['deletion of what is above', () => admin.delete(`/Body/${body}`)],
    ['deletion of the page', () => admin.delete(`/Page/${page}`)],
    ['a place in the recycle bin', async () => admin.put(`/Div/${outer}`, { parent: await element(admin, 'Div') })],
    [
      'a link',
      async () => {
        const [link] = (await admin.get(`/DOMNodeCONTAINSDOMNode?targetId=${outer}`)).body.result;
        return admin.delete(`/DOMNodeCONTAINSDOMNode/${String(link.id)}`);
      },
    ],
  ];
  test.each(ways)('by %s', async (_, remove) => {
    await remove();
    expect(await pagesOf(outer, inner)).toEqual([null, null]);
    expect((await stateOf(admin, inner)).parent.id).toBe(outer);
  });

  test('and comes back with all below; the bin shows what is in it, and is emptied', async () => {
    await admin.put(`/Div/${outer}`, { parent: null, name: 'thrown' });
    const bin = async (): Promise<string[]> =>
      (await admin.post('/DOMNode/getRecycleBin')).body.result.map(({ id }: { id: string }) => id);
    expect(await bin()).toContain(outer);
    expect(await bin()).not.toContain(inner);
    await call(admin, body, 'appendChild', { newChild: outer });
    expect(await pagesOf(outer, inner)).toEqual([page, page]);
    expect(await bin()).not.toContain(outer);
    await admin.delete(`/Page/${page}`);
    expect(await bin()).toContain(html);
    const emptied = await admin.post('/DOMNode/emptyRecycleBin');
    expect(emptied.body.result).toBeGreaterThanOrEqual(4);
    expect(await bin()).toEqual([]);
    expect((await admin.get(`/Span/${inner}`)).status).toBe(404);
  });

  test('references of a component that goes are nodes of their own', async () => {
    const component = (await call(admin, outer, 'createComponent')).body.result.id as string;
    expect((await stateOf(admin, outer)).hasSharedComponent).toBe(true);
    await call(admin, component, 'removeNode');
    expect(await stateOf(admin, outer)).toMatchObject({
      hasSharedComponent: false,
      sharedComponent: null,
      pageId: page,
    });
    expect(await stateOf(admin, component)).toMatchObject({ syncedNodesIds: [], pageId: null });
    expect(await pageOf(admin, inner)).toBe(null);
  });
});

describe('places that are refused', () => {
  const SELF = 'A node cannot accept itself as a child.';
  const ANCESTOR = 'A node cannot accept its own ancestor as child.';
  const DOCUMENT = 'A document may only accept an html element as its document element.';
  const OTHER = 'Node does not belong to this document.';

  test('in itself, by every door', async () => {
    const [outer] = await pair();
    await admin.put(`/Div/${outer}`, { parent: body });
    expectRefused(await admin.put(`/Div/${outer}`, { children: [outer] }), SELF);
    expectRefused(await admin.put(`/Div/${outer}`, { parentId: outer }), SELF);
    expectRefused(await call(admin, outer, 'appendChild', { newChild: outer }), SELF);
    expectRefused(await admin.post('/DOMNodeCONTAINSDOMNode', { sourceId: outer, targetId: outer }), SELF);
    expect((await stateOf(admin, outer)).parent.id).toBe(body);
  });

  test('in what is below it, by every door', async () => {
    const [outer, inner] = await pair();
    const deep = await element(admin, 'B', { parent: inner });
    await admin.put(`/Div/${outer}`, { parent: body });
    expectRefused(await admin.put(`/Div/${outer}`, { parent: deep }), ANCESTOR);
    expectRefused(await admin.put(`/B/${deep}`, { childrenIds: [outer] }), ANCESTOR);
    expectRefused(await admin.patch('/DOMNode', [{ id: outer, parent: inner }]), ANCESTOR);
    expectRefused(await call(admin, inner, 'insertBefore', { newChild: outer, refChild: deep }), ANCESTOR);
    expectRefused(await admin.post('/DOMNodeCONTAINSDOMNode', { sourceId: inner, targetId: outer }), ANCESTOR);
    expectRefused(await admin.post('/Div', { tag: 'div', children: [outer], parent: deep }), ANCESTOR);
    await admin.create('SchemaMethod', {
      name: 'makeCircle',
      source: "{ $.find('Div', $.methodParameters.outer).parent = $.find('B', $.methodParameters.deep); }",
    });
    expectRefused(await admin.post('/makeCircle', { outer, deep }), ANCESTOR);
    expect((await stateOf(admin, outer)).parent.id).toBe(body);
  });

  test('two that go into each other at once', async () => {
    const [a, b] = [await element(admin, 'Div'), await element(admin, 'Div')];
    const answer = await admin.patch('/Div', [
      { id: a, parent: b },
      { id: b, parent: a },
    ]);
    expectRefused(answer, ANCESTOR);
  });

  test('in another page, unless that page is named as well', async () => {
    const other = await emptyPage(admin, `other-${String(count)}`);
    const [outer, inner] = await pair();
    await admin.put(`/Div/${outer}`, { parent: body });
    expectRefused(await admin.put(`/Div/${outer}`, { parent: other.body }), OTHER);
    expectRefused(await admin.put(`/Body/${other.body}`, { children: [outer] }), OTHER);
    expectRefused(await call(admin, other.body, 'appendChild', { newChild: outer }), OTHER);
    expectRefused(await admin.put(`/Div/${outer}`, { ownerDocument: other.page }), OTHER);
    expectRefused(await admin.put(`/Div/${outer}`, { ownerDocument: null }), OTHER);
    expectRefused(await admin.post('/Div', { tag: 'div', parent: body, ownerDocument: other.page }), OTHER);
    expectRefused(await admin.put(`/Page/${page}`, { elements: [] }), OTHER);
    expect(await pagesOf(outer, inner)).toEqual([page, page]);
    const moved = await admin.put(`/Div/${outer}`, { parent: other.body, ownerDocument: other.page });
    expect(moved.status).toBe(200);
    expect(await pagesOf(outer, inner)).toEqual([other.page, other.page]);
  });

  test('in a page what is no html element, template or comment', async () => {
    const div = await element(admin, 'Div');
    expectRefused(await admin.put(`/Div/${div}`, { parent: page }), DOCUMENT);
    expectRefused(await admin.put(`/Page/${page}`, { children: [html, div] }), DOCUMENT);
    expectRefused(await admin.post('/Content', { content: 'x', parent: page }), DOCUMENT);
    expectRefused(await call(admin, page, 'appendChild', { newChild: div }), DOCUMENT);
    for (const type of ['Template', 'Comment']) await admin.create(type, { name: type, content: 'x', parent: page });
    expect(await namesOf(admin, page)).toEqual(['html', 'Template', 'Comment']);
    expectRefused(
      await admin.put(`/Page/${page}`, { parent: body }),
      'A document cannot be the child of another node.',
    );
  });

  test('a whole request is refused, and nothing of it stays', async () => {
    const answer = await admin.post('/Div', [
      { tag: 'div', name: 'fine', parent: body },
      { tag: 'div', name: 'not', parent: page },
    ]);
    expectRefused(answer, DOCUMENT);
    expect(await namesOf(admin, body)).toEqual([]);
  });
});
