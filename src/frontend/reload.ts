/** Shows parts of a page anew. */
import { keepFocus } from './focus.js';
import { parseHtml } from './html.js';
import { dispatch, tell } from './listeners.js';
import { address, isRecord } from './server.js';

const PARAMETER = 'data-request-';
/** Longer values of results are no parameters. */
const LONGEST = 1000;
const running = new WeakMap<Element, AbortController>();

/** All elements that selectors mean. */
export async function reloadAll(selectors: string, result: unknown): Promise<void> {
  const elements = [...document.querySelectorAll<HTMLElement>(selectors)];
  // What is in another one comes with it.
  const outer = elements.filter((one) => !elements.some((other) => other !== one && other.contains(one)));
  await Promise.all(outer.map((one) => reload(one, parametersIn(result))));
}

/** Values of a result that are parameters of the page from now on. An object of the database is no list of parameters. */
function parametersIn(result: unknown): Record<string, string> {
  const parameters: Record<string, string> = {};
  if (!isRecord(result) || ('id' in result && 'type' in result)) return parameters;
  for (const [key, value] of Object.entries(result)) {
    if (!['string', 'number', 'boolean'].includes(typeof value)) continue;
    const text = String(value);
    if (text.length <= LONGEST) parameters[key] = text;
  }
  return parameters;
}

/** One element; `changes`: of the parameters of the page, empty ones are taken away. The newest of several counts. */
export async function reload(element: HTMLElement, changes: Readonly<Record<string, string>>): Promise<void> {
  running.get(element)?.abort();
  const controller = new AbortController();
  running.set(element, controller);
  try {
    const id = element.dataset['svcId'] ?? (await idOf(element));
    if (id === undefined) return;
    const response = await fetch(partAddress(element, id, changes), {
      headers: { Accept: 'text/html' },
      signal: controller.signal,
    });
    const html = response.ok ? await response.text() : '';
    // Somebody who may not see it any more gets none of it; other errors leave what there is.
    if (response.ok || response.status === 404) replace(element, html);
  } catch (error) {
    // A server that was not reached leaves what there is.
    if (!controller.signal.aborted && !(error instanceof TypeError)) throw error;
  }
}

function partAddress(element: HTMLElement, id: string, changes: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams();
  for (const { name, value } of element.attributes) {
    if (!name.startsWith(PARAMETER)) continue;
    const key = name.slice(PARAMETER.length).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    query.set(key, value);
  }
  for (const [key, value] of Object.entries(changes)) {
    if (value === '') query.delete(key);
    else query.set(key, value);
  }
  const state = element.dataset['svcRenderState'];
  if (state !== undefined) query.set('svc-encoded-render-state', state);
  const details = element.dataset['currentObjectId'];
  const path = `svc/html/${id}${details === undefined ? '' : `/${encodeURIComponent(details)}`}`;
  const text = query.toString();
  return address(text === '' ? path : `${path}?${text}`);
}

/** The id of an element that does not say it: the only one with its HTML id, or with its class. */
async function idOf(element: HTMLElement): Promise<string | undefined> {
  const query = new URLSearchParams();
  if (element.id !== '') query.set('_html_id', element.id);
  else if (element.className !== '') query.set('_html_class', element.className);
  else return undefined;
  const response = await fetch(address(`svc/rest/DOMElement?${query.toString()}`), {
    headers: { Accept: 'application/json' },
  });
  if (!response.ok) return undefined;
  const { result } = (await response.json()) as { result?: unknown };
  const [only, another] = Array.isArray(result) ? (result as { id?: unknown }[]) : [];
  return another === undefined && typeof only?.id === 'string' ? only.id : undefined;
}

function replace(element: HTMLElement, html: string): void {
  if (!element.isConnected) return;
  const fragment = parseHtml(html);
  const made = [...fragment.children].filter((one): one is HTMLElement => one instanceof HTMLElement);
  if (made.length === 0) {
    // An item is gone; of anything else the place is kept, as it may be shown again.
    if (element.dataset['repeaterDataObjectId'] !== undefined) element.remove();
    else {
      element.replaceChildren();
      element.hidden = true;
    }
    return;
  }
  const restore = keepFocus(element);
  element.replaceWith(fragment);
  restore(made);
  for (const one of made) {
    dispatch(one, 'svc-reload', {});
    tell('reload', { element: one });
  }
}
