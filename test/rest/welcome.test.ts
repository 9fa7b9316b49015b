import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prefersHtml } from '../../src/main/rest/welcome/accept.js';
import { chromiumPath } from '../support/chromium.js';
import { file, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const browserPath = chromiumPath();
if (browserPath === undefined)
  console.warn('skipped: the first page in a browser; there is no Chromium (CHROMIUM_PATH)');

/** What the addresses answer where people begin. */
describe('the first page', () => {
  let server: TestServer;
  const at = async (path: string, accept?: string, method = 'GET'): Promise<Response> =>
    fetch(`${server.url}${path}`, { method, redirect: 'manual', headers: { Accept: accept ?? '*/*' } });

  beforeAll(async () => {
    server = await TestServer.start({
      settings: { 'application.title': 'Shop <b>', 'application.instance.name': 'shop & 1' },
    });
  });
  afterAll(() => server.stop());

  it.each(['/', '/svc', '/svc/rest', '/svc/rest/'])('%s shows browsers what runs here', async (path) => {
    const answer = await at(path, BROWSER);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html;charset=utf-8']);
    expect(answer.headers.get('vary')).toMatch(/Accept(?!-)/);
    const text = await answer.text();
    expect(text).toContain('<h1>Shop &lt;b&gt;</h1>');
    expect(text).toContain(`<dd>${version}</dd>`);
    expect(text).toContain('<dd>shop &amp; 1</dd>');
    expect(text).toContain('href="/svc/openapi/ui/"');
  });

  it.each(['/', '/svc', '/svc/'])('%s tells programs the same as JSON', async (path) => {
    for (const accept of ['application/json', undefined, 'application/json, text/html;q=0.5']) {
      const answer = await at(path, accept);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json;charset=utf-8']);
      const told = (await answer.json()) as Record<string, unknown>;
      expect(told).toMatchObject({ name: 'Shop <b>', version, instance: 'shop & 1' });
      expect(told['links']).toMatchObject({ rest: '/svc/rest', apiPage: '/svc/openapi/ui/' });
    }
  });

  it.each(['/svc/rest', '/svc/rest/'])('%s refuses programs without a login as ever', async (path) => {
    const answer = await server.as().send('GET', path, undefined, { Accept: 'application/json' });
    expect([answer.status, answer.body]).toEqual([401, { code: 401, message: 'Access denied', errors: [] }]);
    expect((await at(path, BROWSER, 'POST')).status).toBe(401);
  });

  it('is no page for what lies below', async () => {
    expect((await at('/svc/rest/User', BROWSER)).status).toBe(401);
    expect((await at('/svc/nothing', BROWSER)).status).toBe(404);
  });

  it('can only be read', async () => {
    const answer = await at('/svc', BROWSER, 'DELETE');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET,HEAD,OPTIONS']);
    expect((await at('/', BROWSER, 'DELETE')).status).toBe(405);
    const head = await at('/svc', BROWSER, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('needs nothing from elsewhere and lets nothing run', async () => {
    const answer = await at('/', BROWSER);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const text = await answer.text();
    expect(text).not.toMatch(/<script|<img|<link|\son\w+=|style="|url\(|https?:/);
  });

  it('says what became of a form that failed, and quotes nothing else of the address', async () => {
    expect(await (await at('/?status=401', BROWSER)).text()).toContain('The login was refused');
    const other = await (await at('/?status=<b>1', BROWSER)).text();
    expect(other).not.toContain('role="alert"');
  });

  it('is at the address that the start prints', async () => {
    const [line = ''] = server.logged(/listening on/);
    const address = /http:\S+/.exec(line)?.[0] ?? '';
    const answer = await fetch(address, { headers: { Accept: BROWSER } });
    expect(answer.status).toBe(200);
  });

  it.skipIf(browserPath === undefined)('logs in and leads to the Admin UI, in a browser', async () => {
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const browser = await chromium.launch({ executablePath: browserPath ?? '', args });
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text());
      });
      await page.goto(server.url);
      // The style counts only when the policy lets it.
      expect(await page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth")).toBe('736px');
      expect(problems.filter((text) => !text.includes('favicon'))).toEqual([]);
      await page.fill('input[name=name]', 'admin');
      await page.fill('input[name=password]', 'wrong');
      await page.click('button');
      await page.getByRole('alert').getByText('refused').waitFor();
      await page.fill('input[name=name]', 'admin');
      await page.fill('input[name=password]', 'admin');
      await page.click('button');
      await page.waitForURL('**/svc/');
      await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
      await page.goto(`${server.url}/svc/openapi/ui/`);
      // Nothing is marked for the page yet, so it says how to add types.
      await page.getByText('How to add types').waitFor();
      expect(await page.locator('#hint').getAttribute('open')).not.toBeNull();
    } finally {
      await browser.close();
    }
  });
});

describe('a page of the user’s own', () => {
  let server: TestServer;
  const at = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
    (await fetch(`${server.url}${path}`, { headers: { Accept: BROWSER, ...headers } })).text();

  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'adminui.enabled': false } });
  });
  afterAll(() => server.stop());

  it('replaces it at /, for those who may read it, and nowhere else', async () => {
    // Without a folder of their own uploads go to the one for uploads.
    const id = await uploaded(server.admin, file('index.html', '<p>my own</p>'));
    expect(await at('/')).toContain('<h1>Svc</h1>');
    expect((await server.admin.put(`/File/${id}`, { parent: null })).status).toBe(200);
    expect(await at('/')).toContain('<h1>Svc</h1>');
    expect((await server.admin.put(`/File/${id}`, { visibleToPublicUsers: true })).status).toBe(200);
    expect(await at('/')).toBe('<p>my own</p>');
    expect(await at('/', { Accept: 'application/json' })).toBe('<p>my own</p>');
    expect(await at('/svc')).toContain('<h1>Svc</h1>');
    expect((await server.admin.delete(`/File/${id}`)).status).toBe(200);
    expect(await at('/')).toContain('<h1>Svc</h1>');
  });

  it('can be all there is: the pages of the server are switched off', async () => {
    await server.reload({ 'httpservice.welcome.enabled': false });
    const statuses = await Promise.all(
      ['/', '/svc', '/svc/', '/svc/rest'].map(
        async (path) => (await fetch(`${server.url}${path}`, { headers: { Accept: BROWSER } })).status,
      ),
    );
    expect(statuses).toEqual([404, 404, 404, 401]);
  });
});

it.each([
  [BROWSER, true],
  ['text/html', true],
  ['TEXT/HTML;q=0.9, */*', true],
  ['text/html, application/json', true],
  ['text/html;q=0.5, application/json', false],
  ['text/html;q=0', false],
  ['text/html;q=x', false],
  ['*/*', false],
  ['', false],
  ['application/json', false],
  ['text/htmlx', false],
])('of Accept %j a browser is %j', (accept, expected) => {
  expect(prefersHtml(accept)).toBe(expected);
});
