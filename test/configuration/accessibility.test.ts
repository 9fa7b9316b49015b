/** Every view of the setup and of the Configuration Interface by the rules of axe-core: at both widths, light and dark. */
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import { chromiumPath } from '../support/chromium.js';
import { SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

const executablePath = chromiumPath();
const MANY_SETTINGS: ReadonlySet<string> = new Set(['Application', 'OAuth', 'Security', 'Server', 'Servlets']);

describe.skipIf(executablePath === undefined)('accessible by the rules of axe-core', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  let broken: string[] = [];
  const look = async (page: Page, view: string, quickly = false): Promise<void> => {
    broken.push(...(await violations(page, quickly)).map((text) => `${view}: ${text}`));
  };
  afterEach(() => {
    const found = broken;
    broken = [];
    expect(found).toEqual([]);
  });

  it('is the first-time setup', async () => {
    const server = await TestServer.start({
      settings: { 'superuser.password': '' },
      environment: { SVC_setup_token: 'token-of-ours' },
    });
    try {
      const page = await browser.newPage();
      await page.goto(`${server.url}/`);
      await page.getByLabel('Setup token').fill('wrong');
      await page.getByRole('button', { name: 'Begin' }).click();
      await page.getByRole('alert').waitFor();
      await look(page, 'token');
      await page.getByLabel('Setup token').fill('token-of-ours');
      await page.getByRole('button', { name: 'Begin' }).click();
      await page.getByLabel('Neo4j').check();
      await page.getByLabel('Address').fill('bolt://127.0.0.1:9');
      await page.getByRole('button', { name: 'Test the connection' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel('The same again').fill('another');
      await look(page, 'wizard');
      await page.getByLabel('Embedded database').check();
      for (const label of ['Password', 'The same again'])
        await page.getByLabel(label, { exact: true }).fill('a long password');
      await page.getByRole('button', { name: 'Finish' }).click();
      await page.getByText('The setup is complete').waitFor();
      await look(page, 'done');
      await page.close();
    } finally {
      await server.stop();
    }
  });

  it('is each area of the Configuration Interface', async () => {
    const server = await TestServer.start({
      settings: {
        'tick.cronExpression': '0 0 0 1 1 *',
        'unknown.name': 'x',
        'other.database.driver': 'embedded',
        'other.database.path': 'other',
      },
      environment: { SVC_application_instance_name: 'Shop' },
    });
    try {
      const page = await browser.newPage();
      await page.goto(`${server.url}/svc/config`);
      await page.getByLabel('Superuser password').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await look(page, 'login');
      await page.getByLabel('Superuser password').fill(SUPERUSER_PASSWORD);
      await page.keyboard.press('Enter');
      const tabs = page.getByRole('tab');
      await tabs.first().waitFor();
      for (const tab of await tabs.all()) {
        await tab.click();
        await page.getByRole('tabpanel').getByRole('heading').first().waitFor();
        const name = (await tab.textContent()) ?? '';
        // Groups of settings are made of the same parts, which are looked at for all of it where there are few.
        await look(page, name, MANY_SETTINGS.has(name));
      }
      await page.getByRole('tab', { name: 'Connections' }).click();
      await page.getByRole('button', { name: 'Change other' }).click();
      await page.getByRole('button', { name: 'Add a connection' }).click();
      await look(page, 'Connections, being changed');
      await page.getByRole('button', { name: 'Cancel' }).last().click();
      await page.getByRole('button', { name: 'Switch to other' }).click();
      await page.getByRole('button', { name: 'Use it from the next start on' }).click();
      await page.getByText('The server still runs with').waitFor();
      await page.getByRole('button', { name: 'Restart …' }).click();
      await look(page, 'Connections, switched');
      await page.getByRole('tab', { name: 'General' }).click();
      await page.getByRole('searchbox').fill('database.connection.url');
      await page.getByLabel('database.connection.url', { exact: true }).fill('http://elsewhere');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').first().waitFor();
      await look(page, 'a setting that is refused');
      await page.close();
    } finally {
      await server.stop();
    }
  });
});
