/** What becomes of the page after an action (`data-svc-success-target`, `data-svc-failure-target`). */
import { parseHtml } from './html.js';
import { dispatch, tell } from './listeners.js';
import { detailOf } from './notifications.js';
import { reloadAll } from './reload.js';
import { address, isRecord, signOut, type Outcome } from './server.js';

/** What a module of `modules/reload-target-handlers` gets. */
export interface HandlerContext {
  readonly element: HTMLElement;
  readonly outcome: Outcome;
  /** Puts parts of the result in the place of `{result.a.b}`. */
  readonly fill: (text: string) => string;
  readonly address: (path: string) => string;
  readonly parseHtml: (html: string) => DocumentFragment;
  /** Sets going what is new in the page. */
  readonly begin: (element: HTMLElement) => void;
}

export interface Handler {
  readonly handle: (value: string, context: HandlerContext) => void | Promise<void>;
}

/** Modules that there are; any other word before a colon belongs to a selector. */
const MODULES: ReadonlySet<string> = new Set(['css', 'toast', 'template']);
const PLACEHOLDER = /\{result((?:\.[\w-]+)*)\}/g;

export async function follow(element: HTMLElement, outcome: Outcome): Promise<void> {
  const target = element.dataset[outcome.isSuccess ? 'svcSuccessTarget' : 'svcFailureTarget'] ?? '';
  if (target === '') return;
  const colon = target.indexOf(':');
  const prefix = target.slice(0, Math.max(0, colon));
  const rest = target.slice(colon + 1);
  if (prefix === 'url') navigate(filled(rest, outcome.result, true));
  else if (prefix === 'event') dispatch(element, rest, detailOf(element, outcome));
  else if (target === 'sign-out') {
    await signOut();
    window.location.reload();
  } else if (MODULES.has(prefix)) await handleByModule(prefix, rest, element, outcome);
  else await reloadAll(target, outcome.result);
}

async function handleByModule(name: string, value: string, element: HTMLElement, outcome: Outcome): Promise<void> {
  const url = address(`svc/js/frontend/modules/reload-target-handlers/${name}.js`);
  const { handle } = (await import(/* @vite-ignore */ url)) as Handler;
  await handle(value, {
    element,
    outcome,
    fill: (text) => filled(text, outcome.result, false),
    address,
    parseHtml,
    begin: (made) => {
      tell('reload', { element: made });
    },
  });
}

/** An address, or the same page again. Others than those of the web would run something. */
export function navigate(target: string): void {
  if (target.trim() === '') {
    window.location.reload();
    return;
  }
  const url = new URL(target, window.location.href);
  if (url.protocol === 'http:' || url.protocol === 'https:') window.location.assign(url);
}

/** With parts of the result. In an address what is behind its beginning is one segment or value, whatever it holds. */
function filled(text: string, result: unknown, isAddress: boolean): string {
  return text.replace(PLACEHOLDER, (_, path: string, at: number) => {
    let value: unknown = result;
    for (const key of path.split('.').slice(1)) {
      value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }
    const part = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
    return isAddress && at > 0 ? encodeURIComponent(part) : part;
  });
}
