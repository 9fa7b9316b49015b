/** The area Pages of the Admin UI as a person uses it, in Chromium. */
import type { FrameLocator, Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, HOSTILE, type Person } from './person.js';

async function prepare(server: TestServer): Promise<void> {
  const admin = server.as('admin', 'admin');
  await admin.post('/SchemaNode', { name: 'Town', schemaProperties: [{ name: 'motto', propertyType: 'String' }] });
  const seen = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
  await admin.post('/Town', [
    { ...seen, name: 'Lyon', motto: 'Forward' },
    { ...seen, name: 'Brest', motto: 'By the sea' },
  ]);
  await admin.post('/User', { name: 'guest', password: 'a guest' });
}

/** What the preview shows. */
const preview = (person: Person): FrameLocator => person.page.frameLocator('iframe[title=Preview]');

/** A row of the tree by the text that it begins with. */
const item = (person: Person, text: string | RegExp): Locator =>
  person.page.getByRole('tree').getByRole('treeitem').filter({ hasText: text }).first();

/** Opens the tab of what is chosen. */
const tab = (person: Person, name: string): Promise<void> =>
  person.page.getByRole('tab', { name, exact: true }).click();

const inspector = (person: Person): Locator => person.page.getByRole('region', { name: 'What is chosen' });

/** Makes a page by the form, and opens it. */
async function newPage(person: Person, name: string): Promise<void> {
  await person.goTo('pages');
  await person.page.getByRole('button', { name: 'New page' }).click();
  await person.page.getByRole('dialog').getByLabel('Name').fill(name);
  await person.page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await person.page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Types into an editor of code. */
async function write(person: Person, label: string, text: string): Promise<void> {
  const editor = person.page.getByRole('textbox', { name: label, exact: true });
  await editor.click();
  await person.page.keyboard.press('ControlOrMeta+A');
  await person.page.keyboard.insertText(text);
}

const save = (person: Person): Promise<void> => inspector(person).getByRole('button', { name: 'Save' }).first().click();

/** The page as a visitor gets it. */
const served = async (person: Person, path: string): Promise<string> =>
  (await fetch(`${person.server.url}/${path}`)).text();

describeInBrowser(
  'the area Pages',
  prepare,
  (person) => {
    it('makes a page, edits its elements, and shows it as it changes', async () => {
      const { page } = person();
      await person().logIn();
      await person().open('Pages');
      await page.getByText('There is no page yet.').waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('empty');
      await newPage(person(), 'towns');
      await preview(person()).getByRole('heading', { name: 'Towns' }).waitFor();

      // A text in the heading, with the code editor and its content type.
      await item(person(), 'h1').click();
      await item(person(), 'h1').press('ArrowRight');
      await item(person(), 'capitalize(page.name)').click();
      await write(person(), 'Content', 'All **towns**');
      await inspector(person()).getByLabel('Content type').fill('text/markdown');
      await save(person());
      await preview(person()).locator('h1 strong', { hasText: 'towns' }).waitFor();

      // Elements of the palette, by a click and by dragging between others.
      await item(person(), 'body').click();
      await page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: 'ul', exact: true }).click();
      await item(person(), 'ul').waitFor();
      await page
        .getByRole('region', { name: 'Palette' })
        .getByRole('button', { name: 'section', exact: true })
        .dragTo(item(person(), /^▸?div/), { targetPosition: { x: 90, y: 1 } });
      await item(person(), 'section').waitFor();
      const order = async (): Promise<string[]> =>
        [...((await served(person(), 'towns')).split('<body>')[1]?.matchAll(/^\t\t<(\w+)/gm) ?? [])].map(
          ([, tag = '']) => tag,
        );
      await expect.poll(order).toEqual(['h1', 'section', 'div', 'ul']);
      // Moved by dragging: the list before the first.
      await item(person(), /^▸?ul/).dragTo(item(person(), 'section'), { targetPosition: { x: 90, y: 1 } });
      await expect.poll(order).toEqual(['h1', 'ul', 'section', 'div']);

      // Attributes: of the type, and own ones.
      await item(person(), 'section').click();
      await inspector(person()).getByLabel('class', { exact: true }).fill('wide');
      await save(person());
      await preview(person()).locator('section.wide').waitFor({ state: 'attached' });
      await tab(person(), 'Attributes');
      await inspector(person()).getByLabel('Another attribute').fill('data-kind');
      await inspector(person()).getByRole('button', { name: 'Add' }).click();
      await inspector(person()).getByLabel('data-kind').fill('list');
      await inspector(person()).getByLabel('Find an attribute').fill('lang');
      await inspector(person()).getByLabel('lang', { exact: true }).fill('fr');
      await save(person());
      await preview(person()).locator('section.wide[data-kind=list][lang=fr]').waitFor({ state: 'attached' });
      expect(await violations(page)).toEqual([]);
      await person().picture('attributes');

      // Wrapped, cloned, taken away, and put back.
      await page.getByRole('button', { name: 'Wrap' }).click();
      await expect.poll(order).toEqual(['h1', 'ul', 'div', 'div']);
      await item(person(), /^▸?ul/).click();
      await page.getByRole('toolbar').getByRole('button', { name: 'Clone' }).click();
      await expect.poll(order).toEqual(['h1', 'ul', 'ul', 'div', 'div']);
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
      await expect.poll(order).toEqual(['h1', 'ul', 'div', 'div']);
      await page.getByRole('button', { name: 'Put it back' }).click();
      await expect.poll(order).toEqual(['h1', 'ul', 'ul', 'div', 'div']);
    });
  },
  // The frame of the preview has an origin of its own, and modules are not loaded from another one.
  { expected: (problem) => problem.includes("from origin 'null'") || problem.includes('net::ERR_FAILED') },
);
