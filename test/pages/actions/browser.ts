/** Pages with event actions in a real browser, under a strict policy for what may run. */
import { chromium, type Browser, type BrowserContext, type Page, type Request } from 'playwright-core';
import { chromiumPath, firefoxPath } from '../../support/chromium.js';
import type { Client } from '../../support/client.js';
import { launchFirefox } from '../../support/firefox.js';
import { makePage, type Tree } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';

/** Set by `test/long/firefox.test.ts`. */
export const inFirefox = process.env['TEST_BROWSER'] === 'firefox';
export const browserPath = inFirefox ? firefoxPath() : chromiumPath();
if (browserPath === undefined) {
  const missing = inFirefox ? 'Firefox (FIREFOX_PATH)' : 'Chromium (CHROMIUM_PATH)';
  console.warn(`skipped: event actions in a browser; there is no ${missing}`);
}

/** Nothing inline, nothing from elsewhere, no markup that has not gone through a policy. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types svc',
].join('; ');

let count = 0;
export const unique = (what: string): string => `${what}${String(++count)}`;

/** A server and a browser, whose context is that of a user who may send events. */
export class Stage {
  private constructor(
    readonly server: TestServer,
    readonly admin: Client,
    readonly annaId: string,
    private readonly browser: Browser,
    /** Of anna. */
    readonly context: BrowserContext,
  ) {}

  static async open(settings: Readonly<Record<string, string | number | boolean>> = {}): Promise<Stage> {
    const server = await TestServer.start({ settings });
    const { admin } = server;
    const annaId = await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
    for (const who of ['user', 'anonymous'] as const) await allow(admin, 'DOMElement/_id/event', who, ['POST']);
    await allow(admin, '_login', 'anonymous', ['POST']);
    const browser = await launched();
    const context = await contextOf(browser, server, 'anna', 'Anna-pass-1');
    return new Stage(server, admin, annaId, browser, context);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }

  /** A context of another user. */
  contextOf(name: string, password: string): Promise<BrowserContext> {
    return contextOf(this.browser, this.server, name, password);
  }

  /** A context of nobody. */
  stranger(): Promise<BrowserContext> {
    return this.browser.newContext();
  }

  /** A page with the script, and this in its body; its path. */
  async make(...body: readonly Tree[]): Promise<string> {
    const name = unique('page');
    const head: Tree[] = [
      ['title', {}, name],
      [
        'Template',
        { content: `\${setResponseHeader('Content-Security-Policy', "${POLICY}")}`, contentType: 'text/html' },
      ],
      ['script', { _html_src: '/svc/js/frontend/frontend.js', _html_type: 'module' }],
    ];
    await makePage(this.admin, name, [['html', {}, ['head', {}, ...head], ['body', {}, ...body]]]);
    return `/${name}`;
  }

  /** Opens a path; whatever the console says that is wrong is in `problems`, but for refusals of the server. */
  async visit(path: string, context = this.context): Promise<{ readonly page: Page; readonly problems: string[] }> {
    const page = await context.newPage();
    const problems: string[] = [];
    // Firefox tells, too, that it must not look for the icon of a site.
    const isKnown = /Failed to load resource: the server responded with a status of 4\d\d|\/favicon\.ico/;
    const tell = (problem: string): void => {
      if (!isKnown.test(problem)) problems.push(problem);
    };
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) tell(message.text());
    });
    page.on('pageerror', (error) => {
      tell(String(error));
    });
    await page.goto(`${this.server.url}${path}`, { waitUntil: 'load' });
    return { page, problems };
  }
}

function launched(): Promise<Browser> {
  if (inFirefox) return launchFirefox(browserPath);
  return chromium.launch({
    ...(browserPath === undefined ? {} : { executablePath: browserPath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

async function contextOf(
  browser: Browser,
  server: TestServer,
  user: string,
  password: string,
): Promise<BrowserContext> {
  const context = await browser.newContext();
  if (inFirefox) await tellBodies(context);
  const [name = '', value = ''] = ((await server.as(user, password).loggedIn()).headers['Cookie'] ?? '').split('=');
  await context.addCookies([{ name, value, url: server.url }]);
  return context;
}

/** Firefox does not tell what is in a request: pages of this context do, before they send it. */
async function tellBodies(context: BrowserContext): Promise<void> {
  await context.exposeBinding('tellBody', ({ page }, body: string) => bodies.set(page, body));
  await context.addInitScript(`{
    const { fetch } = window;
    window.fetch = async (address, options) => {
      if (typeof options?.body === 'string') await window.tellBody(options.body);
      return fetch(address, options);
    };
  }`);
}
const bodies = new WeakMap<Page, string>();

/** The body of a request that a page has begun to send. */
export function bodyOf(request: Request, page: Page): Record<string, unknown> {
  return JSON.parse(request.postData() ?? bodies.get(page) ?? '{}') as Record<string, unknown>;
}

/** The body of the next event that a page sends. */
export async function sentBy(page: Page, doing: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/event')),
    doing(),
  ]);
  return bodyOf(request, page);
}

/** Parameters of actions. */
export const constant = (parameterName: string, constantValue: string): Record<string, unknown> => ({
  parameterName,
  parameterType: 'constant-value',
  constantValue,
});
export const input = (parameterName: string, inputElement: string): Record<string, unknown> => ({
  parameterName,
  parameterType: 'user-input',
  inputElement,
});

/** A stage with seven objects of the type `Thing`, whose `label` must be there, and the method `answer`. */
export async function stageWithThings(): Promise<Stage> {
  const stage = await Stage.open();
  const { admin } = stage;
  await admin.defineType('Thing', [
    { name: 'size', propertyType: 'Integer' },
    { name: 'label', propertyType: 'String', notNull: true },
  ]);
  for (let i = 1; i <= 7; i++) {
    await admin.create('Thing', {
      name: `thing-${String(i)}`,
      label: 'x',
      size: i,
      visibleToAuthenticatedUsers: true,
    });
  }
  await admin.create('SchemaMethod', {
    name: 'answer',
    source: '{ return { word: $.args.word, deep: { id: "a/b?c" } }; }',
  });
  return stage;
}
