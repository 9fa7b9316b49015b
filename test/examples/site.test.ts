/** The example site against the real server, in a browser, under the policy that its pages send. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import { TestServer } from '../support/server.js';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../../examples/atlas-site/site.mjs', import.meta.url));
const PASSWORD = 'Visitor-pass-1';
const LIMIT = '300';

const browserPath = chromiumPath();
if (browserPath === undefined) console.warn('skipped: the example site in a browser; there is no Chromium');

let server: TestServer;
let said: string;

const site = async (...args: readonly string[]): Promise<string> =>
  (await run(process.execPath, [SCRIPT, '--url', server.url, '--limit', LIMIT, '--visitor', PASSWORD, ...args])).stdout;

beforeAll(async () => {
  server = await TestServer.start();
  said = await site();
});
afterAll(() => server.stop());

describe('npm run example:site', () => {
  it('says where the site is, and how to log in', () => {
    expect(said).toContain(`the site is ready: ${server.url}/atlas`);
    expect(said).toContain(`log in as visitor with the password ${PASSWORD}`);
  });

  it('changes nothing when it runs again', async () => {
    const count = async (): Promise<unknown> =>
      (await server.admin.get('/DOMNode?_pageSize=1&_forceResultCount=1')).body.result_count;
    const before = await count();
    expect(await site()).toBe(`the site is there already: ${server.url}/atlas\n`);
    expect(await count()).toBe(before);
  });

  it('says in one line what is wrong', async () => {
    for (const [args, message] of [
      [['--limit', 'many'], /^site: --limit must be a number of cities, not 'many'\n$/],
      [['--password', 'wrong'], /^site: the server does not let user 'admin' in \(401\).*\n$/],
    ] as const) {
      await expect(site(...args)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) as string });
    }
  });

  it('shows everybody the start page, and lets nobody write who is not logged in', async () => {
    const start = await fetch(server.url);
    expect(start.status).toBe(200);
    expect(start.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await start.text()).toContain('Shanghai');
    expect((await fetch(`${server.url}/svc/rest/AtlasNote`)).status).toBe(401);
    const { body } = await server.admin.get('/Form?name=write');
    const [form] = body.result as readonly { readonly id: string }[];
    const refused = await fetch(`${server.url}/svc/rest/DOMElement/${form?.id ?? ''}/event`, {
      method: 'POST',
      body: JSON.stringify({ text: 'by nobody', city: 'x' }),
    });
    expect(refused.status).toBeGreaterThanOrEqual(401);
    expect((await server.admin.get('/AtlasNote')).body.result).toEqual([]);
  });
});

describe.skipIf(browserPath === undefined)('the site in a browser', () => {
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ ...(browserPath === undefined ? {} : { executablePath: browserPath }), args });
    page = await browser.newPage({ locale: 'en-US', viewport: { width: 1000, height: 900 } });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
  });
  afterAll(() => browser.close());

  const go = (path: string): Promise<unknown> => page.goto(`${server.url}${path}`, { waitUntil: 'load' });
  const names = (): Promise<string[]> => page.locator('tbody a').allTextContents();

  it('lists cities, and turns pages without loading the whole again', async () => {
    await go('/atlas');
    const [first] = await names();
    expect(first).toBe('Shanghai');
    expect(await page.evaluate("document.querySelector('img.map').naturalWidth")).toBeGreaterThan(0);
    await page.evaluate("document.body.setAttribute('data-kept', 'true')");
    await page.click('.next');
    await expect.poll(async () => (await names())[0]).not.toBe('Shanghai');
    expect(await names()).toHaveLength(12);
    await page.click('.previous');
    await expect.poll(async () => (await names())[0]).toBe('Shanghai');
    expect(await page.getAttribute('body', 'data-kept')).toBe('true');
  });

  it('filters them', async () => {
    await page.fill('input[name=q]', 'berl');
    await page.click('main form button');
    await expect.poll(names).toEqual(['Berlin']);
  });

  it('speaks two languages', async () => {
    await page.click('text=Deutsch');
    await page.waitForURL(/_locale=de/);
    expect(await page.title()).toBe('Atlas der Städte');
    await page.click('text=English');
    await page.waitForURL(/_locale=en/);
    expect(await page.title()).toBe('Atlas of cities');
  });

  it('shows one city, where users write notes', async () => {
    await page.fill('input[name=q]', 'berl');
    await page.click('main form button');
    await page.click('text=Berlin');
    await page.waitForURL(/\/city\/\d+/);
    const address = page.url();
    expect(await page.textContent('h1')).toBe('Berlin');
    expect(await page.locator('#write').count()).toBe(0);

    await go('/atlas-login');
    await page.fill('#login-name', 'visitor');
    await page.fill('#login-password', PASSWORD);
    await page.click('#sign-in button');
    await page.waitForURL(/\/atlas\?/);
    await page.goto(address);
    const text = '<b>Bears</b> & bridges';
    await page.fill('#note-text', text);
    await page.click('#write button');
    await expect.poll(() => page.locator('#notes li').allTextContents()).toEqual([text]);

    await page.click('header button');
    await expect.poll(() => page.locator('#write').count()).toBe(0);
    expect(await page.locator('#notes li').allTextContents()).toEqual([text]);
    expect(problems).toEqual([]);
  });

  it('says what is missing', async () => {
    const answer = await page.goto(`${server.url}/no-such-page`);
    expect(answer?.status()).toBe(404);
    expect(await page.textContent('h1')).toBe('There is no such page');
  });
});
