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
  await admin.post('/Page/importPage', {
    name: 'elsewhere',
    code: '<html><head></head><body><h1>Elsewhere</h1><img src="/nothing.png" alt="none"></body></html>',
    publicVisible: true,
    authVisible: true,
  });
  await admin.post('/User', { name: 'guest', password: 'a guest' });
}

/** What the preview shows. */
const preview = (person: Person): FrameLocator => person.page.frameLocator('iframe[title=Preview]');

/** A row of the tree by the text that it begins with. */
const item = (person: Person, text: string | RegExp): Locator =>
  person.page.getByRole('tree').getByRole('treeitem').filter({ hasText: text }).first();

/** Opens a row of the tree by its mark. */
const unfold = (person: Person, text: string | RegExp): Promise<void> => item(person, text).locator('.twist').click();

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
      await page.getByRole('link', { name: 'elsewhere' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('list');
      await page.getByLabel('Find pages by name').fill('nowhere');
      await page.getByText('No page has such a name.').waitFor();
      await newPage(person(), 'towns');
      await preview(person()).getByRole('heading', { name: 'Towns' }).waitFor();

      // A text in the heading, with the code editor and its content type.
      // By keyboard: down to the heading, into it, and Enter.
      await item(person(), 'body').click();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      await item(person(), 'capitalize(page.name)').waitFor();
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('capitalize');
      await page.keyboard.press('Enter');
      await inspector(person()).getByRole('heading', { level: 2, name: 'capitalize(page.name)' }).waitFor();
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

      // By the menu: an element of any tag in front of what is chosen, and a template in it.
      await item(person(), 'h1').click();
      await page.getByRole('button', { name: 'Add ▾' }).click();
      await page.getByRole('menuitem', { name: 'Element …' }).click();
      await page.getByRole('dialog').getByLabel('Tag').fill('my-card');
      await page.getByRole('dialog').getByLabel('Where').selectOption('before');
      await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
      await inspector(person()).getByRole('heading', { level: 2, name: 'my-card DOMElement' }).waitFor();
      await page.getByRole('button', { name: 'Add ▾' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Template' }).press('Enter');
      await preview(person()).locator('my-card > div', { hasText: 'New text' }).waitFor();
    });

    it('repeats elements, acts on events, shares components, and gives rights', async () => {
      const { page } = person();
      await person().logIn();
      await newPage(person(), 'shop');
      const palette = page.getByRole('region', { name: 'Palette' });
      const add = (tag: string): Promise<void> => palette.getByRole('button', { name: tag, exact: true }).click();
      const chosen = (name: string): Promise<void> =>
        inspector(person()).getByRole('heading', { level: 2, name }).waitFor();

      // A repeater with a text and a condition.
      await item(person(), 'body').click();
      await chosen('body');
      await add('ul');
      await chosen('ul');
      await add('li');
      await chosen('li');
      await tab(person(), 'Repeater');
      await inspector(person()).getByLabel('Data key').fill('town');
      await write(person(), 'Function query', "find('Town', sort('name'))");
      await inspector(person()).getByLabel('Hidden if true').fill("equal(town.name, 'Lyon')");
      await save(person());
      await unfold(person(), /^▸?li/);
      await item(person(), 'New text').click();
      await chosen('New text');
      await write(person(), 'Content', '${town.name}: ${town.motto}');
      await save(person());
      await preview(person()).getByText('Brest: By the sea').waitFor();
      expect(await preview(person()).getByRole('listitem').count()).toBe(1);
      await item(person(), /li ?↻/).click();
      await chosen('li');
      await inspector(person()).getByLabel('Hidden if true').fill('');
      await save(person());
      await preview(person()).getByText('Lyon: Forward').waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('repeater');

      // A form that creates an object and shows the list anew.
      await item(person(), 'body').click();
      await chosen('body');
      await add('form');
      await chosen('form');
      await add('input');
      await chosen('input');
      await tab(person(), 'General');
      await inspector(person()).getByLabel('id', { exact: true }).fill('name');
      await save(person());
      await item(person(), /^▾?▸?form/).click();
      await chosen('form');
      await add('button');
      await chosen('button');
      await item(person(), /^▾?▸?form/).click();
      await chosen('form');
      await tab(person(), 'Events');
      await inspector(person()).getByRole('button', { name: 'Add the script' }).click();
      await inspector(person()).getByText('does not load the script').waitFor({ state: 'detached' });
      await item(person(), /^▾?▸?form/).click();
      await chosen('form');
      await inspector(person()).getByRole('button', { name: 'New action' }).click();
      await inspector(person()).getByLabel('Action', { exact: true }).selectOption('create');
      await inspector(person()).getByLabel('Type', { exact: true }).fill('Town');
      await inspector(person())
        .getByRole('group', { name: 'When it went well' })
        .getByLabel('Then')
        .selectOption('partial-refresh-linked');
      await save(person());
      const linked = inspector(person()).getByLabel('When it went well: elements shown anew');
      const list = await linked.locator('option', { hasText: /^ul/ }).textContent();
      await linked.selectOption({ label: list ?? '' });
      await inspector(person()).getByRole('listitem').filter({ hasText: 'ul' }).waitFor();
      await inspector(person()).getByLabel('New value').fill('name');
      await inspector(person()).getByRole('button', { name: 'Add', exact: true }).click();
      await inspector(person()).getByLabel('Input', { exact: true }).selectOption({ label: 'input#name' });
      await inspector(person()).getByRole('button', { name: 'Save' }).nth(1).click();
      await inspector(person()).getByText('Not saved yet.').waitFor({ state: 'detached' });
      expect(await violations(page, true)).toEqual([]);
      await person().picture('events');
      const visitor = await page.context().newPage();
      await visitor.goto(`${person().server.url}/shop`);
      await visitor.locator('#name').fill('Nantes');
      await visitor.getByRole('button').click();
      await visitor.getByText('Nantes').waitFor();
      await visitor.close();

      // The list becomes a component, is put into the page a second time, and gets a class in both places.
      await item(person(), /^▾?▸?ul/).click();
      await chosen('ul');
      await tab(person(), 'Component');
      await inspector(person()).getByRole('button', { name: 'Make it a shared component' }).click();
      await inspector(person()).getByText('Stands for the shared component').waitFor();
      await item(person(), 'body').click();
      await chosen('body');
      await page.locator('.palette .chips').last().getByRole('button', { name: 'ul', exact: true }).click();
      await expect.poll(async () => (await served(person(), 'shop')).split('<ul').length).toBe(3);
      await inspector(person()).getByRole('link', { name: 'ul' }).click();
      await page.getByRole('heading', { level: 1, name: 'Shared components' }).waitFor();
      await chosen('ul');
      await tab(person(), 'General');
      await inspector(person()).getByLabel('class', { exact: true }).fill('towns');
      await save(person());
      await inspector(person()).getByText('Not saved yet.').waitFor({ state: 'detached' });
      await tab(person(), 'Component');
      await inspector(person()).getByText('Used in 2 places').waitFor();
      await inspector(person()).getByRole('button', { name: 'Write its attributes to all of them' }).click();
      await expect.poll(async () => (await served(person(), 'shop')).split('<ul class="towns"').length).toBe(3);
      await person().picture('component');

      // What visitors see, for an element and all that is in it.
      await inspector(person()).getByRole('link', { name: 'shop' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
      await item(person(), 'body').click();
      await chosen('body');
      await tab(person(), 'Access');
      await inspector(person()).getByRole('checkbox', { name: 'Visitors who have not logged in' }).uncheck();
      await expect.poll(() => served(person(), 'shop')).not.toContain('<body>');
      await inspector(person()).getByRole('button', { name: 'Same visibility', exact: true }).click();
      await inspector(person()).getByRole('button', { name: 'Apply' }).click();
      await inspector(person()).getByText('nodes have the same now.').waitFor();
      const form = await person().server.as('admin', 'admin').get('/Form');
      expect(form.body).toMatchObject({ result: [{ type: 'Form' }] });
      const { body } = await person().server.as('admin', 'admin').get('/Form/ui');
      expect(body).toMatchObject({ result: [{ visibleToPublicUsers: false, visibleToAuthenticatedUsers: true }] });
      await inspector(person()).getByLabel('Grant to a user or group').fill('guest');
      await page.getByRole('option', { name: 'guest' }).click();
      await inspector(person()).getByRole('checkbox', { name: 'guest: Write' }).check();
      await expect
        .poll(async () => (await person().server.as('admin', 'admin').get('/Security?allowed=read,write')).body)
        .toMatchObject({ result_count: 1 });
      expect(await violations(page, true)).toEqual([]);
      await person().picture('access');
    });

    it('has texts in languages, addresses, sites and widgets, and takes pages over', async () => {
      const { page, server } = person();
      const admin = server.as('admin', 'admin');
      await person().logIn();
      await newPage(person(), 'one-town');
      await unfold(person(), 'h1');
      await item(person(), 'capitalize(page.name)').click();
      await write(person(), 'Content', "${localize('motto')} ${townName}");
      await save(person());
      await preview(person()).getByRole('heading', { name: 'motto' }).waitFor();

      // Texts of the page.
      await item(person(), 'one-town').click();
      await tab(person(), 'Texts');
      await inspector(person()).getByLabel('motto (en)').fill('The motto of');
      await save(person());
      await preview(person()).getByRole('heading', { name: 'The motto of' }).waitFor();
      await inspector(person()).getByLabel('Another language').fill('de');
      await inspector(person()).getByRole('button', { name: 'Add' }).click();
      await inspector(person()).getByLabel('motto (de)').fill('Das Motto von');
      await save(person());
      await expect.poll(() => served(person(), 'one-town?_locale=de')).toContain('Das Motto von');
      expect(await violations(page, true)).toEqual([]);
      await person().picture('texts');
      // An empty text is none; one that somebody else has written meanwhile is not deleted unseen.
      const german = ((await admin.get('/Localization?name=motto&locale=de')).body as { result: { id: string }[] })
        .result;
      await admin.put(`/Localization/${german[0]?.id ?? ''}`, { localizedName: 'Ihres' });
      await inspector(person()).getByLabel('motto (de)').fill('');
      await inspector(person()).getByRole('button', { name: 'Save' }).click();
      await inspector(person()).getByText('Somebody else has changed motto meanwhile, to: Ihres').waitFor();
      await inspector(person()).getByRole('button', { name: 'Save' }).click();
      await expect
        .poll(async () => (await admin.get('/Localization?name=motto&locale=de')).body)
        .toMatchObject({ result_count: 0 });

      // An address with a placeholder.
      await tab(person(), 'Routes');
      await inspector(person()).getByLabel('New route').fill('/town/{townName}');
      await inspector(person()).getByRole('button', { name: 'Add' }).click();
      await inspector(person()).getByText('{townName}', { exact: true }).click();
      await inspector(person()).getByLabel('Default').fill('Lyon');
      await inspector(person()).getByRole('button', { name: 'Save' }).nth(1).click();
      await expect.poll(() => served(person(), 'town?_locale=en')).toContain('The motto of Lyon');
      expect(await served(person(), 'town/Brest?_locale=en')).toContain('The motto of Brest');
      await person().picture('routes');

      // A site of its own: at this address the page is none any more.
      await tab(person(), 'Sites');
      await inspector(person()).getByLabel('Host name').fill('towns.example.org');
      await inspector(person()).getByRole('button', { name: 'New site with this page' }).click();
      const site = inspector(person()).getByRole('checkbox', { name: 'towns.example.org' });
      await site.waitFor();
      await expect.poll(() => served(person(), 'one-town')).not.toContain('motto');
      await site.uncheck();
      await expect.poll(() => served(person(), 'one-town')).toContain('motto');

      // A widget is written, and put into the page with a value.
      await page.getByRole('button', { name: 'New widget' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Card');
      await write(person(), 'Source', '<div class="card">[title]</div>');
      await write(person(), 'Configuration', '{"title": {"title": "Its title", "default": "Hello"}}');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await item(person(), 'body').click();
      await page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: 'Card', exact: true }).click();
      await page.getByRole('dialog').getByLabel('Its title').fill('Made of a widget');
      await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click();
      await preview(person()).locator('.card', { hasText: 'Made of a widget' }).waitFor();

      // A page from a file, another name for it, a copy, and none of it.
      await person().goTo('pages');
      await page.getByRole('button', { name: 'Import a page' }).click();
      await page
        .getByRole('dialog')
        .getByLabel('File', { exact: true })
        .setInputFiles({
          name: 'from-a-file.html',
          mimeType: 'text/html',
          buffer: Buffer.from('<html><head><title>x</title></head><body><h2>From a file</h2></body></html>'),
        });
      expect(await violations(page, true)).toEqual([]);
      await person().picture('import');
      await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
      await preview(person()).getByRole('heading', { name: 'From a file' }).waitFor();
      await page.getByRole('link', { name: 'All pages' }).click();
      await page.getByLabel('Find pages by name').fill('from-a');
      await page.getByText('Pages: 1').waitFor();
      await page.getByRole('button', { name: 'Rename: from-a-file' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('a/b');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').getByText('illegal characters').waitFor();
      await page.getByRole('dialog').getByLabel('Name').fill('from-a-place');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Clone: from-a-place' }).click();
      await page.getByText('Pages: 2').waitFor();
      await page.getByRole('button', { name: 'Delete: from-a-place', exact: true }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Pages: 1').waitFor();
      expect(await served(person(), 'from-a-place')).not.toContain('From a file');
      // What was in it is in the recycle bin, and goes from there into another page.
      await page.getByRole('link', { name: 'Recycle bin' }).click();
      await page.getByRole('button', { name: 'Put into a page: html' }).waitFor();
      await admin.post('/P', { tag: 'p', name: 'lost', visibleToPublicUsers: true, visibleToAuthenticatedUsers: true });
      await person().goTo('pages');
      await page.getByRole('link', { name: 'Recycle bin' }).click();
      await page.getByRole('button', { name: 'Put into a page: p' }).click();
      await page.getByRole('dialog').getByLabel('Page', { exact: true }).fill('one-town');
      await page.getByRole('option', { name: 'one-town' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Put into a page' }).click();
      await inspector(person()).getByRole('heading', { level: 2, name: 'p P' }).waitFor();
      await expect.poll(() => served(person(), 'one-town')).toContain('<p></p>');
      await person().goTo('pages/bin');
      expect(await violations(page, true)).toEqual([]);
      await page.getByRole('button', { name: 'Empty the recycle bin' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Empty the recycle bin' }).click();
      await page.getByText('The recycle bin is empty.').waitFor();
      await page.getByRole('link', { name: 'All pages' }).click();
      // And one from another address, with a picture that is not there.
      await page.getByRole('button', { name: 'Import a page' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('from-elsewhere');
      await page.getByRole('tab', { name: 'Another site' }).click();
      await page.getByRole('dialog').getByLabel('Address', { exact: true }).fill(`${person().server.url}/elsewhere`);
      await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('1 could not be fetched').waitFor();
      await page.getByRole('dialog').getByText('nothing.png').waitFor();
      await page.getByRole('link', { name: 'Open the page' }).click();
      await preview(person()).getByRole('heading', { name: 'Elsewhere' }).waitFor();
    });

    it('shows hostile names as text, says what others have changed, and what may not be seen', async () => {
      const { page, server } = person();
      const admin = server.as('admin', 'admin');
      const long = 'long '.repeat(2000);
      const made = await admin.post('/Page/importPage', {
        name: HOSTILE,
        code: '<html><head></head><body><p>x</p></body></html>',
        publicVisible: true,
        authVisible: true,
      });
      const { id } = (made.body as { result: { id: string } }).result;
      const found = await admin.get(`/P?pageId=${id}`);
      const [p = { id: '' }] = (found.body as { result: { id: string }[] }).result;
      await admin.put(`/P/${p.id}`, { name: `${HOSTILE.replaceAll('/', '')}\u202Etxt`, _html_class: long });
      await person().logIn();
      await person().goTo('pages');
      await page.getByRole('link', { name: HOSTILE }).click();
      await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
      await item(person(), /^▸?p/).click();
      await inspector(person()).getByLabel('class', { exact: true }).fill('mine');
      expect(await violations(page, true)).toEqual([]);
      await person().picture('hostile');
      await admin.put(`/P/${p.id}`, { _html_class: 'theirs' });
      await inspector(person()).getByText('Somebody else has changed class meanwhile, to: theirs.').waitFor();
      expect(await inspector(person()).getByLabel('class', { exact: true }).inputValue()).toBe('mine');
      await save(person());
      await expect
        .poll(async () => (await admin.get(`/P/${p.id}/ui`)).body)
        .toMatchObject({
          result: { _html_class: 'mine' },
        });
      expect(await page.title()).not.toBe('1');
      // The page runs in an origin of its own: it sees nothing of the session. The frame is another one after a save.
      await preview(person()).locator('p.mine').waitFor();
      const frame = page.frames().find((one) => one !== page.mainFrame());
      expect(await frame?.evaluate('origin')).toBe('null');
      await frame?.evaluate(
        `fetch('/svc/rest/Town', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"name": "evil"}' })`,
      );
      expect((await admin.get('/Town?name=evil')).body).toMatchObject({ result_count: 0 });

      await person().logOut();
      await person().logIn('guest', 'a guest');
      await person().open('Pages');
      await page.getByText('Your user may not see this.').waitFor();
    });
  },
  // The frame of the preview has an origin of its own, and modules are not loaded from another one.
  { expected: (problem) => problem.includes("from origin 'null'") || problem.includes('net::ERR_FAILED') },
);
