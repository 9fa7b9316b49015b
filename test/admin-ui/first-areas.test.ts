/** The Admin UI as a person uses it, in Chromium. */
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, HOSTILE } from './person.js';

async function towns(server: TestServer): Promise<void> {
  const admin = server.as('admin', 'admin');
  await admin.post('/SchemaNode', {
    name: 'Town',
    schemaProperties: [
      { name: 'population', propertyType: 'Integer', indexed: true },
      { name: 'kind', propertyType: 'Enum', format: 'city,village' },
      { name: 'open', propertyType: 'Boolean' },
    ],
  });
  const some = Array.from({ length: 250 }, (_, i) => ({
    name: `Town ${String(i).padStart(3, '0')}`,
    population: i * 10,
    kind: i % 2 === 0 ? 'city' : 'village',
  }));
  await admin.post('/Town', [...some, { name: HOSTILE, population: 1, kind: 'city' }]);
  await admin.post('/User', { name: 'guest', password: 'a guest' });
}

const settings = { 'application.instance.name': 'shop', 'application.instance.stage': 'test' };
// The browser tells of requests that it could not send.
const expected = (problem: string): boolean => problem.includes('ERR_INTERNET_DISCONNECTED');

describeInBrowser(
  'the Admin UI in a browser',
  towns,
  (person) => {
    it('asks who you are, says what is wrong, and lets you in', async () => {
      await person().page.goto(`${person().server.url}/svc/`);
      await person().page.getByRole('heading', { name: 'shop (test)' }).waitFor();
      await person().page.getByLabel('Name or e-mail address').fill('admin');
      await person().page.getByLabel('Password', { exact: true }).fill('wrong');
      await person().page.getByRole('button', { name: 'Log in', exact: true }).click();
      await person().page.getByRole('alert').getByText('The login was refused').waitFor();
      expect(await violations(person().page)).toEqual([]);
      await person().picture('login');
      await person().logIn();
      await person().page.getByText('shop · test').first().waitFor();
    });

    it('says how to get a new password where no links are sent', async () => {
      await person().page.goto(`${person().server.url}/svc/`);
      await person().page.getByRole('button', { name: 'Forgotten your password?' }).click();
      await person().page.getByLabel('E-mail address').fill('someone@example.org');
      await person().page.getByRole('button', { name: 'Send the link' }).click();
      await person().page.getByText('svc user passwd NAME').waitFor();
    });

    it('shows what runs, and the log as it grows', async () => {
      await person().logIn();
      await person().page.getByText('sqlite').waitFor();
      await person().page.getByRole('log').getByText('listening on').waitFor();
      await person().server.as('guest', 'a guest').get('/MailTemplate');
      await person().page.getByLabel('Text').fill('MailTemplate');
      await person().page.getByRole('log').getByText('MailTemplate').first().waitFor();
      await person().page.getByLabel('Text').fill('');
      expect(await violations(person().page)).toEqual([]);
      await person().picture('dashboard');
    });

    it('shows who is no administrator what he may see', async () => {
      await person().logIn('guest', 'a guest');
      await person().page.getByText('is for administrators').waitFor();
      expect(await person().page.getByRole('heading', { name: 'Server log' }).count()).toBe(0);
      await person().open('Data');
      await person().page.getByText('Your user may not see this.').first().waitFor();
    });

    it('filters, sorts and edits objects', async () => {
      await person().logIn();
      await person().open('Data');
      await person().page.getByRole('link', { name: 'Town' }).click();
      await person().page.getByText('251 objects').waitFor();
      await person().page.getByRole('button', { name: 'population' }).click();
      await person().page.getByRole('button', { name: 'population' }).click();
      await person()
        .page.getByRole('columnheader', { name: 'population' })
        .and(person().page.locator('[aria-sort=descending]'))
        .waitFor();
      await person().row('Town 249').waitFor();
      await person().page.getByLabel('Filter population').fill('10..30');
      await person().page.getByText('3 objects').waitFor();
      expect(await violations(person().page)).toEqual([]);
      await person().picture('data');
      await person().row('Town 002').getByText('Town 002').dblclick();
      await person().page.getByLabel('Edit name').fill('Brest');
      await person().page.getByLabel('Edit name').press('Enter');
      await person().row('Brest').waitFor();
      const { body } = await person().server.as('admin', 'admin').get('/Town?name=Brest');
      expect(body).toMatchObject({ result_count: 1 });
    });

    it('tells that somebody else has changed a value before it is replaced', async () => {
      await person().logIn();
      await person().goTo('data/Town');
      await person().row('Town 010').getByText('Town 010').dblclick();
      await person().page.getByLabel('Edit name').fill('Mine');
      const admin = person().server.as('admin', 'admin');
      const found = (await admin.get('/Town?name=Town%20010')).body as { result: { id: string }[] };
      await admin.put(`/Town/${found.result[0]?.id ?? ''}`, { name: 'Theirs' });
      await person().page.getByLabel('Edit name').press('Enter');
      await person().page.getByText('Somebody else has changed this value meanwhile, to: Theirs.').waitFor();
      expect(await person().page.getByLabel('Edit name').inputValue()).toBe('Mine');
      await person().page.getByRole('button', { name: 'Save' }).click();
      await person().row('Mine').waitFor();
    });

    it('creates, selects by keyboard and deletes objects', async () => {
      await person().logIn();
      await person().goTo('data/Town');
      await person().page.getByText('251 objects').waitFor();
      await person().page.getByRole('button', { name: 'Create', exact: true }).click();
      const dialog = person().page.getByRole('dialog');
      await dialog.getByLabel('name', { exact: true }).fill('AAA');
      await dialog.getByLabel('population').fill('many');
      expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
      await dialog.getByLabel('population').fill('7');
      await dialog.getByLabel('kind').selectOption('village');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await person().page.getByText('252 objects').waitFor();
      await person().page.getByLabel('Filter name').fill('AAA');
      await person().page.getByText('1 objects').waitFor();
      await person().row('AAA').getByRole('gridcell').nth(1).focus();
      await person().page.keyboard.press('Space');
      await person().page.getByRole('button', { name: 'Delete 1' }).click();
      await person().page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await person().page.getByText('No object fits these filters.').waitFor();
      expect((await person().server.as('admin', 'admin').get('/Town?name=AAA')).body).toMatchObject({
        result_count: 0,
      });
    });

    it('shows hostile names as text', async () => {
      await person().logIn();
      await person().goTo('data/Town');
      await person().page.getByLabel('Filter name').fill('onerror');
      await person().row(HOSTILE).waitFor();
      expect(await person().page.title()).toBe('shop (test) · Admin UI');
    });

    it('speaks German', async () => {
      await person().logIn();
      await person().page.getByLabel('Language').selectOption('de');
      await person().page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
      expect(await person().page.evaluate('document.documentElement.lang')).toBe('de');
    });

    it('says that the server does not answer, and goes on by itself', async () => {
      await person().logIn();
      await person().goTo('data/Town');
      await person().row('Town 020').getByText('Town 020').dblclick();
      await person().page.getByLabel('Edit name').fill('Kept');
      await person().page.context().setOffline(true);
      await person().page.getByLabel('Edit name').press('Enter');
      await person().page.getByText('The server does not answer.').first().waitFor();
      expect(await person().page.getByLabel('Edit name').inputValue()).toBe('Kept');
      await person().page.context().setOffline(false);
      await person().page.getByLabel('Edit name').press('Enter');
      await person().row('Kept').waitFor();
    });

    it('lets nobody in after logging out', async () => {
      await person().logIn();
      await person().page.getByRole('button', { name: 'Log out' }).click();
      await person().page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
      const state = (await (await person().page.request.get(`${person().server.url}/svc/ui/state`)).json()) as Record<
        string,
        unknown
      >;
      expect(state['user']).toBeUndefined();
    });
  },
  { settings, expected },
);
