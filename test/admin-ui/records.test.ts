/** Mail templates, localisations, analytics and changelog, as a person uses them. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, HOSTILE } from './person.js';

const LONG = 'very long '.repeat(1_000).trim();
const ids: Record<string, string> = {};

/** What a script within a page sees. */
interface Framed {
  readonly getComputedStyle: (of: unknown) => { readonly color: string };
  readonly origin: string;
}

async function prepare(server: TestServer): Promise<void> {
  const admin = server.as('admin', 'admin');
  const made = async (type: string, values: object): Promise<string> =>
    ((await admin.post(`/${type}`, values)).body as { result: string[] }).result[0] ?? '';
  await admin.post('/SchemaNode', {
    name: 'Town',
    schemaProperties: [
      { name: 'population', propertyType: 'Integer' },
      { name: 'note', propertyType: 'String' },
      { name: 'founded', propertyType: 'Date' },
    ],
  });
  ids['town'] = await made('Town', { name: HOSTILE, population: 7 });
  await admin.put(`/Town/${ids['town']}`, { population: 9, note: LONG, founded: '2026-01-05T12:00:00+0000' });
  const event = (action: string, message: string, day: number): object => ({
    action,
    message,
    subject: 'a client',
    object: HOSTILE,
    timestamp: `2026-01-${String(day).padStart(2, '0')}T12:00:00+0000`,
    visibleToAuthenticatedUsers: true,
  });
  const views = Array.from({ length: 40 }, (_, i) =>
    event('VIEW', `category:${i % 4 === 0 ? 'music' : 'books'}`, 1 + (i % 7) + (i % 5)),
  );
  await admin.post('/LogEvent', [...views, event('CLICK', HOSTILE, 4), event('READ', LONG, 9)]);
  await made('User', { name: 'guest', password: 'a guest' });
}

const settings = {
  'application.instance.name': 'shop',
  'application.changelog.enabled': 'true',
  'application.changelog.user_centric.enabled': 'true',
};

describeInBrowser(
  'records of the Admin UI in a browser',
  prepare,
  (person) => {
    it('tells what has become of an object, and what a user has done', async () => {
      const { page } = person();
      await person().logIn();
      await person().open('Changelog');
      await page.getByLabel('Type', { exact: true }).selectOption('Town');
      await page.getByLabel('Name or id').fill('onerror');
      await page.getByRole('option', { name: HOSTILE }).click();
      await page.getByRole('heading', { name: `Town ${HOSTILE}` }).waitFor();
      const history = page.getByRole('main').locator('.history');
      await history.getByText('changed population').first().waitFor();
      expect(await history.getByRole('listitem').filter({ hasText: 'changed population' }).first().innerText()).toMatch(
        /7.*→.*9/s,
      );
      await history
        .getByRole('listitem')
        .filter({ hasText: 'changed founded' })
        .getByText('5 Jan 2026')
        .first()
        .waitFor();
      await history.getByRole('button', { name: /Show all 9,999 characters/ }).waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('changelog-object');
      await page.getByLabel('What happened').selectOption('create');
      await page.getByText('1 entries').waitFor();
      await page.getByLabel('Property').fill('nothing like this');
      await page.getByText('Nothing fits these filters.').waitFor();
      await page.getByLabel('Property').fill('');
      await history.getByRole('link', { name: 'admin' }).first().click();
      await page.getByRole('heading', { name: 'User admin' }).waitFor();
      await page.getByRole('button', { name: 'Older' }).waitFor();
      await page.getByLabel('Property').fill('population');
      await history.getByText('changed population of').first().waitFor();
      await person().picture('changelog-user');
      await page.getByLabel('Id, also of what is gone').fill('what');
      await page.getByText('Ids have 32 hexadecimal digits.').waitFor();
      await page.getByLabel('Id, also of what is gone').fill('0123456789abcdef0123456789abcdef');
      await page.keyboard.press('Enter');
      await page.getByText('The object is not there any more').waitFor();
      await page.getByText('Nothing has been written down.').waitFor();
      expect(await page.title()).toBe('shop · Admin UI');
    });

    it('writes mail templates, shows how they look, and loses nobody’s work', async () => {
      const { page, server } = person();
      const admin = server.as('admin', 'admin');
      await person().logIn();
      await person().open('Mail templates');
      await page.getByText('There are no mail templates yet.').waitFor();
      await person().picture('mail-templates-empty');
      await page.getByRole('button', { name: 'New template' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('RESET_PASSWORD_HTML_BODY');
      await dialog.getByLabel('Language').fill('en');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'RESET_PASSWORD_HTML_BODY' }).waitFor();
      const text = page.getByRole('textbox', { name: 'Text', exact: true });
      await text.click();
      await page.keyboard.insertText(
        '<h1 style="color:rgb(1, 2, 3)">Hello ${me.name}</h1><p>Here is <a href="${link}">your link</a>.</p>' +
          '<script>document.title = 1</script><img src=x onerror="parent.document.title=1">' +
          '<div><template shadowrootmode="open"><iframe></iframe></template></div>',
      );
      await page.getByLabel('Value of me.name in the preview').fill('<b>Jane</b>');
      const frame = page.frameLocator('iframe[title=Preview]');
      await frame.getByRole('heading', { name: 'Hello <b>Jane</b>' }).waitFor();
      expect(await frame.locator('iframe').count()).toBe(0);
      expect(
        await frame.getByRole('heading').evaluate((heading) => {
          const { getComputedStyle, origin } = globalThis as unknown as Framed;
          return [getComputedStyle(heading).color, origin];
        }),
      ).toEqual(['rgb(1, 2, 3)', 'null']);
      expect(await violations(page)).toEqual([]);
      await person().picture('mail-templates');
      await page.getByRole('tab', { name: 'As text' }).click();
      await page.getByText('Hello <b>Jane</b>').waitFor();
      await text.click();
      await page.keyboard.press('Control+s');
      await page.getByText('Saved.').waitFor();
      const saved = (await admin.get('/MailTemplate?name=RESET_PASSWORD_HTML_BODY')).body as {
        result: { id: string; text: string; locale: string }[];
      };
      expect(saved.result[0]).toMatchObject({ locale: 'en' });
      expect(saved.result[0]?.text).toContain('${me.name}');
      // Two who edit.
      await page.getByLabel('Description').fill('mine');
      await admin.put(`/MailTemplate/${saved.result[0]?.id ?? ''}`, { description: 'theirs' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Somebody else has changed this template meanwhile: Description.').waitFor();
      expect(await page.getByLabel('Description').inputValue()).toBe('mine');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      // What is typed while it is saved stays.
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route(`**/rest/MailTemplate/${saved.result[0]?.id ?? ''}`, async (route) => {
        await held;
        await route.continue();
      });
      await page.getByLabel('Description').fill('sent');
      const sent = page.waitForRequest((request) => request.method() === 'PUT');
      await page.getByRole('button', { name: 'Save' }).click();
      await sent;
      await page.getByLabel('Description').fill('typed meanwhile');
      release();
      await page.getByText('Saved.').waitFor();
      expect(await page.getByLabel('Description').inputValue()).toBe('typed meanwhile');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect
        .poll(async () => (await admin.get(`/MailTemplate/${saved.result[0]?.id ?? ''}/all`)).body)
        .toMatchObject({ result: { description: 'typed meanwhile' } });
      // For another language.
      await page.getByRole('button', { name: 'Copy for another language' }).click();
      await dialog.getByLabel('Language').fill('en');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByText('There is a template with this name and language already.').waitFor();
      await dialog.getByLabel('Language').fill('de');
      await dialog.getByRole('button', { name: 'Create' }).click();
      const list = page.getByRole('navigation', { name: 'Templates' });
      await list.getByRole('link', { name: /RESET_PASSWORD_HTML_BODY de/ }).waitFor();
      // What is not saved is there when one comes back.
      await page.getByLabel('Description').fill('not saved yet');
      await person().open('Changelog');
      await person().open('Mail templates');
      await list.getByRole('link', { name: /de · not saved/ }).click();
      expect(await page.getByLabel('Description').inputValue()).toBe('not saved yet');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await list.getByRole('link', { name: /de/ }).waitFor({ state: 'detached' });
      expect((await admin.get('/MailTemplate')).body).toMatchObject({ result_count: 1 });
      expect(await page.title()).toBe('shop · Admin UI');
    });

    it('leaves who has gone elsewhere while something is saved where they are', async () => {
      const { page, server } = person();
      const id = await server.admin.create('MailTemplate', { name: 'SLOW', locale: 'en', text: 'Hello' });
      await person().logIn();
      await person().goTo(`mail-templates/${id}`);
      await page.getByLabel('Description').fill('new');
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route(`**/rest/MailTemplate/${id}`, async (route) => {
        await held;
        await route.continue();
      });
      const sent = page.waitForRequest((request) => request.method() === 'PUT');
      await page.getByRole('button', { name: 'Save' }).click();
      await sent;
      await person().open('Localisations');
      await page.getByRole('heading', { level: 1, name: 'Localisations' }).waitFor();
      const over = page.waitForResponse((answer) => answer.request().method() === 'PUT');
      release();
      await over;
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      expect((await server.admin.get(`/MailTemplate/${id}/all`)).body).toMatchObject({
        result: { description: 'new' },
      });
      expect(page.url()).toContain('#/localisations');
      await server.admin.delete(`/MailTemplate/${id}`);
    });

    it('shows texts by key and language, and what is missing', async () => {
      const { page, server } = person();
      const admin = server.as('admin', 'admin');
      await person().logIn();
      await person().open('Localisations');
      await page.getByText('There are no localisations yet.').waitFor();
      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Key').fill('greeting');
      await dialog.getByLabel('Text').fill('Hello');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: 'Edit en of greeting' }).waitFor();
      await page.getByLabel('Add a language', { exact: true }).fill('de');
      await page.keyboard.press('Enter');
      await page.getByText('1 keys shown, 1 texts missing').waitFor();
      // By keyboard.
      await page.getByRole('button', { name: 'Add de of greeting' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'de of greeting' }).fill('Hallo');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Edit de of greeting: Hallo' }).waitFor();
      // Two who edit.
      await page.getByRole('button', { name: 'Edit de of greeting: Hallo' }).click();
      const [{ id = '' } = {}] = ((await admin.get('/Localization?locale=de')).body as { result: { id: string }[] })
        .result;
      await admin.put(`/Localization/${id}`, { localizedName: 'Moin' });
      const field = page.getByRole('textbox', { name: 'de of greeting' });
      await field.fill('Servus');
      await field.press('Enter');
      await page.getByText('Somebody else has changed this text meanwhile, to: Moin.').waitFor();
      await field.press('Enter');
      await page.getByRole('button', { name: 'Edit de of greeting: Servus' }).waitFor();
      expect((await admin.get(`/Localization/${id}`)).body).toMatchObject({ result: { localizedName: 'Servus' } });
      // A file, with signs that mean something in a search.
      const texts = [
        { name: 'greeting', domain: null, locale: 'de', localizedName: 'Hallo' },
        { name: 'Hello, world; and [all]', domain: 'shop', locale: 'en', localizedName: 'Hello, world' },
        { name: 'Hello, world; and [all]', domain: 'shop', locale: 'de', localizedName: HOSTILE },
        { name: 'long', domain: null, locale: 'en', localizedName: LONG },
      ];
      const load = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Import' }).click();
        await dialog.getByLabel('File').setInputFiles({
          name: 'texts.json',
          mimeType: 'application/json',
          buffer: Buffer.from(JSON.stringify(texts)),
        });
        await dialog.getByRole('button', { name: 'Import' }).click();
      };
      await load();
      await page.getByText('3 texts made, 1 replaced, 0 the same.').waitFor();
      await load();
      await page.getByText('0 texts made, 0 replaced, 4 the same.').waitFor();
      await page.getByText('3 keys shown, 1 texts missing').waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('localisations');
      await page.getByLabel('Only what is missing').check();
      await page.getByRole('button', { name: 'Add de of long' }).waitFor();
      expect(await page.getByRole('row').count()).toBe(2);
      await page.getByLabel('Only what is missing').uncheck();
      // What is found in one language comes with the others.
      await page.getByLabel('In', { exact: true }).selectOption('texts');
      await page.getByLabel('Search').fill('hello, world');
      await page.getByText('1 keys shown, 0 texts missing').waitFor();
      await page.getByLabel('Search').fill('');
      await page.getByRole('button', { name: 'Rename or delete greeting' }).click();
      await dialog.getByLabel('Key').fill('welcome');
      await dialog.getByLabel('Domain').fill('shop');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Edit de of welcome: Hallo' }).waitFor();
      expect((await admin.get('/Localization?name=welcome&domain=shop')).body).toMatchObject({ result_count: 2 });
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export JSON' }).click(),
      ]);
      const told = JSON.parse(await readFile(await download.path(), 'utf8')) as { name: string }[];
      expect(told).toHaveLength(5);
      expect(told).toContainEqual({ name: 'welcome', domain: 'shop', locale: 'de', localizedName: 'Hallo' });
      await page.getByRole('button', { name: 'Rename or delete welcome' }).click();
      await dialog.getByRole('button', { name: 'Delete the key' }).click();
      await dialog.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Rename or delete welcome' }).waitFor({ state: 'detached' });
      expect((await admin.get('/Localization')).body).toMatchObject({ result_count: 3 });
      const [table] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export CSV' }).click(),
      ]);
      expect(await readFile(await table.path(), 'utf8')).toContain('"Hello, world; and [all]"');
    });

    it('plots events, by keyboard and as a table, and lists them', async () => {
      const { page } = person();
      await person().logIn();
      await person().goTo('analytics');
      await page.getByText('42 events from').waitFor();
      const plot = page.getByRole('slider', { name: /Events over time/ });
      await plot.focus();
      await page.keyboard.press('Home');
      await expect.poll(() => plot.getAttribute('aria-valuetext')).toMatch(/^1 Jan 2026.*: all events \d+$/);
      expect(await page.getByRole('region', { name: 'The same as a table' }).getByRole('row').count()).toBeGreaterThan(
        1,
      );
      await page.getByLabel('Each action by itself').check();
      await page.getByRole('columnheader', { name: 'VIEW' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('analytics-time');
      await page.getByLabel('Each action by itself').uncheck();
      await page.getByLabel('Count as well').fill('.*books');
      await page.getByRole('columnheader', { name: 'matching' }).waitFor();
      await page.getByLabel('Message').fill('(');
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Message').fill('');
      await page.getByRole('tab', { name: 'Histogram' }).click();
      await page.getByLabel('Expression with one group').fill('category:(.*)');
      await page.getByRole('row', { name: /^books 30$/ }).waitFor();
      const bars = page.getByRole('slider', { name: /Events by what/ });
      await bars.focus();
      await page.keyboard.press('Home');
      await expect.poll(() => bars.getAttribute('aria-valuetext')).toBe('books: Events 30');
      expect(await violations(page)).toEqual([]);
      await person().picture('analytics-histogram');
      await page.getByRole('tab', { name: 'Events' }).click();
      await page.getByText('42 events', { exact: true }).waitFor();
      await person().row(HOSTILE).first().waitFor();
      await page.getByLabel('Action').selectOption('CLICK');
      await page.getByText('1 events', { exact: true }).waitFor();
      await page.getByLabel('From').fill('2001-01-01T00:00');
      await page.getByLabel('Until').fill('2001-02-01T00:00');
      await page.getByText('No event fits.').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByText('42 events', { exact: true }).waitFor();
      await person().picture('analytics-events');
      expect(await page.title()).toBe('shop · Admin UI');
    });

    it('says a clear word to who may not', async () => {
      const { page } = person();
      await person().logIn('guest', 'a guest');
      for (const area of ['Mail templates', 'Localisations', 'Analytics']) {
        await person().open(area);
        await page.getByText('Your user may not see this.').first().waitFor();
      }
      await person().goTo(`changelog/object/${ids['town'] ?? ''}`);
      await page.getByText('Your user may not see this.').first().waitFor();
    });
  },
  // Programs that nobody lets run are told of.
  { settings, expected: (problem) => /Blocked script execution|Refused to|violates the following/.test(problem) },
);
