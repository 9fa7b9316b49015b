/** Mail templates, localisations, analytics and changelog, as a person uses them. */
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
    ],
  });
  ids['town'] = await made('Town', { name: HOSTILE, population: 7 });
  await admin.put(`/Town/${ids['town']}`, { population: 9, note: LONG });
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
      await page.getByRole('button', { name: 'Create a template' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('RESET_PASSWORD_HTML_BODY');
      await dialog.getByLabel('Language').fill('en');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'RESET_PASSWORD_HTML_BODY' }).waitFor();
      const text = page.getByRole('textbox', { name: 'Text', exact: true });
      await text.click();
      await page.keyboard.insertText(
        '<h1 style="color:rgb(1, 2, 3)">Hello ${me.name}</h1><p>Here is <a href="${link}">your link</a>.</p>' +
          '<script>document.title = 1</script><img src=x onerror="parent.document.title=1">',
      );
      await page.getByLabel('Value of me.name in the preview').fill('<b>Jane</b>');
      const frame = page.frameLocator('iframe[title=Preview]');
      await frame.getByRole('heading', { name: 'Hello <b>Jane</b>' }).waitFor();
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
  },
  // Programs that nobody lets run are told of.
  { settings, expected: (problem) => /Blocked script execution|Refused to|violates the following/.test(problem) },
);
