/** Copies of nodes and pages, shared components (docs/interface/pages.md 1). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { getPage } from '../../support/pages.js';
import { TestServer } from '../../support/server.js';
import { call, childrenOf, element, emptyPage, namesOf, orderOf, stateOf } from '../../support/trees.js';

let server: TestServer;
let admin: Client;
let page: string;
let body: string;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
});
afterAll(() => server.stop());
beforeEach(async () => {
  ({ page, body } = await emptyPage(admin, `copies-${String(count++)}`));
});

async function clone(id: string, deep: boolean): Promise<string> {
  const answer = await call(admin, id, 'cloneNode', { deep });
  expect(answer.status).toBe(200);
  return answer.body.result.id as string;
}

describe('cloneNode', () => {
  test('copies values, free attributes, flags, links and grants, and no place', async () => {
    const user = await admin.create('User', { name: `reader-${String(count)}` });
    const fields = {
      name: 'link',
      _html_href: '/x',
      _html_class: 'c',
      dataKey: 'k',
      showConditions: 'true',
      hidden: true,
      visibleToPublicUsers: true,
      'data-x': 'free',
      '_custom_html_aria-label': 'l',
    };
    const source = await admin.create('A', {
      ...fields,
      tag: 'a',
      'data-svc-id': 'own',
      parent: body,
      linkable: page,
      children: [{ type: 'Span', tag: 'span' }],
    });
    await admin.create('Security', { sourceId: user, targetId: source, allowed: ['read', 'write'] });
    const copy = await stateOf(admin, await clone(source, false));
    expect(copy).toMatchObject({ ...fields, tag: 'a', parent: null, pageId: null, children: [], linkableId: page });
    expect(copy.id).not.toBe(source);
    expect(copy['data-svc-id']).toBe(null);
    const grants = (await admin.get(`/Security/all?targetId=${copy.id as string}&sourceId=${user}`)).body.result;
    expect(grants[0].allowed).toEqual(['read', 'write']);
  });

  test('deeply, in order, and with what its events do: within itself to the copies, elsewhere to the originals', async () => {
    const form = await element(admin, 'Form', {
      parent: body,
      children: [
        { type: 'Input', tag: 'input', name: 'field' },
        { type: 'Button', tag: 'button', name: 'send', children: [{ type: 'Content', content: 'Send' }] },
        { type: 'P', tag: 'p', name: 'message' },
      ],
    });
    const outside = await element(admin, 'Div', { parent: body, name: 'outside' });
    const [field = '', send = '', message = ''] = await childrenOf(admin, form);
    const mapping = await admin.create('ActionMapping', {
      name: 'saves',
      event: 'click',
      action: 'create',
      dataType: 'Note',
      triggerElements: [send],
      successTargets: [message, outside],
      failureNotificationElements: [message],
    });
    for (const [parameterName, inputElement] of [
      ['text', field],
      ['other', outside],
    ] as const)
      await admin.create('ParameterMapping', {
        parameterName,
        parameterType: 'user-input',
        inputElement,
        actionMapping: mapping,
      });
    await admin.put(`/Button/${send}`, { reloadTargets: [message, outside] });

    const copy = await clone(form, true);
    expect(await namesOf(admin, copy)).toEqual(['field', 'send', 'message']);
    expect((await orderOf(admin, copy)).positions).toEqual([0, 1, 2]);
    const [field2 = '', send2 = '', message2 = ''] = await childrenOf(admin, copy);
    const [text = ''] = await childrenOf(admin, send2);
    expect((await stateOf(admin, text)).content).toBe('Send');
    const ids = (list: { id: string }[]): string[] => list.map(({ id }) => id).sort();
    const button = await stateOf(admin, send2);
    expect(ids(button.reloadTargets)).toEqual([message2, outside].sort());
    expect(button.triggeredActions).toHaveLength(1);
    const actions = (await admin.get(`/ActionMapping/${button.triggeredActions[0].id as string}/all`)).body.result;
    expect(actions.id).not.toBe(mapping);
    expect(actions).toMatchObject({ name: 'saves', event: 'click', action: 'create', dataType: 'Note' });
    expect(ids(actions.triggerElements)).toEqual([send2]);
    expect(ids(actions.successTargets)).toEqual([message2, outside].sort());
    expect(ids(actions.failureNotificationElements)).toEqual([message2]);
    const inputs = await Promise.all(
      (actions.parameterMappings as { id: string }[]).map(
        async ({ id }) => (await admin.get(`/ParameterMapping/${id}/all`)).body.result,
      ),
    );
    expect(inputs.map((one) => [one.parameterName, one.inputElement.id]).sort()).toEqual([
      ['other', outside],
      ['text', field2],
    ]);
    // What was copied is as it was.
    const original = (await admin.get(`/ActionMapping/${mapping}/all`)).body.result;
    expect([ids(original.triggerElements), ids(original.successTargets)]).toEqual([[send], [message, outside].sort()]);
    expect(original.parameterMappings).toHaveLength(2);
  });

  test('a wrong argument, or somebody else`s node, is refused', async () => {
    const answer = await call(admin, body, 'cloneNode', { deep: 'yes' });
    expect([answer.status, answer.body.message]).toEqual([422, 'Missing or invalid argument: deep']);
    await admin.create('ResourceAccess', { signature: 'DOMNode/_id/cloneNode', flags: 64, visibleToPublicUsers: true });
    expect((await call(server.as(), body, 'cloneNode')).status).toBe(404);
  });
});

describe('pages', () => {
  test('clonePage makes a page of its own, with a number in its name', async () => {
    await element(admin, 'Div', { parent: body, name: 'inner' });
    await admin.put(`/Page/${page}`, { category: 'c', cacheForSeconds: 7, position: 3 });
    const first = (await admin.post(`/Page/${page}/clonePage`)).body.result;
    const second = (await admin.post(`/Page/${page}/clonePage`)).body.result;
    const { name } = await stateOf(admin, page);
    expect([first.name, second.name]).toEqual([`${name as string}-1`, `${name as string}-2`]);
    expect(await stateOf(admin, first.id as string)).toMatchObject({ category: 'c', cacheForSeconds: 7, version: 0 });
    expect((await stateOf(admin, first.id as string)).elements).toHaveLength(3);
    expect((await stateOf(admin, page)).elements).toHaveLength(3);
  });

  test('createSimplePage', async () => {
    const answer = await admin.post('/Page/createSimplePage', { name: 'simple', visibleToPublicUsers: true });
    expect(answer.status).toBe(200);
    expect((await getPage(server.as(), '/simple')).text).toBe(
      '<!DOCTYPE html>\n<html>\n\t<head>\n\t\t<title>Simple</title>\n\t</head>\n\t<body>\n\t\t<h1>Simple</h1>\n\t\t<div>Initial body text</div>\n\t</body>\n</html>',
    );
    expect((await admin.post('/Page/createSimplePage', {})).status).toBe(422);
    expect((await admin.post('/Page/createSimplePage', { name: 'a/b' })).status).toBe(422);
    expect((await server.as().post('/Page/createSimplePage', { name: 'nobody' })).status).toBe(401);
  });
});

describe('shared components', () => {
  test('of an element: what is below it moves to the component, which the element refers to', async () => {
    const section = await element(admin, 'Section', {
      parent: body,
      name: 'shared',
      _html_class: 'c',
      children: [
        { type: 'P', tag: 'p', name: 'one' },
        { type: 'P', tag: 'p', name: 'two' },
      ],
    });
    const component = (await call(admin, section, 'createComponent')).body.result.id as string;
    const shadow = (await stateOf(admin, component)).pageId as string;
    expect(await stateOf(admin, shadow)).toMatchObject({
      type: 'ShadowDocument',
      name: '__ShadowDocument__',
      hidden: true,
      visibleToAuthenticatedUsers: true,
    });
    expect(await stateOf(admin, component)).toMatchObject({ name: 'shared', _html_class: 'c', parent: null });
    expect(await namesOf(admin, component)).toEqual(['one', 'two']);
    const [one = ''] = await childrenOf(admin, component);
    expect((await stateOf(admin, one)).pageId).toBe(shadow);
    expect(await stateOf(admin, section)).toMatchObject({ children: [], sharedComponentId: component, pageId: page });
    const reference = (await call(admin, body, 'insertComponent', { component, refChild: section })).body.result
      .id as string;
    expect(await stateOf(admin, reference)).toMatchObject({ sharedComponentId: component, pageId: page, children: [] });
    expect(await childrenOf(admin, body)).toEqual([reference, section]);
    // There is one shadow document.
    await call(admin, one, 'createComponent');
    expect((await admin.get('/ShadowDocument')).body.result_count).toBe(1);
    // A copy of a reference is one.
    expect((await stateOf(admin, await clone(reference, true))).sharedComponentId).toBe(component);
  });

  test('of a template: what is below it stays', async () => {
    const template = await admin.create('Template', {
      name: 'frame',
      content: '<main>${render(children)}</main>',
      contentType: 'text/html',
      parent: body,
      children: [{ type: 'P', tag: 'p', name: 'kept' }],
    });
    const component = (await call(admin, template, 'createComponent')).body.result.id as string;
    expect(await namesOf(admin, template)).toEqual(['kept']);
    expect(await namesOf(admin, component)).toEqual([]);
    const refused = await call(admin, component, 'appendChild', { newChild: await element(admin, 'P') });
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'A shared template has no children of its own: put them below what refers to it.',
    ]);
    expect((await call(admin, template, 'appendChild', { newChild: await element(admin, 'P') })).status).toBe(200);
  });

  test('what is refused', async () => {
    const div = await element(admin, 'Div', { parent: body });
    const component = (await call(admin, div, 'createComponent')).body.result.id as string;
    const message = async (id: string, method: string, input: object): Promise<unknown> => {
      const answer = await call(admin, id, method, input);
      return [answer.status, answer.body.message];
    };
    const loose = await element(admin, 'P');
    expect(await message(div, 'appendChild', { newChild: loose })).toEqual([
      422,
      'A reference to a shared component shows the children of the component: put them there.',
    ]);
    expect(await message(body, 'insertComponent', { component: div })).toEqual([
      422,
      'This node is no shared component.',
    ]);
    expect(await message(body, 'insertComponent', {})).toEqual([422, 'Missing or invalid argument: component']);
    expect(await message(div, 'createComponent', {})).toEqual([
      422,
      'This node stands for a shared component already.',
    ]);
    expect(await message(page, 'createComponent', {})).toEqual([422, 'A page cannot be a shared component.']);
    // A component in itself, directly and by way of another.
    const circle = [422, 'A node cannot accept its own ancestor as child.'];
    expect(await message(component, 'insertComponent', { component })).toEqual(circle);
    const other = await element(admin, 'Div', { parent: body });
    const second = (await call(admin, other, 'createComponent')).body.result.id as string;
    expect((await call(admin, component, 'insertComponent', { component: second })).status).toBe(200);
    expect(await message(second, 'insertComponent', { component })).toEqual(circle);
    const inner = await element(admin, 'Div', { parent: second });
    const direct = await admin.put(`/Div/${inner}`, { sharedComponent: component });
    expect([direct.status, direct.body.message]).toEqual(circle);
  });

  test('scripts make and place them', async () => {
    await element(admin, 'Div', { parent: body, name: 'by-script' });
    await admin.create('SchemaMethod', {
      name: 'share',
      source: `{
        const div = $.first($.find('Div', 'name', 'by-script'));
        const component = div.createComponent();
        const reference = div.parent.insertComponent({ component });
        return [component.ownerDocument.name, reference.sharedComponent.id === component.id, $.DOMNode.getRecycleBin().length >= 0];
      }`,
    });
    expect((await admin.post('/share', {})).body.result).toEqual(['__ShadowDocument__', true, true]);
  });
});
