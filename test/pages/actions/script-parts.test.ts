/** Parts of a page that the script for browsers shows anew, or later (docs/interface/pages.md 7.4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAction, nodeNamed, type Tree } from '../../support/pages.js';
import { browserPath, constant, input, sentBy, stageWithThings, unique, type Stage } from './browser.js';

const SUCCEEDING = { event: 'click', action: 'none' };

describe.skipIf(browserPath === undefined)('parts of pages in a browser', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await stageWithThings();
  });
  afterAll(() => stage.close());

  const make = (...body: readonly Tree[]): Promise<string> => stage.make(...body);

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
