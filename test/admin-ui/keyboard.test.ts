/** What each area is for, done by keyboard alone: Tab, Enter, Space, arrows, Escape and letters (docs/interface/admin-ui.md 16). */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { served } from '../support/files.js';
import { lively, WORLD_SETTINGS, type World } from './lively.js';
import { describeInBrowser } from './person.js';

/** The flag of a permission (docs/interface/security.md). */
const DELETE_BY_USERS = 8;

/** Longer than from the first to the last thing of any page. */
const MOST_TABS = 120;

let world: World;

interface Focus {
  readonly name: string;
  readonly role: string;
  readonly isSeen: boolean;
}

/** What has the focus: how it is called, and whether that is seen. */
const focus = (page: Page): Promise<Focus> =>
  page.evaluate(`(() => {
    let one = document.activeElement;
    while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
    const named = (one.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.innerText ?? '');
    const name = one.getAttribute('aria-label') ?? (named.join(' ').trim() || one.labels?.[0]?.innerText || one.innerText || one.title || '');
    const marks = [one, one.closest('.cm-editor'), one.matches('[type=radio]') ? one.nextElementSibling : null].filter(Boolean);
    const isSeen = marks.some((mark) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(mark);
      return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
    });
    return { name: name.trim(), role: one.getAttribute('role') ?? one.localName, isSeen };
  })()`);

class Keys {
  constructor(private readonly page: Page) {}

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /** Goes on with Tab until something of that name has the focus; all on the way show that they have it. */
  async to(name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab', role?: string): Promise<void> {
    const way: string[] = [];
    for (let i = 0; i < MOST_TABS; i++) {
      await this.press(key);
      const here = await focus(this.page);
      // Some show it only a moment later.
      if (!here.isSeen && here.role !== 'body')
        await expect
          .poll(async () => (await focus(this.page)).isSeen, {
            message: `the focus is seen: ${here.role} ${here.name}`,
          })
          .toBe(true);
      const isNamed = typeof name === 'string' ? here.name === name : name.test(here.name);
      if (isNamed && (role ?? here.role) === here.role) return;
      way.push(`${here.role} ${here.name.slice(0, 40)}`);
    }
    throw new Error(`Tab does not lead to ${String(name)}, but to: ${[...new Set(way)].join(', ')}`);
  }

  /** The same, and presses it. */
  async enter(name: string | RegExp): Promise<void> {
    await this.to(name);
    await this.press('Enter');
  }

  /** Goes down in a list or a tree until something of that name has the focus, which comes a moment after the key. */
  async downTo(name: RegExp): Promise<void> {
    for (;;) {
      const before = (await focus(this.page)).name;
      if (name.test(before)) return;
      await this.press('ArrowDown');
      await expect.poll(async () => (await focus(this.page)).name).not.toBe(before);
    }
  }

  /** Waits until something of that name has the focus. */
  async at(name: string | RegExp): Promise<void> {
    await expect.poll(async () => (await focus(this.page)).name).toMatch(name);
  }
}

describeInBrowser(
  'the Admin UI by keyboard',
  async (server) => {
    world = await lively(server);
  },
  (person) => {
    it('defines a type, edits its objects, and gives rights', async () => {
      const { page, server } = person();
      const keys = new Keys(page);
      await person().logIn();
      await page.reload();
      await page.getByRole('heading', { name: 'Dashboard' }).waitFor();

      // The first key leads past what is around all areas.
      await keys.enter('Skip to the content');
      await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');

      await person().goTo('schema');
      await page.getByRole('link', { name: 'Harbour' }).waitFor();
      await keys.enter('New type');
      await keys.at(/^Name/);
      await keys.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await keys.at('New type');
      await keys.press('Enter');
      await keys.at(/^Name/);
      await keys.type('Bridge');
      await keys.press('Enter');
      await page.getByRole('heading', { name: 'Bridge' }).waitFor();
      await keys.enter('New property');
      await keys.at(/^Name/);
      await keys.type('span');
      await keys.press('Enter');
      await page.getByRole('button', { name: 'span', exact: true }).waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await keys.at('New property');

      // Data: a new object, a value in the table, a menu.
      await person().goTo('data/Bridge');
      await page.getByText('No objects').waitFor();
      await keys.enter('New object');
      await keys.at(/^name/);
      await keys.type('Old bridge');
      await keys.press('Enter');
      await page.getByText('Old bridge').waitFor();
      await keys.enter(/^Export/);
      await page.getByRole('menu').waitFor();
      await keys.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await keys.at(/^Export/);
      await keys.to(/^Old bridge$/);
      await keys.press('Enter', 'ControlOrMeta+A');
      await keys.type('New bridge');
      await keys.press('Enter');
      await expect.poll(async () => JSON.stringify((await server.admin.get('/Bridge')).body)).toContain('New bridge');

      // Security: a user, a group for them, a permission.
      await person().goTo('security');
      await page.getByText('anna@example.org').waitFor();
      await keys.enter('New user');
      await keys.at(/^Name/);
      await keys.type('bert');
      await keys.press('Enter');
      await page.getByText('bert has been created.').waitFor();
      await keys.enter('Put bert into a group');
      await keys.at(/^Group/);
      await keys.type('edit');
      await page.getByRole('option', { name: 'editors' }).waitFor();
      await keys.press('ArrowDown', 'Enter');
      await keys.enter('Put in');
      await page.getByText('bert: now in editors.').waitFor();
      await keys.to('Users and groups', 'Shift+Tab', 'tab');
      await keys.press('ArrowRight');
      await keys.at('Endpoints');
      await keys.press('Enter');
      await page.getByText('Permissions for endpoints').waitFor();
      await page.getByText('Town', { exact: true }).waitFor();
      await keys.to('DELETE Town: users');
      await keys.press('Space');
      await expect
        .poll(async () => {
          const { result } = (await server.admin.get('/ResourceAccess?signature=Town')).body;
          return (result as { flags: number }[]).map(({ flags }) => flags);
        })
        .toEqual([3 + DELETE_BY_USERS]);
    });

    it('uploads, edits a text, moves an element of a page, runs a line, writes a text in a language', async () => {
      const { page, server } = person();
      const keys = new Keys(page);
      await person().logIn();

      await person().goTo(`files/folder/${world.folder}`);
      await page.getByText('notes.txt').waitFor();
      await page.getByRole('link', { name: 'Download ZIP' }).waitFor();
      // The browser is told long before that its window for files is not to open.
      const choosing = page.waitForEvent('filechooser');
      await keys.enter('Upload files');
      const chooser = await choosing;
      await chooser.setFiles({ name: 'by-key.txt', mimeType: 'text/plain', buffer: Buffer.from('one\n') });
      await page.getByRole('grid').getByText('by-key.txt').waitFor();
      await keys.to(/by-key\.txt|Older ones/);
      await keys.downTo(/by-key/);
      await keys.press('Enter');
      await page.getByRole('textbox', { name: /by-key/ }).waitFor();
      await keys.to(/by-key\.txt/);
      await keys.press('ControlOrMeta+A');
      // Over what is selected: what the browser would write of styles the policy of the page does not permit.
      await keys.type('two');
      await keys.press('ControlOrMeta+s');
      await page.getByText('Saved.').waitFor();
      expect((await served(server.admin, '/Documents/by-key.txt')).bytes.toString()).toBe('two');

      // Pages: the heading below the paragraph.
      await person().goTo(`pages/${world.page}`);
      const tags = async (): Promise<string[]> =>
        [...(await (await fetch(`${server.url}/start`)).text()).matchAll(/<(h1|p|ul|form)[ >]/g)].map(
          ([, tag = '']) => tag,
        );
      expect(await tags()).toEqual(['h1', 'p', 'ul', 'form']);
      await page.getByRole('treeitem', { name: 'h1' }).waitFor();
      await keys.to(/^start/);
      await keys.downTo(/^h1/);
      await keys.press('Control+Shift+D');
      // What is read out tells that it has begun.
      await page.getByText(/^h1.*Arrows move it/).waitFor({ state: 'attached' });
      await keys.press('ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
      await expect.poll(tags).not.toEqual(['h1', 'p', 'ul', 'form']);

      // The console: a line by Enter, and the arrow up shows it again.
      await person().goTo('console');
      await page.getByRole('radio', { name: 'Expression' }).waitFor();
      await keys.to(/Expression/);
      await keys.press('Tab');
      await keys.type("concat('a', 'b')");
      await keys.press('Escape', 'Enter');
      await page.getByText('ab', { exact: true }).waitFor();

      // A mail template: its text, saved by the key.
      await person().goTo(`mail-templates/${world.mail}`);
      await page.getByRole('textbox', { name: 'Text', exact: true }).waitFor();
      await keys.to('Text');
      await keys.press('ControlOrMeta+A');
      await keys.type('Hello');
      await keys.press('ControlOrMeta+s');
      await expect
        .poll(async () => JSON.stringify((await server.admin.get(`/MailTemplate/${world.mail}`)).body))
        .toContain('"text":"Hello"');

      // Localisations: a text in its place.
      await person().goTo('localisations');
      await page.getByText('greeting', { exact: true }).waitFor();
      await keys.enter(/^Add de of intro/);
      await keys.at('de of intro');
      await keys.type('Ein Ort');
      await keys.press('Enter');
      await page.getByText('Ein Ort', { exact: true }).waitFor();
      await keys.at(/^Edit de of intro/);

      // Code: from the tree into the editor, and out of it again.
      await person().goTo(`code/SchemaMethod/${world.method}/source`);
      await page.getByRole('textbox', { name: /^Code of / }).waitFor();
      await keys.to(/^Code of /);
      await keys.press('Tab');
      expect((await focus(page)).name).not.toMatch(/^Code of /);
    });
  },
  { settings: WORLD_SETTINGS },
);
