/** Chromium, and what it tells of the page that it shows. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright-core';

/** Processors of phones are so many times slower than this one, as Lighthouse has it. */
export const SLOWER = 4;
const WINDOW = { width: 1440, height: 900 };
/** Nothing moves for so long: it is finished. */
const STILL_MS = 300;
const LONGEST_MS = 60_000;

/** `CHROMIUM_PATH`, or the first of the usual names in `PATH`; undefined where there is none. */
export function chromiumPath(): string | undefined {
  const given = process.env['CHROMIUM_PATH'];
  if (given !== undefined && given !== '') return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const files = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export const launch = (path: string): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: ['--no-sandbox'] });

/** What runs in the page before its own scripts: it notes long tasks, requests that wait for their answer, and when what is seen has changed. */
const WATCH = `
  globalThis.benchOf = { changed: 0, open: 0, tasks: [] };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) benchOf.tasks.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });
  const send = globalThis.fetch;
  globalThis.fetch = (...what) => {
    benchOf.open++;
    return send(...what).finally(() => benchOf.open--);
  };
  new MutationObserver(() => (benchOf.changed = performance.now())).observe(document, {
    childList: true, subtree: true, characterData: true,
  });
`;

/** A window with an empty cache. */
export class Window {
  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    readonly devtools: CDPSession,
  ) {}

  static async open(browser: Browser): Promise<Window> {
    const context = await browser.newContext({ viewport: WINDOW, locale: 'en-GB' });
    const page = await context.newPage();
    await page.addInitScript(WATCH);
    const devtools = await context.newCDPSession(page);
    // Times of processors, so that who else uses the machine does not count.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new Window(context, page, devtools);
  }

  close(): Promise<void> {
    return this.context.close();
  }

  /** A processor that is so many times slower; 1: as it is. */
  async slow(rate: number): Promise<void> {
    await this.devtools.send('Emulation.setCPUThrottlingRate', { rate });
  }

  /** Milliseconds of the processor that the thread of the page has had. */
  async processorTime(): Promise<number> {
    const { metrics } = await this.devtools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1000;
  }

  /**
   * Does what an expression says, and waits until what `until` finds is there, all requests are answered and nothing changes any more; milliseconds to the
   * last change, and those until it was painted.
   */
  async settled(does: string, until: string): Promise<number> {
    return this.page.evaluate<number>(`new Promise((resolve, reject) => {
      const since = performance.now();
      benchOf.changed = 0;
      ${does};
      let painted = 0;
      const look = () => {
        const now = performance.now();
        // Seen a frame after the change.
        if (benchOf.changed > painted) {
          painted = now;
          requestAnimationFrame(() => setTimeout(() => (painted = Math.max(painted, performance.now()))));
        }
        const isThere = benchOf.changed > 0 && (${until});
        if (isThere && benchOf.open === 0 && now - Math.max(painted, benchOf.changed) > ${String(STILL_MS)})
          resolve(painted - since);
        else if (now - since > ${String(LONGEST_MS)}) reject(new Error(${JSON.stringify(`not there: ${until}`)}));
        else setTimeout(look, 10);
      };
      look();
    })`);
  }

  /** Compressed bytes and requests of what the page has loaded since it was opened, and when something was seen first. */
  async loaded(): Promise<Loaded> {
    return this.page.evaluate<Loaded>(`(() => {
      const files = performance.getEntriesByType('resource');
      const sum = (ending) => files.filter(({ name }) => new URL(name).pathname.endsWith(ending))
        .reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0);
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      return { scripts: sum('.js'), styles: sum('.css'), requests: files.length + 1, painted: paint?.startTime ?? NaN,
        elsewhere: files.filter(({ name }) => new URL(name).origin !== location.origin).length };
    })()`);
  }

  /** Milliseconds from the beginning of the page until something is there and the last long task has ended. */
  async usable(selector: string): Promise<number> {
    await this.page.locator(selector).first().waitFor({ timeout: LONGEST_MS });
    return this.page.evaluate<number>(`new Promise((resolve) => {
      const seen = performance.now();
      const look = () => {
        const end = Math.max(0, ...benchOf.tasks.map(([start, duration]) => start + duration));
        const last = Math.max(end, benchOf.changed);
        if (benchOf.open === 0 && performance.now() - Math.max(last, seen) > ${String(STILL_MS)}) resolve(last);
        else setTimeout(look, 20);
      };
      look();
    })`);
  }
}

export interface Loaded {
  /** Bytes. */
  readonly scripts: number;
  readonly styles: number;
  readonly requests: number;
  /** Requests to other hosts. */
  readonly elsewhere: number;
  /** Milliseconds. */
  readonly painted: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

export interface Tasks {
  /** Milliseconds of the processor, and of the clock, of the longest task of the page's thread. */
  readonly processor: number;
  readonly clock: number;
  readonly count: number;
}

/** The longest task of the page's thread while something is done. */
export async function longestTask(browser: Browser, page: Page, work: () => Promise<void>): Promise<Tasks> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'disabled-by-default-devtools.timeline'] });
  let trace: Buffer;
  try {
    await work();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${String(pid)} ${String(tid)}`;
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map((event) => threadOf(event)),
  );
  const tasks = traceEvents.filter(
    (event) =>
      (event.name === 'RunTask' || event.name === 'ThreadControllerImpl::RunTask') && threads.has(threadOf(event)),
  );
  const most = (values: readonly (number | undefined)[]): number =>
    values.reduce<number>((found, value) => Math.max(found, value ?? 0), 0) / 1000;
  return {
    processor: most(tasks.map(({ tdur }) => tdur)),
    clock: most(tasks.map(({ dur }) => dur)),
    count: tasks.length,
  };
}
