/** Whether a node is shown: locale and conditions (docs/interface/pages.md 4). */
import { chain, scriptValue, type Awaitable, type ScriptValue } from '../../scripting/index.js';
import { isSandboxed, textOf, type PageNode } from '../model/page-node.js';
import { namesIn } from './names.js';
import type { Op, Scope } from './plan.js';
import { runOps } from './run-ops.js';

/** The same for whoever the node is shown to; without conditions they are what they were. */
export function conditioned(node: PageNode, ops: readonly Op[]): readonly Op[] {
  const forLocales = textOf(node, 'showForLocales');
  const notForLocales = textOf(node, 'hideForLocales');
  const sandboxed = isSandboxed(node);
  const hide = sandboxed ? undefined : condition(node, 'hideConditions', (value) => value !== true);
  const show = sandboxed ? undefined : condition(node, 'showConditions', (value) => value !== false);
  const hasLocales = forLocales !== '' || notForLocales !== '';
  if (!hasLocales && hide === undefined && show === undefined) return ops;
  return [
    (scope) => {
      const { locale } = scope.visit;
      if (notForLocales !== '' && notForLocales.includes(locale)) return;
      if (forLocales !== '' && !forLocales.includes(locale)) return;
      return chain(hide?.(scope) ?? true, (isShown) => {
        if (!isShown) return;
        return chain(show?.(scope) ?? true, (isShownToo) => (isShownToo ? runOps(ops, scope) : undefined));
      });
    },
  ];
}

/** A condition that fails is logged, and hides nothing. */
function condition(
  node: PageNode,
  key: string,
  shows: (value: ScriptValue) => boolean,
): ((scope: Scope) => Awaitable<boolean>) | undefined {
  const source = textOf(node, key);
  if (source.trim() === '') return undefined;
  const names = namesIn(source);
  return ({ visit, constants }) => {
    const failed = (error: unknown): boolean => {
      visit.warn(error, node);
      return true;
    };
    try {
      const value = scriptValue(source, visit.contextOf(node, constants, names));
      return value instanceof Promise ? value.then(shows, failed) : shows(value);
    } catch (error) {
      return failed(error);
    }
  };
}
