/** Logging in as a person does it: the ways in, the second factor, another provider, a forgotten password (docs/interface/admin-ui.md 3). */
import { Secret, TOTP } from 'otpauth';
import { afterAll, expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import { linkIn, MailServer } from '../support/mail-server.js';
import { CLIENT, OpenIdProvider } from '../support/openid-provider.js';
import { allow } from '../support/permissions.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, type Person } from './person.js';

/** Long enough that no code ends between making and sending it. */
const PERIOD = 300;
const SECRET = 'JBSWY3DPEHPK3PXP';
const code = (): string => new TOTP({ secret: Secret.fromBase32(SECRET), period: PERIOD }).generate();

let mail: MailServer;
let provider: OpenIdProvider;

async function settings(): Promise<Record<string, string | number | boolean>> {
  mail = await MailServer.start();
  provider = await OpenIdProvider.start('keycloak');
  return {
    ...mail.settings,
    'application.instance.name': 'shop',
    'application.instance.stage': 'test',
    'security.twofactorauthentication.period': PERIOD,
    'jsonrestservlet.user.autologin': true,
    'oauth.keycloak.server_url': provider.url,
    'oauth.keycloak.realm': 'test',
    'oauth.keycloak.client_id': CLIENT.id,
    'oauth.keycloak.client_secret': CLIENT.secret,
  };
}

async function people(server: TestServer): Promise<void> {
  const { admin } = server;
  provider.register(`${server.url}/oauth/keycloak/auth`);
  provider.accounts.set('anna', { email: 'anna@example.com', email_verified: true });
  await admin.create('User', { name: 'anna', eMail: 'anna@example.com', password: 'annas password' });
  const bert = await admin.create('User', { name: 'bert', password: 'berts password', twoFactorSecret: SECRET });
  await admin.put(`/User/${bert}`, { isTwoFactorUser: true });
  await allow(admin, '_resetPassword', 'anonymous', ['POST']);
  await allow(admin, 'User', 'user', ['PUT']);
  await admin.create('MailTemplate', { name: 'RESET_PASSWORD_TARGET_PAGE', locale: 'en', text: '/svc/' });
}

async function enter(person: Person, name: string, password: string): Promise<void> {
  await person.page.getByLabel('Name or e-mail address').fill(name);
  await person.page.getByLabel('Password', { exact: true }).fill(password);
  await person.page.getByRole('button', { name: 'Log in', exact: true }).click();
}

const loggedIn = (person: Person, name: string): Promise<void> =>
  person.page.locator('header .user').getByText(name, { exact: true }).waitFor();

afterAll(async () => {
  await Promise.all([mail?.stop(), provider?.stop()]);
});

describeInBrowser(
  'logging in to the Admin UI',
  people,
  (person) => {
    it('leads from the first page to the login, and from there to what was asked for', async () => {
      const { page, server } = person();
      await page.goto(server.url);
      await page.getByRole('link', { name: 'Admin UI' }).click();
      await page.getByRole('heading', { level: 1, name: 'shop (test)' }).waitFor();
      await page.getByRole('link', { name: 'Log in with Keycloak' }).waitFor();
      await page.goto(`${server.url}/svc/#/files`);
      await enter(person(), 'admin', 'admin');
      await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
      await page.locator('header').getByText('shop · test').waitFor();
      const [configuration] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('link', { name: 'Configuration' }).click(),
      ]);
      await configuration.waitForURL(`${server.url}/svc/config`);
      await configuration.getByLabel('Password').first().waitFor();
    });

    it('asks for the second factor: the picture once, then the code alone', async () => {
      const { page, server } = person();
      const picture = page.locator('img.qr');
      await page.goto(`${server.url}/svc/`);
      await enter(person(), 'bert', 'berts password');
      await page.getByText('Scan this picture with your app').waitFor();
      expect(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(200);
      expect(await violations(page)).toEqual([]);
      await person().picture('second-factor-first');
      await page.getByLabel('Code of your app').fill(code() === '000000' ? '000001' : '000000');
      await page.getByRole('button', { name: 'Log in', exact: true }).click();
      await page.getByRole('alert').getByText('The code is wrong.').waitFor();
      await page.getByLabel('Code of your app').fill(code());
      await page.getByLabel('Code of your app').press('Enter');
      await loggedIn(person(), 'bert');
      await page.getByRole('button', { name: 'Log out' }).click();
      await enter(person(), 'bert', 'berts password');
      await page.getByLabel('Code of your app').waitFor();
      expect(await picture.count()).toBe(0);
      await person().picture('second-factor');
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByLabel('Password', { exact: true }).waitFor();
    });

    it('lets people in by another provider, and brings them back', async () => {
      const { page, server } = person();
      await page.goto(`${server.url}/svc/`);
      await page.getByRole('link', { name: 'Log in with Keycloak' }).click();
      await page.locator('input[name=account]').fill('anna');
      await page.locator('button[name=in]').click();
      await page.waitForURL(`${server.url}/svc/`);
      await loggedIn(person(), 'anna');
    });

    it('sends a link for a forgotten password, which leads to a new one', async () => {
      const { page, server } = person();
      await page.goto(`${server.url}/svc/`);
      await page.getByRole('button', { name: 'Forgotten your password?' }).click();
      await page.getByLabel('E-mail address').fill('anna@example.com');
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.getByText('a mail is on its way').waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('forgotten');
      await page.goto(`${server.url}${linkIn(await mail.mailTo('anna@example.com'))}`);
      await page.waitForURL(`${server.url}/svc/`);
      await page.getByRole('button', { name: 'anna' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change the password' });
      await dialog.getByLabel('New password').fill('another of hers');
      await dialog.getByLabel('The same again').fill('another of hers');
      expect(await violations(page)).toEqual([]);
      await person().picture('own-password');
      await dialog.getByRole('button', { name: 'Change the password' }).click();
      await dialog.getByText('The password has been changed.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Log out' }).click();
      await enter(person(), 'anna', 'annas password');
      await page.getByRole('alert').getByText('The login was refused').waitFor();
      await enter(person(), 'anna', 'another of hers');
      await loggedIn(person(), 'anna');
    });
  },
  { settings },
);
