/** What the script for browsers sends, and what comes of it: actions, values, options, dialogs (docs/interface/pages.md 7.4). */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAction, nodeNamed } from '../../support/pages.js';
import { bodyOf, browserPath, inFirefox, sentBy, Stage, unique } from './browser.js';

const parameter = (parameterName: string, parameterType: string, more: object): Record<string, unknown> => ({
  parameterName,
  parameterType,
  ...more,
});
const input = (parameterName: string, inputElement: string): Record<string, unknown> =>
  parameter(parameterName, 'user-input', { inputElement });

describe.skipIf(browserPath === undefined)('actions in a browser', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
    const { admin } = stage;
    await admin.defineType(
      'Thing',
      [
        { name: 'size', propertyType: 'Integer' },
        { name: 'due', propertyType: 'Date' },
        { name: 'done', propertyType: 'Boolean' },
        { name: 'tags', propertyType: 'StringArray' },
      ],
      {
        schemaMethods: [
          { name: 'grow', source: '{ $.this.size = $.this.size + $.args.by; return { size: $.this.size }; }' },
        ],
      },
    );
  });
  afterAll(() => stage.close());

  const things = async (query = ''): Promise<Record<string, unknown>[]> =>
    (await stage.admin.get(`/Thing/all?_sort=createdDate${query}`)).body.result as Record<string, unknown>[];
  const own = (values: object = {}): Promise<string> =>
    stage.admin.create('Thing', { owner: stage.annaId, visibleToAuthenticatedUsers: true, ...values });

  it('creates an object of the values of a form', async () => {
    const [form, name, size, due, done, tags, text] = ['form', 'name', 'size', 'due', 'done', 'tags', 'text'].map(
      unique,
    ) as [string, string, string, string, string, string, string];
    const path = await stage.make([
      'form',
      { name: form },
      ['input', { name, _html_id: 'the-name' }],
      ['input', { name: size, _html_type: 'number' }],
      ['input', { name: due, _html_type: 'datetime-local' }],
      ['input', { name: done, _html_type: 'checkbox' }],
      [
        'select',
        { name: tags, _html_multiple: 'multiple' },
        ['option', { _html_value: 'a' }],
        ['option', { _html_value: 'b' }],
        ['option', { _html_value: 'c' }],
      ],
      ['textarea', { name: text }],
      ['button', { _html_type: 'submit' }, 'save'],
    ]);
    await makeAction(
      stage.admin,
      form,
      { event: 'submit', action: 'create', dataType: 'Thing', options: '{"resetValue":true}' },
      [
        input('name', name),
        input('size', size),
        input('due', due),
        input('done', done),
        input('tags', tags),
        input('description', text),
        parameter('visibleToAuthenticatedUsers', 'constant-value', { constantValue: 'json(true)' }),
      ],
    );
    const { page, problems } = await stage.visit(path);
    await page.fill('#the-name', 'made "here" <b>');
    await page.fill('input[type=number]', '12');
    await page.fill('input[type=datetime-local]', '2026-03-01T12:30');
    await page.check('input[type=checkbox]');
    await page.selectOption('select', ['a', 'c']);
    const body = await sentBy(page, () => page.click('button'));
    expect(body).toMatchObject({
      name: 'made "here" <b>',
      size: '12',
      done: true,
      tags: ['a', 'c'],
      description: null,
      visibleToAuthenticatedUsers: true,
      htmlEvent: 'submit',
      svcTarget: 'Thing',
    });
    expect(new Date(body['due'] as string).toISOString()).toBe(body['due']);
    await expect
      .poll(() => things('&size=12'))
      .toMatchObject([{ name: 'made "here" <b>', done: true, tags: ['a', 'c'] }]);
    // Its inputs are as they were when the page came.
    await expect.poll(() => page.inputValue('#the-name')).toBe('');
    expect(await page.isChecked('input[type=checkbox]')).toBe(false);
    expect(problems).toEqual([]);
  });

  it('updates, deletes and calls methods of the objects of a list', async () => {
    await Promise.all([own({ name: 'list-a', size: 1 }), own({ name: 'list-b', size: 2 })]);
    const [field, save, remove, grow] = ['field', 'save', 'remove', 'grow'].map(unique) as [
      string,
      string,
      string,
      string,
    ];
    const path = await stage.make([
      'ul',
      {},
      [
        'li',
        { functionQuery: "sort(filter(find('Thing'), startsWith(data.name, 'list-')), 'name')", dataKey: 'thing' },
        ['input', { name: field, _html_value: '${thing.name}' }],
        ['button', { name: save, _html_class: 'save' }, 'save'],
        ['button', { name: remove, _html_class: 'remove' }, 'remove'],
        ['button', { name: grow, _html_class: 'grow' }, 'grow'],
      ],
    ]);
    const { admin } = stage;
    const of = { event: 'click', idExpression: '${thing.id}' };
    await makeAction(admin, save, { ...of, action: 'update' }, [input('name', field)]);
    await makeAction(admin, remove, {
      ...of,
      action: 'delete',
      dialogType: 'okcancel',
      dialogTitle: 'Sure?',
      dialogText: 'It is gone then.',
    });
    await makeAction(
      admin,
      grow,
      {
        ...of,
        action: 'method',
        method: 'grow',
        successNotifications: 'fire-event',
        successNotificationsEvent: 'grown',
      },
      [parameter('by', 'constant-value', { constantValue: 'json(5)' })],
    );
    const { page, problems } = await stage.visit(path);
    // Each item has inputs of its own with the same address.
    await page.locator('li').nth(1).locator('input').fill('list-changed');
    await page.locator('li .save').nth(1).click();
    await expect.poll(async () => (await things()).map((one) => one['name'])).toContain('list-changed');
    expect((await things()).map((one) => one['name'])).toContain('list-a');
    await page.evaluate(`document.addEventListener('grown', (event) => {
      document.title = JSON.stringify([event.detail.status, event.detail.result, event.detail.element.className]);
    })`);
    await page.locator('li .grow').nth(1).click();
    await expect.poll(() => page.title()).toMatch(/^\[200,\{"size":7\},"grow/);
    // Nothing is deleted unless that is confirmed.
    const said: string[] = [];
    const answers = [false, true];
    page.on('dialog', (dialog) => {
      said.push(dialog.message());
      void (answers.shift() === true ? dialog.accept() : dialog.dismiss());
    });
    await page.locator('li .remove').nth(0).click();
    await expect.poll(() => said).toEqual(['Sure?\n\nIt is gone then.']);
    expect((await things()).map((one) => one['name'])).toContain('list-a');
    await page.locator('li .remove').nth(0).click();
    await expect.poll(async () => (await things()).map((one) => one['name'])).not.toContain('list-a');
    expect(problems).toEqual([]);
  });

  it('knows values of every kind', async () => {
    const button = unique('button');
    const path = await stage.make(
      ['input', { _html_name: 'choice', _html_type: 'radio', _html_value: 'one' }],
      ['input', { _html_name: 'choice', _html_type: 'radio', _html_value: 'two', _html_checked: 'checked' }],
      ['input', { _html_name: 'several', _html_type: 'checkbox', _html_value: 'x', _html_checked: 'checked' }],
      ['input', { _html_name: 'several', _html_type: 'checkbox', _html_value: 'y' }],
      ['input', { _html_id: 'unchecked', _html_type: 'checkbox', _html_value: 'z' }],
      ['input', { _html_id: 'plain', _html_type: 'checkbox' }],
      ['p', { _html_id: 'text' }, 'written'],
      [
        'button',
        {
          name: button,
          _custom_html_name: 'own',
          _html_value: 'mine',
          'data-choice': 'name(choice)',
          'data-several': 'name(several)',
          'data-unchecked': 'css(#unchecked)',
          'data-plain': 'css(#plain)',
          'data-text': 'css(#text)',
          'data-nothing': 'css(#nothing)',
          'data-list': 'json([1,{"a":null}])',
          'data-broken': 'json([1',
          'data-dragged': 'data()',
        },
        'go',
      ],
    );
    await makeAction(stage.admin, button, { event: 'click', action: 'none' });
    const { page, problems } = await stage.visit(path);
    const body = await sentBy(page, () => page.click('button'));
    expect(body).toMatchObject({
      choice: 'two',
      several: ['x'],
      plain: false,
      text: 'written',
      nothing: null,
      list: [1, { a: null }],
      broken: 'json([1',
      own: 'mine',
    });
    for (const key of ['unchecked', 'dragged']) expect(body).not.toHaveProperty(key);
    expect(problems).toEqual([]);
  });

  it('waits until somebody has typed, and says what is running', async () => {
    const field = unique('field');
    const path = await stage.make(['input', { name: field, _html_name: 'word' }]);
    await makeAction(stage.admin, field, { event: 'input', action: 'none', options: '{"delay":600}' });
    const { page, problems } = await stage.visit(path);
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/event')) sent.push(bodyOf(request, page)['word']);
    });
    await page.evaluate(`for (const name of ['started', 'finished']) document.addEventListener('svc-action-' + name, (event) => {
      document.title += name + event.target.classList.contains('svc-action-running') + ';';
    })`);
    await page.evaluate('document.title = ""');
    await page.type('input', 'abc', { delay: 5 });
    await expect.poll(() => page.title()).toBe('startedtrue;finishedfalse;');
    expect(sent).toEqual(['abc']);
    expect(problems).toEqual([]);
  });

  it('sends nothing while an input is not valid', async () => {
    const [field, button] = [unique('field'), unique('button')];
    const path = await stage.make(
      ['input', { name: field, _html_required: 'required' }],
      ['button', { name: button }, 'go'],
    );
    await makeAction(stage.admin, button, { event: 'click', action: 'none' }, [input('x', field)]);
    const { page } = await stage.visit(path);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await page.click('button');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    expect(sent).toEqual([]);
    await page.fill('input', 'x');
    expect(await sentBy(page, () => page.click('button'))).toMatchObject({ x: 'x' });
  });

  it('fires load at once, and lets events go on where it is told to', async () => {
    const [loading, link] = [unique('loading'), unique('link')];
    const path = await stage.make(
      ['p', { name: loading }, 'x'],
      ['div', { _html_id: 'around' }, ['a', { name: link, _html_href: '#there' }, 'link']],
    );
    await makeAction(stage.admin, loading, { event: 'load', action: 'update', idExpression: 'me' }, [
      parameter('localStorage', 'constant-value', { constantValue: 'seen' }),
    ]);
    await makeAction(stage.admin, link, {
      event: 'click',
      action: 'none',
      options: '{"preventDefault":false,"stopPropagation":false}',
    });
    const { page, problems } = await stage.visit(path);
    const user = async (): Promise<unknown> =>
      (await stage.admin.get(`/User/${stage.annaId}/all`)).body.result.localStorage;
    await expect.poll(user).toBe('seen');
    await page.evaluate(
      `document.getElementById('around').addEventListener('click', () => { document.title = 'around'; })`,
    );
    await sentBy(page, () => page.click('a'));
    expect([page.url().endsWith('#there'), await page.title()]).toEqual([true, 'around']);
    expect(problems).toEqual([]);
  });

  // Nobody can drag anything in Firefox by WebDriver BiDi.
  it.skipIf(inFirefox)('moves what is dragged', async () => {
    const [list, item] = [unique('list'), unique('item')];
    const path = await stage.make(
      ['div', { name: item, _html_draggable: 'true', 'data-svc-target': '${me.id}', 'data-kind': 'user' }, 'drag me'],
      ['div', { name: list, _html_class: 'drop' }, 'drop here'],
    );
    await makeAction(stage.admin, list, { event: 'drop', action: 'update', idExpression: 'data()' }, [
      parameter('localStorage', 'constant-value', { constantValue: 'data(kind)' }),
    ]);
    const { page, problems } = await stage.visit(path);
    const body = await sentBy(page, () => page.dragAndDrop('[draggable]', '.drop'));
    expect(body).toMatchObject({
      svcIdExpression: { id: stage.annaId, kind: 'user' },
      localStorage: 'user',
      htmlEvent: 'drop',
    });
    expect(problems).toEqual([]);
  });

  it('sends files first, and shows how far that is', async () => {
    const [file, button] = [unique('file'), unique('button')];
    const folder = await mkdtemp(join(tmpdir(), 'svc-actions-'));
    const path = await stage.make([
      'form',
      {},
      ['input', { name: file, _html_type: 'file', _html_multiple: 'multiple' }],
      ['progress', { _html_class: 'svc-upload-progress' }],
      ['button', { name: button }, 'go'],
    ]);
    await makeAction(stage.admin, button, { event: 'click', action: 'none' }, [input('files', file)]);
    const names = ['one.txt', 'two.txt'].map((name) => join(folder, unique('f') + name));
    for (const name of names) await writeFile(name, `content of ${name}`);
    const { page, problems } = await stage.visit(path);
    await page.setInputFiles('input', names);
    const { files } = await sentBy(page, () => page.click('button'));
    const made = await Promise.all(
      (files as string[]).map(async (id) => (await stage.admin.get(`/File/${id}`)).body.result.name as string),
    );
    expect(made).toEqual(names.map((name) => name.slice(folder.length + 1)));
    expect(await page.evaluate<number>('document.querySelector("progress").position')).toBe(1);
    await page.setInputFiles('input', []);
    expect(await sentBy(page, () => page.click('button'))).toMatchObject({ files: [] });
    expect(problems).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('never runs what a value holds', async () => {
    await own({ name: '"><img src=x onerror="document.title=1">', size: 99 });
    const [button, list] = [unique('button'), unique('list')];
    const path = await stage.make(
      ['button', { name: button }, 'go'],
      ['ul', { name: list }, ['li', { functionQuery: "find('Thing', 'size', 99)", dataKey: 'thing' }, '${thing.name}']],
    );
    await makeAction(
      stage.admin,
      button,
      {
        event: 'click',
        action: 'none',
        dialogType: 'okcancel',
        dialogText: "${first(find('Thing', 'size', 99)).name}",
        successBehaviour: 'partial-refresh-linked',
        successTargets: [list],
        successNotifications: 'inline-text-message',
      },
      [parameter('x', 'script-expression', { scriptExpression: "first(find('Thing', 'size', 99)).name" })],
    );
    const { page, problems } = await stage.visit(path);
    const title = await page.title();
    page.on('dialog', (dialog) => void dialog.accept());
    const reloaded = page.waitForResponse((response) => response.url().includes('/svc/html/'));
    expect(await sentBy(page, () => page.click('button'))).toMatchObject({
      x: '"><img src=x onerror="document.title=1">',
    });
    await reloaded;
    await page.waitForSelector('li');
    expect([await page.title(), await page.locator('img').count()]).toEqual([title, 0]);
    expect(await nodeNamed(stage.admin, list)).toBe(await page.getAttribute('ul', 'data-svc-id'));
    expect(problems).toEqual([]);
  });
});
