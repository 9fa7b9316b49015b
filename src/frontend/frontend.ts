/** The script of pages with event actions (docs/interface/pages.md 7.4): `<script type="module" src="/svc/js/frontend/frontend.js">`. */
import { bind } from './bind.js';
import { addEventListener, removeEventListener, type ListenerName, type Listener } from './listeners.js';
import { startModes } from './modes.js';
import { reload } from './reload.js';

/** What other scripts of a page may use. */
export interface FrontendModule {
  addEventListener(name: ListenerName, listener: Listener): void;
  removeEventListener(name: ListenerName, listener: Listener): void;
  /** For elements that a script has put into the page. */
  bind(root: Element): void;
  /** Shows an element anew. */
  reload(element: HTMLElement): Promise<void>;
}

declare global {
  interface Window {
    svcFrontendModule: FrontendModule;
  }
}

function begin(root: Element, isFirst: boolean): void {
  bind(root);
  startModes(root, isFirst);
}

window.svcFrontendModule = {
  addEventListener,
  removeEventListener,
  bind: (root) => {
    begin(root, true);
  },
  reload: (element) => reload(element, {}),
};
addEventListener('reload', ({ element }) => {
  begin(element, false);
});
begin(document.documentElement, true);
