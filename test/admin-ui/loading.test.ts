/** What the browser loads, and when: bytes and files, as they are the same on every machine (docs/design/admin-ui.md 3). */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from './person.js';

/** JavaScript of the first screen as it is sent, in bytes: of the login, and of the dashboard behind it. */
const FIRST_SCREEN = 150_000;

interface Script {
  readonly name: string;
  readonly bytes: number;
}

const scripts = (page: Page): Promise<readonly Script[]> =>
  page.evaluate<readonly Script[]>(`performance.getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
    .map(({ name, encodedBodySize: bytes }) => ({ name: name.slice(name.lastIndexOf('/') + 1), bytes }))`);

const sum = (loaded: readonly Script[]): number => loaded.reduce((total, { bytes }) => total + bytes, 0);

describeInBrowser(
  'what the Admin UI loads',
  () => Promise.resolve(),
  (person) => {
    it('the first screen has at most 150 KB of JavaScript, each area is loaded when it is opened, and once', async () => {
      const { page, server } = person();
      const hosts = new Set<string>();
      page.on('request', (request) => hosts.add(new URL(request.url()).origin));
      await page.goto(`${server.url}/svc/`);
      await page.getByLabel('Password', { exact: true }).waitFor();
      const login = await scripts(page);
      expect(login.length).toBeGreaterThan(0);
      expect(login.every(({ bytes }) => bytes > 0)).toBe(true);
      expect(sum(login)).toBeLessThanOrEqual(FIRST_SCREEN);

      await person().logIn();
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.endsWith('.js')) asked.push(pathname);
      });
      await page.getByRole('button', { name: 'Nothing runs' }).waitFor();
      const dashboard = await scripts(page);
      expect(dashboard.length).toBeGreaterThan(login.length);
      expect(sum(dashboard)).toBeLessThanOrEqual(FIRST_SCREEN);

      const areas = await page.getByRole('navigation', { name: 'Areas' }).getByRole('link').all();
      const places = await Promise.all(areas.map(async (link) => (await link.getAttribute('href')) ?? ''));
      expect(places.length).toBeGreaterThanOrEqual(12);
      for (const place of places.slice(1)) {
        const area = place.replace('#/', '');
        const isOwn = ({ name }: Script): boolean => name.startsWith(`${area}-`) && !before.has(name);
        const before = new Set((await scripts(page)).map(({ name }) => name));
        await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
        await page.locator('#content h1').first().waitFor({ state: 'attached' });
        await expect.poll(async () => (await scripts(page)).some(isOwn), { message: area }).toBe(true);
      }
      const all = await scripts(page);
      await page.evaluate(`location.hash = ${JSON.stringify(places[1])}`);
      await page.getByRole('navigation', { name: 'Types' }).waitFor();
      expect(await scripts(page)).toEqual(all);
      expect(asked.length).toBeGreaterThanOrEqual(places.length - 1);
      expect(asked).toEqual([...new Set(asked)]);
      expect([...hosts]).toEqual([server.url]);
    });
  },
);
