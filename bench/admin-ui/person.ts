/** Somebody at the Admin UI. */
import type { Browser } from 'playwright-core';
import { CREDENTIALS } from '../server-process.js';
import { Window } from './browser.js';

export interface Name {
  readonly name: string;
  readonly password: string;
}

export const ADMINISTRATOR: Name = { name: CREDENTIALS['X-User'], password: CREDENTIALS['X-Password'] };

export const LOGIN = 'input[type=password]';
export const AREA = '#content h1';

/** A window in which somebody has logged in, at the dashboard, which has come to rest. */
export async function loggedIn(browser: Browser, url: string, who: Name): Promise<Window> {
  const window = await Window.open(browser);
  const { page } = window;
  await page.goto(`${url}/svc/`);
  await page.getByLabel('Name or e-mail address').fill(who.name);
  await page.getByLabel('Password', { exact: true }).fill(who.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await window.usable(AREA);
  return window;
}
