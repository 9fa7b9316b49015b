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
      // Its successor goes on.
      if (isFirst) load();
      else window.setTimeout(load, Math.max(SHORTEST, milliseconds(given, PERIOD)));
      break;
  }
}

function whenVisible(element: Element, load: () => void): void {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    load();
  });
  observer.observe(element);
}
