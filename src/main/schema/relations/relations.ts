/** Writing relation and notion properties: what is linked, and what no longer (docs/interface/rest.md 7.3). */
import type { GraphNode } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import type { RelationDefinition } from '../model/definitions.js';
import { SchemaError } from '../model/errors.js';
import type { NotionProperty, RelationProperty } from '../model/relation-property.js';
import type { Type } from '../model/schema.js';
import { onlyReadable } from '../model/actor.js';
import { isOrdered } from '../model/ordered.js';
import {
  changeLink,
  makeLink,
  mayChangeLinks,
  mayLink,
  mayRemoveLinks,
  removeLinks,
  type Ends,
  type Link,
} from './links.js';
import { relatedObject, type RelatedObject, type Values } from './related-objects.js';
import { isOne, makeRoom } from './room.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import { changesAny } from '../input/unchanged.js';

/** Replaces what a relation property shows (to-many: the whole set). `refuse`: thrown when that changes anything. */
export async function writeRelation(
  objects: ObjectTransaction,
  node: GraphNode,
  type: Type,
  property: RelationProperty,
  value: JsonValue,
  refuse?: SchemaError,
): Promise<void> {
  if (value !== null && Array.isArray(value) !== property.isCollection) {
    const wanted = property.isCollection ? `${property.relatedType}[]` : property.relatedType;
    throw new SchemaError(
      `Invalid JSON input for key ${property.name}, expected a JSON ${property.isCollection ? 'array' : 'object or string'} (${wanted}).`,
      [{ type: type.name, property: property.name, token: 'must_be_of_type', detail: wanted }],
    );
  }
  const inputs = value === null ? [] : Array.isArray(value) ? value : [value];
  // In one call, so that an engine over a network is not asked for each of them.
  const ids = inputs.filter((input) => typeof input === 'string');
  if (ids.length > 1 && property.notion === undefined) await objects.tx.nodes(ids);
  const targets: RelatedObject[] = [];
  for (const input of inputs) targets.push(await relatedObject(objects, property, input));
  if (isOrdered(property) && !keepsOthers(objects, property)) setOrder(property, targets);
  await setTargets(objects, node, property, targets, refuse);
}

/** Sets a relation through the notion's keys of the related objects. */
export async function writeNotion(
  objects: ObjectTransaction,
  node: GraphNode,
  type: Type,
  property: NotionProperty,
  value: JsonValue,
  refuse?: SchemaError,
): Promise<void> {
  const relation = type.properties.get(property.relationName);
  if (relation?.kind !== 'relation') return;
  const viaNotion: RelationProperty = { ...relation, notion: property.notion, creates: property.notion.creates };
  await writeRelation(
    objects,
    node,
    type,
    viaNotion,
    relation.isCollection && value !== null && !Array.isArray(value) ? [value] : value,
    refuse,
  );
}

/** Whether what is linked already stays beside what an input names. */
function keepsOthers({ options }: ObjectTransaction, { isCollection }: RelationProperty): boolean {
  return options.mergeNested === true && isCollection;
}

/** A list says the order of what it names, where an element does not say its place itself. */
function setOrder({ relation: { orderedBy = '' } }: RelationProperty, targets: readonly RelatedObject[]): void {
  for (const [i, { onRelationship }] of targets.entries()) onRelationship[orderedBy] ??= i;
}

async function setTargets(
  objects: ObjectTransaction,
  node: GraphNode,
  property: RelationProperty,
  targets: readonly RelatedObject[],
  refuse: SchemaError | undefined,
): Promise<void> {
  const { relation } = property;
  const { relType } = relation;
  const ends = (other: GraphNode): Ends =>
    property.direction === 'out' ? { relType, source: node, target: other } : { relType, source: other, target: node };
  // Links to objects the user does not see are not his to take away.
  const [existing = []] = await objects.tx.links([node.id], onlyReadable(property.step, objects.access));
  const wanted = new Set(targets.map((t) => t.node.id));
  const keeps = keepsOthers(objects, property);
  const link = ({ relationship, node: other }: (typeof existing)[number]): Link => ({
    id: relationship.id,
    type: relationship.type,
    ...ends(other),
  });
  const superfluous = keeps ? [] : existing.filter((one) => !wanted.has(one.node.id)).map(link);
  const linked = new Map(existing.map((one) => [one.node.id, link(one)]));
  const relationships = new Map(existing.map((one) => [one.node.id, one.relationship]));
  const fresh = targets.filter((t) => !linked.has(t.node.id)).map((t) => t.node);
  const changes = ({ node: { id }, onRelationship }: RelatedObject): boolean => {
    const there = relationships.get(id);
    return there === undefined ? Object.keys(onRelationship).length > 0 : changesAny(there, onRelationship);
  };
  const changed = targets.filter(changes).flatMap(({ node: { id } }) => linked.get(id) ?? []);
  if (refuse !== undefined && superfluous.length + fresh.length + changed.length > 0) throw refuse;
  // All is asked before anything is written: it may take away the rights that the rest needs.
  await mayLink(objects, fresh.map(ends));
  await mayChangeLinks(objects, changed);
  await mayRemoveLinks(objects, superfluous);
  await removeLinks(objects, superfluous);
  const out = property.direction === 'out';
  if (fresh.length > 0) await makeRoom(objects, relation, out ? [node] : fresh, out ? fresh : [node]);
  for (const one of targets) {
    await objects.breathe();
    const { node: other, onRelationship } = one;
    const present = linked.get(other.id);
    if (present === undefined) {
      const pair = ends(other);
      linked.set(other.id, {
        id: await makeLink(objects, relation, pair.source, pair.target, onRelationship),
        type: relation.name,
        ...pair,
      });
    } else if (changes(one)) await changeLink(objects, present, onRelationship);
  }
  objects.touch(node.id);
}

/**
 * Creates a relationship and keeps the limits of its `1` sides by taking existing partners away. A second
 * many-to-many relationship between the same nodes is refused. Returns the new relationship's id.
 */
export async function linkNodes(
  objects: ObjectTransaction,
  relation: RelationDefinition,
  source: GraphNode,
  target: GraphNode,
  values: Values,
  id?: string,
): Promise<string> {
  await mayLink(objects, [{ relType: relation.relType, source, target }]);
  const isMany = !isOne(relation.sourceMultiplicity) && !isOne(relation.targetMultiplicity);
  if (isMany && objects.switches.refusesDuplicates) {
    const same = await objects.tx.find({
      kind: 'relationships',
      types: [relation.name],
      sourceId: source.id,
      targetId: target.id,
      limit: 1,
    });
    const other = same[0];
    if (other !== undefined) {
      throw new SchemaError(
        `Relationship already exists from ${source.type}(${source.id}) to ${target.type}(${target.id}).`,
        [{ type: relation.name, property: 'targetId', token: 'duplicate_relationship', detail: other.id }],
      );
    }
  }
  await makeRoom(objects, relation, [source], [target]);
  return makeLink(objects, relation, source, target, values, id);
}
