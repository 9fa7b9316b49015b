/** A browser in which pages of attackers are opened, and which tells what has run. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Stage } from '../actions/browser.js';

/** Texts that call `hit` with their number. */
export const marked = (texts: readonly string[]): string[] =>
  texts.map((text, i) => text.replaceAll('RUN', `hit(${String(i)})`));

/** Does to all elements of a page what visitors do, and answers what ran, or would, were an address followed. */
export const TOUCH = `(async () => {
  const all = [...document.querySelectorAll('*'), ...document.querySelectorAll('template')].slice(0, 20_000);
  document.addEventListener('click', (event) => event.preventDefault());
  document.addEventListener('submit', (event) => event.preventDefault());
  for (const one of all) {
    for (const name of ['href', 'src', 'action', 'formAction', 'data', 'srcdoc']) {
      const value = one[name]?.baseVal ?? one[name];
      if (typeof value === 'string' && /^(?:javascript|data|vbscript):/i.test(value)) hits.push(value);
    }
    for (const kind of ['click', 'focus', 'mouseover', 'pointerenter', 'load', 'error', 'toggle']) {
      one.dispatchEvent(new Event(kind, { bubbles: false, cancelable: true }));
    }
  }
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return hits;
})()`;

/** A page of nobody in which `hit` is told of, and nothing is loaded from elsewhere. */
export async function touchable(stage: Stage): Promise<Page> {
  const context = await stage.stranger();
  await context.addInitScript('window.hits = []; window.hit = (n) => { window.hits.push(n); };');
  // Nothing of the corpus is to be loaded from anywhere.
  await context.route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => route.abort());
  return context.newPage();
}

/** Opens paths one after the other, and does to all of their elements what visitors do; what ran. */
export async function ranAt(stage: Stage, ...paths: readonly string[]): Promise<string[]> {
  const page = await touchable(stage);
  const found: string[] = [];
  for (const path of paths) {
    const answer = await page.goto(stage.server.url + path, { waitUntil: 'load' });
    expect(answer?.status(), path).toBeLessThan(500);
    for (const hit of await page.evaluate<unknown[]>(TOUCH)) found.push(`${path} ${String(hit)}`);
  }
  await page.context().close();
  return found;
}
