/** What other scripts of a page are told. */
export type ListenerName = 'start' | 'success' | 'error' | 'reload';

export interface Told {
  /** That set the action off; of `reload` the one that was shown anew. */
  readonly element: HTMLElement;
  readonly status?: number;
  readonly result?: unknown;
}

export type Listener = (told: Told) => void;

const listeners = new Map<ListenerName, Set<Listener>>();

export function addEventListener(name: ListenerName, listener: Listener): void {
  const known = listeners.get(name);
  if (known === undefined) listeners.set(name, new Set([listener]));
  else known.add(listener);
}

export function removeEventListener(name: ListenerName, listener: Listener): void {
  listeners.get(name)?.delete(listener);
}

/** What one of them throws is told as errors of scripts are, and stops nothing. */
export function tell(name: ListenerName, told: Told): void {
  for (const listener of [...(listeners.get(name) ?? [])]) {
    try {
      listener(told);
    } catch (error) {
      reportError(error);
    }
  }
}

/** Tells those around an element, too. */
export function dispatch(element: Element, name: string, detail: unknown): void {
  element.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
}
