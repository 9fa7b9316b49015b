/** Who is shown a page or a part of one (docs/interface/pages.md 2.4). */
import type { GraphNode } from '../../graph/index.js';
import type { RequestContext, Requests } from '../../request/index.js';
import { frontendRule } from '../render/rendering.js';

/**
 * Whether whoever asks is shown a node: what is for everybody is for those who are not logged in, what is for users for those who are.
 * At once where the node itself tells.
 */
export function isShown(node: GraphNode, request: RequestContext, requests: Requests): boolean | Promise<boolean> {
  const { actor, access, schema } = request;
  if (node.properties['hidden'] === true) return false;
  if (actor.reachesAll || actor.isAdmin) return true;
  const { visibility } = schema.typeOf(node);
  if (actor.id === undefined) return visibility?.toPublic ?? node.properties['visibleToPublicUsers'] === true;
  if (visibility?.toUsers ?? node.properties['visibleToAuthenticatedUsers'] === true) return true;
  const rule = frontendRule(access);
  if (rule === undefined) return true;
  return requests.read(request, async (tx) => (await tx.permitted([node], rule))[0] === true);
}
