/**
 * The guide (docs/guide.md) as its reader follows it, in Chromium: from an empty server to a small application, without one request that
 * the pages do not send by themselves. Where `SVC_TEST_GUIDE` names a folder, the pictures of the guide are left there.
 */
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import { TestServer } from '../support/server.js';
import {
  another,
  clubPicture,
  dialog,
  exported,
  imported,
  newObject,
  newProperty,
  newType,
  PageWork,
  part,
  picture,
  tab,
  WINDOW,
} from './guide-parts.js';
import { describeInBrowser, Person } from './person.js';

const PASSWORD = 'a password of my own';
const ANNAS = 'a password for Anna';
/** What visitors of the page see of the first events. */
const FIRST = ['15 January: Stars above us, Village hall', '6 February: Winter walk, Village hall'];
/** What they see when the third one is visible to all. */
const ALL = [...FIRST, '13 February: Carnival, Village hall'];

async function logIn({ page, server }: Person): Promise<void> {
  await page.goto(`${server.url}/svc/`);
  await page.getByLabel('Name or e-mail address').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill('admin');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByText('This user still has the documented initial password.').waitFor();
  await page.getByRole('heading', { name: 'Services' }).waitFor();
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('The same again').fill(PASSWORD);
  await picture('01-password', page);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('The password has been changed.').waitFor();
}

async function defineTypes(person: Person): Promise<void> {
  const { page } = person;
  await person.open('Schema');
  await page.getByText('There is no type of your own yet.').waitFor();
  await newType(page, 'Venue');
  await newProperty(page, 'address', 'String');
  await newProperty(page, 'seats', 'Integer');
  await tab(page, 'Settings');
  await page.getByRole('checkbox', { name: 'visible to everybody', exact: true }).check();
  await page.getByRole('checkbox', { name: 'visible to everybody who is logged in' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('link', { name: 'All types' }).click();

  await newType(page, 'Event');
  await newProperty(page, 'day', 'Date', async (form) => {
    await form.getByLabel('Pattern of dates').fill('yyyy-MM-dd');
    await form.getByRole('checkbox', { name: 'indexed' }).check();
  });
  await newProperty(page, 'kind', 'Enum', (form) => form.getByLabel('Members').fill('talk, walk, party'));
  await newProperty(page, 'free', 'Boolean');
  await picture('02-properties', page, { height: 620 });

  await tab(page, 'Diagram');
  const box = (name: string): Locator => page.locator(`.react-flow__node[data-id="${name}"]`);
  await box('Venue').getByText('seats').waitFor();
  await box('Venue').locator('.react-flow__handle.end').nth(1).dragTo(box('Event'));
  await dialog(page).getByLabel('Type of the relationship').fill('HOSTS');
  await dialog(page).getByLabel('Property of the target that shows sources').fill('venue');
  await dialog(page).getByLabel('Property of the source that shows targets').fill('events');
  await picture('03-relation', dialog(page), { tight: true });
  await dialog(page).getByRole('button', { name: 'Create' }).click();
  await page.locator('.react-flow__edge.relation').waitFor();
  await page.getByRole('button', { name: 'Lay out anew' }).click();
  await page.getByText('1 HOSTS *').waitFor();
  await picture('04-diagram', page);
}

async function makeObjects(person: Person): Promise<void> {
  const { page } = person;
  await person.open('Data');
  await page.getByRole('link', { name: 'Venue', exact: true }).click();
  await newObject(page, 'Village hall', async (form) => {
    await form.getByLabel('address').fill('1 Church Lane');
    await form.getByLabel('seats').fill('80');
  });
  await page.getByRole('link', { name: 'Event', exact: true }).click();
  const event = (name: string, day: string, kind: string): Promise<void> =>
    newObject(page, name, async (form) => {
      await form.getByLabel('day').fill(day);
      await form.getByLabel('kind').selectOption(kind);
      await form.getByRole('combobox', { name: 'venue' }).fill('Vill');
      await page.getByRole('option', { name: 'Village hall' }).click();
      await form.getByText('Permissions').click();
      await form.getByLabel('visibleToPublicUsers').selectOption('yes');
      await form.getByLabel('visibleToAuthenticatedUsers').selectOption('yes');
      if (kind === 'talk') await picture('05-object', form, { tight: true, height: 860 });
    });
  await event('Stars above us', '2027-01-15', 'talk');
  await event('Winter walk', '2027-02-06', 'walk');
  await page.getByText('2 objects').waitFor();
}

async function giveRights(person: Person): Promise<void> {
  const { page } = person;
  const form = dialog(page);
  await person.open('Security');
  await page.getByRole('button', { name: 'New user' }).click();
  await form.getByLabel('Name', { exact: true }).fill('anna');
  await form.getByLabel('Password').fill(ANNAS);
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByText('anna has been created.').waitFor();
  await page.getByRole('button', { name: 'New group' }).click();
  await form.getByLabel('Name', { exact: true }).fill('editors');
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByText('editors has been created.').waitFor();
  const users = page.getByRole('region', { name: 'Users' });
  const groups = page.getByRole('region', { name: 'Groups' });
  await users
    .getByRole('listitem')
    .filter({ hasText: 'anna' })
    .dragTo(groups.getByRole('button', { name: 'editors', exact: true }));
  await page.getByText('anna: now in editors.').waitFor();
  await groups.getByRole('list', { name: 'Members of editors' }).getByText('anna', { exact: true }).waitFor();
  await picture('06-group', page, { height: 560 });

  await tab(page, 'Types');
  await page.getByRole('button', { name: 'New right' }).click();
  await form.getByLabel('User or group').fill('editors');
  await page.getByRole('option', { name: 'editors' }).click();
  await form.getByLabel('Type').selectOption('Event');
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByText('editors: Event has been created.').waitFor();
  await page.getByLabel('editors: Event: write').check();
  await picture('07-rights', page, { height: 560 });
}

async function uploadPicture(person: Person): Promise<void> {
  const { page } = person;
  await person.open('Files');
  const file = { name: 'club.png', mimeType: 'image/png', buffer: await clubPicture() };
  await page.locator('input[type=file]').first().setInputFiles(file);
  await page.getByText('Uploads: 1 of 1 done').waitFor();
  await page.getByRole('grid').getByText('club.png').click();
  await page.getByText('400 × 125 pixels').waitFor();
  await tab(page, 'Permissions');
  await page.getByRole('checkbox', { name: 'To everybody' }).check();
  await page.getByRole('checkbox', { name: 'To all users' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await tab(page, 'Details');
  await page.getByRole('checkbox', { name: 'Part of the application when it is exported' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
}

async function buildPage(person: Person): Promise<void> {
  const { page } = person;
  await person.open('Pages');
  await page.getByRole('button', { name: 'New page' }).click();
  await dialog(page).getByLabel('Name').fill('calendar');
  await dialog(page).getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'calendar' }).waitFor();
  const site = new PageWork(page);
  await site.choose('div');
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('div is in the recycle bin.').waitFor();
  await page.getByRole('toolbar').getByRole('button', { name: 'Close' }).click();
  await site.choose('body');
  await site.chosen.getByLabel('style', { exact: true }).fill('font-family: sans-serif; margin: 2rem');
  await site.save();
  await site.add('img');
  await tab(page, 'Attributes');
  await site.chosen.getByLabel('src', { exact: true }).fill('/club.png');
  await site.chosen.getByLabel('alt', { exact: true }).fill('Hills and the sun');
  await site.save();

  // A list: one line for each event.
  await site.choose('body');
  await site.add('ul');
  await site.add('li');
  await tab(page, 'Repeater');
  await site.chosen.getByLabel('Data key').fill('event');
  await site.write('Function query', "find('Event', sort('day'))");
  await site.save();
  await site.unfold('event');
  await site.choose('New text');
  await site.write('Content', "${dateFormat(event.day, 'd MMMM')}: ${event.name}, ${event.venue.name}");
  await site.save();
  for (const line of FIRST) await site.preview.getByText(line).waitFor();
  await picture('08-list', page, { width: 1440, height: 800 });

  // A form that makes an event.
  await site.choose('body');
  await page.getByRole('button', { name: 'Add ▾' }).click();
  await page.getByRole('menuitem', { name: 'Form for a type …' }).click();
  const form = dialog(page);
  await form.getByLabel('Type', { exact: true }).selectOption('Event');
  await form.getByRole('checkbox', { name: 'name' }).check();
  await form.getByLabel('Label of name').fill('What');
  await form.getByRole('checkbox', { name: 'day' }).check();
  await form.getByLabel('Label of day').fill('When');
  await form.getByRole('checkbox', { name: 'kind' }).check();
  await form.getByLabel('Text of the button').fill('Suggest');
  await picture('09-form', form, { tight: true });
  expect(await violations(page, true)).toEqual([]);
  await form.getByRole('button', { name: 'Add' }).click();
  await site.chosen.getByRole('heading', { level: 2, name: 'form' }).waitFor();
  await site.preview.getByRole('button', { name: 'Suggest' }).waitFor();
  await tab(page, 'Events');
  await expect
    .poll(() => site.chosen.getByLabel('Action', { exact: true }).locator('option:checked').textContent())
    .toBe('Create an object');
  await picture('start', page, { width: 1440, height: 860 });
}

/** What a visitor types into the form of the page. */
async function suggest(visitor: Page): Promise<void> {
  await visitor.getByLabel('What').fill('Carnival');
  await visitor.getByLabel('When').fill('2027-02-13');
  await visitor.getByLabel('Kind').selectOption('party');
  await visitor.getByRole('button', { name: 'Suggest' }).click();
}

const lines = (page: Page): Promise<string[]> => page.getByRole('listitem').allInnerTexts();

async function lookAsVisitor(person: Person, visitor: Page): Promise<void> {
  const { page, server } = person;
  await visitor.goto(`${server.url}/calendar`);
  expect(await lines(visitor)).toEqual(FIRST);
  const kinds = await visitor.getByLabel('Kind').locator('option').allInnerTexts();
  expect(kinds).toEqual(['', 'party', 'talk', 'walk']);
  await suggest(visitor);
  await visitor.getByRole('alert').getByText('Access denied').waitFor();

  await person.open('Security');
  await tab(page, 'Endpoints');
  const permit = page.getByRole('button', { name: 'Permit POST to who is not logged in' });
  await permit.waitFor();
  await picture('10-refused', page, { height: 560 });
  await permit.click();
  await page.getByText('DOMElement/_id/event: POST is permitted.').waitFor();

  await suggest(visitor);
  await visitor.getByText('Operation successful').waitFor();
  await picture('11-suggested', visitor);
  // It is nobody's, and not yet visible to visitors.
  await visitor.reload();
  expect(await lines(visitor)).toEqual(FIRST);
}

async function lookAsAnna({ server }: Person, visitor: Page): Promise<void> {
  await new Person(server, visitor, []).logIn('anna', ANNAS);
  await visitor.goto(`${server.url}/calendar`);
  expect(await lines(visitor)).toEqual([...FIRST, '13 February: Carnival,']);
  await visitor.goto(`${server.url}/svc/`);
  await visitor.getByRole('button', { name: 'Log out' }).click();
  await visitor.getByRole('button', { name: 'Log in', exact: true }).waitFor();
}

async function showToAll(person: Person, visitor: Page): Promise<void> {
  const { page } = person;
  await person.open('Data');
  await page.getByRole('link', { name: 'Event', exact: true }).click();
  await person.row('Carnival').getByRole('button', { name: 'Open row' }).click();
  const panel = page.getByRole('complementary', { name: 'Object Carnival' });
  expect(await panel.getByLabel('kind').inputValue()).toBe('party');
  await panel.getByRole('combobox', { name: 'venue' }).fill('Vill');
  await page.getByRole('option', { name: 'Village hall' }).click();
  await panel.getByText('Permissions').click();
  await panel.getByLabel('visibleToPublicUsers').selectOption('yes');
  await panel.getByLabel('visibleToAuthenticatedUsers').selectOption('yes');
  await picture('12-panel', page, { height: 900 });
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('Saved.').waitFor();
  await visitor.goto(`${person.server.url}/calendar`);
  expect(await lines(visitor)).toEqual(ALL);
}

async function writeCode(person: Person): Promise<void> {
  const { page } = person;
  await person.open('Code');
  await page.getByRole('button', { name: 'New method' }).click();
  await dialog(page).getByLabel('Name').fill('describe');
  await dialog(page).getByLabel('Belongs to').selectOption('Event');
  await dialog(page).getByRole('button', { name: 'Create' }).click();
  await page.getByRole('tree').getByRole('treeitem', { name: 'describe' }).waitFor();
  const editor = page.getByRole('textbox', { name: /^Code of / });
  await expect.poll(() => editor.innerText()).toContain('return null;');
  // Text that is typed over other text is for the browser to style, which the policy refuses.
  await editor.press('ControlOrMeta+A');
  await editor.press('Delete');
  await editor.fill("{\n  return $.this.name + ' has room for ' + $.this.venue.seats;\n}");
  const run = page.getByRole('region', { name: 'Run', exact: true });
  await run.getByRole('combobox', { name: 'On which Event' }).fill('Carn');
  await page.getByRole('option', { name: 'Carnival' }).click();
  await run.getByRole('button', { name: 'Save and run' }).click();
  await run.getByText('Carnival has room for 80').waitFor();
  await picture('13-method', page, { width: 1440, height: 1080 });

  await person.open('Console');
  const line = page.getByRole('textbox', { name: 'Line', exact: true });
  await line.pressSequentially("find('Event', 'kind', 'party')");
  await line.press('Enter');
  const result = page.getByRole('region', { name: 'Results', exact: true }).getByRole('listitem').first();
  await result.getByRole('table').getByText('Carnival').waitFor();
  expect(await result.getByRole('row').count()).toBe(2);
}

/** The application and its data go out of the server, and into another one that is empty. */
async function takeElsewhere(person: Person): Promise<void> {
  const { page } = person;
  await person.open('Dashboard');
  const application = await exported(page, 'club');
  await part(page, 'Export').getByLabel('What').selectOption({ label: 'Data' });
  await part(page, 'Export').getByLabel('Types').fill('Venue,Event');
  const data = await exported(page, 'club-data');

  const second = await TestServer.start();
  try {
    const other = new Person(second, await another(page), []);
    await other.logIn();
    await imported(other.page, 'Application', 'club.zip', application);
    await picture('14-import', part(other.page, 'Import'), { height: 1500, tight: true });
    await imported(other.page, 'Data', 'club-data.zip', data);
    await other.page.close();
    const visitor = await another(page);
    await visitor.goto(`${second.url}/calendar`);
    expect(await lines(visitor)).toEqual(ALL);
    await expect.poll(() => visitor.evaluate('document.querySelector("img").naturalWidth')).toBe(400);
    await suggest(visitor);
    await visitor.getByText('Operation successful').waitFor();
    await visitor.close();
  } finally {
    await second.stop();
  }
}

describeInBrowser(
  'the guide, from an empty server to a small application',
  () => Promise.resolve(),
  (person) => {
    it('is done by clicks, keys and dragging alone', async () => {
      const { page } = person();
      await page.setViewportSize(WINDOW);
      await logIn(person());
      await defineTypes(person());
      await makeObjects(person());
      await giveRights(person());
      await uploadPicture(person());
      await buildPage(person());
      const visitor = await another(page, { width: 760, height: 520 });
      await lookAsVisitor(person(), visitor);
      await lookAsAnna(person(), visitor);
      await showToAll(person(), visitor);
      await visitor.close();
      await writeCode(person());
      await takeElsewhere(person());
    });
  },
  // The frame of the preview has an origin of its own, and modules are not loaded from another one.
  { expected: (problem) => problem.includes("from origin 'null'") || problem.includes('net::ERR_FAILED') },
);
