/** What the mode CONTENT adds for those who edit texts in the page (docs/interface/pages.md 2.11). */
import { ScriptEntity } from '../../scripting/index.js';
import { textOf, type PageNode } from '../model/page-node.js';
import { escapeAttribute } from '../model/tags.js';
import type { Op } from './plan.js';

/** In these there are no comments of HTML. */
const TEXT: ReadonlySet<string> = new Set(['textarea', 'title']);
const CODE: ReadonlySet<string> = new Set(['text/css', 'text/javascript', 'application/javascript']);

/** Attributes that say which element it is. `depth` 0: it is the first of what was asked for. */
export function editingAttributes({ node }: PageNode, depth: number): Op[] {
  const own = ` data-svc-id="${node.id}"`;
  if (depth > 0) return [own];
  return [
    own,
    ({ visit, constants }) => {
      const page = constants.get('page');
      if (page instanceof ScriptEntity) visit.write(` data-svc-page="${page.id}"`);
    },
  ];
}

/** A text with marks around it that say which it is, and what is written in it. */
export function editable(node: PageNode, ops: readonly Op[]): readonly Op[] {
  if (node.kind !== 'content') return ops;
  const { id, type } = node.node;
  const tag = node.parent?.kind === 'element' ? textOf(node.parent, 'tag').toLowerCase() : '';
  if (TEXT.has(tag)) return ops;
  if (tag === 'script' || tag === 'style' || CODE.has(textOf(node, 'contentType'))) {
    return [`\n/* data-svc-type="${type}" data-svc-id="${id}" */\n`, ...ops, '\n/* */\n'];
  }
  const raw = escapeAttribute(textOf(node, 'content'));
  return [`<!--data-svc-id="${id}" data-svc-raw-value="${raw}"-->`, ...ops, '<!---->'];
}
