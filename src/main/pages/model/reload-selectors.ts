/** Elements that others of their page name as what they reload (`data-svc-reload-target`, docs/interface/pages.md 7.2), also those that came behind them. */
import type { GraphNode } from '../../graph/index.js';
import { RELOAD_TARGET, ReloadSelectors } from '../../schema/index.js';
import { isMarked, textIn } from './stored-values.js';

/** Elements of one page whose selectors are looked at. */
const MOST = 1000;

/** Ids of the elements that a selector of another one means. What users without administrators' rights have written is not in the page (3.5), and means none. */
export function reloadedBySelector(elements: readonly GraphNode[]): ReadonlySet<string> {
  const selectors = new ReloadSelectors<true>();
  const texts = new Set<string>();
  for (const one of elements) {
    const text = textIn(one, RELOAD_TARGET);
    if (text === '' || isMarked(one) || texts.has(text) || texts.size >= MOST) continue;
    texts.add(text);
    selectors.add(one, true);
  }
  const found = new Set<string>();
  if (!selectors.isEmpty)
    for (const one of elements) if (selectors.matching(one).next().done === false) found.add(one.id);
  return found;
}
