/** How long what the script for browsers does lasts where nothing says so (docs/interface/pages.md 7.4). The clock of the browser is that of the test. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAction } from '../support/pages.js';
import { browserPath, Stage, unique } from './actions/browser.js';

describe.skipIf(browserPath === undefined)('times without a setting', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  /** A page whose time stands still. */
  async function still(path: string): Promise<Page> {
    const page = await stage.context.newPage();
    await page.clock.install();
    await page.goto(`${stage.server.url}${path}`, { waitUntil: 'load' });
    await page.clock.pauseAt(Date.now() + 1000 * 60 * 60);
    return page;
  }

  /** What a selector finds is there until so many milliseconds have gone by. */
  async function lasts(page: Page, selector: string, time: number): Promise<void> {
    const shown = page.locator(selector);
    await shown.first().waitFor({ state: 'attached' });
    await page.clock.runFor(time - 1);
    expect(await shown.count(), selector).toBeGreaterThan(0);
    await page.clock.runFor(1);
    expect(await shown.count(), selector).toBe(0);
  }

  it.each([
    ['a text behind the element: 5 s', { successNotifications: 'inline-text-message' }, '.svc-notification', 5000],
    [
      'a dialog: 5 s',
      { successNotifications: 'custom-dialog', successNotificationsPartial: '.dialog' },
      '.dialog:not(.hidden)',
      5000,
    ],
  ])('%s', async (_, fields, selector, time) => {
    const button = unique('button');
    const path = await stage.make(['button', { name: button }, 'go'], ['p', { _html_class: 'dialog hidden' }, 'x']);
    await makeAction(stage.admin, button, { event: 'click', action: 'none', ...fields });
    const page = await still(path);
    await page.click('button');
    await lasts(page, selector, time);
  });

  it.each([
    ['a class: 2 s', 'css:done', 'button.done', 2000],
    ['a text at the end of the page: 5 s', 'toast:x', '.svc-toast', 5000],
  ])('%s', async (_, target, selector, time) => {
    const button = unique('button');
    const path = await stage.make(['button', { name: button, 'data-svc-success-target': target }, 'go']);
    await makeAction(stage.admin, button, { event: 'click', action: 'none' });
    const page = await still(path);
    await page.click('button');
    await lasts(page, selector, time);
  });

  it('a part that is delayed: 1 s; one that is shown again: at once, and every 10 s', async () => {
    const part = (mode: string): Record<string, string> => ({ _html_id: mode, 'data-svc-rendering-mode': mode });
    const path = await stage.make(
      ['div', part('delayed'), ['b', {}, 'later']],
      ['div', part('periodic'), ['b', {}, 'again']],
    );
    const page = await stage.context.newPage();
    await page.clock.install();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/svc/html/')) asked.push(request.url());
    });
    await page.goto(`${stage.server.url}${path}`, { waitUntil: 'load' });
    await page.clock.pauseAt(Date.now() + 1000 * 60 * 60);
    await page.locator('#delayed b').waitFor();
    await page.locator('#periodic b').waitFor();
    const id = await page.locator('#periodic').getAttribute('data-svc-id');
    const times = (): number => asked.filter((url) => url.includes(`/svc/html/${String(id)}`)).length;
    const before = times();
    await page.clock.runFor(9999);
    expect(times()).toBe(before);
    await page.clock.runFor(1);
    await expect.poll(times).toBe(before + 1);
  });
});
