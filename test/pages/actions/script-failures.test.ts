/** What the script for browsers does when an action, an upload or a part fails, and with elements that say little of themselves (docs/interface/pages.md 7.4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAction, type Tree } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { browserPath, Stage, unique } from './browser.js';

const input = (parameterName: string, inputElement: string): Record<string, unknown> => ({
  parameterName,
  parameterType: 'user-input',
  inputElement,
});
/** Refused: it needs a label. */
const FAILING = { event: 'click', action: 'create', dataType: 'Thing' };
const INLINE = { failureNotifications: 'inline-text-message', failureNotificationsDelay: 600_000 };

describe.skipIf(browserPath === undefined)('what fails in a browser', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
    await stage.admin.defineType('Thing', [{ name: 'label', propertyType: 'String', notNull: true }]);
    await stage.admin.create('SchemaMethod', { name: 'count', source: "{ return { n: '1' }; }" });
  });
  afterAll(() => stage.close());

  /** A part of a page that says how often it was shown. */
  const part = (name: string): Tree => ['p', { name, _html_class: 'part' }, '${now.time}'];

  it.each(['partial-refresh', 'partial-refresh-linked'])('%s after a failure', async (failureBehaviour) => {
    const [button, shown] = [unique('button'), unique('part')];
    const path = await stage.make(['button', { name: button }, 'go'], part(shown));
    await makeAction(stage.admin, button, {
      ...{ ...FAILING, failureBehaviour, failurePartial: '.part', failureTargets: [shown] },
      ...{ successBehaviour: 'navigate-to-url', successURL: '/nowhere' },
    });
    const { page, problems } = await stage.visit(path);
    await page.evaluate(`document.querySelector('.part').old = true`);
    await page.click('button');
    await expect.poll(() => page.evaluate(`document.querySelector('.part').old !== true`)).toBe(true);
    expect(page.url()).toBe(stage.server.url + path);
    expect(problems).toEqual([]);
  });

  it('goes elsewhere after a failure, and loads the page again', async () => {
    const [away, again] = [unique('away'), unique('again')];
    const path = await stage.make(
      ['button', { name: away, _html_id: 'away' }, 'go'],
      ['button', { name: again, _html_id: 'again' }, 'go'],
    );
    const failing = async (name: string, more: object): Promise<void> => {
      await makeAction(stage.admin, name, { ...FAILING, ...more });
    };
    await failing(away, { failureBehaviour: 'navigate-to-url', failureURL: `${path}?failed=yes` });
    await failing(again, { failureBehaviour: 'full-page-reload' });
    const { page, problems } = await stage.visit(path);
    await page.evaluate('window.old = true');
    await page.click('#again');
    await expect.poll(() => page.evaluate('window.old === undefined && document.readyState === "complete"')).toBe(true);
    await page.click('#away');
    await page.waitForURL(/\?failed=yes$/);
    expect(problems).toEqual([]);
  });

  it('signs out after a failure', async () => {
    const button = unique('button');
    await stage.admin.create('User', { name: 'dora', password: 'Dora-pass-1' });
    const path = await stage.make(['button', { name: button }, 'go'], ['p', {}, '${if(empty(me), "nobody", me.name)}']);
    await makeAction(stage.admin, button, { ...FAILING, failureBehaviour: 'sign-out' });
    const { page, problems } = await stage.visit(path, await stage.contextOf('dora', 'Dora-pass-1'));
    expect(await page.textContent('p')).toBe('dora');
    await page.click('button');
    await expect.poll(() => page.textContent('p')).toBe('nobody');
    expect(problems).toEqual([]);
  });

  it('says that an upload was refused, and sends nothing else', async () => {
    const [file, button] = [unique('file'), unique('button')];
    const path = await stage.make(['input', { name: file, _html_type: 'file' }], ['button', { name: button }, 'go']);
    await makeAction(stage.admin, button, { event: 'click', action: 'none', ...INLINE }, [input('file', file)]);
    const { page, problems } = await stage.visit(path);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await page.route('**/svc/upload', (route) =>
      route.fulfill({
        status: 413,
        contentType: 'application/json',
        body: '{"code":413,"message":"It is too large."}',
      }),
    );
    await page.setInputFiles('input', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('abc') });
    await page.click('button');
    expect(await page.textContent('.svc-failure[role=alert]')).toContain('a.txt: 413 It is too large.');
    expect(sent).toEqual(['/svc/upload']);
    expect(problems).toEqual([]);
  });

  it('says that the server was not reached, and can be tried again', async () => {
    const button = unique('button');
    const path = await stage.make(['button', { name: button }, 'go']);
    await makeAction(stage.admin, button, {
      ...{ event: 'click', action: 'none', ...INLINE },
      ...{ successNotifications: 'inline-text-message', successNotificationsDelay: 600_000 },
    });
    const { page } = await stage.visit(path);
    await page.route('**/event', (route) => route.abort());
    await page.click('button');
    await page.waitForSelector('.svc-failure');
    await page.waitForSelector('button:not(.svc-action-running)');
    await page.unroute('**/event');
    await page.click('button');
    await page.waitForSelector('.svc-success');
    expect(await page.locator('.svc-failure').count()).toBe(0);
  });

  it('shows anew what has no id of the service, by its HTML id or its class', async () => {
    await allow(stage.admin, 'DOMElement', 'user', ['GET']);
    const [byId, byClass, unknown] = [unique('a'), unique('b'), unique('c')];
    const [id, name] = [unique('html-id'), unique('html-class')];
    const path = await stage.make(
      ['button', { name: byId, _html_id: 'a' }, 'go'],
      ['button', { name: byClass, _html_id: 'b' }, 'go'],
      ['button', { name: unknown, _html_id: 'c' }, 'go'],
      ['p', { _html_id: id }, '${request.n}'],
      ['p', { _html_class: name }, '${request.n}'],
      ['section', {}, 'as it was'],
    );
    const mapping = { event: 'click', action: 'method', method: 'count', successBehaviour: 'partial-refresh' };
    await makeAction(stage.admin, byId, { ...mapping, successPartial: `#${id}` });
    await makeAction(stage.admin, byClass, { ...mapping, successPartial: `.${name}` });
    await makeAction(stage.admin, unknown, { ...mapping, successPartial: 'section' });
    const { page, problems } = await stage.visit(path);
    expect(await page.locator(`#${id}, .${name}`).allTextContents()).toEqual(['', '']);
    await page.click('#a');
    await expect.poll(() => page.textContent(`#${id}`)).toBe('1');
    await page.click('#b');
    await expect.poll(() => page.textContent(`.${name}`)).toBe('1');
    await page.click('#c');
    await page.waitForSelector('#c:not(.svc-action-running)');
    expect(await page.textContent('section')).toBe('as it was');
    expect(problems).toEqual([]);
  });

  it('sorts a list without asking the server for more than the list', async () => {
    const [list, button] = [unique('list'), unique('sort')];
    const path = await stage.make(
      [
        'button',
        { name: button, ...{ 'data-svc-target': 'order', 'data-order': 'down', 'data-svc-success-target': '.sorted' } },
        'sort',
      ],
      ['p', { name: list, _html_class: 'sorted', 'data-svc-reload-target': '.sorted' }, '${request.order}'],
    );
    await makeAction(stage.admin, button, { event: 'click', action: 'pagination' });
    const { page, problems } = await stage.visit(path);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await page.click('button');
    await expect.poll(() => page.textContent('.sorted')).toBe('down');
    expect(sent).toEqual(['GET']);
    expect(problems).toEqual([]);
  });
});
