/** The area Files of the Admin UI, as a person uses it. */
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { Client } from '../support/client.js';
import { file, uploaded } from '../support/files.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, HOSTILE } from './person.js';

const settings = { 'application.filesystem.indexing.enabled': 'true', 'application.encryption.secret': 'a secret' };
// The browser tells of requests that it could not send.
const expected = (problem: string): boolean => problem.includes('ERR_INTERNET_DISCONNECTED');

const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj
trailer<</Root 1 0 R>>`;

const MARKDOWN = `# Plan

Some *soft* and **loud** words, [here](https://example.org/), [not here](javascript:document.title=1).

- [x] one
- two

<img src=x onerror="document.title=1">

| a | b |
|---|---|
| 1 | 2 |
`;

/** Ids of what the tests look at. */
const ids: Record<string, string> = {};

async function folder(admin: Client, name: string, parent?: string): Promise<string> {
  const answer = await admin.post('/Folder', { name, parent: parent ?? null });
  return (answer.body as { result: string[] }).result[0] ?? '';
}

async function fill(server: TestServer): Promise<void> {
  const admin = server.as('admin', 'admin');
  await admin.post('/User', { name: 'guest', password: 'a guest' });
  ids['docs'] = await folder(admin, 'Documents');
  ids['deep'] = await folder(admin, 'Deep', ids['docs']);
  ids['many'] = await folder(admin, 'Many');
  await folder(admin, HOSTILE, ids['docs']);
  const picture = await sharp({ create: { width: 600, height: 400, channels: 3, background: '#3a7bd5' } })
    .jpeg()
    .toBuffer();
  const contents: readonly (readonly [string, string | Buffer])[] = [
    ['picture.jpg', picture],
    ['notes.txt', 'first line\nthe garden of the house\n'],
    ['plan.md', MARKDOWN],
    ['report.pdf', PDF],
    ['page.html', '<script>document.title="run"</script><p>hello'],
    ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>'],
    [`${HOSTILE}.txt`, 'hostile'],
  ];
  for (const [name, content] of contents)
    ids[name] = await uploaded(admin, file(name, content), { parent: ids['docs'] });
  await admin.post(
    '/File',
    Array.from({ length: 340 }, (_, i) => ({ name: `file ${String(i).padStart(4, '0')}.txt`, parent: ids['many'] })),
  );
}

const grid = (page: Page): ReturnType<Page['locator']> => page.getByRole('grid');

describeInBrowser(
  'the area Files',
  fill,
  (person) => {
    it('shows folders and files, makes, renames, moves and deletes them', async () => {
      const { page } = person();
      await person().logIn();
      await person().open('Files');
      await grid(page).getByRole('button', { name: 'Documents' }).click();
      await page.getByText('9 files and folders').waitFor();
      await person().row(HOSTILE).first().waitFor();
      await page.locator('.thumb').first().waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('folder');
      await page.getByRole('button', { name: 'New folder' }).click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('a/b');
      await page.getByText('A name has 1 to 255 bytes').waitFor();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Fresh');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByRole('treeitem', { name: 'Fresh' }).waitFor();
      // By keyboard: down to a file, select it, move it into the new folder.
      await person().row('notes.txt').focus();
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Move', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('treeitem', { name: 'Documents' }).click();
      await dialog.getByRole('treeitem', { name: 'Fresh' }).click();
      await dialog.getByRole('button', { name: 'Move into this folder' }).click();
      await person().row('notes.txt').waitFor({ state: 'detached' });
      // By dragging: back to where it was.
      await grid(page).getByRole('button', { name: 'Fresh' }).click();
      await person()
        .row('notes.txt')
        .dragTo(page.getByRole('treeitem', { name: 'Documents' }));
      await page.getByText('Nothing lies here yet').waitFor();
      await page.getByRole('treeitem', { name: 'Documents' }).click();
      await person().row('notes.txt').waitFor();
      await page.getByLabel('Select Fresh').check();
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Old');
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
      await page.getByLabel('Select Old').check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('alertdialog').getByText('All that lies in the folders').waitFor();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('1 deleted.').waitFor();
      await page.getByRole('treeitem', { name: 'Old' }).waitFor({ state: 'detached' });
      expect(await page.title()).not.toBe('1');
    });
  },
  { settings, expected },
);
