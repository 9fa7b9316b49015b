/** Places among the children of a node. Until the transaction ends they may be fractions; then they are 0, 1, 2, ... */
import type { GraphNode, GraphRelationship } from '../../graph/index.js';
import type { ObjectTransaction } from '../../schema/index.js';
import { CHILDREN, refused } from './relations.js';

const positionOf = ({ properties: { position } }: GraphRelationship): number =>
  typeof position === 'number' ? position : Number.MAX_SAFE_INTEGER;

/** Links to the children of a node, in their order. */
export async function siblings(objects: ObjectTransaction, parent: GraphNode): Promise<GraphRelationship[]> {
  const links: GraphRelationship[] = [];
  const query = { kind: 'relationships', sourceId: parent.id, types: [CHILDREN] } as const;
  for await (const batch of objects.tx.stream(query)) {
    links.push(...batch);
    await objects.breathe();
  }
  return links.sort((a, b) => positionOf(a) - positionOf(b));
}

/** Positions for `count` new children before one that is there. Throws `SchemaError` when it is no child. */
export async function placesBefore(
  objects: ObjectTransaction,
  parent: GraphNode,
  before: GraphNode,
  count: number,
): Promise<number[]> {
  const links = await siblings(objects, parent);
  const at = links.findIndex(({ targetId }) => targetId === before.id);
  if (at < 0) throw refused(before, 'no_child', 'Node is not a child.');
  const here = (one: GraphRelationship | undefined): number | undefined =>
    typeof one?.properties['position'] === 'number' ? one.properties['position'] : undefined;
  let next = here(links[at]);
  let previous = at === 0 ? (next ?? 0) - 1 : here(links[at - 1]);
  const between = (from: number, to: number): number[] =>
    Array.from({ length: count }, (_, i) => from + ((to - from) * (i + 1)) / (count + 1));
  const fits = (found: readonly number[], from: number, to: number): boolean =>
    found.every((one, i) => one > (found[i - 1] ?? from) && one < to);
  if (previous !== undefined && next !== undefined) {
    const found = between(previous, next);
    if (fits(found, previous, next)) return found;
  }
  // Nothing is between them any more: many have been put there, or they have no places yet.
  for (const [i, { id }] of links.entries()) {
    await objects.breathe();
    await objects.tx.updateRelationship(id, { position: i });
  }
  [previous, next] = [at - 1, at];
  return between(previous, next);
}
