/** A person at the Admin UI, in Chromium: a server of its own for a file of tests, a browser window for each test. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type BrowserContext, type Page, type Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import { type ServerOptions, TestServer } from '../support/server.js';

const executablePath = chromiumPath();
if (executablePath === undefined)
  console.warn('skipped: the Admin UI in a browser; there is no Chromium (CHROMIUM_PATH)');

/** Where pictures are left to be looked at; absent: none are made. */
const pictures = process.env['SVC_TEST_PICTURES'];

type Settings = NonNullable<ServerOptions['settings']>;

/** A name that runs a script where it is taken as HTML. */
export const HOSTILE = '<img src=x onerror="document.title=1">';

/** The requests of a page that have no answer yet, from when this was made. */
export class OpenRequests {
  readonly #open = new Set<Request>();

  constructor(private readonly page: Page) {
    page.on('request', (request) => {
      // What a page or a frame has asked for that was left may be neither answered nor given up.
      if (request.frame() !== page.mainFrame()) return;
      if (request.isNavigationRequest()) this.#open.clear();
      // A stream has no end.
      if (request.resourceType() !== 'eventsource') this.#open.add(request);
    });
    for (const end of ['requestfinished', 'requestfailed'] as const)
      page.on(end as 'requestfinished', (request) => this.#open.delete(request));
  }

  /** Waits until all are answered, and the page has drawn what they brought without asking for more. `message`: where that is. */
  async answered(message = 'open requests'): Promise<void> {
    await expect
      .poll(
        async () => {
          if (this.#open.size === 0)
            await this.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
          return [...this.#open].map((request) => request.url());
        },
        { message },
      )
      .toEqual([]);
  }
}

/** A window is closed in less. */
const CLOSING_MS = 30_000;
const WINDOW = { viewport: { width: 1440, height: 900 }, locale: 'en-GB' };

export class Person {
  constructor(
    /** Another one once it was restarted (`server.restart`). */
    public server: TestServer,
    readonly page: Page,
    /** What the page wrote to its console as errors, and what it threw; empty when all is well. */
    readonly problems: string[],
  ) {}

  /** Somebody at a page of a browser window; what goes wrong there is among `problems`. */
  static async at(server: TestServer, window: BrowserContext, problems: string[]): Promise<Person> {
    const page = await window.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // A refused request is an error to the browser.
      if (message.type() === 'error' && !message.text().includes('status of 4')) problems.push(message.text());
    });
    return new Person(server, page, problems);
  }

  /** Another tab of the same browser window, with the same session. */
  tab(): Promise<Person> {
    return Person.at(this.server, this.page.context(), this.problems);
  }

  /** Somebody else, in a browser window of their own. */
  async other(): Promise<Person> {
    const window = await this.page.context().browser()?.newContext(WINDOW);
    if (window === undefined) throw new Error('the browser has ended');
    return Person.at(this.server, window, this.problems);
  }

  async logIn(name = 'admin', password = 'admin'): Promise<void> {
    await this.page.goto(`${this.server.url}/svc/`);
    await this.page.getByLabel('Name or e-mail address').fill(name);
    await this.page.getByLabel('Password', { exact: true }).fill(password);
    await this.page.getByRole('button', { name: 'Log in', exact: true }).click();
    await this.page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  }

  /** Logs out, and waits until the page has begun anew. */
  async logOut(): Promise<void> {
    await this.page.getByRole('button', { name: 'Log out' }).click();
    await this.page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
  }

  /** Goes to an area by its name in the list of areas. */
  async open(area: string): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: area, exact: true }).click();
  }

  /** Goes to a place by its address, such as `data/Town`. */
  async goTo(place: string): Promise<void> {
    await this.page.goto(`${this.server.url}/svc/#/${place}`);
  }

  /** Leaves pictures at both widths where `SVC_TEST_PICTURES` names a folder. */
  async picture(name: string): Promise<void> {
    if (pictures === undefined) return;
    await mkdir(pictures, { recursive: true });
    for (const width of [1440, 390]) {
      await this.page.setViewportSize({ width, height: 900 });
      await this.page.screenshot({ path: join(pictures, `${name}-${String(width)}.png`), fullPage: true });
    }
    await this.page.setViewportSize({ width: 1440, height: 900 });
  }

  row(text: string): ReturnType<Page['locator']> {
    return this.page.getByRole('row').filter({ hasText: text });
  }
}

/** What all pages show, for whoever looks for the cause of a failure. */
async function tellPages(browser: Browser): Promise<void> {
  for (const page of browser.contexts().flatMap((window) => window.pages())) {
    const shown = await page
      .locator('body')
      .ariaSnapshot({ timeout: 5000 })
      .catch((error: unknown) => String(error));
    process.stderr.write(`${page.url()} shows:\n${shown.slice(0, 6000)}\n`);
  }
}

/**
 * Tests in a browser; skipped where there is none. `prepare` fills the server before the first. Each test gets a person who has not
 * logged in, and fails when the page has written errors that `expected` does not permit.
 */
export function describeInBrowser(
  title: string,
  prepare: (server: TestServer) => Promise<void>,
  tests: (person: () => Person) => void,
  {
    settings = {},
    expected = () => false,
  }: {
    /** Or what makes them, where they name servers of the test. */
    readonly settings?: Settings | (() => Promise<Settings>);
    readonly expected?: (problem: string) => boolean;
  } = {},
): void {
  describe.skipIf(executablePath === undefined)(title, () => {
    let browser: Browser;
    let server: TestServer;
    let person: Person;
    const launch = (): Promise<Browser> =>
      chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    /** All windows; of a browser that does not close them, which Chromium sometimes does while its line is throttled, nothing is left. */
    const closeWindows = async (): Promise<void> => {
      const windows = Promise.all(browser.contexts().map((window) => window.close())).then(() => true);
      if (await Promise.race([windows, sleep(CLOSING_MS, false, { ref: false })])) return;
      windows.catch(() => undefined);
      await browser.close();
      browser = await launch();
    };
    beforeAll(async () => {
      browser = await launch();
      server = await TestServer.start({ settings: typeof settings === 'function' ? await settings() : settings });
      await prepare(server);
    });
    afterAll(async () => {
      await browser.close();
      await server.stop();
    });
    beforeEach(async ({ task }) => {
      const problems: string[] = [];
      person = await Person.at(server, await browser.newContext(WINDOW), problems);
      return async () => {
        server = person.server;
        if (task.result?.state === 'fail') await tellPages(browser);
        await closeWindows();
        expect(problems.filter((problem) => !expected(problem))).toEqual([]);
      };
    });
    tests(() => person);
  });
}
