/** Elements get their listeners. */
import { handle } from './action.js';
import { valueOf, type Value } from './values.js';

const bound = new WeakSet<Element>();
const draggables = new WeakSet<Element>();

/** An element and all in it, each once. */
export function bind(root: Element): void {
  for (const element of within(root, '[data-svc-events]')) {
    if (bound.has(element)) continue;
    bound.add(element);
    for (const name of (element.dataset['svcEvents'] ?? '').split(',').map((one) => one.trim())) {
      if (name !== '') listen(element, name);
    }
  }
  for (const element of within(root, '[draggable="true"]')) makeDraggable(element);
}

export function within(root: Element, selector: string): readonly HTMLElement[] {
  const found = root.matches(selector) ? [root] : [];
  return [...found, ...root.querySelectorAll(selector)] as HTMLElement[];
}

function listen(element: HTMLElement, name: string): void {
  const listener = (event: Event): void => {
    handle(event, element);
  };
  // It has been loaded when it is there.
  if (name === 'load') {
    listener(new Event('load', { cancelable: true }));
    return;
  }
  element.addEventListener(name, listener);
  if (name === 'drop') {
    element.addEventListener('dragover', (event) => {
      event.preventDefault();
    });
  }
}

function makeDraggable(element: HTMLElement): void {
  if (draggables.has(element)) return;
  draggables.add(element);
  element.addEventListener('dragstart', (event) => {
    // The innermost is dragged.
    event.stopPropagation();
    const data: Record<string, Value> = {};
    for (const [key, text] of Object.entries(element.dataset)) {
      const value = valueOf(text ?? '', { element });
      // Files would have to be sent first.
      if (value !== undefined && !(value instanceof Promise)) data[key] = value;
    }
    const id = data['svcIdExpression'] ?? data['svcTarget'];
    const text = JSON.stringify(id === undefined ? data : { ...data, id });
    event.dataTransfer?.setData('application/json', text);
    event.dataTransfer?.setData('text/plain', text);
  });
}
