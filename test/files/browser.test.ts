import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import { file, objectOf, served, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const browserPath = chromiumPath();
if (browserPath === undefined) console.warn('skipped: uploads by a browser; there is no Chromium (CHROMIUM_PATH)');

const FORM = `<!DOCTYPE html><form action="/svc/upload" method="post" enctype="multipart/form-data">
  <input type="file" name="files" multiple><input type="file" name="nothing">
  <input name="url" value=""><input type="hidden" name="redirectOnSuccess" value="/">
  <input type="hidden" name="appendUuidOnRedirect" value="true"><button>send</button></form>`;
/** Makes a folder in the name of whoever looks at it. */
const EVIL = `<!DOCTYPE html><title>evil</title><body onload="go()"><script>function go() {
  fetch('/svc/rest/Folder', { method: 'POST', body: '{"name":"stolen"}' }) } go()</script></body>`;

/** A tone of so many seconds, as PCM. */
function wave(seconds: number): Buffer {
  const rate = 8000;
  const samples = Buffer.alloc(seconds * rate * 2);
  for (let i = 0; i < samples.length; i += 2) samples.writeInt16LE(Math.round(8000 * Math.sin(i / 5)), i);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

describe.skipIf(browserPath === undefined)('uploads by a browser', () => {
  let server: TestServer;
  let browser: Browser;
  let context: BrowserContext;
  let folder: string;
  beforeAll(async () => {
    server = await TestServer.start();
    await allow(server.admin, '_login', 'anonymous', ['POST']);
    folder = await mkdtemp(join(tmpdir(), 'svc-browser-'));
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ ...(browserPath === undefined ? {} : { executablePath: browserPath }), args });
    context = await browser.newContext();
    const session = ((await server.admin.loggedIn()).headers['Cookie'] ?? '').split('=');
    await context.addCookies([{ name: session[0] ?? '', value: session[1] ?? '', url: server.url }]);
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
    await server.stop();
  });

  it('a form sends several files with names of any kind, and leads to the last', async () => {
    const form = await uploaded(server.admin, file('form.html', FORM));
    const names = ['plain.txt', 'ü 文件 🎈.txt', "it's; 100%.txt"];
    for (const name of names) await writeFile(join(folder, name), `content of ${name}`);
    const page = await context.newPage();
    await page.goto(`${server.url}/${form}`);
    await page.setInputFiles(
      'input[name=files]',
      names.map((name) => join(folder, name)),
    );
    await page.fill('input[name=url]', 'wörds & "quotes"');
    await page.click('button');
    await page.waitForURL(/\/[0-9a-f]{32}$/);
    const id = page.url().slice(-32);
    expect(id).not.toBe(form);
    expect(await page.textContent('body')).toBe(`content of ${names[2] ?? ''}`);
    expect(await objectOf(server.admin, id)).toMatchObject({
      name: names[2],
      url: 'wörds & "quotes"',
      contentType: 'text/plain',
    });
    for (const name of names) {
      const { status, bytes } = await served(server.admin, `/._svc_uploads/${encodeURIComponent(name)}`);
      expect([status, bytes.toString()]).toEqual([200, `content of ${name}`]);
    }
  });

  it('plays a recording, and jumps within it', async () => {
    const audio = await uploaded(server.admin, file('tone.wav', wave(60)));
    const page = await context.newPage();
    const ranges: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith(audio)) ranges.push(request.headers()['range']);
    });
    await page.goto(`${server.url}/._svc_uploads/plain.txt`);
    const played = await page.evaluate<{ duration: number; at: number; error: string | null }>(`(async () => {
      const element = new Audio('/${audio}');
      element.muted = true;
      await element.play();
      element.currentTime = 50;
      await new Promise((resolve) => (element.onseeked = resolve));
      while (element.currentTime < 50.3 && element.error === null) await new Promise((resolve) => setTimeout(resolve, 20));
      return { duration: Math.round(element.duration), at: element.currentTime, error: element.error?.message ?? null };
    })()`);
    expect(played).toMatchObject({ duration: 60, error: null });
    expect(played.at).toBeGreaterThan(50);
    expect(ranges[0]).toMatch(/^bytes=0-/);
  });

  it('scripts of users do nothing with the session of who looks at them; those of administrators run', async () => {
    await server.admin.create('User', { name: 'mallory', password: 'mallorys-password' });
    const mallory = server.as('mallory', 'mallorys-password');
    const stolen = async (): Promise<number> =>
      Number((await server.admin.get('/Folder?name=stolen')).body.result_count);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="fetch('/svc/rest/Folder',{method:'POST',body:'{name:stolen}'})"/>`;
    const look = async (id: string): Promise<void> => {
      const page = await context.newPage();
      await page.goto(`${server.url}/${id}`, { waitUntil: 'load' });
      await page.waitForTimeout(500);
      await page.close();
    };
    for (const [name, content, type] of [
      ['evil.html', EVIL, 'text/html'],
      ['evil.svg', svg, 'image/svg+xml'],
      ['evil', EVIL, 'image/png, text/html'],
      ['evil', EVIL, 'text/plain'],
      ['evil', EVIL, 'image/png'],
    ] as const) {
      await look(await uploaded(mallory, file(name, content), { contentType: type }));
      expect(await stolen(), `${name} as ${type}`).toBe(0);
    }
    // The test tells nothing unless it would work.
    await look(await uploaded(server.admin, file('mine.html', EVIL)));
    expect(await stolen()).toBeGreaterThan(0);
  });

  it('a page of another site cannot upload with the session of who looks at it', async () => {
    const page = await context.newPage();
    const before = Number((await server.admin.get('/File?_pageSize=1')).body.result_count);
    await page.route('http://evil.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: FORM.replace('/svc/upload', `${server.url}/svc/upload`) }),
    );
    await writeFile(join(folder, 'csrf.txt'), 'csrf');
    await page.goto('http://evil.example/');
    await page.setInputFiles('input[name=files]', join(folder, 'csrf.txt'));
    await Promise.all([page.waitForURL(`${server.url}/**`), page.click('button')]);
    expect(await page.textContent('body')).toContain('"code": 401');
    expect(Number((await server.admin.get('/File?_pageSize=1')).body.result_count)).toBe(before);
  });
});
