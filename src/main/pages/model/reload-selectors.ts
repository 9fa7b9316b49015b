/** Elements that others of their page name as what they reload (`data-svc-reload-target`, docs/interface/pages.md 7.2). */
import type { GraphNode } from '../../graph/index.js';
import { textIn } from './stored-values.js';

const KEY = 'data-svc-reload-target';
/** Selectors of one page. */
const MOST = 10_000;

/** Ids of the elements that a selector of another one means: `div`, `.class`, `#id`, `name`, `[name=name]`. */
export function reloadedBySelector(elements: readonly GraphNode[]): ReadonlySet<string> {
  const wanted = new Set<string>();
  for (const one of elements) {
    for (const selector of textIn(one, KEY).split(',')) {
      if (selector.trim() !== '' && wanted.size < MOST) wanted.add(selector.trim());
    }
  }
  const found = new Set<string>();
  if (wanted.size === 0) return found;
  for (const one of elements) {
    const names = [
      textIn(one, 'tag'),
      textIn(one, '_html_name'),
      `#${textIn(one, '_html_id')}`,
      ...textIn(one, '_html_class')
        .split(/\s+/)
        .map((name) => `.${name}`),
      ...['', "'", '"'].map((quote) => `[name=${quote}${textIn(one, '_html_name')}${quote}]`),
    ];
    if (names.some((name) => wanted.has(name))) found.add(one.id);
  }
  return found;
}
