/** What somebody is typing into stays what it is while a part of the page is shown anew. */

/** Remembers what has the focus in an element; the answer gives it back to its successor. */
export function keepFocus(element: Element): (roots: readonly Element[]) => void {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || !element.contains(active)) return () => undefined;
  const selector = selectorOf(active);
  if (selector === undefined) return () => undefined;
  const index = [element, ...element.querySelectorAll(selector)].filter((one) => one.matches(selector)).indexOf(active);
  const typed = isText(active)
    ? { value: active.value, from: active.selectionStart, to: active.selectionEnd }
    : undefined;
  return (roots) => {
    const found = roots.flatMap((root) => [
      ...(root.matches(selector) ? [root] : []),
      ...root.querySelectorAll(selector),
    ]);
    const next = found[index];
    if (!(next instanceof HTMLElement)) return;
    next.focus();
    if (typed === undefined || !isText(next)) return;
    next.value = typed.value;
    // Not all kinds of inputs have a selection.
    if (typed.from !== null) next.setSelectionRange(typed.from, typed.to);
  };
}

function selectorOf(element: HTMLElement): string | undefined {
  if (element.id !== '') return `#${CSS.escape(element.id)}`;
  const id = element.dataset['svcId'];
  if (id !== undefined) return `[data-svc-id="${CSS.escape(id)}"]`;
  const name = element.getAttribute('name');
  return name === null ? undefined : `${element.tagName}[name="${CSS.escape(name)}"]`;
}

function isText(element: Element): element is HTMLInputElement | HTMLTextAreaElement {
  if (element instanceof HTMLTextAreaElement) return true;
  return element instanceof HTMLInputElement && /^(?:text|search|url|tel|email|password|number)$/.test(element.type);
}
