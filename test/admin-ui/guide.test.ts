/**
 * The guide (docs/guide.md) as a reader follows it, in Chromium: from an empty server to a small application, without one request that
 * the pages do not send by themselves. Where `SVC_TEST_GUIDE` names a folder, the pictures of the guide are left there.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { describeInBrowser, Person } from './person.js';

/** Where the pictures go; absent: none are made. */
const pictures = process.env['SVC_TEST_GUIDE'];
const WIDTH = 1200;
const HEIGHT = 760;
const PASSWORD = 'a password of my own';
const ANNAS = 'a password for Anna';

const nothing = (): Promise<void> => Promise.resolve();
const dialog = (page: Page): Locator => page.getByRole('dialog');
const tab = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click();

/** A picture of the guide: of a part of the page, or of what the window shows. */
async function picture(name: string, part: Page | Locator): Promise<void> {
  if (pictures === undefined) return;
  await mkdir(pictures, { recursive: true });
  const png = await part.screenshot({ animations: 'disabled', caret: 'hide' });
  await sharp(png)
    .png({ palette: true, colours: 64, effort: 10 })
    .toFile(join(pictures, `${name}.png`));
}

/** The picture of the club, as somebody has it on their disk. */
const clubPicture = (): Promise<Buffer> =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="200">
        <rect width="640" height="200" fill="#dbeafe"/><circle cx="520" cy="60" r="34" fill="#fbbf24"/>
        <path d="M0 200 L150 70 L260 160 L370 50 L560 200 Z" fill="#4f7cac"/><path d="M370 50 L330 86 L362 96 L384 84 L412 92 Z" fill="#fff"/>
        <path d="M0 200 L90 140 L240 200 Z" fill="#2f5d50"/><path d="M400 200 L540 150 L640 200 Z" fill="#2f5d50"/>
      </svg>`,
    ),
  )
    .png()
    .toBuffer();

async function newType(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New type' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill(name);
  await dialog(page).getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 2, name }).waitFor();
}

async function newProperty(page: Page, name: string, type: string, more: (form: Locator) => Promise<void> = nothing) {
  const form = dialog(page);
  await page.getByRole('button', { name: 'New property' }).click();
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByLabel('Type', { exact: true }).selectOption(type);
  await more(form);
  if (name === 'kind') await picture('03-property', form);
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name, exact: true }).waitFor();
}

/** Fills the form of a new object, and saves it. */
async function create(page: Page, fill: (form: Locator) => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await fill(dialog(page));
  await dialog(page).getByRole('button', { name: 'Create' }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

/** A window of somebody else. */
async function another(page: Page): Promise<Page> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('a page without a browser');
  return browser.newPage({ locale: 'en-GB', viewport: { width: WIDTH, height: HEIGHT } });
}

/** A form of the dashboard by its heading. */
const part = (page: Page, name: 'Export' | 'Import'): Locator =>
  page.locator('form').filter({ has: page.getByRole('heading', { name, exact: true }) });

/** Has the ZIP file of what is chosen made and downloaded. */
async function downloaded(page: Page, name: string): Promise<Buffer> {
  const exporting = part(page, 'Export');
  await exporting.getByLabel('Name').fill(name);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    exporting.getByRole('button', { name: 'Download ZIP' }).click(),
  ]);
  await exporting.getByText(`The archive is with your browser: ${name}.zip`).waitFor();
  return readFile(await download.path());
}

async function imported(page: Page, what: string, buffer: Buffer): Promise<void> {
  const importing = part(page, 'Import');
  await importing.getByLabel('What').selectOption({ label: what });
  await importing.getByLabel('File').setInputFiles({ name: 'club.zip', mimeType: 'application/zip', buffer });
  await importing.getByRole('button', { name: 'Import' }).click();
  await importing.getByText(what === 'Data' ? 'Import of data' : 'Import of an application').waitFor();
  await importing.getByText('The import has ended well.').waitFor();
}

/** What a visitor of the page types. */
async function suggest(visitor: Page): Promise<void> {
  await visitor.getByLabel('What').fill('Carnival');
  await visitor.getByLabel('When').fill('2027-02-13');
  await visitor.getByRole('button', { name: 'Suggest' }).click();
}

/** The area Pages with a page that is open. */
class PageWork {
  constructor(private readonly page: Page) {}

  get chosen(): Locator {
    return this.page.getByRole('region', { name: 'What is chosen' });
  }

  get preview() {
    return this.page.frameLocator('iframe[title=Preview]');
  }

  private item(text: string | RegExp): Locator {
    return this.page.getByRole('tree').getByRole('treeitem').filter({ hasText: text }).first();
  }

  async choose(text: string | RegExp): Promise<void> {
    await this.item(text).click();
    await this.chosen.getByRole('heading', { level: 2, name: text instanceof RegExp ? undefined : text }).waitFor();
  }

  unfold(text: string | RegExp): Promise<void> {
    return this.item(text).locator('.twist').click();
  }

  /** Puts an element of the palette into what is chosen; it is chosen then. */
  async add(tag: string): Promise<void> {
    await this.page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: tag, exact: true }).click();
    await this.chosen.getByRole('heading', { level: 2, name: tag }).waitFor();
  }

  /** Types into an editor of code. */
  async write(label: string, text: string): Promise<void> {
    await this.chosen.getByRole('textbox', { name: label, exact: true }).click();
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.insertText(text);
  }

  async save(): Promise<void> {
    await this.chosen.getByRole('button', { name: 'Save' }).first().click();
    await this.chosen.getByText('Not saved yet.').waitFor({ state: 'detached' });
  }
}

describeInBrowser(
  'the guide, from an empty server to a small application',
  nothing,
  (person) => {
    it('is done by clicks, keys and dragging alone', async () => {
      const { page, server } = person();
      await page.setViewportSize({ width: WIDTH, height: HEIGHT });
      page.setDefaultTimeout(10_000); // DEV

      // 1 Log in.
      await page.goto(`${server.url}/svc/`);
      await page.getByLabel('Name or e-mail address').fill('admin');
      await page.getByLabel('Password', { exact: true }).fill('admin');
      await page.getByRole('button', { name: 'Log in', exact: true }).click();
      await page.getByText('This user still has the documented initial password.').waitFor();
      await page.getByRole('button', { name: 'Change the password' }).click();
      await page.getByLabel('New password').fill(PASSWORD);
      await page.getByLabel('The same again').fill(PASSWORD);
      await picture('01-password', page);
      await page.getByRole('button', { name: 'Change the password' }).click();
      await page.getByText('This user still has the documented initial password.').waitFor({ state: 'detached' });

      // 2 Types.
      await person().open('Schema');
      await newType(page, 'Venue');
      await newProperty(page, 'address', 'String');
      await newProperty(page, 'seats', 'Integer');
      await tab(page, 'Settings');
      await page.getByRole('checkbox', { name: 'visible to everybody', exact: true }).check();
      await page.getByRole('checkbox', { name: 'visible to everybody who is logged in' }).check();
      await picture('02-settings', page);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.getByRole('link', { name: 'All types' }).click();
      await newType(page, 'Event');
      await newProperty(page, 'day', 'Date', async (form) => {
        await form.getByLabel('Pattern of dates').fill('yyyy-MM-dd');
        await form.getByRole('checkbox', { name: 'indexed' }).check();
      });
      await newProperty(page, 'kind', 'Enum', async (form) => {
        await form.getByLabel('Members').fill('talk\nwalk\nparty');
      });
      await newProperty(page, 'free', 'Boolean');
      await picture('03-properties', page);
      await page.getByRole('link', { name: 'All types' }).click();
      await tab(page, 'Diagram');
      const box = (name: string): Locator => page.locator(`.react-flow__node[data-id="${name}"]`);
      await box('Venue').getByText('seats').waitFor();
      await box('Venue').locator('.react-flow__handle.end').nth(1).dragTo(box('Event'));
      await dialog(page).getByLabel('Type of the relationship').fill('HOSTS');
      await dialog(page).getByLabel('Property of the target that shows sources').fill('venue');
      await dialog(page).getByLabel('Property of the source that shows targets').fill('events');
      await picture('04-relation', dialog(page));
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page).waitFor({ state: 'detached' });
      await page.locator('.react-flow__edge.relation').waitFor();
      await page.getByRole('button', { name: 'Lay out anew' }).click();
      await picture('05-diagram', page);

      // 3 Objects.
      await person().open('Data');
      await page.getByRole('link', { name: 'Venue', exact: true }).click();
      await create(page, async (form) => {
        await form.getByLabel('name', { exact: true }).fill('Village hall');
        await form.getByLabel('address').fill('1 Church Lane');
        await form.getByLabel('seats').fill('80');
      });
      await person().row('Village hall').waitFor();
      await page.getByRole('link', { name: 'Event', exact: true }).click();
      for (const [name, day, kind] of [
        ['Stars above us', '2027-01-15', 'talk'],
        ['Winter walk', '2027-02-06', 'walk'],
      ] as const) {
        await create(page, async (form) => {
          await form.getByLabel('name', { exact: true }).fill(name);
          await form.getByLabel('day').fill(day);
          await form.getByLabel('kind').selectOption(kind);
          await form.getByRole('combobox', { name: 'venue' }).fill('Vill');
          await page.getByRole('option', { name: 'Village hall' }).click();
          await form.getByText('Permissions').click();
          await form.getByLabel('visibleToPublicUsers').selectOption('yes');
          await form.getByLabel('visibleToAuthenticatedUsers').selectOption('yes');
          if (kind === 'talk') await picture('06-create', form);
        });
        await person().row(name).waitFor();
      }
      await picture('07-data', page);

      // 4 A user and a group.
      await person().open('Security');
      await page.getByRole('button', { name: 'New user' }).click();
      await dialog(page).getByLabel('Name', { exact: true }).fill('anna');
      await dialog(page).getByLabel('Password').fill(ANNAS);
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await page.getByText('anna has been created.').waitFor();
      await page.getByRole('button', { name: 'New group' }).click();
      await dialog(page).getByLabel('Name', { exact: true }).fill('editors');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await page.getByText('editors has been created.').waitFor();
      const users = page.getByRole('region', { name: 'Users' });
      const groups = page.getByRole('region', { name: 'Groups' });
      await users
        .getByRole('listitem')
        .filter({ hasText: 'anna' })
        .dragTo(groups.getByRole('button', { name: 'editors', exact: true }));
      await page.getByText('anna: now in editors.').waitFor();
      await groups.getByRole('list', { name: 'Members of editors' }).getByText('anna', { exact: true }).waitFor();
      await picture('08-people', page);

      // 5 Rights.
      await tab(page, 'Types');
      await page.getByRole('button', { name: 'New right' }).click();
      await dialog(page).getByLabel('User or group').fill('editors');
      await page.getByRole('option', { name: 'editors' }).click();
      await dialog(page).getByLabel('Type').selectOption('Event');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await page.getByText('editors: Event has been created.').waitFor();
      await page.getByLabel('editors: Event: write').check();
      await picture('09-types', page);

      // 6 A picture.
      await person().open('Files');
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles({ name: 'club.png', mimeType: 'image/png', buffer: await clubPicture() });
      await page.getByText('Uploads: 1 of 1 done').waitFor();
      await page
        .getByRole('grid')
        .getByRole('button', { name: 'club.png' })
        .or(page.getByRole('grid').getByRole('link', { name: 'club.png' }))
        .click();
      await page.getByText('640 × 200 pixels').waitFor();
      await picture('11-file', page);
      await tab(page, 'Permissions');
      await page.getByRole('checkbox', { name: 'To everybody' }).check();
      await page.getByRole('checkbox', { name: 'To all users' }).check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await tab(page, 'Details');
      await page.getByRole('checkbox', { name: 'Part of the application when it is exported' }).check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await picture('12-details', page);

      // 7 The page.
      await person().open('Pages');
      await page.getByRole('button', { name: 'New page' }).click();
      await dialog(page).getByLabel('Name').fill('calendar');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'calendar' }).waitFor();
      const site = new PageWork(page);
      await site.choose('div');
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('div is in the recycle bin.').waitFor();
      await site.choose('body');
      await site.chosen.getByLabel('style', { exact: true }).fill('font-family: sans-serif; margin: 2rem');
      await site.save();
      await site.add('img');
      await tab(page, 'Attributes');
      await site.chosen.getByLabel('src', { exact: true }).fill('/club.png');
      await site.chosen.getByLabel('alt', { exact: true }).fill('Hills and the sun');
      await site.save();
      await site.choose('body');
      await site.add('ul');
      await site.add('li');
      await tab(page, 'Repeater');
      await site.chosen.getByLabel('Data key').fill('event');
      await site.write('Function query', "find('Event', sort('day'))");
      await site.save();
      await site.unfold(/^▸?li/);
      await site.choose('New text');
      await site.write('Content', "${dateFormat(event.day, 'd MMMM')}: ${event.name}, ${event.venue.name}");
      await site.save();
      await site.preview.getByText('6 February: Winter walk, Village hall').waitFor();
      await picture('13-list', page);

      // 8 The form.
      await site.choose('body');
      await page.getByRole('button', { name: 'Add ▾' }).click();
      await page.getByRole('menuitem', { name: 'Form for a type …' }).click();
      await dialog(page).getByLabel('Type', { exact: true }).selectOption('Event');
      await dialog(page).getByRole('checkbox', { name: 'name' }).check();
      await dialog(page).getByLabel('Label of name').fill('What');
      await dialog(page).getByRole('checkbox', { name: 'day' }).check();
      await dialog(page).getByLabel('Label of day').fill('When');
      await dialog(page).getByLabel('Text of the button').fill('Suggest');
      await picture('14-form', dialog(page));
      await dialog(page).getByRole('button', { name: 'Add' }).click();
      await site.chosen.getByRole('heading', { level: 2, name: 'form' }).waitFor();
      await site.preview.getByRole('button', { name: 'Suggest' }).waitFor();
      await tab(page, 'Events');
      await site.chosen.getByLabel('Action', { exact: true }).waitFor();
      await picture('15-action', page);

      // 9 As a visitor.
      const visitor = await another(page);
      await visitor.setViewportSize({ width: 800, height: 500 });
      await visitor.goto(`${server.url}/calendar`);
      await visitor.getByText('15 January: Stars above us, Village hall').waitFor();
      await picture('17-visitor', visitor);
      await suggest(visitor);
      await visitor.getByRole('alert').waitFor();
      await picture('18-refused', visitor);
      await person().open('Security');
      await tab(page, 'Endpoints');
      await picture('19-refused', page);
      await page.getByRole('button', { name: 'Permit POST to who is not logged in DOMElement/_id/event' }).click();
      await page.getByText('DOMElement/_id/event: POST is permitted.').waitFor();
      await suggest(visitor);
      await visitor.getByText('Operation successful').waitFor();
      await picture('20-suggested', visitor);
      await visitor.reload();
      expect(await visitor.getByRole('listitem').allInnerTexts()).toEqual([
        '15 January: Stars above us, Village hall',
        '6 February: Winter walk, Village hall',
      ]);

      // 10 As Anna.
      const anna = new Person(server, await another(page), []);
      await anna.logIn('anna', ANNAS);
      await anna.page.goto(`${server.url}/calendar`);
      await anna.page.getByText('13 February: Carnival').waitFor();
      await anna.page.setViewportSize({ width: 800, height: 500 });
      await picture('21-anna', anna.page);

      // 11 Shown to all.
      await person().open('Data');
      await page.getByRole('link', { name: 'Event', exact: true }).click();
      await person().row('Carnival').getByRole('button', { name: 'Open row' }).click();
      const panel = page.getByRole('complementary', { name: 'Object Carnival' });
      await panel.getByLabel('kind').selectOption('party');
      await panel.getByRole('combobox', { name: 'venue' }).fill('Vill');
      await page.getByRole('option', { name: 'Village hall' }).click();
      await panel.getByText('Permissions').click();
      await panel.getByLabel('visibleToPublicUsers').selectOption('yes');
      await picture('22-panel', page);
      await panel.getByRole('button', { name: 'Save' }).click();
      await panel.getByText('Saved.').waitFor();
      await visitor.reload();
      await visitor.getByText('13 February: Carnival, Village hall').waitFor();

      // 12 A method, and the console.
      await person().open('Code');
      await page.getByRole('button', { name: 'New method' }).click();
      await dialog(page).getByLabel('Name').fill('describe');
      await dialog(page).getByLabel('Belongs to').selectOption('Event');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      const editor = page.getByRole('textbox', { name: /^Code of / });
      await expect.poll(() => editor.innerText()).toContain('return null;');
      await editor.press('ControlOrMeta+A');
      await editor.press('Delete');
      await editor.fill("{\n  return $.this.name + ' has room for ' + $.this.venue.seats;\n}");
      const run = page.getByRole('region', { name: 'Run', exact: true });
      await run.getByRole('combobox', { name: 'On which Event' }).fill('Carn');
      await page.getByRole('option', { name: 'Carnival' }).click();
      await run.getByRole('button', { name: 'Save and run' }).click();
      await run.getByText('Carnival has room for 80').waitFor();
      await picture('23-code', page);
      await person().open('Console');
      const line = page.getByRole('textbox', { name: 'Line', exact: true });
      await line.fill("find('Event', sort('day'))");
      await line.press('Escape');
      await line.press('Enter');
      const newest = page.getByRole('region', { name: 'Results', exact: true }).getByRole('listitem').first();
      await newest.getByRole('table').getByText('Carnival').waitFor();
      await picture('24-console', page);

      // 13 Out of this server, and into another one.
      await person().open('Dashboard');
      const application = await downloaded(page, 'club');
      await part(page, 'Export').getByLabel('What').selectOption('data');
      await part(page, 'Export').getByLabel('Types').fill('Venue,Event');
      const data = await downloaded(page, 'club-data');
      await picture('25-export', part(page, 'Export'));
      const second = await TestServer.start();
      try {
        const other = new Person(second, await another(page), []);
        await other.logIn();
        await imported(other.page, 'Application', application);
        await imported(other.page, 'Data', data);
        await picture('26-import', part(other.page, 'Import'));
        const guest = await another(page);
        await guest.goto(`${second.url}/calendar`);
        expect(await guest.getByRole('listitem').allInnerTexts()).toEqual([
          '15 January: Stars above us, Village hall',
          '6 February: Winter walk, Village hall',
          '13 February: Carnival, Village hall',
        ]);
        await expect.poll(() => guest.evaluate('document.querySelector("img").naturalWidth')).toBe(640);
        await suggest(guest);
        await guest.getByText('Operation successful').waitFor();
      } finally {
        await second.stop();
      }
    });
  },
  // The frame of the preview has an origin of its own, and modules are not loaded from another one.
  { expected: (problem) => problem.includes("from origin 'null'") || problem.includes('net::ERR_FAILED') },
);
