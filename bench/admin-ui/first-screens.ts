/** What the first screens need: bytes, requests, the first paint, the time until they can be used. */
import type { Browser } from 'playwright-core';
import { series, type Sample, type Series } from '../context.js';
import { SLOWER, Window, type Loaded } from './browser.js';
import { ADMINISTRATOR } from './person.js';

export interface Screen {
  readonly loaded: Loaded;
  /** Milliseconds on a processor that is `SLOWER` times slower. */
  readonly painted: Series;
  readonly usable: Series;
  /** Milliseconds of the processor, at its own speed, that the thread of the page needs. */
  readonly processor: Series;
}

/** A page that is opened by somebody for the first time. `selector`: of what can be used; `cookies`: of a session. */
export async function measureScreen(
  browser: Browser,
  url: string,
  selector: string,
  rounds: number,
  cookies: Parameters<Window['context']['addCookies']>[0] = [],
): Promise<Screen> {
  const painted: Sample[] = [];
  const usable: Sample[] = [];
  const processor: Sample[] = [];
  let loaded: Loaded | undefined;
  for (let i = 0; i < rounds; i++) {
    const window = await Window.open(browser);
    try {
      await window.context.addCookies(cookies);
      await window.slow(SLOWER);
      const before = await window.processorTime();
      await window.page.goto(url);
      usable.push({ value: await window.usable(selector) });
      loaded = await window.loaded();
      painted.push({ value: loaded.painted });
      processor.push({ value: ((await window.processorTime()) - before) / SLOWER });
    } finally {
      await window.close();
    }
  }
  if (loaded === undefined) throw new Error('nothing was measured');
  return { loaded, painted: series(painted), usable: series(usable), processor: series(processor) };
}

/** The cookies of the initial administrator. */
export async function cookiesOf(
  browser: Browser,
  url: string,
): Promise<Awaited<ReturnType<Window['context']['cookies']>>> {
  const window = await Window.open(browser);
  try {
    const { name, password } = ADMINISTRATOR;
    const answer = await window.context.request.post(`${url}/svc/login`, { form: { name, password } });
    if (!answer.ok()) throw new Error(`the login answered ${String(answer.status())}`);
    return await window.context.cookies();
  } finally {
    await window.close();
  }
}
