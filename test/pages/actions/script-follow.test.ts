/** What the script for browsers does after an action: notifications, other pages, modules (docs/interface/pages.md 7.4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAction, nodeNamed, type Tree } from '../../support/pages.js';
import { browserPath, constant, input, stageWithThings, unique, type Stage } from './browser.js';

const FAILING = { event: 'click', action: 'create', dataType: 'Thing' };
const SUCCEEDING = { event: 'click', action: 'none' };

describe.skipIf(browserPath === undefined)('after an action in a browser', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await stageWithThings();
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
      await page.evaluate(`window.seen = [];
        for (const one of document.querySelectorAll('p'))
          new MutationObserver(() => window.seen.push(one.className)).observe(one, { attributes: true });`);
      for (const button of ['#a', '#b']) await page.click(button);
      const seen = async (): Promise<string[]> => (await page.evaluate<string[]>('window.seen')).sort();
      await expect.poll(seen).toEqual(['first', 'first hidden', 'second', 'second hidden']);
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
});
