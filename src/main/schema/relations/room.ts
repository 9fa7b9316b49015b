/** The limits of `1` sides: whoever links something there takes the place of what was linked before (docs/interface/schema.md 9). */
import type { GraphNode, GraphRelationship } from '../../graph/index.js';
import type { RelationDefinition } from '../model/definitions.js';
import type { Schema } from '../model/schema.js';
import { mayRemoveLinks, removeLinks, type Link } from './links.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/** A `1` side has one link, and few others share its type in the database; beyond that they are asked for by what they are. */
const FEW = 16;

export const isOne = (multiplicity: string): boolean => multiplicity === '1';

interface Found {
  readonly relationship: GraphRelationship;
  readonly node: GraphNode;
}

/**
 * Removes what the limits of `1` sides leave no room for beside new links between these nodes. Needs `write` on the node that has the
 * place, or on the one that loses it. Throws `SchemaError` (forbidden).
 */
export async function makeRoom(
  objects: ObjectTransaction,
  relation: RelationDefinition,
  sources: readonly GraphNode[],
  targets: readonly GraphNode[],
): Promise<void> {
  if (isOne(relation.sourceMultiplicity)) await drop(objects, relation, targets, 'in');
  if (isOne(relation.targetMultiplicity)) await drop(objects, relation, sources, 'out');
}

async function drop(
  objects: ObjectTransaction,
  relation: RelationDefinition,
  from: readonly GraphNode[],
  direction: 'in' | 'out',
): Promise<void> {
  const { relType } = relation;
  const nodes = [...new Map(from.map((node) => [node.id, node])).values()];
  const step = { relType, direction } as const;
  const found = await objects.tx.links(
    nodes.map((node) => node.id),
    step,
    FEW + 1,
  );
  const links: Link[] = [];
  for (const [i, node] of nodes.entries()) {
    const few = found[i] ?? [];
    const candidates = few.length > FEW ? await among(objects, relation, node, direction) : few;
    for (const one of candidates) {
      if (!takesPlace(objects.schema, relation, one, direction)) continue;
      const [source, target] = direction === 'in' ? [one.node, node] : [node, one.node];
      links.push({ id: one.relationship.id, type: one.relationship.type, relType, source, target });
    }
  }
  await mayRemoveLinks(objects, links, 'displace');
  await removeLinks(objects, links);
}

/** Links of a node that has many of this type in the database, most of them of other relations. */
async function among(
  objects: ObjectTransaction,
  relation: RelationDefinition,
  node: GraphNode,
  direction: 'in' | 'out',
): Promise<Found[]> {
  const end = direction === 'in' ? relation.source : relation.target;
  const types = end === 'NodeInterface' ? {} : { types: objects.schema.type(end)?.concreteTypes ?? [] };
  const [typed = []] = await objects.tx.links([node.id], { relType: relation.relType, direction, ...types });
  const named = await objects.tx.find({
    kind: 'relationships',
    types: [relation.name],
    ...(direction === 'in' ? { targetId: node.id } : { sourceId: node.id }),
  });
  const known = new Set(typed.map(({ relationship }) => relationship.id));
  const others = named.filter((relationship) => !known.has(relationship.id));
  const ends = await objects.tx.nodes(others.map((one) => (direction === 'in' ? one.sourceId : one.targetId)));
  for (const [i, relationship] of others.entries()) {
    const far = ends[i];
    if (far !== undefined) typed.push({ relationship, node: far });
  }
  return typed;
}

/** Whether a link is one of those of which the relation allows one. */
function takesPlace(
  schema: Schema,
  relation: RelationDefinition,
  { node, relationship }: Found,
  direction: 'in' | 'out',
): boolean {
  const end = direction === 'in' ? 'source' : 'target';
  const trait = relation[end];
  if (trait === 'NodeInterface') return true;
  if (schema.type(node.type) !== undefined) return schema.typeOf(node).hasTrait(trait);
  // The type of the object is no longer defined: it may come back, and must not find two links then.
  if (relationship.type === relation.name) return true;
  const other = schema.relations.get(relationship.type)?.[end];
  if (other === undefined) return false;
  return schema.type(other)?.hasTrait(trait) === true || schema.type(trait)?.hasTrait(other) === true;
}
