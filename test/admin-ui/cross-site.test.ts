/** Pages of other sites and of other ports, in Chromium, while an administrator is logged in; and what the next user at the same browser finds. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { file, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser } from './person.js';

/** Serves the page of somebody who means harm, at two names: another site, and another port of the same one, to which browsers send cookies. */
class Attacker {
  html = '';
  readonly #server: Server = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(request.url === '/' ? this.html : '');
  });

  get port(): string {
    return String((this.#server.address() as AddressInfo).port);
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, resolve));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A form that a page submits by itself: the address, its fields, how it is written. */
type Form = readonly [path: string, fields: Readonly<Record<string, string>>, enctype: string];

/** One field whose name and value are JSON when they stand on both sides of a `=`. */
const json = (value: object): Readonly<Record<string, string>> => ({
  [JSON.stringify(value).replace(/\}$/, ',"note":"')]: '"}',
});
const PLAIN = 'text/plain';
const ENCODED = 'application/x-www-form-urlencoded';
const PARTS = 'multipart/form-data';

const FORMS: readonly Form[] = [
  ['/svc/rest/Town', json({ name: 'evil' }), PLAIN],
  ['/svc/rest/User', json({ name: 'evil', isAdmin: true, password: 'evil' }), PLAIN],
  ['/svc/rest/_console', json({ mode: 'expression', line: "create('Town', 'name', 'evil')" }), PLAIN],
  ['/svc/rest/maintenance/clearDatabase', json({}), PLAIN],
  ['/svc/rest/maintenance/maintenanceMode', json({ action: 'enable' }), PLAIN],
  ['/svc/rest/jobs/1/abort', json({}), PLAIN],
  ['/svc/rest/_runtimeEventLog', json({ action: 'acknowledge' }), PLAIN],
  ['/svc/rest/logout', json({}), PLAIN],
  ['/svc/csv/Town', { 'name\nevil': '' }, PLAIN],
  ['/svc/upload', { type: 'File' }, PARTS],
  ['/svc/deploy', { mode: 'app', downloadUrl: 'http://127.0.0.1:1/evil.zip' }, PARTS],
  ['/svc/ui/preview', { html: '<h1>evil</h1>' }, ENCODED],
  ['/svc/login', { name: 'guest', password: 'a password' }, ENCODED],
  ['/svc/logout', {}, ENCODED],
  ['/svc/config', { action: 'login', password: 'evil' }, ENCODED],
];

/** A page that submits the forms, each into a frame of its own, and asks by scripts as well; its title says when all is answered. */
function pageOf(target: string): string {
  return `<!doctype html><title>waits</title><iframe id=click src="${target}/svc/"></iframe><script>
    const forms = ${JSON.stringify(FORMS)};
    const ends = forms.map(([path, fields, enctype], i) => new Promise((done) => {
      const frame = document.createElement('iframe');
      frame.name = 'f' + i;
      document.body.append(frame);
      const form = Object.assign(document.createElement('form'), { method: 'post', action: '${target}' + path, enctype, target: frame.name });
      for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement('textarea'), { name, value }));
      document.body.append(form);
      frame.onload = done;
      form.submit();
    }));
    const ask = (path, init) => fetch('${target}' + path, { method: 'POST', mode: 'no-cors', credentials: 'include', ...init }).catch(() => undefined);
    const parts = new FormData();
    parts.append('file', new Blob(['evil']), 'evil.txt');
    ends.push(
      ask('/svc/upload', { body: parts }),
      ask('/svc/rest/Town', { body: '{"name": "evil"}' }),
      ask('/svc/rest/_console', { body: JSON.stringify({ mode: 'expression', line: "create('Town', 'name', 'evil')" }) }),
      ask('/svc/rest/Town', { method: 'DELETE', mode: 'cors' }),
      ask('/svc/rest/me', { method: 'PUT', mode: 'cors', body: '{"name": "evil"}' }),
    );
    Promise.all(ends).then(() => { document.title = 'done'; });
  </script>`;
}

const attacker = new Attacker();
beforeAll(() => attacker.open());
afterAll(() => {
  attacker.close();
});

async function prepare(server: TestServer): Promise<void> {
  const { admin } = server;
  await admin.defineType('Town', [{ name: 'note', propertyType: 'String' }]);
  await admin.create('Town', { name: 'Ulm' });
  await admin.create('User', { name: 'guest', password: 'a password' });
  await admin.create('User', { name: 'second', password: 'a password', isAdmin: true });
  await admin.create('User', { name: 'author', password: 'a password' });
  for (const signature of ['Page/importPage', 'Page', 'DOMElement'])
    await allow(admin, signature, 'user', ['POST', 'GET']);
  await admin.create('MailTemplate', { name: 'HELLO', locale: 'en', text: 'Hello' });
}

describeInBrowser(
  'the Admin UI and others at the same browser',
  prepare,
  (person) => {
    it.each(['localhost', '127.0.0.1'])('nothing is done for a page at another port of %s', async (host) => {
      const { page, server } = person();
      const { admin } = server;
      await person().logIn();
      const all = async (): Promise<unknown> => {
        const names = async (type: string): Promise<string[]> =>
          ((await admin.get(`/${type}?_sort=name`)).body.result as { readonly name: string }[]).map(({ name }) => name);
        return [await names('Town'), await names('User'), await names('File')];
      };
      const before = await all();
      const other = await page.context().newPage();
      attacker.html = pageOf(server.url);
      await other.goto(`http://${host}:${attacker.port}/`);
      await other.waitForFunction(`document.title === 'done'`);
      expect(await all()).toEqual(before);
      // Nobody was logged out, or in as somebody else, and the server runs as before.
      expect(await page.evaluate(`fetch('ui/state').then((answer) => answer.json())`)).toMatchObject({
        user: { name: 'admin' },
      });
      expect((await admin.get('/_env')).body.result).toMatchObject({ maintenanceModeActive: false });
      // It is not shown within another page, where somebody would click without knowing it.
      expect(await other.frameLocator('#click').locator('body').innerText()).not.toContain('Dashboard');
      for (const frame of other.frames()) expect(await frame.locator('h1').allInnerTexts()).not.toContain('evil');
      // The page itself may do what the other one may not.
      const own = `fetch('rest/Town', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{"name": "own"}' })`;
      expect(await page.evaluate(`${own}.then(({ status }) => status)`)).toBe(201);
    });

    it('what an author writes who is no administrator acts for no administrator who looks at it', async () => {
      const { page, server } = person();
      const { admin } = server;
      const author = server.as('author', 'a password');
      const act = `fetch('/svc/rest/Town', { method: 'POST', body: '{"name": "evil"}' }); document.title = 'ran';`;
      const markup = `<title>quiet</title><h1>of an author</h1><script>${act}</script><img src="x" onerror="${act.replaceAll('"', '&quot;')}">`;
      const upload = (name: string, content: string): Promise<string> => uploaded(author, file(name, content));
      const html = await upload('evil.html', `<!doctype html>${markup}`);
      const svg = await upload(
        'evil.svg',
        `<svg xmlns="http://www.w3.org/2000/svg"><text>x</text><script>${act}</script></svg>`,
      );
      const made = await author.post('/Page/importPage', {
        name: 'of-an-author',
        code: `<html><head></head><body>${markup}<a href="javascript:${act.replaceAll('"', '&quot;')}">go</a></body></html>`,
        authVisible: true,
      });
      expect(made.status).toBe(200);
      await person().logIn();
      const { id } = made.body.result as { readonly id: string };
      await person().goTo(`pages/${id}`);
      await page.frameLocator('iframe[title=Preview]').getByRole('heading', { name: 'of an author' }).waitFor();
      for (const file of [html, svg]) {
        await person().goTo(`files/file/${file}`);
        await page.getByRole('main').getByRole('tab', { name: 'Details' }).waitFor();
      }
      expect(await page.title()).not.toBe('ran');
      const other = await page.context().newPage();
      for (const place of ['of-an-author', html, svg]) {
        // Answers after `load`, which waits for scripts and for pictures that fail.
        const answer = await other.goto(`${server.url}/${place}`);
        expect([place, answer?.status()]).toEqual([place, 200]);
        expect([place, await other.evaluate('document.title')]).not.toEqual([place, 'ran']);
      }
      await other.goto(`${server.url}/of-an-author`);
      expect(await other.locator('a[href^="javascript:"]').count()).toBe(0);
      expect((await admin.get('/Town?name=evil')).body.result).toEqual([]);
    });

    it('a page that is previewed reaches nothing of the Admin UI', async () => {
      const { page, server } = person();
      const made = await server.admin.post('/Page/importPage', {
        name: 'mine',
        code: '<html><head></head><body><h1>mine</h1></body></html>',
      });
      await person().logIn();
      await person().goTo(`pages/${(made.body as { result: { id: string } }).result.id}`);
      await page.frameLocator('iframe[title=Preview]').getByRole('heading', { name: 'mine' }).waitFor();
      const attempts = {
        origin: 'origin',
        page: 'parent.document.title',
        address: `(top.location.href = '/svc/rest/User', 'moved')`,
        window: `String(open('/svc/'))`,
        storage: 'localStorage.length',
        cookies: 'document.cookie',
        worker: `navigator.serviceWorker.register('/svc/ui/worker.js')`,
        read: `fetch('/svc/rest/User', { credentials: 'include' }).then((answer) => answer.text())`,
        write: `fetch('/svc/rest/Town', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"name": "evil"}' }).then((answer) => answer.status)`,
        state: `fetch('/svc/ui/state', { credentials: 'include', mode: 'no-cors' }).then((answer) => answer.text())`,
      };
      const tries = Object.entries(attempts).map(
        ([name, code]) => `try { come['${name}'] = await (${code}); } catch { come['${name}'] = 'refused'; }`,
      );
      // The preview is loaded anew when the page's elements have come, and what runs in the former frame is lost.
      const come = await vi.waitFor(
        async () => {
          const frame = await (await page.locator('iframe[title=Preview]').elementHandle())?.contentFrame();
          return frame?.evaluate(`(async () => { const come = {}; ${tries.join('\n')} return come; })()`);
        },
        { timeout: 30_000, interval: 500 },
      );
      expect(come).toEqual({
        ...Object.fromEntries(Object.keys(attempts).map((name) => [name, 'refused'])),
        ...{ origin: 'null', window: 'null', write: 0, state: '' },
      });
      expect(page.url()).toContain('/svc/#/pages/');
      expect((await server.admin.get('/Town?name=evil')).body.result).toEqual([]);
      expect(page.context().serviceWorkers()).toEqual([]);
    });

    it('what one user has typed is not there for the next one', async () => {
      const { page, server } = person();
      const text = page.getByRole('textbox', { name: 'Text', exact: true });
      const draft = async (): Promise<void> => {
        await person().open('Mail templates');
        await page.getByText('HELLO').first().click();
        await text.click();
        await page.keyboard.insertText('something secret ');
        await expect.poll(() => text.innerText()).toContain('something secret');
      };
      const looksFor = async (): Promise<void> => {
        await person().open('Mail templates');
        await page.getByText('HELLO').first().click();
        await expect.poll(() => text.innerText()).toBe('Hello');
        expect(await page.getByRole('main').innerText()).not.toContain('something secret');
      };
      const enter = async (name: string, password: string, at = page): Promise<void> => {
        await at.getByLabel('Name or e-mail address').fill(name);
        await at.getByLabel('Password', { exact: true }).fill(password);
        await at.getByRole('button', { name: 'Log in', exact: true }).click();
      };
      await person().logIn();
      await draft();
      await page.getByRole('button', { name: 'Log out' }).click();
      await enter('second', 'a password');
      await page.getByText('second', { exact: true }).waitFor();
      await looksFor();

      // A session that has ended: who comes back finds what he has typed, somebody else does not.
      await draft();
      const end = async (): Promise<void> => {
        await page.context().clearCookies();
        await page.evaluate(`dispatchEvent(new Event('svc:refused'))`);
        await page.getByText('Your session has ended.').waitFor();
      };
      await end();
      await enter('second', 'a password');
      await page.getByText('Your session has ended.').waitFor({ state: 'detached' });
      expect(await text.innerText()).toContain('something secret');
      await end();
      await enter('admin', 'admin');
      await page.getByText('admin', { exact: true }).waitFor();
      await looksFor();

      // Somebody else has logged in at another tab: what is typed here is not sent in their name.
      await draft();
      const { page: tab } = await person().tab();
      await tab.goto(`${server.url}/svc/`);
      await tab.getByRole('button', { name: 'Log out' }).click();
      await enter('second', 'a password', tab);
      await tab.getByText('second', { exact: true }).waitFor();
      await page.evaluate(`dispatchEvent(new Event('focus'))`);
      await page.getByText('second', { exact: true }).waitFor();
      await looksFor();
      expect((await server.admin.get('/MailTemplate?name=HELLO')).body.result[0].text).toBe('Hello');
      // Scripts hold nothing that a session could be taken over with.
      expect(await page.evaluate('document.cookie')).toBe('');
      const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])');
      const cookies = await page.context().cookies();
      expect(cookies.length).toBeGreaterThan(0);
      for (const { value, httpOnly, sameSite } of cookies) {
        expect([httpOnly, sameSite]).toEqual([true, 'Lax']);
        expect(kept).not.toContain(value);
      }
    });
  },
  {
    expected: (problem) => ['Framing', 'CORS policy', 'ERR_FAILED', 'sandboxed'].some((part) => problem.includes(part)),
  },
);
