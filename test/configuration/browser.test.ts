/** The pages of the Configuration Interface, as a person uses them, in Chromium. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import { freePort } from '../support/databases.js';
import { SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

const executablePath = chromiumPath();
if (executablePath === undefined)
  console.warn('skipped: the Configuration Interface in a browser; there is no Chromium (CHROMIUM_PATH)');

/** What is focused, by its name and role. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element.tagName === 'BODY') return '';
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
  return label + ' ' + (element.getAttribute('role') ?? '');
})()`;

/** Where pictures are left to be looked at; absent: none are made. */
const pictures = process.env['SVC_TEST_PICTURES'];

describe.skipIf(executablePath === undefined)('the Configuration Interface in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  /** A page whose errors and broken rules are gathered. */
  async function open(url: string, width = 1440): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // A refused login is a failed request to the browser.
      if (message.type() === 'error' && !message.text().includes('status of 4')) problems.push(message.text());
    });
    await page.goto(url);
    return { page, problems };
  }

  async function picture(page: Page, name: string): Promise<void> {
    if (pictures === undefined) return;
    await mkdir(pictures, { recursive: true });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: join(pictures, `${name}-${String(width)}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }

  it('leads through the first-time setup', async () => {
    const server = await TestServer.start({
      settings: { 'superuser.password': '' },
      environment: { SVC_setup_token: 'token-of-ours' },
    });
    try {
      const { page, problems } = await open(`${server.url}/`);
      await picture(page, 'setup-token');
      await page.getByLabel('Setup token').fill('wrong');
      await page.getByRole('button', { name: 'Begin' }).click();
      await page.getByRole('alert').getByText('The token is wrong.').waitFor();
      await page.getByLabel('Setup token').fill('token-of-ours');
      await page.getByRole('button', { name: 'Begin' }).click();
      await page.getByLabel('Neo4j').check();
      await page.getByLabel('Address').fill('bolt://127.0.0.1:9');
      await page.getByRole('button', { name: 'Test the connection' }).click();
      await page.getByRole('alert').getByText('Neo4j cannot be reached.').waitFor();
      await picture(page, 'setup-neo4j');
      for (const label of ['Password', 'The same again'])
        await page.getByLabel(label, { exact: true }).last().fill('a long password');
      await page.getByRole('button', { name: 'Finish' }).click();
      await page.getByText('Finish once more to take it all the same.').waitFor();
      await page.getByLabel('Embedded database').check();
      await page.getByLabel('Password', { exact: true }).fill('a long password');
      await page.getByLabel('The same again').fill('another password');
      await page.getByText('It is another one.').waitFor();
      expect(await page.getByRole('button', { name: 'Finish' }).isDisabled()).toBe(true);
      await page.getByLabel('The same again').fill('a long password');
      await page.getByRole('button', { name: 'Finish' }).click();
      await page.getByText('The setup is complete').waitFor();
      await picture(page, 'setup-done');
      expect((await server.as('superadmin', 'a long password').get('/User')).status).toBe(200);
      expect(problems).toEqual([]);
      await page.close();
    } finally {
      await server.stop();
    }
  });

  describe('completed', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await TestServer.start({
        // One of its own: it starts again at the same place.
        settings: { 'application.http.port': await freePort(), 'maintenance.application.http.port': 0 },
        environment: { SVC_application_instance_name: 'Shop' },
        launched: true,
      });
    });
    afterAll(() => server.stop());

    it('changes, searches and resets settings, by keyboard too', async () => {
      const { page, problems } = await open(`${server.url}/svc/config`);
      await picture(page, 'login');
      await page.getByLabel('Superuser password').fill(SUPERUSER_PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'General', exact: true }).first().waitFor();
      await picture(page, 'general');
      await page.getByRole('searchbox').fill('json indentation');
      const toggle = page.getByRole('switch', { name: 'json.indentation' });
      await toggle.focus();
      await page.keyboard.press('Space');
      await page.getByText('1 change').waitFor();
      await picture(page, 'changed');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect((await server.admin.get('/_env')).text).not.toMatch(/\n\t/);
      // At once, without saving.
      await page.getByRole('button', { name: 'Reset json.indentation to its default' }).click();
      await page.getByText('json.indentation is back at its default.').waitFor();
      await expect.poll(async () => (await server.admin.get('/_env')).text).toMatch(/\n\t/);
      await page.getByRole('searchbox').fill('httpservice.servlets');
      const word = page.getByRole('group', { name: 'httpservice.servlets' }).getByLabel('MetricsServlet');
      await word.check();
      await page.getByText('1 change').waitFor();
      await word.uncheck();
      await page.getByText('1 change').waitFor({ state: 'detached' });
      await page.getByRole('searchbox').fill('database.connection.url');
      await page.getByLabel('database.connection.url', { exact: true }).fill('http://elsewhere');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').first().waitFor();
      await picture(page, 'refused');
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('searchbox').fill('application.instance.name');
      await page.getByText('given by the environment').waitFor();
      expect(await page.getByLabel('application.instance.name', { exact: true }).isDisabled()).toBe(true);
      expect(problems).toEqual([]);
      await page.close();
    });

    it('is used by keyboard alone, from the login to the file', async () => {
      const { page, problems } = await open(`${server.url}/svc/config`);
      const stored = (): Promise<string> => readFile(join(server.folder, 'svc.conf'), 'utf8');
      /** Presses a key until something is reached that is called so. */
      const reach = async (name: RegExp, key = 'Tab'): Promise<void> => {
        for (let i = 0; i < 200; i++) {
          await page.keyboard.press(key);
          const focused = String(await page.evaluate(FOCUSED));
          if (name.test(focused)) return;
        }
        throw new Error(`nothing called ${String(name)} is reached by ${key}`);
      };
      await page.getByLabel('Superuser password').waitFor();
      await reach(/Superuser password/);
      await page.keyboard.type(SUPERUSER_PASSWORD);
      await page.keyboard.press('Enter');
      await page.locator('[role="tab"][tabindex="0"]').waitFor();
      await reach(/^General tab/);
      await reach(/^Application tab/, 'ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Application', exact: true }).waitFor();
      await reach(/Search all settings/);
      await page.keyboard.type('json.indentation');
      await reach(/json\.indentation switch/);
      await page.keyboard.press('Space');
      await reach(/^Save/);
      await page.keyboard.press('Enter');
      await page.getByText('Saved.').waitFor();
      expect(await stored()).toMatch(/^json.indentation = false$/m);
      await reach(/Reset json\.indentation/, 'Shift+Tab');
      await page.keyboard.press('Space');
      await expect.poll(stored).not.toMatch(/json.indentation/);
      expect(problems).toEqual([]);
      await page.close();
    });

    it('shows services, sessions and connections, and switches the maintenance mode', async () => {
      const { page, problems } = await open(`${server.url}/svc/config#services`);
      await page.getByLabel('Superuser password').fill(SUPERUSER_PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('button', { name: 'Stop CronService' }).click();
      await page
        .getByRole('row', { name: /CronService/ })
        .getByText('stopped')
        .waitFor();
      await picture(page, 'services');
      await page.getByRole('button', { name: 'Start CronService' }).click();
      await page
        .getByRole('row', { name: /CronService/ })
        .getByText('running')
        .waitFor();
      await page.getByRole('tab', { name: 'Sessions' }).click();
      await page.getByText('this one').waitFor();
      await picture(page, 'sessions');
      await page.getByRole('tab', { name: 'Connections' }).click();
      await page.getByText('Embedded database in').waitFor();
      await page.getByRole('button', { name: 'Test default' }).click();
      await page.getByText('There is a database in').waitFor();
      await page.getByRole('button', { name: 'Add a connection' }).click();
      await page.getByLabel('Name').fill('Other place');
      await page.getByLabel('Neo4j').check();
      await picture(page, 'connection-new');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('password must not be empty').waitFor();
      await page.getByLabel('Embedded database').check();
      await page.getByRole('textbox', { name: 'Folder' }).fill('other');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('button', { name: 'Switch to other-place' }).click();
      await page.getByText('The data are not moved').waitFor();
      await page.getByText(/^svc graph copy \\\s+--from sqlite:\S+ \\\s+--to sqlite:\S+other \\\s+--conf /).waitFor();
      await picture(page, 'connection-switch');
      await page.getByRole('button', { name: 'Use it from the next start on' }).click();
      await page.getByText('The server still runs with').waitFor();
      await page.getByText('These settings count from the next start on').waitFor();
      await picture(page, 'connections');
      await page.getByRole('button', { name: 'Switch to default' }).click();
      await page.getByRole('button', { name: 'Use it from the next start on' }).click();
      await page.getByText('The server still runs with').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Remove other-place' }).click();
      await page.getByRole('button', { name: 'Take it off' }).click();
      await page.getByRole('heading', { name: 'other-place' }).waitFor({ state: 'detached' });
      await page.getByRole('tab', { name: 'Maintenance' }).click();
      await page.getByRole('button', { name: 'Enable' }).click();
      const link = page.getByRole('link', { name: /svc\/config#maintenance/ });
      await link.waitFor();
      await picture(page, 'maintenance');
      const there = (await link.getAttribute('href')) ?? '';
      expect((await fetch(server.url)).status).toBe(503);
      await page.goto(there);
      await page.getByRole('button', { name: 'Disable' }).click();
      await expect.poll(async () => (await fetch(server.url)).status).toBe(200);
      expect(problems.filter((text) => !text.includes('503'))).toEqual([]);
      await page.close();
    });

    it('restarts the server', async () => {
      const { page } = await open(`${server.url}/svc/config`);
      await page.getByLabel('Superuser password').fill(SUPERUSER_PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('searchbox').fill('database.reader.threads');
      await page.getByLabel('database.reader.threads', { exact: true }).fill('2');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Restart …' }).click();
      const begun = server.logged(/listening on http:/).length;
      await page.getByRole('button', { name: 'Restart the server' }).click();
      await expect.poll(() => server.logged(/listening on http:/).length).toBe(begun + 1);
      await page.getByLabel('Superuser password').waitFor();
      expect((await server.admin.get('/_env')).status).toBe(200);
      await page.close();
    });
  });
});
