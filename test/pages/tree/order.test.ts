/** The order of children, however they are written (docs/interface/pages.md 1). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { call, childrenOf, element, emptyPage, namesOf, orderOf, positionsOf, stateOf } from '../../support/trees.js';

let server: TestServer;
let admin: Client;
let body: string;
let a: string;
let b: string;
let c: string;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
});
afterAll(() => server.stop());
beforeEach(async () => {
  ({ body } = await emptyPage(admin, `order-${String(count++)}`));
  [a = '', b = '', c = ''] = await Promise.all(['a', 'b', 'c'].map((name) => element(admin, 'Div', { name })));
});

async function expectOrder(parent: string, ...ids: string[]): Promise<void> {
  expect(await orderOf(admin, parent)).toEqual({ ids, positions: ids.map((_, i) => i) });
}

describe('position is 0, 1, 2, ...', () => {
  test('as children list them, whatever was there', async () => {
    await admin.put(`/Body/${body}`, { children: [c, a, b] });
    await expectOrder(body, c, a, b);
    await admin.put(`/Body/${body}`, { children: [b, c, a] });
    await expectOrder(body, b, c, a);
    await admin.put(`/Body/${body}`, { childrenIds: [a, c] });
    await expectOrder(body, a, c);
    await admin.put(`/Body/${body}`, { children: [a, { type: 'Div', tag: 'div', name: 'new' }, c] });
    expect(await namesOf(admin, body)).toEqual(['a', 'new', 'c']);
  });

  test('as each is appended by its parent', async () => {
    await admin.put(`/Div/${b}`, { parent: body });
    await admin.put(`/Div/${a}`, { parentId: body });
    await admin.put(`/Div/${c}`, { parent: { id: body } });
    await expectOrder(body, b, a, c);
    await admin.put(`/Div/${b}`, { parent: null });
    await expectOrder(body, a, c);
    await admin.delete(`/Div/${a}`);
    await expectOrder(body, c);
  });

  test('in nested objects, and with places that these say', async () => {
    const list = await admin.create('Ul', {
      tag: 'ul',
      parent: body,
      children: [
        { type: 'Li', tag: 'li', name: 'third', position: 7 },
        { type: 'Li', tag: 'li', name: 'first', position: 1 },
        { type: 'Li', tag: 'li', name: 'second', position: 3 },
      ],
    });
    expect(await namesOf(admin, list)).toEqual(['first', 'second', 'third']);
    expect([...(await positionsOf(admin, list)).values()].sort()).toEqual([0, 1, 2]);
  });

  test('when links are written by themselves', async () => {
    await admin.put(`/Body/${body}`, { children: [a, b] });
    await admin.create('DOMNodeCONTAINSDOMNode', { sourceId: body, targetId: c, position: 1 });
    await expectOrder(body, a, c, b);
    const [link] = (await admin.get(`/DOMNodeCONTAINSDOMNode?targetId=${b}`)).body.result;
    await admin.put(`/DOMNodeCONTAINSDOMNode/${String(link.id)}`, { position: 0 });
    await expectOrder(body, b, a, c);
    await admin.delete(`/DOMNodeCONTAINSDOMNode/${String(link.id)}`);
    await expectOrder(body, a, c);
  });

  test('when the order of one request is that of a list', async () => {
    const made = await admin.post(
      '/Span',
      [1, 2, 3].map((n) => ({ tag: 'span', name: `s${String(n)}`, parent: body })),
    );
    expect(made.status).toBe(201);
    expect(await namesOf(admin, body)).toEqual(['s1', 's2', 's3']);
    expect(new Set((await positionsOf(admin, body)).values())).toEqual(new Set([0, 1, 2]));
  });

  test('with the header that merges, new ones come last', async () => {
    await admin.put(`/Body/${body}`, { children: [a, b] });
    await admin.put(`/Body/${body}`, { children: [c] }, { 'Svc-Force-Merge-Of-Nested-Properties': 'enabled' });
    await expectOrder(body, a, b, c);
  });

  test('below a property of a path', async () => {
    await admin.put(`/Div/${a}`, { parent: body });
    await admin.post(`/Body/${body}/children`, { type: 'Div', tag: 'div', name: 'posted' });
    expect(await namesOf(admin, body)).toEqual(['a', 'posted']);
    await admin.put(`/Body/${body}/children`, { 0: b, 1: a });
    await expectOrder(body, b, a);
  });
});

describe('the order is seen', () => {
  beforeEach(() => admin.put(`/Body/${body}`, { children: [c, a, b] }));

  test('in views, nested ones too, and as sortedChildren', async () => {
    const ids = (list: { id: string }[]): string[] => list.map(({ id }) => id);
    const state = await stateOf(admin, body);
    expect(ids(state.children)).toEqual([c, a, b]);
    expect(ids(state.sortedChildren)).toEqual([c, a, b]);
    expect(state.childrenIds).toEqual([c, a, b]);
    const html = (await admin.get(`/DOMNode/${state.parent.id as string}/public`)).body.result;
    expect(ids(html.children[0].children)).toEqual([c, a, b]);
    expect(await childrenOf(admin, body)).toEqual([c, a, b]);
    expect(ids((await admin.get(`/Body/${body}/sortedChildren`)).body.result)).toEqual([c, a, b]);
  });

  test('in pages of a list, with a filter, and not where another order is asked for', async () => {
    const page = await admin.get(`/Body/${body}/children?_pageSize=2&_page=2`);
    expect(page.body.result.map(({ id }: { id: string }) => id)).toEqual([b]);
    expect([page.body.result_count, page.body.page_count]).toEqual([3, 2]);
    const names = async (query: string): Promise<string[]> =>
      (await admin.get(`/Body/${body}/children?${query}`)).body.result.map(({ name }: { name: string }) => name);
    expect(await names('name=a;c')).toEqual(['c', 'a']);
    expect(await names('_sort=name')).toEqual(['a', 'b', 'c']);
  });

  test('of more than are sorted at once, by who does not see all of them', async () => {
    const shown = { visibleToAuthenticatedUsers: true };
    const rows = Array.from({ length: 1100 }, (_, i) => ({
      ...{ tag: 'i', name: `n${String(i)}`, parent: body, _html_class: i % 2 === 0 ? 'even' : 'odd' },
      visibleToAuthenticatedUsers: i !== 2,
    }));
    expect((await admin.post('/I', rows)).status).toBe(201);
    await admin.put(`/Body/${body}`, shown);
    const last = (await admin.get(`/I?parentId=${body}&name=n1099`)).body.result[0].id as string;
    await call(admin, body, 'insertBefore', { newChild: last, refChild: c });
    // c, a and b are seen by nobody else.
    const numbers = [1099, ...Array.from({ length: 1099 }, (_, i) => i)].filter((n) => n !== 2);
    const names = numbers.map((n) => `n${String(n)}`);
    await admin.create('User', { name: 'reader', password: 'Reader-pass-1' });
    const reader = server.as('reader', 'Reader-pass-1');
    expect((await reader.get(`/Body/${body}/children`)).status).toBe(401);
    for (const signature of ['Body/_id/children', 'Body/_id']) await allow(admin, signature, 'user', ['GET']);
    const read = async (query: string): Promise<string[]> => {
      const answer = await reader.get(`/Body/${body}/children?_outputNestingDepth=0&${query}`);
      expect(answer.status).toBe(200);
      return (answer.body.result as { name: string }[]).map(({ name }) => name);
    };
    expect(await read('')).toEqual(names);
    expect(await read('_pageSize=3&_page=1')).toEqual(names.slice(0, 3));
    expect(await read('_pageSize=300&_page=4')).toEqual(names.slice(900));
    expect(await read('_pageSize=10&_page=200')).toEqual([]);
    expect(await read('name=n7;n1099;n2')).toEqual(['n1099', 'n7']);
    expect(await read('name=none')).toEqual([]);
    // Of more matches than are sorted each page walks along the order.
    expect(await read('_inexact=1&name=n')).toEqual(names);
    expect(await read('_inexact=1&name=n&_pageSize=4&_page=100')).toEqual(names.slice(396, 400));
    const page = await reader.get(`/Body/${body}/children?_pageSize=7&_outputNestingDepth=0`);
    expect([page.body.result_count, page.body.page_count]).toEqual([names.length, 157]);
    const { children } = (await reader.get(`/Body/${body}?_outputNestingDepth=1`)).body.result;
    expect((children as { name: string }[]).map(({ name }) => name)).toEqual(names);
    await admin.put(`/Body/${body}`, { visibleToAuthenticatedUsers: false });
    expect((await reader.get(`/Body/${body}/children`)).status).toBe(404);
  });

  test('by scripts', async () => {
    const id = await admin.create('SchemaMethod', {
      name: 'childNames',
      source: "{ return $.find('Body', $.methodParameters.id).children.map((one) => one.name).join(); }",
    });
    expect((await admin.post('/childNames', { id: body })).body.result).toBe('c,a,b');
    await admin.delete(`/SchemaMethod/${id}`);
  });
});

describe('methods that place nodes', () => {
  beforeEach(() => admin.put(`/Body/${body}`, { children: [a, b] }));

  test('appendChild, also of a child, and setOwnerDocument, which does the same', async () => {
    const answer = await call(admin, body, 'appendChild', { newChild: c });
    expect(answer.status).toBe(200);
    expect(answer.body.result.id).toBe(c);
    await expectOrder(body, a, b, c);
    await call(admin, body, 'appendChild', { newChild: { id: a } });
    await expectOrder(body, b, c, a);
    await call(admin, body, 'setOwnerDocument', { newChild: b });
    await expectOrder(body, c, a, b);
  });

  test('insertBefore, many times at one place', async () => {
    await call(admin, body, 'insertBefore', { newChild: c, refChild: a });
    await expectOrder(body, c, a, b);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const id = await element(admin, 'Span');
      ids.push(id);
      await call(admin, body, 'insertBefore', { newChild: id, refChild: b });
    }
    await expectOrder(body, c, a, ...ids, b);
    await call(admin, body, 'insertBefore', { newChild: a });
    await expectOrder(body, c, ...ids, b, a);
    await call(admin, body, 'insertBefore', { newChild: a, refChild: a });
    await expectOrder(body, c, ...ids, b, a);
  });

  test('replaceChild, removeChild and removeNode put what goes into the recycle bin', async () => {
    await call(admin, body, 'replaceChild', { newChild: c, refChild: a });
    await expectOrder(body, c, b);
    expect(await stateOf(admin, a)).toMatchObject({ parent: null, pageId: null });
    await call(admin, body, 'removeChild', { child: c });
    await expectOrder(body, b);
    await call(admin, b, 'removeNode');
    await expectOrder(body);
    expect(await stateOf(admin, b)).toMatchObject({ parent: null, pageId: null });
  });

  test('wrapNode', async () => {
    await call(admin, a, 'wrapNode', { wrapper: c });
    await expectOrder(body, c, b);
    await expectOrder(c, a);
  });

  test.each(['appendChild', 'setOwnerDocument', 'insertBefore', 'replaceChild'])(
    '%s without newChild is 422',
    async (method) => {
      const answer = await call(admin, body, method);
      expect([answer.status, answer.body.message]).toEqual([422, 'Missing or invalid argument: newChild']);
    },
  );

  test('what is no child is refused', async () => {
    for (const [method, input] of [
      ['insertBefore', { newChild: a, refChild: c }],
      ['replaceChild', { newChild: a, refChild: c }],
      ['removeChild', { child: c }],
    ] as const) {
      const answer = await call(admin, body, method, input);
      expect([answer.status, answer.body.message]).toEqual([422, 'Node is not a child.']);
    }
    const answer = await call(admin, body, 'appendChild', { newChild: 'f'.repeat(32) });
    expect(answer.status).toBe(422);
    await expectOrder(body, a, b);
  });

  test('in scripts, whose transaction sees what they have done', async () => {
    await admin.create('SchemaMethod', {
      name: 'arrange',
      source: `{
        const [body, a, b, c] = $.methodParameters.ids.map((id) => $.find('DOMNode', id));
        body.insertBefore({ newChild: c, refChild: b });
        const first = $.create('Span', 'tag', 'span', 'name', 'first');
        body.insertBefore({ newChild: first, refChild: a });
        return [body.children.map((one) => one.name).join(), first.ownerDocument.id === body.ownerDocument.id, c.getOwnerDocument().id];
      }`,
    });
    const page = (await stateOf(admin, body)).pageId as string;
    const answer = await admin.post('/arrange', { ids: [body, a, b, c] });
    expect(answer.body.result).toEqual(['first,a,c,b', true, page]);
    expect(await namesOf(admin, body)).toEqual(['first', 'a', 'c', 'b']);
  });
});
