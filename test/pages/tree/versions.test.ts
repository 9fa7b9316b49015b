/** The version and the date of a page grow with all that is seen in it (docs/interface/pages.md 1). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { TestServer } from '../../support/server.js';
import { call, element, emptyPage, stateOf } from '../../support/trees.js';

let server: TestServer;
let admin: Client;
let page: string;
let body: string;
let div: string;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
});
afterAll(() => server.stop());
beforeEach(async () => {
  ({ page, body } = await emptyPage(admin, `version-${String(count++)}`));
  div = await element(admin, 'Div', { parent: body });
});

async function versionOf(id = page): Promise<number> {
  return (await stateOf(admin, id)).version as number;
}

/** By how much the version grows. */
async function growth(work: () => Promise<unknown>, id = page): Promise<number> {
  const before = await versionOf(id);
  await work();
  return (await versionOf(id)) - before;
}

test('a new page has version 0, whatever it is made with, and nobody writes it', async () => {
  const id = await admin.create('Page', { name: 'fresh', children: [{ type: 'Html', tag: 'html' }] });
  expect(await versionOf(id)).toBe(0);
  await admin.create('User', { name: 'eve', password: 'Eve-pass-1' });
  const eve = server.as('eve', 'Eve-pass-1');
  await admin.create('ResourceAccess', { signature: 'Page', flags: 7, visibleToAuthenticatedUsers: true });
  await admin.create('ResourceAccess', { signature: 'Page/_id', flags: 7, visibleToAuthenticatedUsers: true });
  const own = await eve.create('Page', { name: 'eves' });
  const answer = await eve.put(`/Page/${own}`, { version: 9 });
  expect([answer.status, answer.body.errors[0].token]).toEqual([422, 'is_read_only_property']);
});

describe('it grows by one, once a transaction', () => {
  const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a value of a node', () => admin.put(`/Div/${div}`, { _html_class: 'x' })],
    ['an undeclared value', () => admin.put(`/Div/${div}`, { 'data-x': 'y' })],
    ['visibility', () => admin.put(`/Div/${div}`, { visibleToPublicUsers: true })],
    ['a value of the page', () => admin.put(`/Page/${page}`, { category: 'c' })],
    ['a new node', () => element(admin, 'Span', { parent: div })],
    [
      'nodes of one request',
      () =>
        admin.post(
          '/Span',
          [1, 2, 3].map(() => ({ tag: 'span', parent: div })),
        ),
    ],
    [
      'nodes changed together',
      () =>
        admin.patch('/DOMNode', [
          { id: div, name: 'n' },
          { id: body, name: 'm' },
        ]),
    ],
    ['a node taken out', () => admin.put(`/Div/${div}`, { parent: null })],
    ['a deleted node', () => admin.delete(`/Div/${div}`)],
    ['a path', () => admin.create('PagePath', { name: '/x/{key}', page })],
    ['a link to a page', () => admin.create('A', { tag: 'a', parent: div, linkable: page })],
  ];
  test.each(ways)('%s', async (_, work) => {
    const before = (await stateOf(admin, page)).lastModifiedDate as string;
    expect(await growth(work)).toBe(1);
    expect(Date.parse((await stateOf(admin, page)).lastModifiedDate as string)).toBeGreaterThanOrEqual(
      Date.parse(before),
    );
  });

  test('not for what says nothing new, a link from elsewhere, or a node of no page', async () => {
    await admin.put(`/Div/${div}`, { name: 'same' });
    expect(await growth(() => admin.put(`/Div/${div}`, { name: 'same' }))).toBe(0);
    const other = await emptyPage(admin, `linking-${String(count)}`);
    const link = await admin.create('A', { tag: 'a', parent: other.body });
    expect(await growth(() => admin.put(`/A/${link}`, { linkable: page }))).toBe(0);
    expect(await growth(() => admin.put(`/A/${link}`, { linkable: null }), other.page)).toBe(1);
    const loose = await element(admin, 'Div');
    expect(await growth(() => admin.put(`/Div/${loose}`, { name: 'z' }))).toBe(0);
  });

  test('for both pages of a node that moves', async () => {
    const other = await emptyPage(admin, `moving-${String(count)}`);
    const move = (): Promise<unknown> => admin.put(`/Div/${div}`, { parent: other.body, ownerDocument: other.page });
    expect(await growth(() => growth(move, other.page).then((n) => expect(n).toBe(1)))).toBe(1);
  });

  test('for mappings of events, their parameters and what they reload', async () => {
    const mapping = await admin.create('ActionMapping', { event: 'click', action: 'create' });
    expect(await growth(() => admin.put(`/ActionMapping/${mapping}`, { triggerElements: [div] }))).toBe(1);
    expect(await growth(() => admin.put(`/ActionMapping/${mapping}`, { dataType: 'User' }))).toBe(1);
    let parameter = '';
    expect(
      await growth(async () => {
        parameter = await admin.create('ParameterMapping', { parameterName: 'name', actionMapping: mapping });
      }),
    ).toBe(1);
    expect(await growth(() => admin.put(`/ParameterMapping/${parameter}`, { constantValue: 'v' }))).toBe(1);
    const target = await element(admin, 'Div', { parent: body });
    expect(await growth(() => admin.put(`/ActionMapping/${mapping}`, { successTargets: [target] }))).toBe(1);
  });

  test('for all pages with references to a shared component that changes, through others as well', async () => {
    const second = await emptyPage(admin, `second-${String(count)}`);
    const third = await emptyPage(admin, `third-${String(count)}`);
    const text = await admin.create('Content', { content: 'x', parent: div });
    const component = (await call(admin, div, 'createComponent')).body.result.id as string;
    await call(admin, second.body, 'insertComponent', { component });
    // A component that has the first one in it, and stands in the third page alone.
    const section = await element(admin, 'Section', { parent: third.body });
    await call(admin, section, 'createComponent');
    const outer = (await stateOf(admin, section)).sharedComponentId as string;
    await call(admin, outer, 'insertComponent', { component });
    const versions = (): Promise<number[]> => Promise.all([page, second.page, third.page].map(versionOf));
    const before = await versions();
    await admin.put(`/Content/${text}`, { content: 'y' });
    expect(await versions()).toEqual(before.map((version) => version + 1));
  });

  test('in scripts once, however much they write', async () => {
    await admin.create('SchemaMethod', {
      name: `writeMuch${String(count)}`,
      source: `{
        const div = $.find('Div', $.methodParameters.div);
        for (let i = 0; i < 5; i++) div.appendChild({ newChild: $.create('Span', 'tag', 'span') });
        div.name = 'many';
      }`,
    });
    expect(await growth(() => admin.post(`/writeMuch${String(count)}`, { div }))).toBe(1);
  });
});

test('the date of a page does not go back, whichever of two transactions began first', async () => {
  const other = await element(admin, 'Div', { parent: body });
  let reached = (): void => undefined;
  let answer = (): void => undefined;
  const isReached = new Promise<void>((resolve) => (reached = resolve));
  const holding = createServer((_, response) => {
    answer = () => response.end('done');
    reached();
  });
  await new Promise<void>((resolve) => holding.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = holding.address() as AddressInfo;
    await admin.create('SchemaMethod', {
      name: 'writeLate',
      source: `{
        $.find('Div', $.methodParameters.div).name = 'late';
        $.GET('http://127.0.0.1:${String(port)}/');
      }`,
    });
    const late = admin.post('/writeLate', { div });
    await isReached;
    await admin.put(`/Div/${other}`, { name: 'meanwhile' });
    const before = (await stateOf(admin, page)).lastModifiedDate as string;
    expect(await growth(() => (answer(), late))).toBe(1);
    expect((await stateOf(admin, div)).name).toBe('late');
    expect((await stateOf(admin, page)).lastModifiedDate).toBe(before);
  } finally {
    holding.close();
  }
});
