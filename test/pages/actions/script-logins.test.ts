/** Logging in and out, registration and new passwords from pages, in a browser (docs/interface/pages.md 7.3, 7.4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkIn, MailServer } from '../../support/mail-server.js';
import { makeAction } from '../../support/pages.js';
import { browserPath, Stage, unique } from './browser.js';

const AFTER = {
  failureNotifications: 'inline-text-message',
  successNotifications: 'inline-text-message',
  successNotificationsDelay: 600_000,
};

describe.skipIf(browserPath === undefined)('logins in a browser', () => {
  let mail: MailServer;
  let stage: Stage;

  beforeAll(async () => {
    mail = await MailServer.start();
    stage = await Stage.open({
      ...mail.settings,
      'jsonrestservlet.user.autocreate': true,
      'security.twofactorauthentication.level': 1,
    });
  });
  afterAll(async () => {
    await stage.close();
    await mail.stop();
  });

  /** A form with such inputs, which are parameters of the same names; its path. */
  async function form(fields: Readonly<Record<string, unknown>>, ...names: readonly string[]): Promise<string> {
    const own = unique('form');
    const inputs = names.map((name) => unique(name));
    const path = await stage.make(
      [
        'form',
        { name: own },
        ...names.map(
          (name, i) =>
            [
              'input',
              { name: inputs[i], _html_id: name, _html_type: /pass/.test(name) ? 'password' : 'text' },
            ] as const,
        ),
        ['button', {}, 'go'],
      ],
      ['p', { _html_id: 'who' }, '${if(empty(me), "nobody", me.name)}'],
    );
    await makeAction(
      stage.admin,
      own,
      { event: 'submit', ...AFTER, ...fields },
      names.map((parameterName, i) => ({ parameterName, parameterType: 'user-input', inputElement: inputs[i] })),
    );
    return path;
  }

  it('in, and out', async () => {
    const context = await stage.stranger();
    const path = await form({ action: 'sign-in', successBehaviour: 'full-page-reload' }, 'name', 'password');
    const { page, problems } = await stage.visit(path, context);
    expect(await page.textContent('#who')).toBe('nobody');
    await page.fill('#name', 'anna');
    await page.fill('#password', 'wrong');
    await page.click('button');
    await page.locator('.svc-failure').first().waitFor();
    expect(await page.textContent('#who')).toBe('nobody');
    await page.fill('#password', 'Anna-pass-1');
    await page.click('button');
    await expect.poll(() => page.textContent('#who')).toBe('anna');
    await page.goto(`${stage.server.url}${await form({ action: 'sign-out', successBehaviour: 'full-page-reload' })}`);
    expect(await page.textContent('#who')).toBe('anna');
    await page.click('button');
    await expect.poll(() => page.textContent('#who')).toBe('nobody');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('by a second step on its own page', async () => {
    await stage.admin.create('User', { name: 'two', password: 'Two-pass-1', isTwoFactorUser: true });
    const context = await stage.stranger();
    const path = await form({ action: 'sign-in' }, 'name', 'password');
    const { page } = await stage.visit(path, context);
    await page.fill('#name', 'two');
    await page.fill('#password', 'Two-pass-1');
    await page.click('button');
    await page.waitForURL(/\/twofactor\?/);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('token'), searchParams.get('qrdata')]).toEqual([
      expect.stringMatching(/!\d{13}$/),
      expect.stringMatching(/^[\w-]+$/),
    ]);
    await context.close();
  });

  it('sign-up and reset-password', async () => {
    const context = await stage.stranger();
    const { page, problems } = await stage.visit(await form({ action: 'sign-up' }, 'eMail'), context);
    await page.click('button');
    await page.locator('.svc-failure').first().waitFor();
    await page.fill('#eMail', 'new@example.com');
    await page.click('button');
    await page.locator('.svc-success').waitFor();
    expect(linkIn(await mail.mailTo('new@example.com'))).toContain('/confirm_registration');
    const before = mail.mails.length;
    await page.goto(`${stage.server.url}${await form({ action: 'reset-password' }, 'eMail')}`);
    await page.fill('#eMail', 'new@example.com');
    await page.click('button');
    await page.locator('.svc-success').waitFor();
    await expect.poll(() => mail.mails.length).toBeGreaterThan(before);
    expect(problems).toEqual([]);
    await context.close();
  });
});
