/** Says in the log why an actor may read objects (`logPermissionResolution=true` on any GET; contract, Request parameters). */
import type { AccessRule, GraphNode, ReadTransaction } from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import type { Actor, ObjectAccess } from '../../schema/index.js';

const log = logger('security.resolution');

/** One line an object, with the first reason found, in the order in which reasons are looked for. */
export async function explainAccess(
  tx: ReadTransaction,
  actor: Actor,
  access: ObjectAccess,
  nodes: readonly GraphNode[],
): Promise<void> {
  const rule = access.rule('read');
  const who = actor.id === undefined ? 'anonymous users' : `${actor.type}(${actor.id})`;
  const say = (node: GraphNode, reason: string): void => {
    log.info(`${node.type}(${node.id}) may be read by ${who}: ${reason}`);
  };
  if (rule === undefined) {
    for (const node of nodes) say(node, actor.isAdmin ? 'administrator' : 'member of a group of administrators');
    return;
  }
  let open = nodes;
  for (const [reason, part] of partsOf(rule)) {
    const permitted = await tx.permitted(open, part);
    for (const [i, node] of open.entries()) if (permitted[i] === true) say(node, reason);
    open = open.filter((_, i) => permitted[i] !== true);
    if (open.length === 0) return;
  }
}

/** A rule in parts that say why. */
function partsOf(rule: AccessRule): [string, AccessRule][] {
  const none: AccessRule = { right: rule.right, principals: [], ids: [], types: [], keys: [] };
  const ignored = rule.keysIgnoredFor === undefined ? {} : { keysIgnoredFor: rule.keysIgnoredFor };
  return [
    ...rule.keys.map((key): [string, AccessRule] => [key, { ...none, ...ignored, keys: [key] }]),
    ['a schema grant, or a type that is visible by default', { ...none, types: rule.types }],
    ['the user himself, or one of his groups', { ...none, ids: rule.ids }],
    ...rule.principals.map((id, i): [string, AccessRule] => [
      i === 0 ? 'owned by or granted to the user' : `owned by or granted to the group ${id}`,
      { ...none, principals: [id] },
    ]),
    ['propagated along relationships', rule],
  ];
}
