/** Relations whose objects have an order of their own: that of a key of the relationships to them. */
import type { GraphNode, GraphRelationship, ReadTransaction, RelationshipQuery, Step } from '../../graph/index.js';
import type { RelationProperty } from './relation-property.js';

/** Lists up to this size are read as a whole; of longer ones what is asked for is sorted out by the database. */
const WHOLE = 1000;

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

/** The relationships from an object to those that a relation with an order shows, in that order. `step`: that of the relation, as it is asked. */
export function linksInOrder(
  sourceId: string,
  { relation: { orderedBy = '' } }: RelationProperty,
  { relType, types, access }: Step,
): RelationshipQuery {
  return {
    kind: 'relationships',
    sourceId,
    where: { op: 'equals', key: 'relType', value: relType },
    sort: [{ key: orderedBy }],
    ...(types === undefined ? {} : { targetTypes: types }),
    ...(access === undefined ? {} : { access }),
  };
}

/** The objects that relationships lead to, in their order. */
export async function targetsOf(tx: ReadTransaction, links: readonly GraphRelationship[]): Promise<GraphNode[]> {
  const nodes = await tx.nodes(links.map(({ targetId }) => targetId));
  return nodes.filter((node) => node !== undefined);
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
  const found = await tx.links(ids, step, limit === undefined ? undefined : WHOLE + 1);
  const lists: GraphNode[][] = [];
  for (const [i, links] of found.entries()) {
    if (limit === undefined || links.length <= WHOLE) lists.push(inOrder(links, orderedBy).slice(0, limit));
    else {
      const query = { ...linksInOrder(ids[i] ?? '', property, step), limit };
      lists.push(await targetsOf(tx, await tx.find(query)));
    }
  }
  return lists;
}
