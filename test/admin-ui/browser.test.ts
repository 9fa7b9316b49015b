/** The Admin UI as a person uses it, in Chromium. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import { chromiumPath } from '../support/chromium.js';
import { TestServer } from '../support/server.js';

const executablePath = chromiumPath();
if (executablePath === undefined)
  console.warn('skipped: the Admin UI in a browser; there is no Chromium (CHROMIUM_PATH)');

/** Where pictures are left to be looked at; absent: none are made. */
const pictures = process.env['SVC_TEST_PICTURES'];
const HOSTILE = '<img src=x onerror="document.title=1">';

describe.skipIf(executablePath === undefined)('the Admin UI in a browser', () => {
  let browser: Browser;
  let server: TestServer;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    server = await TestServer.start({
      settings: { 'application.instance.name': 'shop', 'application.instance.stage': 'test' },
    });
    const admin = server.as('admin', 'admin');
    await admin.post('/SchemaNode', {
      name: 'Town',
      schemaProperties: [
        { name: 'population', propertyType: 'Integer', indexed: true },
        { name: 'kind', propertyType: 'Enum', format: 'city,village' },
        { name: 'open', propertyType: 'Boolean' },
      ],
    });
    const towns = Array.from({ length: 250 }, (_, i) => ({
      name: `Town ${String(i).padStart(3, '0')}`,
      population: i * 10,
      kind: i % 2 === 0 ? 'city' : 'village',
    }));
    await admin.post('/Town', [...towns, { name: HOSTILE, population: 1, kind: 'city' }]);
    await admin.post('/User', { name: 'guest', password: 'a guest' });
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });
  beforeEach(async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
    page = await context.newPage();
    problems = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // A refused request is an error to the browser.
      if (message.type() === 'error' && !message.text().includes('status of 4')) problems.push(message.text());
    });
    return () => context.close();
  });

  const logIn = async (name = 'admin', password = 'admin'): Promise<void> => {
    await page.goto(`${server.url}/svc/`);
    await page.getByLabel('Name or e-mail address').fill(name);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  };
  const open = async (area: string): Promise<void> => {
    await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: area }).click();
  };
  const picture = async (name: string): Promise<void> => {
    if (pictures === undefined) return;
    await mkdir(pictures, { recursive: true });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: join(pictures, `${name}-${String(width)}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  };
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });

  it('asks who you are, says what is wrong, and lets you in', async () => {
    await page.goto(`${server.url}/svc/`);
    await page.getByRole('heading', { name: 'shop (test)' }).waitFor();
    await page.getByLabel('Name or e-mail address').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('alert').getByText('The login was refused').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture('login');
    await logIn();
    await page.getByText('shop · test').first().waitFor();
    expect(problems).toEqual([]);
  });

  it('says how to get a new password where no links are sent', async () => {
    await page.goto(`${server.url}/svc/`);
    await page.getByRole('button', { name: 'Forgotten your password?' }).click();
    await page.getByLabel('E-mail address').fill('someone@example.org');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('svc user passwd NAME').waitFor();
    expect(problems).toEqual([]);
  });

  it('shows what runs, and the log as it grows', async () => {
    await logIn();
    await page.getByText('sqlite').waitFor();
    await page.getByRole('log').getByText('listening on').waitFor();
    await server.as('guest', 'a guest').get('/MailTemplate');
    await page.getByLabel('Text').fill('MailTemplate');
    await page.getByRole('log').getByText('MailTemplate').first().waitFor();
    await page.getByLabel('Text').fill('');
    expect(await violations(page)).toEqual([]);
    await picture('dashboard');
    expect(problems).toEqual([]);
  });

  it('shows who is no administrator what he may see', async () => {
    await logIn('guest', 'a guest');
    await page.getByText('is for administrators').waitFor();
    expect(await page.getByRole('heading', { name: 'Server log' }).count()).toBe(0);
    await open('Data');
    await page.getByText('Your user may not see this.').first().waitFor();
    expect(problems).toEqual([]);
  });

  it('filters, sorts and edits objects', async () => {
    await logIn();
    await open('Data');
    await page.getByRole('link', { name: 'Town' }).click();
    await page.getByText('251 objects').waitFor();
    await page.getByRole('button', { name: 'population' }).click();
    await page.getByRole('button', { name: 'population' }).click();
    await page.getByRole('columnheader', { name: 'population' }).and(page.locator('[aria-sort=descending]')).waitFor();
    await row('Town 249').waitFor();
    await page.getByLabel('Filter population').fill('10..30');
    await page.getByText('3 objects').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture('data');
    await row('Town 002').getByText('Town 002').dblclick();
    await page.getByLabel('Edit name').fill('Brest');
    await page.getByLabel('Edit name').press('Enter');
    await row('Brest').waitFor();
    const { body } = await server.as('admin', 'admin').get('/Town?name=Brest');
    expect(body).toMatchObject({ result_count: 1 });
    expect(problems).toEqual([]);
  });

  it('tells that somebody else has changed a value before it is replaced', async () => {
    await logIn();
    await page.goto(`${server.url}/svc/#/data/Town`);
    await row('Town 010').getByText('Town 010').dblclick();
    await page.getByLabel('Edit name').fill('Mine');
    const admin = server.as('admin', 'admin');
    const found = (await admin.get('/Town?name=Town%20010')).body as { result: { id: string }[] };
    await admin.put(`/Town/${found.result[0]?.id ?? ''}`, { name: 'Theirs' });
    await page.getByLabel('Edit name').press('Enter');
    await page.getByText('Somebody else has changed this value meanwhile, to: Theirs.').waitFor();
    expect(await page.getByLabel('Edit name').inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await row('Mine').waitFor();
    expect(problems).toEqual([]);
  });

  it('creates, selects by keyboard and deletes objects', async () => {
    await logIn();
    await page.goto(`${server.url}/svc/#/data/Town`);
    await page.getByText('251 objects').waitFor();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('name', { exact: true }).fill('AAA');
    await dialog.getByLabel('population').fill('many');
    expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    await dialog.getByLabel('population').fill('7');
    await dialog.getByLabel('kind').selectOption('village');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('252 objects').waitFor();
    await page.getByLabel('Filter name').fill('AAA');
    await page.getByText('1 objects').waitFor();
    await row('AAA').getByRole('gridcell').nth(1).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Delete 1' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No object fits these filters.').waitFor();
    expect((await server.as('admin', 'admin').get('/Town?name=AAA')).body).toMatchObject({ result_count: 0 });
    expect(problems).toEqual([]);
  });

  it('shows hostile names as text', async () => {
    await logIn();
    await page.goto(`${server.url}/svc/#/data/Town`);
    await page.getByLabel('Filter name').fill('onerror');
    await row(HOSTILE).waitFor();
    expect(await page.title()).toBe('shop (test) · Admin UI');
    expect(problems).toEqual([]);
  });

  it('speaks German', async () => {
    await logIn();
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
    expect(problems).toEqual([]);
  });

  it('says that the server does not answer, and goes on by itself', async () => {
    await logIn();
    await page.goto(`${server.url}/svc/#/data/Town`);
    await row('Town 020').getByText('Town 020').dblclick();
    await page.getByLabel('Edit name').fill('Kept');
    await page.context().setOffline(true);
    await page.getByLabel('Edit name').press('Enter');
    await page.getByText('The server does not answer.').first().waitFor();
    expect(await page.getByLabel('Edit name').inputValue()).toBe('Kept');
    await page.context().setOffline(false);
    await page.getByLabel('Edit name').press('Enter');
    await row('Kept').waitFor();
    // The browser tells of requests that it could not send.
    expect(problems.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });

  it('lets nobody in after logging out', async () => {
    await logIn();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    const state = (await (await page.request.get(`${server.url}/svc/ui/state`)).json()) as Record<string, unknown>;
    expect(state['user']).toBeUndefined();
  });
});
