/** What the script for browsers does after an action: notifications, parts that are shown anew, other pages (docs/interface/pages.md 7.4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAction, nodeNamed, type Tree } from '../../support/pages.js';
import { browserPath, sentBy, Stage, unique } from './browser.js';

const constant = (parameterName: string, constantValue: string): Record<string, unknown> => ({
  parameterName,
  parameterType: 'constant-value',
  constantValue,
});
const input = (parameterName: string, inputElement: string): Record<string, unknown> => ({
  parameterName,
  parameterType: 'user-input',
  inputElement,
});
const FAILING = { event: 'click', action: 'create', dataType: 'Thing' };
const SUCCEEDING = { event: 'click', action: 'none' };

describe.skipIf(browserPath === undefined)('after an action in a browser', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
    await stage.admin.defineType('Thing', [
      { name: 'size', propertyType: 'Integer' },
      { name: 'label', propertyType: 'String', notNull: true },
    ]);
    for (let i = 1; i <= 7; i++) {
      await stage.admin.create('Thing', {
        name: `thing-${String(i)}`,
        label: 'x',
        size: i,
        visibleToAuthenticatedUsers: true,
      });
    }
    await stage.admin.create('SchemaMethod', {
      name: 'answer',
      source: '{ return { word: $.args.word, deep: { id: "a/b?c" } }; }',
    });
  });
  afterAll(() => stage.close());

  const make = (...body: readonly Tree[]): Promise<string> => stage.make(...body);

  describe('notifications', () => {
    it('alerts', async () => {
      const [good, bad] = [unique('good'), unique('bad')];
      const path = await make(
        ['button', { name: good, _html_id: 'good' }, 'go'],
        ['button', { name: bad, _html_id: 'bad' }, 'go'],
      );
      await makeAction(stage.admin, good, { ...SUCCEEDING, successNotifications: 'system-alert' });
      await makeAction(stage.admin, bad, { ...FAILING, failureNotifications: 'system-alert' });
      const { page } = await stage.visit(path);
      const said: string[] = [];
      page.on('dialog', (dialog) => {
        said.push(dialog.message());
        void dialog.accept();
      });
      await page.click('#good');
      await expect.poll(() => said).toEqual(['Operation successful']);
      await page.click('#bad');
      await expect.poll(() => said[1]).toMatch(/label must_not_be_empty$/);
    });

    it('texts beside the element, and beside inputs that are wrong, until the next attempt', async () => {
      const [size, label, button] = [unique('size'), unique('label'), unique('button')];
      const path = await make(
        ['input', { name: size, _html_id: 'size' }],
        ['input', { name: label, _html_id: 'label' }],
        ['button', { name: button }, 'go'],
      );
      await makeAction(
        stage.admin,
        button,
        {
          ...FAILING,
          failureNotifications: 'inline-text-message',
          failureNotificationsDelay: 600_000,
          successNotifications: 'inline-text-message',
          successNotificationsDelay: 300,
        },
        [input('size', size), input('label', label)],
      );
      const { page, problems } = await stage.visit(path);
      await page.fill('#size', '1');
      await page.click('button');
      const message = page.locator('button + .svc-notification.svc-failure[role=alert]');
      await message.waitFor();
      expect(await message.textContent()).toMatch(/\nlabel must_not_be_empty$/);
      expect(await page.getAttribute('#label', 'data-error')).toBe('must_not_be_empty');
      expect(await page.getAttribute('#label', 'aria-invalid')).toBe('true');
      expect(await page.textContent('#label + .svc-field-error')).toBe('must not be empty');
      expect(await page.evaluate('document.getElementById("label").style.borderColor')).toBe('red');
      expect(await page.getAttribute('#size', 'data-error')).toBeNull();
      await page.fill('#label', 'fine');
      await page.click('button');
      await page.locator('button + .svc-notification.svc-success[role=status]').waitFor();
      expect(await page.locator('.svc-failure').count()).toBe(0);
      expect(await page.getAttribute('#label', 'data-error')).toBeNull();
      await page.locator('.svc-notification').waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
    });

    it('dialogs for a while, by selectors or linked', async () => {
      const [bySelector, byLink, dialog] = [unique('a'), unique('b'), unique('dialog')];
      const path = await make(
        ['button', { name: bySelector, _html_id: 'a' }, 'go'],
        ['button', { name: byLink, _html_id: 'b' }, 'go'],
        ['p', { _html_class: 'hidden first' }, 'x'],
        ['p', { name: dialog, _html_class: 'hidden second' }, 'x'],
      );
      const options = '{"hideTimeout":200}';
      await makeAction(stage.admin, bySelector, {
        ...SUCCEEDING,
        options,
        successNotifications: 'custom-dialog',
        successNotificationsPartial: '.first',
      });
      await makeAction(stage.admin, byLink, {
        ...FAILING,
        options,
        failureNotifications: 'custom-dialog-linked',
        failureNotificationElements: [dialog],
      });
      const { page, problems } = await stage.visit(path);
      for (const [button, shown] of [
        ['#a', 'first'],
        ['#b', 'second'],
      ] as const) {
        await page.click(button);
        await page.waitForSelector(`.${shown}:not(.hidden)`);
        await page.waitForSelector(`.${shown}.hidden`);
      }
      expect(problems).toEqual([]);
    });

    it('events, and listeners of other scripts', async () => {
      const button = unique('button');
      const path = await make(['button', { name: button }, 'go']);
      await makeAction(stage.admin, button, {
        ...FAILING,
        failureNotifications: 'fire-event',
        failureNotificationsEvent: 'refused',
        failureBehaviour: 'fire-event',
        failureEvent: 'after',
      });
      const { page, problems } = await stage.visit(path);
      await page.evaluate(`window.said = [];
        const said = (name) => ({ detail }) => window.said.push([name, detail.status, detail.element.tagName]);
        for (const name of ['refused', 'after']) document.addEventListener(name, said(name));
        const gone = () => window.said.push('gone');
        for (const name of ['start', 'error', 'success']) {
          window.svcFrontendModule.addEventListener(name, ({ status }) => window.said.push([name, status]));
          window.svcFrontendModule.addEventListener(name, gone);
          window.svcFrontendModule.removeEventListener(name, gone);
        }`);
      await page.click('button');
      await expect
        .poll(() => page.evaluate('window.said'))
        .toEqual(
          [
            ['start', null],
            ['error', 422],
            ['refused', 422, 'BUTTON'],
            ['after', 422, 'BUTTON'],
          ].map((one) => one.map((part) => part ?? undefined)),
        );
      expect(problems).toEqual([]);
    });
  });

  describe('other pages', () => {
    it('leads to an address with parts of the result', async () => {
      const button = unique('button');
      const path = await make(['button', { name: button }, 'go']);
      await makeAction(
        stage.admin,
        button,
        {
          event: 'click',
          action: 'method',
          method: 'answer',
          successBehaviour: 'navigate-to-url',
          successURL: `${path}/{result.deep.id}?word={result.word}&none={result.nothing.x}`,
        },
        [constant('word', 'ä&b')],
      );
      const { page } = await stage.visit(path);
      await page.click('button');
      await page.waitForURL(/word=/);
      expect(page.url()).toBe(`${stage.server.url}${path}/a%2Fb%3Fc?word=%C3%A4%26b&none=`);
    });

    it('never runs an address', async () => {
      const button = unique('button');
      const path = await make(['button', { name: button }, 'go']);
      await makeAction(
        stage.admin,
        button,
        {
          event: 'click',
          action: 'method',
          method: 'answer',
          successBehaviour: 'navigate-to-url',
          successURL: '{result.word}',
        },
        [constant('word', 'javascript:document.title=1')],
      );
      const { page, problems } = await stage.visit(path);
      await page.evaluate(`document.addEventListener('svc-action-finished', () => { window.finished = true; })`);
      await page.click('button');
      await expect.poll(() => page.evaluate('window.finished === true')).toBe(true);
      expect(page.url()).toBe(stage.server.url + path);
      expect(problems).toEqual([]);
    });

    it('loads the page again, and signs out', async () => {
      const [again, out] = [unique('again'), unique('out')];
      const path = await make(
        ['button', { name: again, _html_id: 'again' }, 'go'],
        ['button', { name: out, _html_id: 'out' }, 'go'],
        ['p', {}, '${if(empty(me), "nobody", me.name)}'],
      );
      await makeAction(stage.admin, again, { ...SUCCEEDING, successBehaviour: 'full-page-reload' });
      await makeAction(stage.admin, out, { ...SUCCEEDING, successBehaviour: 'sign-out' });
      await stage.admin.create('User', { name: 'carla', password: 'Carla-pass-1' });
      const context = await stage.contextOf('carla', 'Carla-pass-1');
      const { page } = await stage.visit(path, context);
      await page.evaluate('window.old = true');
      await page.click('#again');
      await expect
        .poll(() => page.evaluate('window.old === undefined && document.readyState === "complete"'))
        .toBe(true);
      expect(await page.textContent('p')).toBe('carla');
      await page.click('#out');
      await expect.poll(() => page.textContent('p')).toBe('nobody');
    });
  });

  describe('parts of the page', () => {
    it('are shown anew by selectors and by links, with what is bound in them', async () => {
      const [button, list, inner] = [unique('button'), unique('list'), unique('inner')];
      const path = await make(
        ['button', { name: button, _html_id: 'outer' }, 'go'],
        [
          'ul',
          { name: list, _html_class: 'list' },
          ['li', { functionQuery: "find('Thing', 'name', 'of-list')", dataKey: 'thing' }, '${thing.size}'],
          ['button', { name: inner, _html_id: 'inner' }, 'again'],
        ],
      );
      const create = { event: 'click', action: 'create', dataType: 'Thing' };
      const values = [
        constant('name', 'of-list'),
        constant('label', 'x'),
        constant('size', '1'),
        constant('visibleToAuthenticatedUsers', 'json(true)'),
      ];
      await makeAction(
        stage.admin,
        button,
        { ...create, successBehaviour: 'partial-refresh', successPartial: '.list, #nothing' },
        values,
      );
      await makeAction(
        stage.admin,
        inner,
        { ...create, successBehaviour: 'partial-refresh-linked', successTargets: [list] },
        values,
      );
      const { page, problems } = await stage.visit(path);
      await page.evaluate(`window.said = [];
        document.addEventListener('svc-reload', (event) => window.said.push(event.target.className));
        window.svcFrontendModule.addEventListener('reload', ({ element }) => window.said.push(element.tagName))`);
      await page.click('#outer');
      await expect.poll(() => page.locator('li').count()).toBe(1);
      await page.click('#inner');
      await expect.poll(() => page.locator('li').count()).toBe(2);
      // What was shown anew is bound once.
      await page.click('#inner');
      await expect.poll(() => page.locator('li').count()).toBe(3);
      expect((await stage.admin.get('/Thing?name=of-list')).body.result_count).toBe(3);
      expect(await page.evaluate('window.said')).toEqual(['list', 'UL', 'list', 'UL', 'list', 'UL']);
      expect(problems).toEqual([]);
    });

    it('keep the object of a repeater, and go with it', async () => {
      const { admin, annaId } = stage;
      for (const name of ['item-a', 'item-b'])
        await admin.create('Thing', { name, label: 'x', size: 50, owner: annaId });
      const [item, save, remove, field] = [unique('item'), unique('save'), unique('remove'), unique('field')];
      const path = await make([
        'ul',
        {},
        [
          'li',
          { name: item, functionQuery: "sort(find('Thing', 'size', 50), 'name')", dataKey: 'thing' },
          ['b', {}, '${thing.name}'],
          ['input', { name: field }],
          ['button', { name: save, _html_class: 'save' }, 'save'],
          ['button', { name: remove, _html_class: 'remove' }, 'remove'],
        ],
      ]);
      const of = {
        event: 'click',
        idExpression: '${thing.id}',
        successBehaviour: 'partial-refresh-linked',
        successTargets: [item],
      };
      await makeAction(admin, save, { ...of, action: 'update' }, [input('name', field)]);
      await makeAction(admin, remove, { ...of, action: 'delete' });
      const { page, problems } = await stage.visit(path);
      await page.evaluate('document.querySelectorAll("li")[0].dataset.old = "true"');
      await page.locator('input').nth(1).fill('item-c');
      await page.locator('.save').nth(1).click();
      await expect.poll(() => page.locator('b').allTextContents()).toEqual(['item-a', 'item-c']);
      expect(await page.getAttribute('li', 'data-old')).toBe('true');
      await page.locator('.remove').nth(1).click();
      await expect.poll(() => page.locator('b').allTextContents()).toEqual(['item-a']);
      expect(problems).toEqual([]);
    });

    it('go to other pages of a list, and take their parameters along', async () => {
      const [previous, next, filter, list] = [unique('previous'), unique('next'), unique('filter'), unique('list')];
      const path = await make([
        'div',
        { name: list, _html_id: 'list' },
        ['input', { name: filter, _html_id: 'filter', _html_value: '${request.label}' }],
        [
          'p',
          {
            functionQuery: `{
              const from = 3 * (Number($.request.page || 1) - 1);
              const all = $.find('Thing').filter((one) => (one.name ?? '').startsWith('thing-'));
              all.sort((a, b) => a.size - b.size).slice(from, from + 3)
            }`,
            dataKey: 'thing',
          },
          '${thing.name}',
        ],
        ['button', { name: previous, _html_class: 'previous' }, '<'],
        ['button', { name: next, _html_class: 'next' }, '>'],
      ]);
      const paging = [{ parameterName: 'page', parameterType: 'page-param' }];
      const after = { successBehaviour: 'partial-refresh-linked', successTargets: [list] };
      await makeAction(stage.admin, previous, { event: 'click', action: 'prev-page', ...after }, paging);
      await makeAction(stage.admin, next, { event: 'click', action: 'next-page', ...after }, paging);
      const { page, problems } = await stage.visit(`${path}?other=kept`);
      const sent: string[] = [];
      page.on('request', (request) =>
        sent.push(
          request
            .url()
            .replace(/.*\/svc\//, '')
            .replace(/&svc-encoded.*/, ''),
        ),
      );
      const shown = (): Promise<string[]> => page.locator('p').allTextContents();
      expect(await shown()).toEqual(['thing-1', 'thing-2', 'thing-3']);
      await page.click('.next');
      await expect.poll(shown).toEqual(['thing-4', 'thing-5', 'thing-6']);
      await page.click('.next');
      await expect.poll(shown).toEqual(['thing-7']);
      await page.click('.previous');
      await expect.poll(shown).toEqual(['thing-4', 'thing-5', 'thing-6']);
      const id = await nodeNamed(stage.admin, list);
      expect(sent).toEqual([2, 3, 2].map((number) => `html/${id}?other=kept&page=${String(number)}`));
      expect(problems).toEqual([]);
    });

    it('keep what somebody is typing', async () => {
      const [field, list] = [unique('field'), unique('list')];
      const path = await make([
        'div',
        { name: list },
        ['input', { name: field, _html_value: '${request.q}', 'data-q': 'css(#q)', _html_id: 'q' }],
        ['p', {}, '${request.q}'],
      ]);
      await makeAction(
        stage.admin,
        field,
        {
          event: 'input',
          action: 'method',
          method: 'answer',
          successBehaviour: 'partial-refresh-linked',
          successTargets: [list],
        },
        [{ ...input('word', field) }],
      );
      const { page, problems } = await stage.visit(path);
      await page.type('#q', 'abcdef', { delay: 40 });
      await expect
        .poll(() => page.evaluate(`document.querySelector('[data-request-word]')?.getAttribute('data-request-word')`))
        .toBe('abcdef');
      expect(await page.inputValue('#q')).toBe('abcdef');
      expect(await page.evaluate('[document.activeElement.id, document.activeElement.selectionStart]')).toEqual([
        'q',
        6,
      ]);
      expect(problems).toEqual([]);
    });

    it('are emptied when they are not to be seen any more, and come back', async () => {
      const [button, part] = [unique('button'), unique('part')];
      const path = await make(['button', { name: button }, 'go'], ['p', { name: part, _html_id: 'part' }, 'here']);
      await makeAction(stage.admin, button, {
        ...SUCCEEDING,
        successBehaviour: 'partial-refresh-linked',
        successTargets: [part],
      });
      const { page } = await stage.visit(path);
      const id = await nodeNamed(stage.admin, part);
      await stage.admin.put(`/P/${id}`, { hideConditions: 'true' });
      await page.click('button');
      await page.locator('p').waitFor({ state: 'hidden' });
      expect(await page.textContent('p')).toBe('');
      await stage.admin.put(`/P/${id}`, { hideConditions: null });
      await page.click('button');
      await page.locator('#part').waitFor();
      expect(await page.textContent('p')).toBe('here');
    });
  });

  describe('modules', () => {
    it('css, toast and template', async () => {
      const [template, css, toast, show] = [unique('template'), unique('css'), unique('toast'), unique('show')];
      const path = await make(
        ['button', { name: css, _html_id: 'css', 'data-svc-success-target': 'css:done' }, 'css'],
        ['button', { name: toast, _html_id: 'toast', 'data-svc-success-target': 'toast:It is {result.word}' }, 'toast'],
        ['button', { name: show, _html_id: 'show', 'data-svc-success-target': 'template:.for-results' }, 'show'],
        [
          'template',
          { name: template, _html_class: 'for-results' },
          ['p', { _html_class: 'made' }, '${status} ${data.word} ${me.name}'],
        ],
      );
      for (const name of [css, toast, show])
        await makeAction(stage.admin, name, { event: 'click', action: 'method', method: 'answer' }, [
          constant('word', '<b>x'),
        ]);
      const { page, problems } = await stage.visit(path);
      await page.click('#css');
      await page.waitForSelector('#css.done');
      await page.waitForSelector('#css:not(.done)');
      await page.click('#toast');
      expect(await page.textContent('.svc-toast.svc-success[role=status]')).toBe('It is <b>x');
      await page.click('#show');
      const id = await nodeNamed(stage.admin, template);
      const made = page.locator(`template + p.made[data-svc-template-id="${id}"]`);
      await made.waitFor();
      expect(await made.textContent()).toMatch(/^200(?:\.0)? <b>x anna$/);
      // The next one takes its place.
      await Promise.all([page.waitForResponse((response) => response.url().endsWith(id)), page.click('#show')]);
      await expect.poll(() => page.locator('p.made').count()).toBe(1);
      expect(problems).toEqual([]);
    });
  });

  describe('parts that are loaded later', () => {
    it('at once, after a while, when they are seen, and again and again', async () => {
      const mode = (name: string, more: object = {}): Record<string, unknown> => ({
        _html_id: name,
        'data-svc-rendering-mode': name,
        ...more,
      });
      const path = await make(
        ['div', mode('load'), ['b', {}, 'loaded']],
        ['div', mode('delayed', { 'data-svc-delay-or-interval': '300' }), ['b', {}, 'later']],
        [
          'div',
          mode('periodic', { 'data-svc-delay-or-interval': '150' }),
          ['b', {}, '${now}'],
          ['i', { 'data-svc-rendering-mode': 'load' }, 'inside'],
        ],
        ['p', { _html_class: 'space' }, ...Array.from({ length: 200 }, () => ['br'] as const)],
        ['div', mode('visible'), ['b', {}, 'seen']],
      );
      const { page, problems } = await stage.visit(path);
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.url()));
      await page.locator('#load b').waitFor();
      await page.locator('#delayed b').waitFor();
      await page.locator('#periodic b').waitFor();
      expect(await page.textContent('#periodic i')).toBe('inside');
      const first = sent.length;
      await expect.poll(() => sent.length).toBeGreaterThan(first + 2);
      // What fails once is tried again.
      const refused = new Set<string>();
      await page.route(/\/svc\/html\//, async (route) => {
        if (refused.size > 0) return route.continue();
        refused.add(route.request().url());
        return route.abort();
      });
      const before = sent.length;
      await expect.poll(() => sent.length).toBeGreaterThan(before + 2);
      expect([refused.size, await page.textContent('#periodic i')]).toEqual([1, 'inside']);
      expect(await page.locator('#visible b').count()).toBe(0);
      await page.locator('#visible').scrollIntoViewIfNeeded();
      await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
      await page.locator('#visible b').waitFor();
      expect(problems.filter((one) => !one.includes('net::ERR_FAILED'))).toEqual([]);
    });
  });

  it('binds what other scripts put into the page', async () => {
    const [template, button] = [unique('template'), unique('button')];
    const path = await make(
      ['div', { name: template, _html_id: 'from' }, ['button', { name: button }, 'go']],
      ['p', { _html_id: 'to' }],
    );
    await makeAction(stage.admin, button, SUCCEEDING);
    const { page, problems } = await stage.visit(path);
    await page.evaluate(`{
      const copy = document.querySelector('button').cloneNode(true);
      copy.id = 'copy';
      document.getElementById('to').append(copy);
      window.svcFrontendModule.bind(document.getElementById('to'));
    }`);
    expect(await sentBy(page, () => page.click('#copy'))).toMatchObject({ htmlEvent: 'click' });
    expect(problems).toEqual([]);
  });
});
