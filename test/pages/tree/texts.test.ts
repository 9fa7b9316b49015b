/** Texts, names, and what shared components and their references have in common (docs/interface/pages.md 1). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { TestServer } from '../../support/server.js';
import { call, element, emptyPage, namesOf, stateOf } from '../../support/trees.js';

let server: TestServer;
let admin: Client;
let body: string;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
});
afterAll(() => server.stop());
beforeEach(async () => {
  ({ body } = await emptyPage(admin, `texts-${String(count++)}`));
});

describe('content types', () => {
  test('of texts and comments that do not say theirs', async () => {
    const typeOf = async (type: string, fields: object): Promise<unknown> =>
      (await stateOf(admin, await admin.create(type, { content: 'x', ...fields }))).contentType;
    expect(await typeOf('Content', {})).toBe('text/plain');
    expect(await typeOf('Content', { contentType: null })).toBe('text/plain');
    expect(await typeOf('Content', { contentType: 'text/markdown' })).toBe('text/markdown');
    expect(await typeOf('Template', { parent: body })).toBe('text/plain');
    expect(await typeOf('Comment', { contentType: 'text/plain' })).toBe('text/html');
    expect((await admin.get('/Content?contentType=text/plain')).body.result.length).toBeGreaterThan(1);
  });

  test('of scripts and styles, and of the texts in scripts', async () => {
    const script = await element(admin, 'Script', { parent: body });
    const style = await element(admin, 'Style', { parent: body });
    expect((await stateOf(admin, script))._html_type).toBe('text/javascript');
    expect((await stateOf(admin, style))._html_type).toBe('text/css');
    const module = await element(admin, 'Script', {
      parent: body,
      _html_type: 'module',
      children: [{ type: 'Content', content: 'a < b', name: 'nested' }],
    });
    const [nested] = (await stateOf(admin, module)).children;
    expect((await stateOf(admin, nested.id as string)).contentType).toBe('module');
    const own = await admin.create('Content', { content: '1', parent: script });
    expect((await stateOf(admin, own)).contentType).toBe('text/javascript');
    const said = await admin.create('Content', { content: '1', contentType: 'text/x', parent: script });
    expect((await stateOf(admin, said)).contentType).toBe('text/x');
    const before = await admin.create('Content', { content: '1' });
    await admin.put(`/Content/${before}`, { parent: script });
    expect((await stateOf(admin, before)).contentType).toBe('text/plain');
    await admin.put(`/Content/${before}`, { contentType: null, parent: null });
    await call(admin, script, 'appendChild', { newChild: before });
    expect((await stateOf(admin, before)).contentType).toBe('text/javascript');
  });
});

describe('names', () => {
  test.each(['#', '?', '\\', '%', ';', '/'])('of pages have no %s', async (character) => {
    const name = `a${character}b`;
    const answer = await admin.post('/Page', { name });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toContainEqual({
      type: 'Page',
      property: 'name',
      token: 'contains_illegal_characters',
      value: name,
      detail: name,
    });
  });

  test('of other nodes have no slash', async () => {
    const answer = await admin.put(`/Body/${body}`, { name: 'a/b' });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([
      { type: 'Body', property: 'name', token: 'may_not_contain_slashes', value: 'a/b', detail: 'a/b' },
    ]);
    expect((await admin.put(`/Body/${body}`, { name: 'a#b' })).status).toBe(200);
  });
});

describe('what is shared', () => {
  async function shared(type: string, fields: object): Promise<{ component: string; one: string; two: string }> {
    const one = await admin.create(type, { ...fields, parent: body });
    const component = (await call(admin, one, 'createComponent')).body.result.id as string;
    const two = (await call(admin, body, 'insertComponent', { component })).body.result.id as string;
    return { component, one, two };
  }
  const field = async (id: string, key: string): Promise<unknown> => (await stateOf(admin, id))[key];

  test('names of components are those of their references, and not the other way round', async () => {
    const { component, one, two } = await shared('Div', { tag: 'div', name: 'old' });
    await admin.put(`/Div/${component}`, { name: 'new' });
    expect([await field(one, 'name'), await field(two, 'name')]).toEqual(['new', 'new']);
    await admin.put(`/Div/${one}`, { name: 'mine', _html_class: 'c' });
    expect([await field(component, 'name'), await field(two, 'name')]).toEqual(['new', 'new']);
    expect(await field(two, '_html_class')).toBe(null);
  });

  test('texts are the same wherever they are written', async () => {
    const { component, one, two } = await shared('Content', { content: 'a', name: 'n' });
    await admin.put(`/Content/${one}`, { content: 'b', contentType: 'text/html', name: 'm' });
    for (const id of [component, two])
      expect(await stateOf(admin, id)).toMatchObject({ content: 'b', contentType: 'text/html', name: 'm' });
    await admin.put(`/Content/${component}`, { content: 'c' });
    expect([await field(one, 'content'), await field(two, 'content')]).toEqual(['c', 'c']);
    await admin.patch('/Content', [
      { id: one, content: 'first' },
      { id: two, content: 'last' },
    ]);
    expect(await Promise.all([component, one, two].map((id) => field(id, 'content')))).toEqual([
      'last',
      'last',
      'last',
    ]);
  });

  test('hasSharedComponent is as it is, whatever is written', async () => {
    const { component, one } = await shared('Div', { tag: 'div', name: 'x' });
    expect([await field(one, 'hasSharedComponent'), await field(component, 'hasSharedComponent')]).toEqual([
      true,
      false,
    ]);
    await admin.put(`/Div/${one}`, { hasSharedComponent: false });
    await admin.put(`/Div/${component}`, { hasSharedComponent: true });
    expect([await field(one, 'hasSharedComponent'), await field(component, 'hasSharedComponent')]).toEqual([
      true,
      false,
    ]);
    expect((await admin.get(`/Div?hasSharedComponent=true&id=${one}`)).body.result_count).toBe(1);
    await admin.put(`/Div/${one}`, { sharedComponent: null });
    expect(await field(one, 'hasSharedComponent')).toBe(false);
    const made = await admin.create('Div', { tag: 'div', sharedComponentId: component });
    expect(await field(made, 'hasSharedComponent')).toBe(true);
    await admin.delete(`/Div/${component}`);
    expect(await field(made, 'hasSharedComponent')).toBe(false);
  });

  test('who may not write a component does not write its texts by a reference', async () => {
    const { component, one } = await shared('Content', { content: 'a' });
    await admin.create('User', { name: 'rita', password: 'Rita-pass-1' });
    const [rita] = (await admin.get('/User?name=rita')).body.result;
    await admin.create('ResourceAccess', { signature: 'Content/_id', flags: 3, visibleToAuthenticatedUsers: true });
    await admin.create('Security', { sourceId: rita.id, targetId: one, allowed: ['read', 'write'] });
    const writer = server.as('rita', 'Rita-pass-1');
    const refused = await writer.put(`/Content/${one}`, { content: 'evil' });
    expect(refused.status).toBe(403);
    expect(await field(component, 'content')).toBe('a');
    expect((await writer.put(`/Content/${one}`, { hideConditions: 'true' })).status).toBe(200);
    await admin.create('Security', { sourceId: rita.id, targetId: component, allowed: ['read', 'write'] });
    expect((await writer.put(`/Content/${one}`, { content: 'fine' })).status).toBe(200);
    expect(await field(component, 'content')).toBe('fine');
  });
});

describe('old selectors of what is reloaded', () => {
  test('become links to the elements of the page that they match', async () => {
    await admin.put(`/Body/${body}`, {
      children: [
        { type: 'Div', tag: 'div', name: 'one', _html_id: 'first' },
        { type: 'Div', tag: 'div', name: 'two', _html_class: 'a b' },
        { type: 'Span', tag: 'span', name: 'three' },
        { type: 'P', tag: 'p', name: 'four', _html_class: 'a' },
      ],
    });
    const other = await emptyPage(admin, `elsewhere-${String(count)}`);
    await element(admin, 'Span', { parent: other.body, name: 'three' });
    const targets = async (selectors: string | null, id?: string): Promise<[string, string[]]> => {
      const source = id ?? (await element(admin, 'Button', { parent: body, name: 'source' }));
      await admin.put(`/Button/${source}`, { 'data-svc-reload-target': selectors });
      const found = (await stateOf(admin, source)).reloadTargets as { name: string }[];
      return [source, found.map(({ name }) => name).sort()];
    };
    const [id, first] = await targets('#first, .b');
    expect(first).toEqual(['one', 'two']);
    expect((await targets('span,[name="one"]', id))[1]).toEqual(['one', 'three']);
    expect((await targets('p.a, three, div > p, :::', id))[1]).toEqual(['four', 'three']);
    expect((await targets(null, id))[1]).toEqual([]);
    expect(await namesOf(admin, body)).toContain('source');
    const made = await element(admin, 'Button', { parent: body, 'data-svc-reload-target': 'p' });
    expect((await stateOf(admin, made)).reloadTargets.map((one: { name: string }) => one.name)).toEqual(['four']);
  });
});
