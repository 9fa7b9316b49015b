import { OWNS, SECURITY, type GraphNode, type StoredValue } from '../../graph/index.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

const RIGHTS = ['read', 'write', 'delete', 'accessControl'];

/** The creator owns the object and may do everything with it (docs/interface/security.md 9.7). */
export async function giveToCreator(objects: ObjectTransaction, node: GraphNode): Promise<void> {
  const { id, skipsSecurity } = objects.actor;
  if (id !== undefined && !skipsSecurity && id !== node.id) await giveTo(objects, node, id);
}

/**
 * Gives a new object, which the service has made of another, the owner of that one, and grants to all who have them there; whoever made it keeps his.
 * Flags are the caller's.
 */
export async function shareLike(objects: ObjectTransaction, node: GraphNode, model: GraphNode): Promise<void> {
  const ids = [node.id, model.id];
  const [[mine = [], theirs = []], [granted = [], grants = []]] = await Promise.all([
    objects.tx.links(ids, { relType: OWNS, direction: 'in' }, 1),
    objects.tx.links(ids, { relType: SECURITY, direction: 'in' }),
  ]);
  const [own, owner] = [mine[0], theirs[0]?.node.id];
  if (owner !== undefined && own?.node.id !== owner) {
    if (own !== undefined) await objects.tx.deleteRelationship(own.relationship.id);
    await ownedBy(objects, node, owner);
  }
  const has = new Set(granted.map((one) => one.node.id));
  for (const grant of grants) {
    if (!has.has(grant.node.id)) await grantTo(objects, node, grant.node.id, grant.relationship.properties['allowed']);
  }
}

/** Makes somebody (by id) the owner of a new object, who may do everything with it. */
export async function giveTo(objects: ObjectTransaction, node: GraphNode, owner: string): Promise<void> {
  await ownedBy(objects, node, owner);
  await grantTo(objects, node, owner, RIGHTS);
}

/** The owner alone, without what he may do. */
export async function ownedBy(objects: ObjectTransaction, node: GraphNode, owner: string): Promise<void> {
  await objects.tx.createRelationship({
    id: objects.newId(),
    type: 'PrincipalOwnsNode',
    relType: OWNS,
    sourceId: owner,
    targetId: node.id,
    properties: { createdDate: objects.now },
  });
}

async function grantTo(
  objects: ObjectTransaction,
  node: GraphNode,
  principal: string,
  allowed: StoredValue | undefined,
): Promise<void> {
  await objects.tx.createRelationship({
    id: objects.newId(),
    type: 'Security',
    relType: SECURITY,
    sourceId: principal,
    targetId: node.id,
    properties: { createdDate: objects.now, allowed: allowed ?? [] },
  });
}
