/** What of event actions stands in pages (docs/interface/pages.md 7.2). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { getPage, makeAction, makePage, nodeNamed, type Tree } from '../../support/pages.js';
import { TestServer } from '../../support/server.js';
import { attributesOf } from './tags.js';

let server: TestServer;
let admin: Client;
let nobody: Client;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'html.indentation': false } });
  ({ admin } = server);
  nobody = server.as();
  await admin.create('SchemaNode', { name: 'Thing' });
  for (const name of ['one', 'two']) {
    await admin.create('Thing', { name, visibleToPublicUsers: true, visibleToAuthenticatedUsers: true });
  }
});
afterAll(() => server.stop());

const page = async (...body: readonly Tree[]): Promise<string> => {
  const name = `page${String(++count)}`;
  await makePage(admin, name, [['html', {}, ['body', {}, ...body]]]);
  return `/${name}`;
};
const button = (name: string, ...more: readonly Tree[]): Tree => ['button', { name }, ...more];

const attributes = (path: string, tag = 'button'): Promise<Record<string, string>> => attributesOf(nobody, path, tag);

describe('elements that set off an action', () => {
  test('have its fields, and their id', async () => {
    const path = await page(button('create1'));
    await makeAction(admin, 'create1', {
      event: 'click,keyup',
      action: 'create',
      dataType: 'Thing',
      options: '{"delay":5}',
      dialogType: 'okcancel',
      dialogTitle: '${capitalize("sure")}?',
      dialogText: 'a "b" <c>',
    });
    expect(await attributes(path)).toEqual({
      'data-svc-id': await nodeNamed(admin, 'create1'),
      'data-svc-event': 'click,keyup',
      'data-svc-events': 'click,keyup',
      'data-svc-action': 'create',
      'data-svc-data-type': 'Thing',
      'data-svc-target': 'Thing',
      'data-svc-options': '{&quot;delay&quot;:5}',
      'data-svc-dialog-type': 'okcancel',
      'data-svc-dialog-title': 'Sure?',
      'data-svc-dialog-text': 'a &quot;b&quot; &lt;c&gt;',
    });
  });

  test('a change of the mapping is seen at once', async () => {
    const path = await page(button('changing'));
    expect(await attributes(path)).toEqual({});
    const mapping = await makeAction(admin, 'changing', { event: 'click', action: 'method', method: 'one' });
    expect(await attributes(path)).toMatchObject({ 'data-svc-method': 'one' });
    await admin.put(`/ActionMapping/${mapping}`, { method: 'two' });
    expect(await attributes(path)).toMatchObject({ 'data-svc-method': 'two' });
    const parameterMapping = await admin.create('ParameterMapping', {
      actionMapping: mapping,
      parameterName: 'x',
      parameterType: 'constant-value',
      constantValue: '1',
    });
    expect(await attributes(path)).toMatchObject({ 'data-x': '1' });
    await admin.put(`/ParameterMapping/${parameterMapping}`, { constantValue: '2' });
    expect(await attributes(path)).toMatchObject({ 'data-x': '2' });
    await admin.delete(`/ActionMapping/${mapping}`);
    expect(await attributes(path)).toEqual({});
  });

  test('mappings are read whoever asks, and the first that was linked counts', async () => {
    const path = await page(button('first-counts'));
    await makeAction(admin, 'first-counts', { event: 'click', action: 'method', method: 'first' }, [], {});
    await makeAction(admin, 'first-counts', { event: 'click', action: 'method', method: 'second' });
    expect(await attributes(path)).toMatchObject({ 'data-svc-method': 'first' });
  });

  test('the target is the id expression as it is written, its value stands beside it', async () => {
    const path = await page([
      'div',
      { functionQuery: "sort(find('Thing'), 'name')", dataKey: 'thing' },
      ['button', { name: 'delete1' }, 'x'],
    ]);
    await makeAction(admin, 'delete1', { event: 'click', action: 'delete', idExpression: '${thing.id}' });
    const { text } = await getPage(nobody, path);
    const { body } = await admin.get('/Thing?_sort=name');
    for (const { id } of body.result as { id: string }[]) {
      expect(text).toContain(`data-svc-id-expression="${id}" data-svc-target="\${thing.id}"`);
    }
  });

  test('events of the old form are named', async () => {
    const path = await page(['button', { name: 'old1', eventMapping: '{"click":{},"drop":{}}' }]);
    expect(await attributes(path)).toEqual({
      'data-svc-id': await nodeNamed(admin, 'old1'),
      'data-svc-events': 'click,drop',
    });
  });

  test('fields without a value are left out, and what they say wins over stored attributes', async () => {
    const path = await page(['button', { name: 'empty1', 'data-svc-method': 'stored', 'data-own': 'x' }]);
    await makeAction(admin, 'empty1', { event: 'click', action: 'method', method: 'called', flow: '${null}' });
    expect(await attributes(path)).toEqual({
      'data-own': 'x',
      'data-svc-id': await nodeNamed(admin, 'empty1'),
      'data-svc-event': 'click',
      'data-svc-events': 'click',
      'data-svc-action': 'method',
      'data-svc-method': 'called',
    });
  });
});

describe('what happens afterwards', () => {
  test.each([
    [{ successBehaviour: 'none' }, undefined],
    [{ successBehaviour: 'partial-refresh', successPartial: '#a, .b' }, '#a, .b'],
    [{ successBehaviour: 'navigate-to-url', successURL: '/x/{result.id}?p=${"1"}' }, 'url:/x/{result.id}?p=1'],
    [{ successBehaviour: 'full-page-reload' }, 'url:'],
    [{ successBehaviour: 'fire-event', successEvent: 'my-event' }, 'event:my-event'],
    [{ successBehaviour: 'sign-out' }, 'sign-out'],
  ])('%j', async (fields, expected) => {
    const name = `after${String(++count)}`;
    const path = await page(button(name));
    await makeAction(admin, name, { event: 'click', action: 'none', ...fields });
    expect((await attributes(path))['data-svc-success-target']).toBe(expected);
    const failing = Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key.replace('success', 'failure'), value]),
    );
    const other = `${name}-failing`;
    const second = await page(button(other));
    await makeAction(admin, other, { event: 'click', action: 'none', ...failing });
    expect((await attributes(second))['data-svc-failure-target']).toBe(expected);
  });

  test('elements that are linked, in repeaters the item alone', async () => {
    const path = await page(
      ['p', { name: 'linked1' }],
      [
        'div',
        { functionQuery: "sort(find('Thing'), 'name')", dataKey: 'thing', name: 'linked2' },
        ['button', { name: 'linking' }, 'x'],
      ],
    );
    await makeAction(admin, 'linking', {
      event: 'click',
      action: 'none',
      successBehaviour: 'partial-refresh-linked',
      successTargets: ['linked1', 'linked2'],
    });
    const [plain, repeated] = [await nodeNamed(admin, 'linked1'), await nodeNamed(admin, 'linked2')];
    const { text } = await getPage(nobody, path);
    const { body } = await admin.get('/Thing?_sort=name');
    for (const { id } of body.result as { id: string }[]) {
      expect(text).toContain(
        `data-svc-success-target="[data-svc-id='${plain}'],[data-svc-id='${repeated}'][data-repeater-data-object-id='${id}']"`,
      );
    }
  });

  test('notifications', async () => {
    const path = await page(button('note'), ['p', { name: 'dialog' }]);
    await makeAction(admin, 'note', {
      event: 'click',
      action: 'none',
      successNotifications: 'inline-text-message',
      successNotificationsDelay: 70,
      failureNotifications: 'custom-dialog-linked',
      failureNotificationElements: ['dialog'],
    });
    const dialog = await nodeNamed(admin, 'dialog');
    expect(await attributes(path)).toMatchObject({
      'data-svc-success-notifications': 'inline-text-message',
      'data-svc-success-notifications-delay': '70',
      'data-svc-failure-notifications': 'custom-dialog-linked',
      'data-svc-failure-notifications-custom-dialog-element': `[data-svc-id='${dialog}']`,
    });
    expect(await attributes(path, 'p')).toMatchObject({ 'data-svc-id': dialog });
    const other = await page(button('note2'));
    await makeAction(admin, 'note2', {
      event: 'click',
      action: 'none',
      successNotifications: 'fire-event',
      successNotificationsEvent: 'saved',
      failureNotifications: 'custom-dialog',
      failureNotificationsPartial: '#failed',
    });
    expect(await attributes(other)).toMatchObject({
      'data-svc-success-notifications': 'fire-event',
      'data-svc-success-notifications-event': 'saved',
      'data-svc-failure-notifications': 'custom-dialog',
      'data-svc-failure-notifications-partial': '#failed',
    });
  });
});

describe('parameters', () => {
  test('of each kind', async () => {
    const path = await page(
      button('params'),
      ['input', { name: 'byId', _html_id: 'the-name' }],
      ['textarea', { name: 'byUuid' }],
    );
    const parameter = (parameterName: string, parameterType: string, more: object): Record<string, unknown> => ({
      parameterName,
      parameterType,
      ...more,
    });
    await makeAction(admin, 'params', { event: 'click', action: 'method', method: 'x' }, [
      parameter('firstName', 'user-input', { inputElement: 'byId' }),
      parameter('text', 'user-input', { inputElement: 'byUuid' }),
      parameter('constant', 'constant-value', { constantValue: 'a ${1} "b"' }),
      parameter('computed', 'script-expression', { scriptExpression: "concat('a', '1')" }),
      parameter('wrapped', 'script-expression', { scriptExpression: '${{ `${[1, 2].length}` }}' }),
      parameter('pageSize', 'pagesize-param', { constantValue: '5' }),
    ]);
    const input = await nodeNamed(admin, 'byUuid');
    expect(await attributes(path)).toMatchObject({
      'data-first-name': 'css(#the-name)',
      'data-text': `id(${input})`,
      'data-constant': 'a ${1} &quot;b&quot;',
      'data-computed': 'a1',
      'data-wrapped': '2',
      'data-page-size': '5',
    });
    expect(await attributes(path, 'textarea')).toEqual({ 'data-svc-id': input });
    expect((await attributes(`${path}?pageSize=7`))['data-page-size']).toBe('7');
  });

  test.each([
    ['prev-page', '', '1'],
    ['prev-page', '?page=5', '4'],
    ['next-page', '', '2'],
    ['next-page', '?page=5', '6'],
    ['next-page', '?page=x', '2'],
    ['first-page', '?page=5', '1'],
    ['last-page', '', '1000'],
  ])('%s at %s', async (action, query, expected) => {
    const name = `paging${String(++count)}`;
    const path = await page(button(name));
    await makeAction(admin, name, { event: 'click', action }, [{ parameterName: 'page', parameterType: 'page-param' }]);
    expect(await attributes(path + query)).toMatchObject({ 'data-page': expected, 'data-svc-target': 'page' });
  });

  test('what visitors have typed is no instruction for the script', async () => {
    const path = await page(button('typed'));
    const expressions = { a: 'request.a', b: 'request.b' };
    await makeAction(
      admin,
      'typed',
      { event: 'click', action: 'update', idExpression: '${request.a}' },
      Object.entries(expressions).map(([parameterName, scriptExpression]) => ({
        parameterName,
        parameterType: 'script-expression',
        scriptExpression,
      })),
    );
    const query = `?a=${encodeURIComponent('css(input[type=password])')}&b=${encodeURIComponent('"><script>alert(1)</script>')}`;
    const found = await attributes(path + query);
    expect(found['data-a']).toBe('json(&quot;css(input[type=password])&quot;)');
    expect(found['data-svc-id-expression']).toBe('json(&quot;css(input[type=password])&quot;)');
    expect(found['data-b']).toBe('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  test('names that would be instructions, or markup, are left out', async () => {
    const path = await page(button('bad-names'));
    const names = ['svcSuccessTarget', 'a b', 'x">y', 'fine'];
    await makeAction(
      admin,
      'bad-names',
      { event: 'click', action: 'none' },
      names.map((parameterName) => ({ parameterName, parameterType: 'constant-value', constantValue: 'url:/evil' })),
    );
    expect(Object.keys(await attributes(path)).sort()).toEqual([
      'data-fine',
      'data-svc-action',
      'data-svc-event',
      'data-svc-events',
      'data-svc-id',
    ]);
  });
});

describe('what others than administrators write', () => {
  test('sets nothing off', async () => {
    const anna = await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
    const client = server.as('anna', 'Anna-pass-1');
    for (const signature of ['ActionMapping', 'ParameterMapping', 'DOMElement']) {
      await admin.create('ResourceAccess', { signature, flags: 4 + 1, visibleToAuthenticatedUsers: true });
    }
    const path = await page(['button', { name: 'hers' }], ['p', { name: 'other' }]);
    await admin.post(`/Button/${await nodeNamed(admin, 'hers')}/grant`, {});
    await admin.put(`/Button/${await nodeNamed(admin, 'hers')}`, { owner: anna });
    const made = await client.post('/ActionMapping', {
      event: 'load',
      action: 'method',
      method: 'evil',
      triggerElements: [await nodeNamed(admin, 'hers')],
      visibleToPublicUsers: true,
    });
    expect(made.status).toBe(201);
    expect(await attributes(path)).not.toHaveProperty('data-svc-events');
    // The mapping of an administrator behind it counts.
    await makeAction(admin, 'hers', { event: 'click', action: 'method', method: 'good' });
    expect(await attributes(path)).toMatchObject({ 'data-svc-method': 'good' });
    // A parameter of hers does not.
    const mapping = await makeAction(admin, 'other', { event: 'click', action: 'method', method: 'good' });
    await admin.put(`/ActionMapping/${mapping}`, { owner: anna });
    const parameter = await client.post('/ParameterMapping', {
      parameterName: 'x',
      parameterType: 'script-expression',
      scriptExpression: "find('User')",
      actionMapping: mapping,
    });
    expect(parameter.status).toBe(201);
    expect(await attributes(path, 'p')).not.toHaveProperty('data-x');
  });
});
