/** The table of a type with many objects while somebody scrolls. */
import type { Browser, Page } from 'playwright-core';
import type { ServerProcess } from '../server-process.js';
import { longestTask, type Tasks } from './browser.js';
import { loggedIn, type Name } from './person.js';

export const READER: Name = { name: 'reader-of-the-bench', password: 'reads a lot' };
const GET = 1;

/** Who is no administrator, may see the type and its objects, which everybody sees. */
export async function makeReader(server: ServerProcess, type: string): Promise<void> {
  const { result } = await server.request('GET', `/User?name=${READER.name}`);
  // In a database that was kept.
  if ((result as readonly unknown[]).length > 0) return;
  await server.request('POST', '/User', READER);
  const signatures = ['_schema', `_schema/${type}/_All`, `_schema/${type}`, `${type}/_All`];
  const signed = signatures.map((signature) => ({ signature, flags: GET, visibleToAuthenticatedUsers: true }));
  await server.request('POST', '/ResourceAccess', signed);
}

/** The longest task while the table is scrolled as by a wheel, and while its bar is dragged, with halts at which rows are read. */
export async function scrollLongest(browser: Browser, url: string, who: Name, type: string): Promise<Tasks> {
  const window = await loggedIn(browser, url, who);
  try {
    const { page } = window;
    await window.settled(`location.hash = '#/data/${type}'`, `document.querySelector('.grid .line .value')`);
    // What the browser compiles and lays out once.
    await scroll(page, 20);
    return await longestTask(browser, page, () => scroll(page, 200));
  } finally {
    await window.close();
  }
}

async function scroll(page: Page, steps: number): Promise<void> {
  await page.evaluate(`(async () => {
    const grid = document.querySelector('.grid');
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const read = async () => {
      const end = performance.now() + 10_000;
      while (grid.querySelector('.waiting') !== null && performance.now() < end) await frame();
      if (grid.querySelector('.waiting') !== null) throw new Error('rows were not read');
    };
    const steps = ${String(steps)};
    // A wheel: three rows a frame.
    for (let i = 0; i < steps * 2; i++) { grid.scrollTop += 108; await frame(); }
    await read();
    // Its bar: anywhere, from one frame to the next.
    for (let i = 0; i < steps; i++) {
      grid.scrollTop = ((i * 7919) % 1000) / 1000 * grid.scrollHeight;
      await frame();
      if (i % 20 === 19) await read();
    }
    grid.scrollTop = grid.scrollHeight;
    await read();
    grid.scrollTop = 0;
    await read();
  })()`);
}
