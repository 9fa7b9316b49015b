/** Cases 90 to 94: the Admin UI in Chromium. Without one they are left out. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { chromiumPath, launch, SLOWER, type Tasks, type Window } from '../admin-ui/browser.js';
import { cookiesOf, measureScreen, type Screen } from '../admin-ui/first-screens.js';
import { lighthouseInstalled, score } from '../admin-ui/lighthouse.js';
import { ADMINISTRATOR, AREA, LOGIN, loggedIn, type Name } from '../admin-ui/person.js';
import { makeTypes } from '../admin-ui/schema.js';
import { makeReader, READER, scrollLongest } from '../admin-ui/scrolling.js';
import { series, type Context, type Sample, type Series } from '../context.js';
import { THING, world } from '../growth/world.js';
import { PocketBase } from '../pocketbase.js';
import { growthResult, limitBelow, limitResult, type Result } from '../result.js';
import { ServerProcess } from '../server-process.js';

const SCRIPTS_KB = 150;
const SCORE = 95;
const STALL_MS = 50;
const DIAGRAM_MS = 1000;
const OPEN_MS = 1000;
const TYPES = 300;

const AREAS = 'data schema code console pages security files mail-templates localisations analytics changelog'.split(
  ' ',
);

/** What a browser does over a server of its own with an empty database; nothing where there is no browser. */
async function inBrowser(
  context: Context,
  number: number,
  work: (browser: Browser, server: ServerProcess) => Promise<Result[]>,
): Promise<Result[]> {
  const path = chromiumPath();
  if (path === undefined) {
    context.say(`case ${String(number)} is skipped: there is no Chromium (CHROMIUM_PATH)`);
    return [];
  }
  const folder = join(context.folder, `admin-ui-${String(number)}`);
  await mkdir(folder, { recursive: true });
  const server = await ServerProcess.start(folder, [], context.settings);
  const browser = await launch(path);
  try {
    return await work(browser, server);
  } finally {
    await browser.close();
    await server.stop();
  }
}

const one = (value: number): Series => series([{ value }]);
const kilobytes = (bytes: number): Series => one(bytes / 1000);

/** Case 90: what login and dashboard load, and when they can be used, beside the console of PocketBase. */
export const firstScreens = (context: Context): Promise<Result[]> =>
  inBrowser(context, 90, async (browser, server) => {
    const { rounds } = context.options;
    const login = await measureScreen(browser, `${server.url}/svc/`, LOGIN, rounds);
    const cookies = await cookiesOf(browser, server.url);
    const dashboard = await measureScreen(browser, `${server.url}/svc/`, AREA, rounds, cookies);
    if (login.loaded.elsewhere + dashboard.loaded.elsewhere > 0) throw new Error('another host was asked');
    const peer = await besideConsole(context, browser);
    return [
      ...screenRows('login', login),
      ...screenRows('dashboard', dashboard),
      ...(peer === undefined ? [] : beside(login, peer)),
    ];
  });

function screenRows(title: string, { loaded, painted, usable, processor }: Screen): Result[] {
  const { scripts, styles, requests } = loaded;
  const slower = `processor ${String(SLOWER)} times slower`;
  return [
    limitResult(
      {
        ...{ case: 90, title: `${title}: JavaScript, compressed`, unit: 'KB' },
        note: `${title}: CSS ${(styles / 1000).toFixed(1)} KB, ${String(requests)} requests in all`,
      },
      kilobytes(scripts),
      SCRIPTS_KB,
    ),
    limitResult({ case: 90, title: `${title}: first paint, ${slower}`, unit: 'ms' }, painted, 1000),
    limitResult(
      {
        ...{ case: 90, title: `${title}: can be used, ${slower}`, unit: 'ms' },
        note: `${title}: the page's thread needs ${processor.median.toFixed(0)} ms of the processor at its own speed`,
      },
      usable,
      2000,
    ),
  ];
}

/** PocketBase's login. */
async function besideConsole(context: Context, browser: Browser): Promise<Screen | undefined> {
  const built = PocketBase.build(context.folder);
  if (typeof built === 'string') {
    context.say(`  without PocketBase: ${built}`);
    return undefined;
  }
  const peer = await PocketBase.start(built.program, join(context.folder, 'pocketbase-console'));
  try {
    return await measureScreen(browser, `${peer.url}/_/`, LOGIN, context.options.rounds);
  } finally {
    await peer.end();
  }
}

function beside(mine: Screen, theirs: Screen): Result[] {
  const about = { case: 90, baselineTitle: 'the login of the console of PocketBase 0.38' };
  const slower = `processor ${String(SLOWER)} times slower`;
  return [
    growthResult(
      { ...about, title: 'login: JavaScript, compressed', unit: 'KB' },
      { baseline: kilobytes(theirs.loaded.scripts), svc: kilobytes(mine.loaded.scripts) },
      1,
    ),
    growthResult(
      { ...about, title: `login: first paint, ${slower}`, unit: 'ms' },
      { baseline: theirs.painted, svc: mine.painted },
      1,
    ),
    growthResult(
      { ...about, title: `login: can be used, ${slower}`, unit: 'ms' },
      { baseline: theirs.usable, svc: mine.usable },
      1,
    ),
    growthResult(
      { ...about, title: "login: processor time of the page's thread", unit: 'ms' },
      { baseline: theirs.processor, svc: mine.processor },
      1,
    ),
  ];
}

/** Case 91: Lighthouse. */
export const lighthouse = (context: Context): Promise<Result[]> =>
  inBrowser(context, 91, async (browser, server) => {
    if (!(await lighthouseInstalled())) {
      context.say('case 91 is skipped: npx does not get Lighthouse');
      return [];
    }
    const path = chromiumPath() ?? '';
    const cookies = await cookiesOf(browser, server.url);
    const scores = async (cookie?: { readonly name: string; readonly value: string }): Promise<Series> => {
      const found: Sample[] = [];
      for (let i = 0; i < context.options.rounds; i++)
        found.push({ value: await score(path, `${server.url}/svc/`, context.folder, cookie) });
      return series(found);
    };
    const row = (title: string, found: Series): Result =>
      limitBelow({ case: 91, title: `Lighthouse 12, performance of the ${title}`, unit: 'points' }, found, SCORE);
    return [row('login', await scores()), row('dashboard', await scores(cookies[0]))];
  });

/** Case 92: each area, opened from the dashboard with an empty cache, until all that it reads is shown. */
export const openAreas = (context: Context): Promise<Result[]> =>
  inBrowser(context, 92, async (browser, server) => {
    const results: Result[] = [];
    for (const area of AREAS) {
      const times: Sample[] = [];
      const processor: Sample[] = [];
      for (let i = 0; i < context.options.rounds; i++) {
        const window = await loggedIn(browser, server.url, ADMINISTRATOR);
        try {
          const before = await window.processorTime();
          const value = await window.settled(`location.hash = '#/${area}'`, `document.querySelector('${AREA}')`);
          times.push({ value });
          processor.push({ value: (await window.processorTime()) - before });
        } finally {
          await window.close();
        }
      }
      const note = `${area}: ${series(processor).median.toFixed(0)} ms of the processor`;
      results.push(limitResult({ case: 92, title: `opens ${area}`, unit: 'ms', note }, series(times), OPEN_MS));
    }
    return results;
  });

/** Case 93: the diagram of 300 types, as it was left, and laid out for the first time; from the dashboard to the last box and line. */
export const drawSchema = (context: Context): Promise<Result[]> =>
  inBrowser(context, 93, async (browser, server) => {
    const lines = await makeTypes(server, TYPES);
    const times: Record<'kept' | 'anew', Sample[]> = { kept: [], anew: [] };
    const processor: Record<'kept' | 'anew', Sample[]> = { kept: [], anew: [] };
    for (let i = 0; i < context.options.rounds; i++) {
      const window = await loggedIn(browser, server.url, ADMINISTRATOR);
      try {
        for (const how of ['anew', 'kept'] as const) {
          if (how === 'kept') await backToDashboard(window, server.url);
          const before = await window.processorTime();
          times[how].push({
            value: await window.settled(
              `location.hash = '#/schema/diagram'`,
              `document.querySelectorAll('.react-flow__node').length >= ${String(TYPES)} &&
               document.querySelectorAll('.react-flow__edge').length >= ${String(lines)}`,
            ),
          });
          processor[how].push({ value: (await window.processorTime()) - before });
        }
      } finally {
        await window.close();
      }
    }
    return (['anew', 'kept'] as const).map((how) => {
      const title = `diagram of ${String(TYPES)} types, ${how === 'anew' ? 'laid out' : 'as it was left'}`;
      const note = `${title}: ${series(processor[how]).median.toFixed(0)} ms of the processor`;
      return limitResult({ case: 93, title, unit: 'ms', note }, series(times[how]), DIAGRAM_MS);
    });
  });

/** In a page that knows nothing. */
async function backToDashboard(window: Window, url: string): Promise<void> {
  await window.page.goto(`${url}/svc/#/dashboard`);
  await window.page.reload();
  await window.usable(AREA);
}

/** Case 94: the table of a type with many objects is scrolled. */
export async function scrollTable(context: Context): Promise<Result[]> {
  const path = chromiumPath();
  if (path === undefined) {
    context.say('case 94 is skipped: there is no Chromium (CHROMIUM_PATH)');
    return [];
  }
  const objects = context.options.objects.many;
  const dataset = await world(context, objects);
  const server = await context.server(dataset);
  const browser = await launch(path);
  try {
    await makeReader(server, THING);
    const row = async (title: string, who: Name): Promise<Result> => {
      const found: Tasks[] = [];
      for (let i = 0; i < context.options.rounds; i++) found.push(await scrollLongest(browser, server.url, who, THING));
      const clock = series(found.map(({ clock: value }) => ({ value }))).median;
      return limitResult(
        {
          ...{ case: 94, title: `longest task, ${objects.toLocaleString('en')} rows scrolled, ${title}`, unit: 'ms' },
          note: `${title}: processor time; by the clock ${clock.toFixed(0)} ms, of ${String(found[0]?.count ?? 0)} tasks`,
        },
        series(found.map(({ processor: value }) => ({ value }))),
        STALL_MS,
      );
    };
    return [await row('administrator', ADMINISTRATOR), await row('reader', READER)];
  } finally {
    await browser.close();
    await context.stopServer(dataset);
  }
}
