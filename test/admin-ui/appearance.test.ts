/**
 * How all areas look: light and dark, wide and narrow, English and German (docs/interface/admin-ui.md 16). Where `SVC_TEST_PICTURES` names a folder,
 * pictures of all of them are left there to be looked at. Where `SVC_TEST_AREAS` does, those of docs/areas.md.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import { keepPicture } from './pictures.js';
import { lively, WORLD_SETTINGS, type World } from './lively.js';
import { describeInBrowser, OpenRequests } from './person.js';

const pictures = process.env['SVC_TEST_PICTURES'];
/** Where the pictures of docs/areas.md go; absent: none are made. */
const areas = process.env['SVC_TEST_AREAS'];
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 900 };
/** A page of 1440 pixels at a zoom of 200 %. */
const ENLARGED = { width: 720, height: 450 };

let world: World;

interface Scene {
  readonly name: string;
  readonly place: string;
  /** A text that is there once all of it is. */
  readonly shown: string | RegExp;
  /** What other scenes look like as well, or their tests have looked at closely: one look is enough. */
  readonly quickly?: true;
  /** It stands for its area in docs/areas.md. */
  readonly kept?: true;
  /** What is pressed then, and what is shown by it. */
  readonly press?: string;
  readonly then?: string | RegExp;
}

const scenes = (): readonly Scene[] => [
  { name: 'dashboard', kept: true, place: 'dashboard', shown: 'NodeService' },
  { name: 'data-none', quickly: true, place: 'data', shown: 'Choose a type to see its objects.' },
  { name: 'data-empty', quickly: true, place: 'data/Harbour', shown: 'No objects' },
  {
    name: 'data',
    kept: true,
    place: 'data/Town',
    shown: '1,234',
    press: 'New object',
    then: 'New object of the type Town',
  },
  { name: 'data-object', place: `data/Town/${world.town}`, shown: 'population' },
  { name: 'schema', place: 'schema', shown: 'Harbour', press: 'New type', then: 'A capital letter' },
  { name: 'schema-relations', quickly: true, place: 'schema/relations', shown: 'LIES_AT' },
  { name: 'schema-diagram', kept: true, place: 'schema/diagram', shown: 'StringArray' },
  { name: 'schema-snapshots', quickly: true, place: 'schema/snapshots', shown: 'There is no snapshot yet.' },
  {
    name: 'schema-admin',
    quickly: true,
    place: 'schema/admin',
    shown: 'None since the server was started.',
    press: 'Admin',
    then: /index/i,
  },
  { name: 'schema-type', place: 'schema/types/Town', shown: 'density', press: 'kind', then: 'Town.kind' },
  { name: 'schema-views', quickly: true, place: 'schema/types/Town/views', shown: 'There is no view of your own yet.' },
  { name: 'schema-grants', quickly: true, place: 'schema/types/Town/grants', shown: 'Nobody has rights by the type.' },
  { name: 'schema-settings', place: 'schema/types/Town/settings', shown: 'Objects of the type' },
  { name: 'code-none', quickly: true, place: 'code', shown: 'greet', press: 'New method', then: 'Cancel' },
  { name: 'code', kept: true, place: `code/SchemaMethod/${world.method}/source`, shown: 'Ctrl-S saves' },
  { name: 'console', kept: true, place: 'console', shown: 'What you run is shown here' },
  { name: 'pages', place: 'pages', shown: 'start', press: 'New page', then: 'Its address' },
  { name: 'pages-bin', quickly: true, place: 'pages/bin', shown: 'The recycle bin is empty.' },
  { name: 'page', kept: true, place: `pages/${world.page}`, shown: 'Shown on errors' },
  { name: 'security', kept: true, place: 'security', shown: 'anna@example.org', press: 'New user', then: 'Cancel' },
  { name: 'security-user', quickly: true, place: `security/people/${world.user}`, shown: 'Public key' },
  { name: 'security-endpoints', kept: true, place: 'security/endpoints', shown: 'Permissions for endpoints' },
  { name: 'security-types', quickly: true, place: 'security/types', shown: 'Nobody has rights on a whole type.' },
  { name: 'security-origins', quickly: true, place: 'security/origins', shown: 'There are no entries' },
  { name: 'security-why', place: `security/why/${world.town}/${world.user}`, shown: 'Permission for the endpoint' },
  { name: 'files', quickly: true, place: 'files', shown: 'Pictures' },
  {
    name: 'files-folder',
    kept: true,
    place: `files/folder/${world.folder}`,
    shown: 'image/jpeg',
    press: 'New folder',
    then: 'Cancel',
  },
  { name: 'files-text', place: `files/file/${world.notes}`, shown: 'Replace the content' },
  { name: 'files-picture', quickly: true, place: `files/file/${world.picture}`, shown: '600 × 400' },
  { name: 'files-permissions', place: `files/file/${world.notes}/permissions`, shown: 'Owner' },
  { name: 'files-details', quickly: true, place: `files/file/${world.notes}/details`, shown: 'Content type' },
  {
    name: 'mail-none',
    quickly: true,
    place: 'mail-templates',
    shown: 'Choose a template',
    press: 'New template',
    then: 'Cancel',
  },
  { name: 'mail', kept: true, place: `mail-templates/${world.mail}`, shown: 'me.name' },
  { name: 'localisations', kept: true, place: 'localisations', shown: 'greeting', press: 'New key', then: 'Cancel' },
  { name: 'analytics', kept: true, place: 'analytics', shown: 'Each action by itself' },
  { name: 'analytics-histogram', quickly: true, place: 'analytics/histogram', shown: 'category:books' },
  { name: 'analytics-events', place: 'analytics/events', shown: 'Export NDJSON' },
  { name: 'changelog-none', quickly: true, place: 'changelog', shown: 'Who has changed what' },
  { name: 'changelog', kept: true, place: `changelog/object/${world.town}`, shown: 'changed population' },
];

const text = (page: Page, shown: string | RegExp) => page.locator('body').getByText(shown).first();

async function show(page: Page, url: string, { place, shown }: Scene): Promise<void> {
  // Another address than that of before, so that nothing of it is left.
  await page.goto('about:blank');
  await page.goto(`${url}/svc/#/${place}`);
  await text(page, shown).waitFor();
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/** The looks of what is shown. */
async function pictureAll(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  await picture(page, `${name}-1440`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, `${name}-1440-dark`);
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(NARROW);
  await picture(page, `${name}-390`);
  await page.setViewportSize(WIDE);
}

/** The two pictures of docs/areas.md. */
async function keep(page: Page, name: string): Promise<void> {
  if (areas === undefined) return;
  for (const size of [NARROW, WIDE]) {
    await page.setViewportSize(size);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await keepPicture(page, areas, `${name}-${String(size.width)}`, size.width);
  }
}

const isWider = (page: Page): Promise<boolean> => page.evaluate('document.documentElement.scrollWidth > innerWidth');

type Language = 'en' | 'de';
type Texts = Readonly<Record<Language, Readonly<Record<string, string>>>>;

/** Texts of a language, of several words, that are none of the other: single ones may be names of types as well. */
async function textsOf(language: Language): Promise<ReadonlySet<string>> {
  const folder = join(import.meta.dirname, '../../src/ui/admin/texts');
  const own = new Set<string>();
  const others = new Set<string>();
  const take = (texts: Texts): void => {
    for (const [name, all] of Object.entries(texts))
      for (const one of Object.values(all)) (name === language ? own : others).add(one);
  };
  for (const file of await readdir(folder)) {
    const module = (await import(join(folder, file))) as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(module)) {
      if (typeof value !== 'object' || value === null) continue;
      if ('en' in value && 'de' in value) take(value as Texts);
      else if (name === 'en' || name === 'de') take({ en: {}, de: {}, [name]: value as Record<string, string> });
    }
  }
  return new Set([...own].filter((one) => one.includes(' ') && !one.includes('{') && !others.has(one)));
}

/** What stands on the page, word for word: texts, labels, placeholders. */
const wordsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('body *')].flatMap((one) => [
    ...[...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()),
    one.getAttribute('aria-label') ?? '', one.getAttribute('placeholder') ?? '', one.getAttribute('title') ?? '',
  ]).filter(Boolean)`);

describeInBrowser(
  'how the Admin UI looks',
  async (server) => {
    world = await lively(server);
  },
  (person) => {
    it('looks well in every area, light and dark, wide, narrow and enlarged', async () => {
      const { page, server } = person();
      const german = await textsOf('de');
      expect(german.has('Benutzer und Gruppen')).toBe(true);
      await page.goto(`${server.url}/svc/`);
      await page.getByRole('heading', { name: 'atlas-1 (test)' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await pictureAll(page, 'login');
      await person().logIn();
      const wrong: string[] = [];
      const look = async (name: string, quickly = false): Promise<void> => {
        wrong.push(...(await violations(page, quickly)).map((one) => `${name}: ${one}`));
        await pictureAll(page, name);
      };
      for (const scene of scenes()) {
        await show(page, server.url, scene);
        await look(scene.name, scene.quickly);
        wrong.push(...(await wordsOf(page)).filter((one) => german.has(one)).map((one) => `${scene.name}: ${one}`));
        await page.setViewportSize(ENLARGED);
        if (await isWider(page)) wrong.push(`${scene.name}: wider than the page at a zoom of 200 %`);
        await page.setViewportSize(WIDE);
        if (scene.kept) await keep(page, scene.name);
        if (scene.press === undefined) continue;
        await page.getByRole('button', { name: scene.press }).first().click();
        await text(page, scene.then ?? '').waitFor();
        await look(`${scene.name}-opened`, true);
      }
      expect(wrong).toEqual([]);
      // What is around the areas.
      await page.getByText('atlas-1 · test').waitFor();
      expect(await page.getByRole('link', { name: 'Configuration' }).getAttribute('href')).toBe('config');
      // The list of areas is a row when the page is narrow, and shows where one is.
      await page.setViewportSize(NARROW);
      await person().goTo('data/Town');
      await page.reload();
      await person().goTo('changelog');
      await page.getByText('Who has changed what').waitFor();
      const here = await page.getByRole('link', { name: 'Changelog', exact: true }).boundingBox();
      expect((here?.x ?? 0) + (here?.width ?? 0)).toBeLessThanOrEqual(NARROW.width);
      await page.setViewportSize(WIDE);
      // Nothing moves for who does not want that.
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await person().goTo('schema/diagram');
      await page.getByText('StringArray').waitFor();
      const moving: string[] = await page.evaluate(`[...document.querySelectorAll('body *')].filter((one) => {
        const { animationName, transitionDuration } = getComputedStyle(one);
        return animationName !== 'none' || transitionDuration.split(', ').some((time) => time !== '0s');
      }).map((one) => one.outerHTML.slice(0, 100))`);
      expect(moving).toEqual([]);
    });

    it('speaks German, with numbers and times as they are written there', async () => {
      const { page, server } = person();
      const english = await textsOf('en');
      expect(english.has('Users and groups')).toBe(true);
      await person().logIn();
      const browser = page.context().browser();
      const storageState = await page.context().storageState();
      const context = await browser?.newContext({ storageState, viewport: WIDE, locale: 'de-DE' });
      if (context === undefined) throw new Error('there is no browser');
      const there = await context.newPage();
      const requests = new OpenRequests(there);
      const wrong: string[] = [];
      for (const { name, place } of scenes()) {
        await there.goto('about:blank');
        await there.goto(`${server.url}/svc/#/${place}`);
        await there.locator('h1').waitFor();
        await requests.answered(name);
        wrong.push(...(await wordsOf(there)).filter((one) => english.has(one)).map((one) => `${name}: ${one}`));
        if (await isWider(there)) wrong.push(`${name}: wider than the page`);
        await picture(there, `${name}-1440-de`);
      }
      expect(wrong).toEqual([]);
      expect(await there.locator('html').getAttribute('lang')).toBe('de');
      await there.goto(`${server.url}/svc/#/data/Town`);
      await there.getByText('1.234', { exact: true }).waitFor();
      await there.getByText('01.03.1500').first().waitFor();
      await context.close();
      await person().goTo('data/Town');
      await page.getByText('1,234', { exact: true }).waitFor();
      await page.getByText('1 Mar 1500').first().waitFor();
    });

    it('says a clear word to who may not see something, in every area', async () => {
      const { page } = person();
      const requests = new OpenRequests(page);
      await person().logIn('guest', 'a guest');
      for (const link of await page.getByRole('navigation', { name: 'Areas' }).getByRole('link').all()) {
        const area = await link.innerText();
        await link.click();
        await page.getByRole('heading', { level: 1, name: area }).waitFor();
        await requests.answered(area);
        await expect
          .poll(() => page.getByRole('main').innerText(), { message: area })
          .toMatch(/may not see|for administrators|does not permit/);
        const alerts = await page.getByRole('alert').allInnerTexts();
        for (const alert of alerts) expect(alert, area).toContain('Your user may not see this');
        await picture(page, `guest-${area.toLowerCase().replace(' ', '-')}`);
      }
    });
  },
  { settings: WORLD_SETTINGS },
);
