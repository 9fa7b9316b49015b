/** The area Files of the Admin UI, as a person uses it. */
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
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

/** A second of silence. */
function tone(): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + 8000, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(8000, 40);
  return Buffer.concat([head, Buffer.alloc(8000, 128)]);
}

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
    ['tone.wav', tone()],
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
      await page.getByText('10 files and folders').waitFor();
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

    it('uploads files and whole folders, which rest, go on where they were, and end', async () => {
      const { page, server } = person();
      const admin = server.as('admin', 'admin');
      const root = await mkdtemp(join(tmpdir(), 'svc-files-'));
      await mkdir(join(root, 'Album', 'inner'), { recursive: true });
      await mkdir(join(root, 'Album', 'nothing'), { recursive: true });
      await writeFile(join(root, 'Album', 'one.txt'), 'one');
      await writeFile(join(root, 'Album', 'inner', 'two.txt'), 'two');
      const large = Buffer.alloc(3_000_000, 'large ');
      await writeFile(join(root, 'large.bin'), large);
      const pathOf = async (name: string): Promise<unknown> =>
        (await admin.get(`/File?name=${name}`)).body.result[0]?.path as unknown;
      await person().logIn();
      await person().goTo(`files/folder/${ids['deep'] ?? ''}`);
      await page.getByText('Nothing lies here yet').waitFor();
      // Dropped from the desktop, as the browser tells it.
      const session = await page.context().newCDPSession(page);
      const place = await grid(page).boundingBox();
      const drag = { x: (place?.x ?? 0) + 50, y: (place?.y ?? 0) + 100 };
      const data = { items: [], files: [join(root, 'Album')], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await session.send('Input.dispatchDragEvent', { type, ...drag, data });
      await page.getByText('Uploads: 2 of 2 done').waitFor();
      await grid(page).getByRole('button', { name: 'Album' }).click();
      await page.getByText('3 files and folders').waitFor();
      await person().row('nothing').waitFor();
      expect(await pathOf('one.txt')).toBe('/Documents/Deep/Album/one.txt');
      expect(await pathOf('two.txt')).toBe('/Documents/Deep/Album/inner/two.txt');
      // By a button, to the root, over a slow line.
      await page.getByRole('link', { name: 'All files' }).first().click();
      await page.getByRole('heading', { level: 2, name: 'All files' }).waitFor();
      const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 300_000 };
      await session.send('Network.enable');
      await session.send('Network.emulateNetworkConditions', slow);
      const panel = page.getByRole('region', { name: 'Uploads' });
      await page.getByLabel('Upload files').setInputFiles(join(root, 'large.bin'));
      const line = panel.getByRole('listitem').filter({ hasText: 'large.bin' });
      await line.getByText(/[1-9] %/).waitFor();
      await line.getByRole('button', { name: 'Pause large.bin' }).click();
      await line.getByText('paused').waitFor();
      expect(await violations(page, true)).toEqual([]);
      await person().picture('uploads');
      await session.send('Network.emulateNetworkConditions', { ...slow, offline: true });
      await line.getByRole('button', { name: 'Go on with large.bin' }).click();
      await line.getByText('the server does not answer').waitFor();
      const offsets: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'PATCH') offsets.push(request.headers()['upload-offset'] ?? '');
      });
      await session.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
      await line.getByText('done').waitFor();
      // It did not begin anew.
      expect(Number(offsets.at(-1))).toBeGreaterThan(0);
      await person().row('large.bin').waitFor();
      expect(await pathOf('large.bin')).toBe('/large.bin');
      const sent = await page.request.get(`${server.url}/large.bin`);
      expect((await sent.body()).equals(large)).toBe(true);
      // One that is ended leaves nothing.
      await session.send('Network.emulateNetworkConditions', slow);
      await page.getByLabel('Upload files').setInputFiles(join(root, 'large.bin'));
      await panel.getByRole('alert').getByRole('button', { name: 'Keep both' }).click();
      const second = panel.getByRole('listitem').filter({ hasText: /[1-9] %/ });
      await second.waitFor();
      await second.getByRole('button', { name: 'Cancel large.bin' }).click();
      await second.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Clear what is done' }).click();
      await panel.waitFor({ state: 'detached' });
      expect((await admin.get('/File?name=large.bin')).body.result_count).toBe(1);
      // Logging out ends what is still sent: the page does not ask, and does not stay.
      await page.getByLabel('Upload files').setInputFiles(join(root, 'large.bin'));
      await panel.getByRole('alert').getByRole('button', { name: 'Keep both' }).click();
      await panel
        .getByRole('listitem')
        .filter({ hasText: /[1-9] %/ })
        .waitFor();
      const questions: string[] = [];
      page.on('dialog', (question) => {
        questions.push(question.type());
        void question.dismiss();
      });
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByLabel('Password').waitFor();
      expect(questions).toEqual([]);
      expect((await admin.get('/File?name=large.bin')).body.result_count).toBe(1);
      // A page whose line is slow may not be closed.
      await session.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    });

    it('asks what to do with files whose names are taken, for one and for all', async () => {
      const { page, server } = person();
      const admin = server.as('admin', 'admin');
      const into = await folder(admin, 'Taken');
      const old: Record<string, string> = {};
      for (const name of ['a.txt', 'b;c.txt', 'd.txt', 'e.txt'])
        old[name] = await uploaded(admin, file(name, `old ${name}`), { parent: into });
      const contentOf = async (id = ''): Promise<string> => (await page.request.get(`${server.url}/${id}`)).text();
      const bring = (...names: string[]): Promise<void> =>
        page
          .locator('input[type=file]')
          .first()
          .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`new ${name}`) })));
      await person().logIn();
      await person().goTo(`files/folder/${into}`);
      await person().row('a.txt').waitFor();
      await bring('a.txt', 'fresh.txt');
      const asked = page.getByRole('region', { name: 'Uploads' }).getByRole('alert');
      await asked.getByText('“a.txt” is there already.').waitFor();
      await person().row('fresh.txt').waitFor();
      expect(await contentOf(old['a.txt'])).toBe('old a.txt');
      expect(await violations(page, true)).toEqual([]);
      await person().picture('same-name');
      await asked.getByRole('button', { name: 'Replace it' }).click();
      await page.getByText('Uploads: 2 of 2 done').waitFor();
      expect(await contentOf(old['a.txt'])).toBe('new a.txt');
      const inFolder = async (): Promise<string[]> =>
        ((await admin.get(`/File?parent=${into}&_sort=name`)).body.result as { name: string }[]).map((one) => one.name);
      expect(await inFolder()).toEqual(['a.txt', 'b;c.txt', 'd.txt', 'e.txt', 'fresh.txt']);
      // A replacement that is refused leaves no second file, and can be tried again.
      const refused = (route: Route): Promise<void> =>
        route.fulfill({ status: 422, contentType: 'application/json', body: '{"code":422,"message":"not this one"}' });
      await page.route('**/copyFileContents', refused);
      await bring('a.txt');
      await asked.getByRole('button', { name: 'Replace it' }).click();
      await page.getByText('not this one').waitFor();
      expect(await inFolder()).toHaveLength(5);
      await page.unroute('**/copyFileContents', refused);
      await page.getByRole('button', { name: 'Try again: a.txt' }).click();
      await asked.getByRole('button', { name: 'Replace it' }).click();
      await page.getByText('Uploads: 3 of 3 done').waitFor();
      expect(await inFolder()).toHaveLength(5);
      // What is cancelled, or paused and resumed, while its name is looked for is sent not at all, or once.
      const held: Route[] = [];
      const hold = (route: Route): void => void held.push(route);
      await page.route(/[?&]name=(never|once)/, hold);
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().includes('upload/tus'))
          sent.push(request.headers()['upload-metadata'] ?? '');
      });
      await bring('never.txt', 'once.txt');
      await expect.poll(() => held.length).toBe(2);
      await page.getByRole('button', { name: 'Cancel never.txt' }).click();
      await page.getByRole('button', { name: 'Pause once.txt' }).click();
      await page.getByRole('button', { name: 'Go on with once.txt' }).click();
      await expect.poll(() => held.length).toBe(3);
      for (const route of held) await route.continue();
      await page.unroute(/[?&]name=(never|once)/, hold);
      await page.getByText('Uploads: 4 of 4 done').waitFor();
      expect(sent).toHaveLength(1);
      expect((await inFolder()).filter((name) => /never|once/.test(name))).toEqual(['once.txt']);
      await admin.delete(`/File?name=once.txt`);
      // One is left out, the others are kept beside those that are there.
      await page.getByRole('button', { name: 'Clear what is done' }).click();
      await bring('b;c.txt', 'd.txt', 'e.txt');
      await asked.getByText('2 more questions').waitFor();
      const first = /“(.*)”/.exec((await asked.textContent()) ?? '')?.[1] ?? '';
      await asked.getByRole('button', { name: 'Leave it out' }).click();
      await asked.getByText('one more question').waitFor();
      expect(await page.evaluate('document.activeElement?.textContent')).toBe('Leave it out');
      await asked.getByRole('checkbox').check();
      await asked.getByRole('button', { name: 'Keep both' }).click();
      await page.getByText('Uploads: 2 of 2 done').waitFor();
      expect(await asked.count()).toBe(0);
      const now = await inFolder();
      expect(now).toHaveLength(7);
      const stem = (name: string): string => name.replace('.txt', '_');
      for (const name of ['b;c.txt', 'd.txt', 'e.txt']) {
        expect(await contentOf(old[name])).toBe(`old ${name}`);
        expect(now.filter((one) => one.startsWith(stem(name)))).toHaveLength(name === first ? 0 : 1);
      }
    });

    it('edits texts, and tells when somebody else has saved another meanwhile', async () => {
      const { page, server } = person();
      const admin = server.as('admin', 'admin');
      const id = ids['notes.txt'] ?? '';
      await person().logIn();
      await person().goTo(`files/file/${id}`);
      const editor = page.getByLabel('Text of notes.txt');
      await editor.getByText('the garden').waitFor();
      await editor.press('Control+Home');
      await page.keyboard.type('mine, ');
      await page.getByText('Not saved yet').waitFor();
      expect(await violations(page, true)).toEqual([]);
      await page.keyboard.press('Control+s');
      await page.getByText('Saved.').waitFor();
      await page.keyboard.type('again ');
      await admin.send('PUT', `/svc/upload/${id}`, Buffer.from('theirs'), { 'Content-Type': 'text/plain' });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Somebody else has saved another text').waitFor();
      await page.getByLabel('Their text').getByText('theirs').waitFor();
      await person().picture('conflict');
      // Looking at something else does not lose what was typed.
      await page.getByRole('tab', { name: 'Details' }).click();
      await page.getByText('What is known of it').waitFor();
      expect(await violations(page, true)).toEqual([]);
      await person().picture('details');
      await page.getByRole('tab', { name: 'Text' }).click();
      await editor.getByText('mine, again first line').waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Replace theirs by mine' }).click();
      await page.getByText('Saved.').waitFor();
      expect(await (await page.request.get(`${server.url}/${id}`)).text()).toContain(
        'mine, again first line\nthe garden',
      );
    });

    it('shows pictures, PDF and Markdown, and runs nothing of what was uploaded', async () => {
      const { page } = person();
      await person().logIn();
      const title = await page.title();
      await person().goTo(`files/file/${ids['picture.jpg'] ?? ''}`);
      await page.getByText('600 × 400 pixels').waitFor();
      await expect.poll(() => page.evaluate('document.querySelector("figure img")?.naturalWidth')).toBe(600);
      await person().picture('image');
      await person().goTo(`files/file/${ids['report.pdf'] ?? ''}`);
      await page.locator('iframe.pdf[src^="blob:"]').waitFor();
      await person().picture('pdf');
      await person().goTo(`files/file/${ids['tone.wav'] ?? ''}`);
      // What is in it has come, so the policy of the page permits it.
      await expect.poll(() => page.evaluate('document.querySelector("audio")?.duration')).toBe(1);
      await person().goTo(`files/file/${ids['plan.md'] ?? ''}`);
      await page.getByRole('heading', { name: 'Plan' }).waitFor();
      await page.locator('.markdown').getByText('<img src=x onerror').waitFor();
      expect(await page.getByRole('link', { name: 'here', exact: true }).getAttribute('href')).toBe(
        'https://example.org/',
      );
      expect(await page.getByRole('link', { name: 'not here' }).count()).toBe(0);
      expect(await violations(page, true)).toEqual([]);
      await person().picture('markdown');
      await person().goTo(`files/file/${ids['page.html'] ?? ''}`);
      await page.getByLabel('Text of page.html').getByText('document.title').waitFor();
      await person().goTo(`files/file/${ids['drawing.svg'] ?? ''}`);
      await expect.poll(() => page.evaluate('document.querySelector("figure img")?.naturalWidth')).toBe(10);
      expect(await page.title()).toBe(title);
    });

    it('gives rights to users, and shows who has none a clear word', async () => {
      const { page, server } = person();
      const admin = server.as('admin', 'admin');
      const id = ids['docs'] ?? '';
      await person().logIn();
      await person().goTo(`files/settings/${id}`);
      await page.getByRole('checkbox', { name: 'To all users' }).check();
      await page.getByRole('combobox', { name: 'Add a user or group' }).fill('guest');
      await page.getByRole('option', { name: 'guest' }).click();
      await page.getByRole('checkbox', { name: 'write: guest' }).check();
      await page.getByRole('checkbox', { name: 'Also for all that lies in this folder' }).check();
      expect(await violations(page, true)).toEqual([]);
      await person().picture('permissions');
      // Somebody else is quicker.
      await admin.put(`/Folder/${id}`, { visibleToPublicUsers: true });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Somebody else has changed the rights meanwhile').waitFor();
      expect(await page.getByRole('checkbox', { name: 'write: guest' }).isChecked()).toBe(true);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      for (const one of [`/Folder/${id}`, `/Folder/${ids['deep'] ?? ''}`, `/File/${ids['plan.md'] ?? ''}`]) {
        const found = (await admin.get(one)).body.result as Record<string, unknown>;
        expect(found).toMatchObject({ visibleToAuthenticatedUsers: true, visibleToPublicUsers: false });
      }
      const grants = (await admin.get(`/Security/all?accessControllableId=${ids['plan.md'] ?? ''}`)).body.result;
      expect(grants).toContainEqual(expect.objectContaining({ allowed: ['read', 'write'] }));
      await person().logOut();
      await person().logIn('guest', 'a guest');
      await person().open('Files');
      await page.getByText('Your user may not see this.').first().waitFor();
      // With permissions for the endpoints he sees what was granted, and nothing else.
      for (const signature of ['Folder', 'File'])
        await admin.post('/ResourceAccess', { signature, flags: 1, visibleToAuthenticatedUsers: true });
      await page.reload();
      await grid(page).getByRole('button', { name: 'Documents' }).waitFor();
      await page.getByRole('treeitem', { name: 'Documents' }).waitFor();
      expect(await page.getByRole('treeitem', { name: 'Many' }).count()).toBe(0);
      await person().goTo(`files/file/${ids['page.html'] ?? ''}/permissions`);
      await page.getByText('Your user may not see this.').waitFor();
    });

    it('crops images, searches names and contents, unpacks archives and configures storages', async () => {
      const { page, server } = person();
      const admin = server.as('admin', 'admin');
      await person().logIn();
      await person().goTo(`files/file/${ids['picture.jpg'] ?? ''}/crop`);
      await page.getByLabel('Sides').selectOption('1:1');
      await expect.poll(() => page.getByLabel('Width').inputValue()).toBe('400');
      await page.getByLabel('Left', { exact: true }).fill('20');
      expect(await violations(page, true)).toEqual([]);
      await person().picture('crop');
      await page.getByRole('button', { name: 'Save as a new image' }).click();
      await page.getByRole('link', { name: 'picture.jpg_cropped_400x400' }).waitFor();
      await page.getByLabel('Height').fill('100');
      await page.getByRole('button', { name: 'Replace this image' }).click();
      await page.getByText('The image has its new content.').waitFor();
      expect((await admin.get(`/Image/${ids['picture.jpg'] ?? ''}`)).body.result).toMatchObject({
        name: 'picture.jpg',
        width: 400,
        height: 100,
      });
      // Found by a part of a name, then by a word in the text.
      await person().goTo('files');
      await page.getByLabel('Search all folders').fill('PLAN');
      await person().row('/Documents/plan.md').waitFor();
      await page.getByLabel('Search in').selectOption('content');
      await page.getByLabel('Search all folders').fill('garden');
      await person().row('notes.txt').locator('mark').getByText('garden').waitFor();
      expect(await violations(page, true)).toEqual([]);
      await person().picture('search');
      await page.getByLabel('Search all folders').fill('');
      // The archive of a folder goes up again, and is unpacked.
      await person().goTo(`files/folder/${ids['docs'] ?? ''}`);
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download ZIP' }).click();
      const archive = await (await download).path();
      expect((await download).suggestedFilename()).toBe('Documents.zip');
      const zip = await uploaded(admin, file('back.zip', await readFile(archive)), { parent: ids['deep'] ?? '' });
      await person().goTo(`files/file/${zip}/archive`);
      await page.getByRole('button', { name: 'Unpack' }).click();
      await page.getByText(/^Unpacked: /).waitFor();
      await person().goTo(`files/folder/${ids['deep'] ?? ''}`);
      await grid(page).getByRole('button', { name: 'Documents' }).click();
      await person().row('plan.md').waitFor();
      await person().goTo(`files/folder/${ids['deep'] ?? ''}`);
      // A storage of its own for a folder.
      await page.getByRole('link', { name: 'Settings of the folder' }).click();
      await page.getByRole('tab', { name: 'Storage' }).click();
      await page.getByRole('button', { name: 'New configuration' }).click();
      // What is told of the unpacking is a dialog, too.
      const dialog = page.getByRole('dialog', { name: 'New configuration' });
      await dialog.getByLabel('Name', { exact: true }).fill('short-lived');
      await dialog.getByLabel('Kind of storage').selectOption('memory.InMemoryStorageProvider');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect(await violations(page, true)).toEqual([]);
      await person().picture('storage');
      const { body } = await admin.get(`/Folder/${ids['deep'] ?? ''}/ui`);
      expect(body.result).toMatchObject({ storageConfiguration: { name: 'short-lived' } });
      // Settings of the folder: what somebody else has changed in other fields stays, what both have changed is told.
      const mounts = `/Folder/${ids['deep'] ?? ''}`;
      const mounted = async (): Promise<unknown> => (await admin.get(`${mounts}/all`)).body.result;
      await page.getByLabel('Seconds between looks').fill('60');
      await admin.put(mounts, { mountScanInterval: 30, mountTargetFolderType: 'Folder' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Somebody else has changed Seconds between looks through the directory meanwhile').waitFor();
      expect(await page.getByLabel('Type of folders that are found').inputValue()).toBe('Folder');
      expect(await mounted()).toMatchObject({ mountScanInterval: 30 });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect(await mounted()).toMatchObject({ mountScanInterval: 60, mountTargetFolderType: 'Folder' });
      // Another name, unless somebody else has given one.
      const configuration = (body.result as { storageConfiguration: { id: string } }).storageConfiguration.id;
      const change = page.getByRole('dialog', { name: 'Change the configuration' });
      await page.getByRole('button', { name: 'Change the configuration' }).click();
      await change.getByLabel('Name', { exact: true }).fill('mine');
      await admin.put(`/StorageConfiguration/${configuration}`, { name: 'theirs' });
      await change.getByRole('button', { name: 'Save' }).click();
      await change.getByText('Somebody else has changed Name meanwhile, to: theirs').waitFor();
      expect(await change.getByLabel('Name', { exact: true }).inputValue()).toBe('mine');
      expect(await violations(page, true)).toEqual([]);
      await person().picture('storage-change');
      await change.getByRole('button', { name: 'Save' }).click();
      await change.waitFor({ state: 'detached' });
      const bucket = await admin.create('StorageConfiguration', {
        name: 'bucket',
        provider: 'org.svc.storage.providers.s3.GenericS3BucketStorageProvider',
        entries: Object.entries({ bucketName: 'files', region: 'here', accessKey: 'a', secretKey: 'hidden' }).map(
          ([name, value]) => ({ name, value }),
        ),
      });
      await page.getByRole('combobox', { name: 'Storage configuration' }).fill('bucket');
      await page.getByRole('option', { name: 'bucket' }).click();
      await page.getByRole('button', { name: 'Change the configuration' }).click();
      await expect.poll(() => change.getByLabel('Region', { exact: true }).inputValue()).toBe('here');
      expect(await change.getByLabel(/ecret/).getAttribute('type')).toBe('password');
      await change.getByLabel('Region', { exact: true }).fill('');
      await change.getByLabel(/ndpoint/).fill('http://127.0.0.1:9');
      // What somebody else has changed in other fields stays.
      const [key] = (await admin.get(`/StorageConfigurationEntry/all?configuration=${bucket}&name=accessKey`)).body
        .result;
      await admin.put(`/StorageConfigurationEntry/${String(key?.id)}`, { value: 'theirs' });
      await admin.post('/StorageConfigurationEntry', { name: 'unknown', value: 'kept', configuration: bucket });
      await change.getByRole('button', { name: 'Save' }).click();
      await change.waitFor({ state: 'detached' });
      const entries = (await admin.get(`/StorageConfigurationEntry/all?configuration=${bucket}`)).body.result;
      expect(Object.fromEntries(entries.map((one: { name: string; value: string }) => [one.name, one.value]))).toEqual({
        bucketName: 'files',
        accessKey: 'theirs',
        secretKey: 'hidden',
        unknown: 'kept',
        endpoint: 'http://127.0.0.1:9',
      });
      expect((await admin.get('/StorageConfigurationEntry?name=region')).body.result).toEqual([]);
      expect((await admin.get(`/StorageConfiguration/${configuration}`)).body.result).toMatchObject({ name: 'mine' });
    });

    it('reads long folders by pages, by keyboard, in German', async () => {
      const { page } = person();
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname.endsWith('/File') && searchParams.has('parent')) asked.push(searchParams.get('_page') ?? '');
      });
      await person().logIn();
      await page.getByLabel('Language').selectOption('de');
      await person().goTo(`files/folder/${ids['many'] ?? ''}`);
      await page.getByText('340 Dateien und Ordner').waitFor();
      await person().row('file 0000.txt').focus();
      expect(new Set(asked)).toEqual(new Set(['1']));
      await page.keyboard.press('Space');
      for (const key of ['ArrowDown', 'ArrowDown', 'Shift+Space']) await page.keyboard.press(key);
      await page.getByRole('group', { name: '3 ausgewählt' }).waitFor();
      await page.getByRole('button', { name: 'Nichts auswählen' }).click();
      await person().row('file 0002.txt').focus();
      await page.keyboard.press('End');
      await person().row('file 0339.txt').waitFor();
      expect(asked).toContain('4');
      expect(asked).not.toContain('2');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'file 0339.txt' }).waitFor();
      await page.getByRole('tab', { name: 'Rechte' }).waitFor();
    });
  },
  { settings, expected },
);
