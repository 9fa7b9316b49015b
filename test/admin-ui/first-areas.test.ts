/** The Admin UI as a person uses it, in Chromium. */
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser } from './person.js';

async function prepare(server: TestServer): Promise<void> {
  const admin = server.as('admin', 'admin');
  await admin.post('/SchemaNode', { name: 'Town' });
  await admin.post('/Town', { name: 'Town 020' });
  await admin.post('/User', { name: 'guest', password: 'a guest' });
}

const settings = { 'application.instance.name': 'shop', 'application.instance.stage': 'test' };
// The browser tells of requests that it could not send.
// It also tells of an answer that is no JSON.
const expected = (problem: string): boolean =>
  problem.includes('ERR_INTERNET_DISCONNECTED') || problem.includes('is not valid JSON');

describeInBrowser(
  'the Admin UI in a browser',
  prepare,
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

    it('says that events have no times where none has one', async () => {
      await person().server.admin.post('/LogEvent', { action: 'VIEW' });
      await person().logIn();
      await person().open('Analytics');
      await person().page.getByText('1 events, none with a time').waitFor();
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

    it('calls a fault of its own one, and says why the server does not permit something', async () => {
      const { page, server } = person();
      await server.admin.post('/ResourceAccess', {
        signature: '_access/_id',
        flags: 1,
        visibleToAuthenticatedUsers: true,
      });
      await server.admin.post('/ResourceAccess', {
        signature: 'Localization',
        flags: 1,
        visibleToAuthenticatedUsers: true,
      });
      await person().logIn('guest', 'a guest');
      await person().goTo('security/why/0123456789abcdef0123456789abcdef');
      await page
        .getByText('The server does not permit this: Only administrators may ask what others may do.')
        .waitFor();
      await page.route('**/rest/Localization?*', (route) => route.fulfill({ status: 200, body: 'no JSON' }));
      await person().goTo('localisations');
      await page.getByText('Something in this page has failed:').waitFor();
      expect(await page.getByText('The server does not answer.').count()).toBe(0);
    });

    it('lets nobody in after logging out', async () => {
      await person().logIn();
      await person().logOut();
      const state = (await (await person().page.request.get(`${person().server.url}/svc/ui/state`)).json()) as Record<
        string,
        unknown
      >;
      expect(state['user']).toBeUndefined();
    });
  },
  { settings, expected },
);
