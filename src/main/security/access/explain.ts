/** Says in the log why an actor may read objects (`logPermissionResolution=true` on any GET; contract, Request parameters). */
import type { AccessRule, GraphNode, ReadTransaction } from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import type { Actor, ObjectAccess } from '../../schema/index.js';
import { partsOf, type PartReason } from './rule-parts.js';

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
  for (const [reason, part] of saying(rule, actor)) {
    const permitted = await tx.permitted(open, part);
    for (const [i, node] of open.entries()) if (permitted[i] === true) say(node, reason);
    open = open.filter((_, i) => permitted[i] !== true);
    if (open.length === 0) return;
  }
}

/** The parts of a rule, with words for why they allow something. */
function saying(rule: AccessRule, actor: Actor): [string, AccessRule][] {
  return [
    ...partsOf(rule).map(({ reason, rule: part }): [string, AccessRule] => [wordsFor(reason, actor), part]),
    ['propagated along relationships', rule],
  ];
}

function wordsFor(reason: PartReason, { id }: Actor): string {
  switch (reason.kind) {
    case 'flag':
      return reason.key;
    case 'type':
      return 'a schema grant, or a type that is visible by default';
    case 'itself':
      return 'the user himself, or one of his groups';
    case 'held':
      return reason.principal === id
        ? 'owned by or granted to the user'
        : `owned by or granted to the group ${reason.principal}`;
  }
}
