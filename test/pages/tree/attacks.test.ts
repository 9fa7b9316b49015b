/** What users who may write some nodes of pages try at those they may not, and at what runs (docs/interface/pages.md 1, 3.5). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { bare, getPage, makePage } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { call, childrenOf, element, emptyPage, stateOf } from '../../support/trees.js';

let server: TestServer;
let admin: Client;
let user: Client;
let userId: string;
let page: string;
let body: string;
let own: string;
let foreign: string;
let count = 0;

const READABLE = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  userId = await admin.create('User', { name: 'mallory', password: 'Mallory-pass-1' });
  user = server.as('mallory', 'Mallory-pass-1');
  const types = [
    ...['DOMNode', 'Div', 'Body', 'Page', 'Content', 'Template', 'Button'],
    ...['DOMNodeCONTAINSDOMNode', 'DOMNodePAGEPage', 'DOMNodeSYNCDOMNode'],
  ];
  const methods = 'appendChild removeNode insertComponent cloneNode children parent'.split(' ');
  for (const type of types)
    for (const signature of [type, `${type}/_id`, ...methods.map((name) => `${type}/_id/${name}`)])
      await allow(admin, signature, 'user', ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']);
  await allow(admin, 'unmark', 'user', ['POST']);
  await admin.create('SchemaMethod', {
    name: 'unmark',
    source: `{ const node = $.find('DOMNode', $.methodParameters.id); node.sandboxed = false; return node.sandboxed; }`,
    visibleToAuthenticatedUsers: true,
  });
});
afterAll(() => server.stop());

async function grant(id: string): Promise<void> {
  await admin.create('Security', { sourceId: userId, targetId: id, allowed: ['read', 'write', 'delete'] });
}

beforeEach(async () => {
  ({ page, body } = await emptyPage(admin, `attacked-${String(count++)}`, READABLE));
  own = await element(admin, 'Div', { name: 'own', parent: body, ...READABLE });
  foreign = await element(admin, 'Div', { name: 'foreign', parent: body, ...READABLE });
  await grant(own);
});

async function linkOf(type: string, query: string): Promise<string> {
  return (await admin.get(`/${type}?${query}`)).body.result[0].id as string;
}

describe('what one may not write is not taken out of its page', () => {
  const doors: readonly (readonly [string, () => Promise<Answer>])[] = [
    ['parent', () => user.put(`/Div/${foreign}`, { parent: null })],
    ['parentId', () => user.put(`/Div/${foreign}`, { parentId: null })],
    ['ownerDocument', () => user.put(`/Div/${foreign}`, { ownerDocument: null })],
    ['pageId', () => user.put(`/Div/${foreign}`, { pageId: null })],
    ['children', () => user.put(`/Body/${body}`, { children: [own] })],
    ['childrenIds', () => user.put(`/Body/${body}`, { childrenIds: [own] })],
    ['elements', () => user.put(`/Page/${page}`, { elements: [] })],
    ['PATCH', () => user.patch('/DOMNode', [{ id: foreign, parent: null }])],
    ['the sub-property', () => user.put(`/Body/${body}/children`, {})],
    [
      'the link to it',
      async () =>
        user.delete(`/DOMNodeCONTAINSDOMNode/${await linkOf('DOMNodeCONTAINSDOMNode', `targetId=${foreign}`)}`),
    ],
    [
      'the link to its page',
      async () => user.delete(`/DOMNodePAGEPage/${await linkOf('DOMNodePAGEPage', `sourceId=${foreign}`)}`),
    ],
    ['removeNode', () => call(user, foreign, 'removeNode')],
    ['what is deleted', () => user.delete(`/Div/${foreign}`)],
    ['all children deleted', () => user.delete(`/Body/${body}/children`)],
  ];
  test.each(doors)('by %s', async (_, door) => {
    const answer = await door();
    expect(answer.status).toBe(403);
    expect(await childrenOf(admin, body)).toEqual([own, foreign]);
    expect((await stateOf(admin, foreign)).pageId).toBe(page);
  });
});

test('nobody stands for a component, or has others stand for his, without the right to write both', async () => {
  for (const answer of [
    await user.put(`/Div/${own}`, { syncedNodes: [foreign] }),
    await user.put(`/Div/${own}`, { syncedNodesIds: [foreign] }),
    await user.put(`/Div/${foreign}`, { sharedComponent: own }),
    await user.post('/DOMNodeSYNCDOMNode', { sourceId: own, targetId: foreign }),
  ])
    expect(answer.status).toBe(403);
  expect((await stateOf(admin, foreign)).sharedComponentId).toBe(null);
});

test('what is in the recycle bin comes back by who may write it, and stays marked', async () => {
  const text = await admin.create('Content', { content: 'x', parent: foreign, ...READABLE });
  await grant(text);
  expect((await user.put(`/Content/${text}`, { content: '<script>', contentType: 'text/html' })).status).toBe(200);
  await call(admin, foreign, 'removeNode');
  expect((await stateOf(admin, text)).pageId).toBe(null);
  expect((await call(user, own, 'appendChild', { newChild: foreign })).status).toBe(403);
  expect((await user.put(`/Div/${own}`, { children: [foreign] })).status).toBe(403);
  await call(admin, body, 'appendChild', { newChild: foreign });
  expect((await stateOf(admin, text)).pageId).toBe(page);
  expect((await getPage(server.as(), `/${foreign}`)).text).not.toContain('<script');
});

describe('the mark of what must not run', () => {
  const doors: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
    ['false', (id) => user.put(`/Content/${id}`, { sandboxed: false })],
    ['null', (id) => user.put(`/Content/${id}`, { sandboxed: null })],
    ['PATCH', (id) => user.patch('/DOMNode', [{ id, sandboxed: null }])],
    ['a script', (id) => user.post('/unmark', { id })],
    ['a copy', (id) => call(user, id, 'cloneNode')],
    ['writing something else', (id) => user.put(`/Content/${id}`, { name: 'x' })],
  ];
  test.each(doors)('is not taken away by %s', async (_, door) => {
    const id = await user.create('Content', {
      content: '<img src=x onerror=alert(1)>${6 * 7}',
      contentType: 'text/html',
      parent: own,
      ...READABLE,
    });
    await door(id);
    const contents = (await admin.get(`/Content?content=onerror&_inexact=1`)).body.result as { id: string }[];
    expect(contents.map((one) => one.id)).toContain(id);
    for (const one of contents) {
      await admin.put(`/Content/${one.id}`, { parent: own, ...READABLE });
      const { text, status } = await getPage(server.as(), `/${one.id}`);
      expect([one.id, status, /onerror|42/.test(text)]).toEqual([one.id, 200, false]);
    }
  });

  test('of texts counts where their component is shown, not where it is kept', async () => {
    const hostile = '<b title="</title></textarea><script>alert(1)</script>">x</b>';
    const holder = await element(admin, 'Div', { parent: body, ...READABLE });
    const text = await admin.create('Content', { content: 'x', parent: holder, ...READABLE });
    await grant(text);
    const component = (await call(admin, holder, 'createComponent')).body.result.id as string;
    expect((await user.put(`/Content/${text}`, { content: hostile, contentType: 'text/html' })).status).toBe(200);
    const name = `showing-${String(count)}`;
    await makePage(admin, name, [
      bare(
        ['title', { sharedComponent: component }],
        ['textarea', { sharedComponent: component }],
        ['script', { sharedComponent: component }],
        ['noscript', { sharedComponent: component }],
        ['div', { sharedComponent: component }],
      ),
    ]);
    const { text: html } = await getPage(server.as(), `/${name}`);
    expect(html.replace(/\s*\n\s*/g, '')).toMatch(
      /^<title>&lt;b .*<\/title><textarea>&lt;b .*<\/textarea><script[^>]*><\/script><noscript><\/noscript><div><b title=.*<\/div>$/,
    );
    expect(html.split('</title>')[0]).not.toContain('<script');
    expect(html.match(/<\/textarea>/g)?.length).toBeLessThanOrEqual(2);
  });
});

describe('trees end', () => {
  test('of two moves at once that make a circle one is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await element(admin, 'Div', { parent: body }), await element(admin, 'Div', { parent: body })];
      const answers = await Promise.all([
        admin.put(`/Div/${a}`, { parent: b }),
        call(admin, a, 'appendChild', { newChild: b }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
      expect([await childrenOf(admin, a), await childrenOf(admin, b)].flat()).toHaveLength(1);
    }
  });

  test('at 250 levels', async () => {
    /** Elements in each other; the id of the last. */
    const chain = async (
      length: number,
      parent: string,
    ): Promise<{ readonly answer: Answer; readonly last: string }> => {
      const name = `deepest-${String(++count)}`;
      let input: Record<string, unknown> = { type: 'Div', tag: 'div', name };
      for (let level = 1; level < length; level++) input = { type: 'Div', tag: 'div', children: [input] };
      const answer = await admin.post('/Div', { ...input, parent });
      const [found] = (await admin.get(`/Div?name=${name}`)).body.result as { id: string }[];
      return { answer, last: found?.id ?? '' };
    };
    // Page, html and body are three.
    let last = body;
    for (let part = 0; part < 4; part++) {
      const made = await chain(60, last);
      expect(made.answer.status).toBe(201);
      ({ last } = made);
    }
    const { answer } = await chain(8, last);
    expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'too_deep']);
    const end = await chain(7, last);
    expect(end.answer.status).toBe(201);
    expect((await getPage(admin, `/${(await stateOf(admin, page)).name as string}`)).status).toBe(200);
    expect((await call(admin, end.last, 'appendChild', { newChild: foreign })).status).toBe(422);
  });

  test('elements that are saved together reload only so many', async () => {
    const fields = { tag: 'button', parent: body, name: 'b', 'data-svc-reload-target': 'button' };
    const answer = await admin.post(
      '/Button',
      Array.from({ length: 350 }, () => fields),
    );
    expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'must_be_shorter_than']);
    expect((await childrenOf(admin, body)).length).toBe(2);
  }, 60_000);
});

test('a copy by an administrator makes nothing count that somebody else has written or linked', async () => {
  const mapping = { event: 'click', action: 'delete', idExpression: '${page.id}', ...READABLE };
  const [byAdmin, byUser] = [
    await element(admin, 'Button', { parent: body, ...READABLE }),
    await element(admin, 'Button', { parent: body, ...READABLE }),
  ];
  await grant(byUser);
  for (const type of ['ActionMapping', 'DOMElementTRIGGERED_BYActionMapping'])
    for (const signature of [type, `${type}/_id`]) await allow(admin, signature, 'user', ['GET', 'PUT', 'POST']);
  const good = await admin.create('ActionMapping', { ...mapping, triggerElements: [byAdmin] });
  // An administrator's mapping that somebody else links, and somebody else's that an administrator links.
  const linked = await admin.create('ActionMapping', { ...mapping, action: 'linked-by-user' });
  await grant(linked);
  expect((await user.put(`/Button/${byUser}`, { triggeredActions: [linked] })).status).toBe(200);
  const third = await element(admin, 'Button', { parent: body, ...READABLE });
  const written = await user.create('ActionMapping', { ...mapping, action: 'written-by-user' });
  await admin.put(`/Button/${third}`, { triggeredActions: [written] });
  const shown = async (id: string): Promise<string[]> =>
    [...(await getPage(server.as(), `/${id}`)).text.matchAll(/data-svc-action="([^"]*)"/g)].map(
      ([, action = '']) => action,
    );
  expect(await shown(body)).toEqual(['delete']);
  expect((await stateOf(admin, byAdmin)).triggeredActions.map((one: { id: string }) => one.id)).toEqual([good]);
  const copy = (await call(admin, body, 'cloneNode', { deep: true })).body.result.id as string;
  expect(await childrenOf(admin, copy)).toHaveLength(5);
  expect(await shown(copy)).toEqual(['delete']);
});
