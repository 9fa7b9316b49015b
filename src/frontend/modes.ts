/** Parts of a page that are loaded later (`data-svc-rendering-mode`). */
import { within } from './bind.js';
import { milliseconds } from './options.js';
import { reload } from './reload.js';

const MODE = 'data-svc-rendering-mode';
const DELAY = 1000;
const PERIOD = 10_000;
/** Nobody sees more, and the server would. */
const SHORTEST = 100;

/** `isFirst`: they came with the page, without what is in them; else with it. */
export function startModes(root: Element, isFirst: boolean): void {
  for (const element of within(root, `[${MODE}]`)) start(element, isFirst);
}

function start(element: HTMLElement, isFirst: boolean): void {
  const given = element.dataset['svcDelayOrInterval'];
  const load = (): void => {
    if (element.isConnected) void reload(element, {});
  };
  switch (element.getAttribute(MODE) ?? '') {
    case 'load':
      if (isFirst) load();
      break;
    case 'delayed':
      if (isFirst) window.setTimeout(load, milliseconds(given, DELAY));
      break;
    case 'visible':
      if (isFirst) whenVisible(element, load);
      break;
    case 'periodic':
      again(element, isFirst ? 0 : Math.max(SHORTEST, milliseconds(given, PERIOD)));
      break;
  }
}

/** Until something else is in its place, which goes on; so what fails once is tried again. */
function again(element: HTMLElement, time: number): void {
  window.setTimeout(() => {
    if (!element.isConnected) return;
    void reload(element, {}).finally(() => {
      again(element, Math.max(SHORTEST, milliseconds(element.dataset['svcDelayOrInterval'], PERIOD)));
    });
  }, time);
}

function whenVisible(element: Element, load: () => void): void {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    load();
  });
  observer.observe(element);
}
