/** Relations whose objects have an order of their own: that of a key of the relationships to them. */
import type { GraphNode, GraphRelationship, ReadTransaction, Step } from '../../graph/index.js';
import type { RelationProperty } from './relation-property.js';

export function isOrdered({ relation, direction, isCollection }: RelationProperty): boolean {
  return relation.orderedBy !== undefined && direction === 'out' && isCollection;
}

/** By `key`, those without it last, in the order in which they were linked. */
function inOrder(
  links: readonly { readonly relationship: GraphRelationship; readonly node: GraphNode }[],
  key: string,
): GraphNode[] {
  const rank = (value: unknown): number => (typeof value === 'number' ? value : Number.MAX_SAFE_INTEGER);
  return links
    .map(({ relationship, node }) => ({ node, rank: rank(relationship.properties[key]) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ node }) => node);
}

/** For each of `ids` the objects that a relation shows, in its order, at most `limit` each. `step`: that of the relation, as it is asked. */
export async function relatedInOrder(
  tx: ReadTransaction,
  ids: readonly string[],
  property: RelationProperty,
  step: Step = property.step,
  limit?: number,
): Promise<GraphNode[][]> {
  const { orderedBy } = property.relation;
  if (orderedBy === undefined || !isOrdered(property)) return tx.related(ids, step, limit);
  const found = await tx.links(ids, step);
  return found.map((links) => inOrder(links, orderedBy).slice(0, limit));
}
