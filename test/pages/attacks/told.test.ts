/**
 * What the service itself tells in a page or beside it: parameters of routes, errors, what the script for browsers shows, names of files, values of widgets
 * (docs/interface/pages.md 2.5, 2.9, 3.4, 7.4, 9). Nothing in it runs, whoever has written it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { bare, getPage, makeAction, makePage, nodeNamed } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { makeFile } from '../../support/serving.js';
import { browserPath, Stage, unique } from '../actions/browser.js';
import { MARKUP } from './corpus.js';
import { marked, ranAt, TOUCH, touchable } from './touch.js';

const ALL = marked(MARKUP);
/** Of each kind some: each of these is a page of its own. */
const SOME = ALL.filter((_, i) => i % 6 === 1);
const encoded = (text: string): string => encodeURIComponent(text).replaceAll('%2F', '%252F').replaceAll('%00', '');

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let stage: Stage;
  let admin: Client;

  beforeAll(async () => {
    stage = await Stage.open();
    ({ admin } = stage);
  });
  afterAll(() => stage.close());

  test('parameters of routes', async () => {
    const name = unique('routed');
    const page = await makePage(admin, name, [
      [
        'html',
        {},
        [
          'body',
          {},
          ['a', { _html_title: '${word}', _html_href: '/x?${word}' }, '${word}'],
          ['Comment', { content: '${word}' }],
          ['textarea', {}, '${word}'],
        ],
      ],
    ]);
    await admin.create('PagePath', { name: `/${name}-route/{word}`, page });
    const paths = SOME.map((text) => `/${name}-route/${encoded(text)}`);
    expect((await getPage(stage.server.as(), paths[0] ?? '')).text).toContain('hit(');
    expect(await ranAt(stage, ...paths)).toEqual([]);
  });

  test('texts of errors', async () => {
    const texts = SOME.slice(0, 5);
    const own = [
      '/nothing/',
      '/svc/rest/',
      '/svc/rest/Page/',
      '/svc/html/',
      '/svc/rest/Page?_sort=',
      '/svc/rest/Page?x=',
    ];
    const name = unique('failing');
    const scripts = [
      '${unknown(request.q)}',
      '${find(request.q)}',
      '${{ throw new Error($.request.q) }}',
      '${render(request.q)}',
      '${include(request.q)}',
      '${localize(request.q)}',
    ];
    await makePage(admin, name, [
      ['html', {}, ['body', {}, ...scripts.map((one) => ['p', { _html_title: one }, one] as const)]],
    ]);
    const asked = texts.flatMap((text) => [
      ...own.map((path) => path + encoded(text)),
      `/${name}?q=${encodeURIComponent(text)}`,
    ]);
    expect(await ranAt(stage, ...asked)).toEqual([]);
    // The same with a page for the error that says what was asked for.
    const error = unique('error');
    const shown = bare(['p', {}, '${request.q} ${request}'], ['Comment', { content: '${request.q}' }]);
    const id = await makePage(admin, error, [shown], { showOnErrorCodes: '404' });
    const paths = texts.map((text) => `/none-${encoded(text)}?q=${encodeURIComponent(text)}`);
    expect(await ranAt(stage, ...paths)).toEqual([]);
    await admin.put(`/Page/${id}`, { showOnErrorCodes: null });
  });

  test('what the script for browsers tells: messages, errors of fields, dialogs, parts, names of files', async () => {
    const [name, button, field, file, template] = ['told', 'button', 'field', 'file', 'part'].map(unique) as [
      string,
      string,
      string,
      string,
      string,
    ];
    await makePage(admin, name, [
      [
        'html',
        {},
        ['head', {}, ['script', { _html_src: '/svc/js/frontend/frontend.js', _html_type: 'module' }]],
        [
          'body',
          {},
          ['input', { name: field }],
          ['input', { name: file, _html_type: 'file' }],
          ['button', { name: button, _html_title: '${request.q}' }, 'go'],
          ['template', { name: template, _html_id: template }, ['p', { _html_title: '${data.text}' }, '${data.text}']],
        ],
      ],
    ]);
    const inline = { successNotifications: 'inline-text-message', failureNotifications: 'inline-text-message' };
    const dialog = { dialogType: 'okcancel', dialogTitle: '${request.q}', dialogText: '${request.q}' };
    const mapping = await makeAction(
      admin,
      button,
      {
        event: 'click',
        action: 'none',
        ...inline,
        ...dialog,
        successBehaviour: 'partial-refresh',
        successPartial: 'toast:{result.text}',
      },
      [
        { parameterType: 'user-input', parameterName: 'word', inputElement: field },
        { parameterType: 'user-input', parameterName: 'upload', inputElement: file },
        { parameterType: 'script-expression', parameterName: 'asked', scriptExpression: 'request.q' },
      ],
    );
    const page = await touchable(stage);
    page.on('dialog', (shown) => void shown.accept());
    const hits: unknown[] = [];
    const answers = new Map([
      [200, (text: string): unknown => ({ result: { text, [text]: text } })],
      [
        422,
        (text: string): unknown => ({
          code: 422,
          message: text,
          errors: [{ property: 'word', token: text, type: text, detail: text }],
        }),
      ],
      [500, (text: string): unknown => text],
    ]);
    let [status, said] = [200, ''];
    await page.route('**/event', (route) =>
      route.fulfill({ status, contentType: 'text/html', body: JSON.stringify(answers.get(status)?.(said)) }),
    );
    await page.route('**/svc/upload', (route) =>
      route.fulfill({ status: 413, contentType: 'text/html', body: JSON.stringify({ message: said }) }),
    );
    const go = async (): Promise<void> => {
      await Promise.all([
        page.evaluate('new Promise((done) => addEventListener("svc-action-finished", () => done(), { once: true }))'),
        page.click('button'),
      ]);
    };
    for (const text of SOME) {
      said = text;
      await page.goto(`${stage.server.url}/${name}?q=${encodeURIComponent(text)}`);
      for (status of answers.keys()) await go();
      await page.setInputFiles('input[type=file]', {
        name: `${text.replaceAll('/', '')}.txt`,
        mimeType: 'text/plain',
        buffer: Buffer.from('x'),
      });
      await go();
      expect(await page.locator('.svc-notification').count(), text).toBe(1);
      hits.push(...(await page.evaluate<unknown[]>(TOUCH)));
    }
    // A part that is made of the result.
    await admin.put(`/ActionMapping/${mapping}`, { successPartial: `template:#${template}` });
    status = 200;
    for (const text of SOME) {
      said = text;
      await page.goto(`${stage.server.url}/${name}?q=${encodeURIComponent(text)}`);
      await go();
      expect(await page.locator('p').textContent(), text).toBe(text.replaceAll('\u0000', '\ufffd'));
      hits.push(...(await page.evaluate<unknown[]>(TOUCH)));
    }
    await page.context().close();
    expect(hits).toEqual([]);
  });

  test('names of files', async () => {
    const names = ALL.filter((text) => !text.includes('/') && !text.includes('\u0000') && text.length < 100).slice(
      0,
      12,
    );
    for (const [i, name] of names.entries())
      await makeFile(stage.server, {
        name: `${String(i)} ${name}.png`,
        content: 'x',
        properties: { contentType: 'image/png' },
      });
    const page = unique('files');
    const [all, own] = [unique('all'), unique('own')];
    await makePage(admin, page, [
      [
        'html',
        {},
        [
          'body',
          {},
          [
            'div',
            { name: all, dataKey: 'f', functionQuery: "find('File')" },
            ['img', { _html_src: '${f.path}', _html_alt: '${f.name}' }],
            ['p', { name: own }, '${f.name}${include(f.name)}'],
          ],
        ],
      ],
    ]);
    const { text } = await getPage(stage.server.as(), `/${page}`);
    expect(text.split('<img').length - 1).toBeGreaterThanOrEqual(2 * names.length);
    const folder = `/${encodeURIComponent(`0 ${names[0] ?? ''}.png`)}`;
    expect(await ranAt(stage, `/${page}`, folder)).toEqual([]);
  });

  test('sources of widgets of others, and their configuration', async () => {
    await admin.create('User', { name: 'eve', password: 'Eve-pass-1' });
    for (const signature of ['Widget', 'Widget/_id']) await allow(admin, signature, 'user', ['GET', 'POST', 'PUT']);
    const eve = stage.server.as('eve', 'Eve-pass-1');
    const [page, place] = [unique('widgets'), unique('place')];
    await makePage(admin, page, [['html', {}, ['body', {}, ['div', { name: place }]]]]);
    const target = await nodeNamed(admin, place);
    let inserted = 0;
    for (const text of SOME) {
      const configuration = JSON.stringify({ word: { title: text, default: text } });
      const fields = {
        name: unique('widget'),
        source: `<p title="[word]">[word]</p>${text}`,
        configuration,
        description: text,
      };
      const made = await eve.post('/Widget', {
        ...fields,
        visibleToPublicUsers: true,
        visibleToAuthenticatedUsers: true,
      });
      expect(made.status, text).toBe(201);
      const widget = (made.body as { result: string[] }).result[0];
      // An administrator puts it in, with values of its own configuration.
      const answer = await admin.post(`/Div/${target}/insertWidget`, { widget, values: { word: text } });
      if (answer.status === 200) inserted++;
    }
    expect(inserted).toBeGreaterThan(SOME.length / 2);
    const { body } = await admin.get(
      `/DOMNode?pageId=${(await admin.get(`/Page?name=${page}`)).body.result[0].id as string}&_pageSize=1000`,
    );
    const flags = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
    await admin.patch(
      '/DOMNode',
      (body.result as { id: string }[]).map(({ id }) => ({ id, ...flags })),
    );
    expect((await getPage(stage.server.as(), `/${page}`)).text).toContain('<p');
    expect(await ranAt(stage, `/${page}`)).toEqual([]);
  });
});
