import { OWNS, SECURITY, type GraphNode } from '../../graph/index.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

const RIGHTS = ['read', 'write', 'delete', 'accessControl'];

/** The creator owns the object and may do everything with it (docs/interface/security.md 9.7). */
export async function giveToCreator(objects: ObjectTransaction, node: GraphNode): Promise<void> {
  const { id, skipsSecurity } = objects.actor;
  if (id !== undefined && !skipsSecurity && id !== node.id) await giveTo(objects, node, id);
}

/** Makes somebody (by id) the owner of a new object, who may do everything with it. */
export async function giveTo(objects: ObjectTransaction, node: GraphNode, owner: string): Promise<void> {
  const ends = { sourceId: owner, targetId: node.id };
  const properties = { createdDate: objects.now };
  await objects.tx.createRelationship({
    id: objects.newId(),
    type: 'PrincipalOwnsNode',
    relType: OWNS,
    ...ends,
    properties,
  });
  await objects.tx.createRelationship({
    id: objects.newId(),
    type: 'Security',
    relType: SECURITY,
    ...ends,
    properties: { ...properties, allowed: RIGHTS },
  });
}
