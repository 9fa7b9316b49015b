/** Parts of pages that are shown anew or later, and as the script for browsers asks for them (docs/interface/pages.md 2.6, 7.2, 7.4). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { getPage, makeAction, makePage, nodeNamed, type Tree } from '../../support/pages.js';
import { TestServer } from '../../support/server.js';
import { attributesOf } from './tags.js';

let server: TestServer;
let admin: Client;
let nobody: Client;
let anna: Client;
const VISIBLE = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'html.indentation': false } });
  ({ admin } = server);
  nobody = server.as();
  await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
  await admin.create('SchemaNode', { name: 'Thing' });
  for (const name of ['one', 'two']) await admin.create('Thing', { name, ...VISIBLE });
});
afterAll(() => server.stop());

let count = 0;
const page = async (...body: readonly Tree[]): Promise<string> => {
  const name = `page${String(++count)}`;
  await makePage(admin, name, [['html', {}, ['body', {}, ...body]]]);
  return `/${name}`;
};
const stateOf = (state: object): string => encodeURIComponent(Buffer.from(JSON.stringify(state)).toString('base64'));

describe('templates', () => {
  let id: string;
  const text = '${status}|${data.name}|${word}|${me.name}|${me.isAdmin}|${page.name}|${current}';

  beforeAll(async () => {
    await makePage(admin, 'with-template', [
      [
        'html',
        {},
        [
          'body',
          {},
          ['template', { name: 'results' }, 'before', ['p', { _html_class: 'x' }, text], ['p', {}, 'second']],
        ],
      ],
    ]);
    id = await nodeNamed(admin, 'results');
  });

  const post = (client: Client, body: unknown, type = 'application/json'): ReturnType<Client['send']> =>
    client.send('POST', `/svc/html/${id}`, typeof body === 'string' ? body : JSON.stringify(body), {
      'Content-Type': type,
    });

  test('show their first element with the values of a body or of the address', async () => {
    const tag = `<p class="x" data-svc-template-id="${id}">`;
    const answer = await post(nobody, { status: '200', data: { name: '<b>' }, word: 'w' });
    expect([answer.status, answer.text]).toEqual([200, `${tag}200|&lt;b&gt;|w|||with-template|</p>`]);
    expect((await getPage(nobody, `/${id}?status=a&word=${encodeURIComponent('${1}')}`)).text).toBe(
      `${tag}a||\${1}|||with-template|</p>`,
    );
    // In the page the template is what it is.
    expect((await getPage(nobody, '/with-template')).text).toContain(
      `<template data-svc-id="${id}">before<p class="x">`,
    );
  });

  test('nobody says who asks, or which page it is', async () => {
    const spoofed = {
      me: { name: 'root', isAdmin: true },
      page: { name: 'other' },
      current: 'x',
      this: 1,
      status: 'ok',
    };
    expect((await post(anna, spoofed)).text).toContain('>ok|||anna|false|with-template|<');
    expect((await getPage(nobody, `/${id}?me=root&page=other`)).text).toContain('>|||||with-template|<');
  });

  test('bad and large bodies are refused', async () => {
    expect((await post(nobody, '{"a":')).status).toBe(400);
    expect((await post(nobody, '[1]')).status).toBe(400);
    expect((await post(nobody, { a: 'x'.repeat(1100 * 1024) })).status).toBe(413);
    expect((await post(nobody, { a: Array.from({ length: 110_000 }, () => 1) })).status).toBe(413);
    // What is no JSON is not read.
    expect((await post(nobody, 'status=200', 'application/x-www-form-urlencoded')).status).toBe(200);
  });

  test('without an element are empty', async () => {
    await makePage(admin, 'empty-template', [['html', {}, ['body', {}, ['template', { name: 'nothing' }, 'text']]]]);
    const answer = await getPage(nobody, `/${await nodeNamed(admin, 'nothing')}`);
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});

describe('elements that are shown anew', () => {
  test('have the parameters of the request, the details object and the objects of repeaters', async () => {
    const { body } = await admin.get('/Thing?_sort=name');
    const [first] = body.result as { id: string }[];
    const path = await page(
      ['button', { name: 'reloads' }],
      [
        'div',
        { functionQuery: "first(sort(find('Thing'), 'name'))", dataKey: 'thing' },
        ['p', { name: 'reloaded' }, '${thing.name}-${current.name}-${request.myParam}'],
      ],
    );
    await makeAction(admin, 'reloads', {
      event: 'click',
      action: 'none',
      successBehaviour: 'partial-refresh-linked',
      successTargets: ['reloaded'],
    });
    const id = await nodeNamed(admin, 'reloaded');
    const state = Buffer.from(JSON.stringify({ thing: first?.id })).toString('base64');
    const found = await attributesOf(
      nobody,
      `${path}/${String(first?.id)}?myParam=${encodeURIComponent('"x')}&<b>=1`,
      'p',
    );
    expect(found).toEqual({
      'data-svc-id': id,
      'data-current-object-id': first?.id,
      'data-request-my-param': '&quot;x',
      'data-svc-render-state': state,
    });
    // As the script asks for it.
    const part = await getPage(
      nobody,
      `/svc/html/${id}/${String(first?.id)}?myParam=1&svc-encoded-render-state=${state}`,
    );
    expect(part.text).toBe(
      `<p data-svc-id="${id}" data-current-object-id="${String(first?.id)}" data-request-my-param="1" data-svc-render-state="${state}">one-one-1</p>`,
    );
  });

  test('elements that selectors of others mean', async () => {
    const path = await page(
      ['button', { 'data-svc-reload-target': '.list, #other' }],
      ['p', { _html_class: 'big list' }],
      ['div', { _html_id: 'elsewhere' }],
    );
    expect(await attributesOf(nobody, path, 'p')).toHaveProperty('data-svc-render-state');
    expect(await attributesOf(nobody, path, 'div')).not.toHaveProperty('data-svc-render-state');
  });
});

describe('parts that are loaded later', () => {
  test('are empty in the page, and whole by themselves', async () => {
    const path = await page([
      'div',
      { name: 'later', 'data-svc-rendering-mode': 'delayed', 'data-svc-delay-or-interval': '500' },
      ['b', {}, 'here'],
    ]);
    const id = await nodeNamed(admin, 'later');
    const tag = `<div data-svc-id="${id}" data-svc-rendering-mode="delayed" data-svc-delay-or-interval="500">`;
    expect((await getPage(nobody, path)).text).toContain(`${tag}</div>`);
    expect((await getPage(nobody, `/${id}`)).text).toBe(`${tag}<b>here</b></div>`);
  });

  test('also where a script puts them into the page', async () => {
    const name = `page${String(++count)}`;
    await makePage(admin, name, [
      [
        'Template',
        { content: '${render(children)}', contentType: 'text/html' },
        ['div', { 'data-svc-rendering-mode': 'load' }, ['b', {}, 'here']],
      ],
    ]);
    expect((await getPage(nobody, `/${name}`)).text).toMatch(/^<div [^>]*><\/div>$/);
  });
});

describe('the state of repeaters', () => {
  test('an object that is gone, or that may not be seen, is shown as nothing', async () => {
    await makePage(admin, 'gone', [
      [
        'html',
        {},
        [
          'body',
          {},
          ['p', { name: 'gone-item', functionQuery: "sort(find('Thing'), 'name')", dataKey: 'thing' }, '${thing.name}'],
        ],
      ],
    ]);
    const id = await nodeNamed(admin, 'gone-item');
    const seen = await admin.create('Thing', { name: 'seen', ...VISIBLE });
    const unseen = await admin.create('Thing', { name: 'unseen' });
    const at = async (thing: string): Promise<string> =>
      (await getPage(nobody, `/${id}?svc-encoded-render-state=${stateOf({ thing })}`)).text;
    expect(await at(seen)).toContain('>seen</p>');
    expect(await at(unseen)).toBe('');
    await admin.delete(`/Thing/${seen}`);
    expect(await at(seen)).toBe('');
  });

  test('reaches into shared components', async () => {
    const shadow = await admin.create('ShadowDocument', {
      name: '__ShadowDocument__',
      hidden: true,
      visibleToAuthenticatedUsers: true,
    });
    const component = await admin.create('Div', { name: 'shared', tag: 'div', ownerDocument: shadow, ...VISIBLE });
    const inner = await admin.create('B', {
      name: 'shared-b',
      tag: 'b',
      parent: component,
      ownerDocument: shadow,
      ...VISIBLE,
    });
    await admin.create('Content', { content: '${thing.name}', parent: inner, ownerDocument: shadow, ...VISIBLE });
    await makePage(admin, 'with-shared', [
      [
        'html',
        {},
        [
          'body',
          {},
          [
            'p',
            { functionQuery: "find('Thing', 'name', 'of-shared')", dataKey: 'thing' },
            ['div', { sharedComponent: component }],
          ],
          ['button', { name: 'for-shared' }],
        ],
      ],
    ]);
    const thing = await admin.create('Thing', { name: 'of-shared', ...VISIBLE });
    await makeAction(admin, 'for-shared', {
      event: 'click',
      action: 'none',
      successBehaviour: 'partial-refresh-linked',
      successTargets: ['shared-b'],
    });
    const { text } = await getPage(nobody, '/with-shared');
    const [, state] = /data-svc-render-state="([^"]+)"/.exec(text) ?? [];
    expect(JSON.parse(Buffer.from(String(state), 'base64').toString())).toEqual({ thing });
    expect(
      (await getPage(nobody, `/${inner}?svc-encoded-render-state=${encodeURIComponent(String(state))}`)).text,
    ).toContain('>of-shared</b>');
  });
});
