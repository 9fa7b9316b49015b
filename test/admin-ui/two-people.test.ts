/** Two people edit the same, and a server that stops while somebody types: in each area that edits (docs/interface/admin-ui.md 4.3). */
import { createServer } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, type Person } from './person.js';

/** Something that is edited in an area. */
interface Edited {
  readonly name: string;
  /** Its address in the page. */
  readonly place: string;
  /** What is pressed before there is a field. */
  readonly open?: (page: Page) => Promise<void>;
  readonly field: (page: Page) => Locator;
  /** An editor of code has no value. */
  readonly isCode?: boolean;
  readonly save: (page: Page) => Promise<void>;
  /** What tells of what somebody else has written. */
  readonly told: (page: Page, theirs: string) => Locator;
  /** Saves over it; absent: as before. */
  readonly decide?: (page: Page) => Promise<void>;
  /** What the server has. */
  readonly stored: () => Promise<unknown>;
}

const areas: Edited[] = [];
let permission = '';

async function prepare(server: TestServer): Promise<void> {
  const { admin } = server;
  const type = await admin.create('SchemaNode', {
    name: 'Town',
    schemaProperties: [{ name: 'motto', propertyType: 'String' }],
  });
  const town = await admin.create('Town', { name: 'Lyon', motto: 'before' });
  const [property = ''] = await idsOf(server, `SchemaProperty?schemaNode=${type}`);
  await admin.create('User', { name: 'berta', password: 'bertas-password', isAdmin: true });
  const user = await admin.create('User', { name: 'anna', password: 'annas-password', locale: 'before' });
  const method = await admin.create('SchemaMethod', { name: 'greet', source: "'before'" });
  await admin.post('/Page/importPage', { name: 'start', code: '<html><head></head><body><p>x</p></body></html>' });
  const [page = ''] = await idsOf(server, 'Page?name=start');
  const [node = ''] = await idsOf(server, `P?pageId=${page}`);
  const text = await admin.create('Localization', { name: 'greeting', locale: 'en', localizedName: 'before' });
  const mail = await admin.create('MailTemplate', { name: 'welcome', locale: 'en', text: 'Hello' });
  const file = await admin.create('File', { name: 'notes.txt', contentType: 'text/plain' });
  await admin.send('PUT', `/svc/upload/${file}`, Buffer.from('before'), { 'Content-Type': 'text/plain' });
  permission = await admin.create('ResourceAccess', { signature: 'Town', flags: 1, visibleToAuthenticatedUsers: true });

  const value = (path: string, key: string) => async (): Promise<unknown> =>
    (await admin.get(`/${path}/all`)).body.result[key];
  const save =
    (within: (page: Page) => Page | Locator) =>
    (page: Page): Promise<void> =>
      within(page).getByRole('button', { name: 'Save', exact: true }).first().click();
  const changed = (page: Page, theirs: string, key: string): Locator =>
    page.getByText(`Somebody else has changed ${key} meanwhile, to: ${theirs}.`);
  const panel = (at: Page): Locator => at.getByRole('complementary', { name: 'Object Lyon' });
  const dialog = (at: Page): Locator => at.getByRole('dialog');
  const inspector = (at: Page): Locator => at.getByRole('region', { name: 'What is chosen' });
  areas.push(
    {
      name: 'an object',
      place: `data/Town/${town}`,
      field: (at) => panel(at).getByLabel('motto'),
      save: save(panel),
      told: (at, theirs) => panel(at).getByText(`Somebody else has changed this value meanwhile, to: ${theirs}.`),
      stored: value(`Town/${town}`, 'motto'),
    },
    {
      name: 'a property of a type',
      place: 'schema/types/Town',
      open: (at) => at.getByRole('button', { name: 'motto', exact: true }).click(),
      field: (at) => dialog(at).getByLabel('Default value'),
      save: save(dialog),
      told: (at, theirs) => changed(at, theirs, 'defaultValue'),
      stored: value(`SchemaProperty/${property}`, 'defaultValue'),
    },
    {
      name: 'a user',
      place: `security/people/${user}`,
      field: (at) => dialog(at).getByLabel('Locale', { exact: true }),
      save: save(dialog),
      told: (at, theirs) => changed(at, theirs, 'locale'),
      stored: value(`User/${user}`, 'locale'),
    },
    {
      name: 'a method',
      place: `code/SchemaMethod/${method}/source`,
      field: (at) => at.getByRole('textbox', { name: /^Code of / }),
      isCode: true,
      save: save((at) => at),
      told: (at, theirs) =>
        at.getByRole('alert').filter({ hasText: 'Somebody else has saved another text' }).getByText(theirs),
      decide: (at) => at.getByRole('button', { name: 'Replace it by mine' }).click(),
      stored: value(`SchemaMethod/${method}`, 'source'),
    },
    {
      name: 'a node of a page',
      place: `pages/${page}/${node}`,
      field: (at) => inspector(at).getByLabel('class', { exact: true }),
      save: save(inspector),
      told: (at, theirs) => changed(at, theirs, 'class'),
      stored: value(`P/${node}`, '_html_class'),
    },
    {
      name: 'a text in a language',
      place: 'localisations',
      open: (at) => at.getByRole('button', { name: 'Edit en of greeting' }).click(),
      field: (at) => at.getByRole('textbox', { name: 'en of greeting' }),
      save: save((at) => at.getByRole('table')),
      told: (at, theirs) => at.getByText(`Somebody else has changed this text meanwhile, to: ${theirs}.`),
      stored: value(`Localization/${text}`, 'localizedName'),
    },
    {
      name: 'a mail template',
      place: `mail-templates/${mail}`,
      field: (at) => at.getByLabel('Description'),
      save: save((at) => at),
      told: (at) => at.getByText('Somebody else has changed this template meanwhile: Description.'),
      stored: value(`MailTemplate/${mail}`, 'description'),
    },
    {
      name: 'a text file',
      place: `files/file/${file}`,
      field: (at) => at.getByLabel('Text of notes.txt'),
      isCode: true,
      save: save((at) => at),
      told: (at, theirs) => at.getByLabel('Their text').getByText(theirs),
      decide: (at) => at.getByRole('button', { name: 'Replace theirs by mine' }).click(),
      stored: async () => (await fetch(`${server.url}/${file}`, { headers: admin.credentials })).text(),
    },
  );
}

async function idsOf(server: TestServer, query: string): Promise<readonly string[]> {
  const { body } = await server.admin.get(`/${query}`);
  return (body.result as readonly { readonly id: string }[]).map(({ id }) => id);
}

async function open(person: Person, edited: Edited): Promise<void> {
  await person.goTo(edited.place);
  await edited.open?.(person.page);
  await edited.field(person.page).waitFor();
}

async function type(page: Page, { field, isCode = false }: Edited, text: string): Promise<void> {
  if (!isCode) return field(page).fill(text);
  // Text that is typed over other text is for the browser to style, which the policy refuses.
  await field(page).press('Control+a');
  await field(page).press('Delete');
  await field(page).fill(text);
}

const typed = (page: Page, { field, isCode = false }: Edited): Promise<string> =>
  isCode ? field(page).innerText() : field(page).inputValue();

/** What the page says above the area while the server is away; a window over it hides it from roles. */
const away = (page: Page): Locator =>
  page.locator('.notice.note').filter({ hasText: 'What you have typed is kept; the page goes on by itself.' });

/** A port that no connection of this machine is given while the server is away: below those that systems give to clients. */
async function keptPort(): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer()
        .once('error', () => {
          resolve(false);
        })
        .listen(port, '127.0.0.1', () =>
          server.close(() => {
            resolve(true);
          }),
        );
    });
    if (isFree) return String(port);
  }
}

const settings = { 'application.http.port': await keptPort() };

describeInBrowser(
  'two people at the Admin UI, and a server that stops',
  prepare,
  (person) => {
    it('tells who saves later what somebody else has written, and loses nobody’s work', async () => {
      const anna = person();
      const berta = await anna.other();
      await anna.logIn();
      await berta.logIn('berta', 'bertas-password');
      for (const edited of areas) {
        await Promise.all([open(anna, edited), open(berta, edited)]);
        await type(anna.page, edited, 'first');
        await type(berta.page, edited, 'second');
        await edited.save(anna.page);
        await expect.poll(edited.stored, { message: edited.name }).toBe('first');
        await edited.save(berta.page);
        await edited.told(berta.page, 'first').waitFor();
        expect(await edited.stored(), edited.name).toBe('first');
        expect(await typed(berta.page, edited), edited.name).toBe('second');
        if (edited.place.startsWith('security')) {
          await berta.page.getByText('Changed last by admin').waitFor();
          await berta.picture('two-people');
        }
        await (edited.decide ?? edited.save)(berta.page);
        await expect.poll(edited.stored, { message: edited.name }).toBe('second');
      }

      // Bits of one number: both stay, whoever is later.
      await Promise.all([anna, berta].map((one) => one.goTo('security/endpoints')));
      const tick = (one: Person, method: string): Locator => one.page.getByLabel(`${method} Town: users`);
      await Promise.all([tick(anna, 'POST').waitFor(), tick(berta, 'DELETE').waitFor()]);
      await Promise.all([tick(anna, 'POST').check(), tick(berta, 'DELETE').check()]);
      await expect
        .poll(async () => (await anna.server.admin.get(`/ResourceAccess/${permission}`)).body.result.flags)
        .toBe(1 | 4 | 8);
    });

    it('keeps what was typed while the server is away, and saves it without another login', async () => {
      const first = person();
      await first.logIn();
      const tabs: { readonly at: Person; readonly edited: Edited }[] = [];
      for (const edited of areas) {
        const at = tabs.length === 0 ? first : await first.tab();
        await open(at, edited);
        await type(at.page, edited, 'kept');
        tabs.push({ at, edited });
      }
      await first.server.end();
      for (const { at, edited } of tabs) {
        await edited.save(at.page);
        await away(at.page).waitFor();
        expect(await typed(at.page, edited), edited.name).toBe('kept');
      }
      await first.picture('away');
      first.server = await first.server.restart({ settings });
      for (const { at, edited } of tabs) {
        await away(at.page).waitFor({ state: 'detached' });
        expect(await typed(at.page, edited), edited.name).toBe('kept');
        await edited.save(at.page);
        await expect.poll(edited.stored, { message: edited.name }).toBe('kept');
      }
    });
  },
  // The browser tells of requests that nobody answered, and of the frame of a page that has an origin of its own.
  { settings, expected: (problem) => /net::ERR_|from origin 'null'/.test(problem) },
);
