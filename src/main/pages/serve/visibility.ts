/** Who is shown a page or a part of one (docs/interface/pages.md 2.4). */
import { allowsItself, type GraphNode } from '../../graph/index.js';
import type { RequestContext, Requests } from '../../request/index.js';
import { shownRule } from '../../schema/index.js';

/** Whether whoever asks is shown a node; at once where the node itself tells. */
export function isShown(node: GraphNode, request: RequestContext, requests: Requests): boolean | Promise<boolean> {
  const { actor, access } = request;
  if (node.properties['hidden'] === true) return false;
  const rule = shownRule(access);
  if (rule === undefined || actor.isAdmin || allowsItself(node, rule)) return true;
  if (rule.principals.length === 0 && rule.propagation === undefined) return false;
  return requests.read(request, async (tx) => (await tx.permitted([node], rule))[0] === true);
}
