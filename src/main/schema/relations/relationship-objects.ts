/** Relationship objects: `/<RelationshipType>` creates, changes and deletes them by themselves (docs/interface/schema.md 9.8). */
import type { GraphNode, StoredValue } from '../../graph/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { SchemaError } from '../model/errors.js';
import type { Type } from '../model/schema.js';
import { storedValue } from '../model/lookup.js';
import { assignValue } from '../input/assign.js';
import { idFor } from '../input/ids.js';
import { changeLink, linkOf, mayChangeLinks, mayRemoveLinks, removeLinks } from './links.js';
import { linkNodes } from './relations.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import { KEPT_KEYS } from '../rights/credentials.js';

/** Keys that name the ends. */
const END_KEYS: ReadonlySet<string> = new Set(['sourceId', 'targetId', 'sourceNode', 'targetNode', 'relType']);

/** Creates a relationship object (docs/interface/schema.md 9.8). */
export async function createRelationship(objects: ObjectTransaction, type: Type, input: JsonObject): Promise<string> {
  const relation = type.relation;
  if (relation === undefined) throw new SchemaError(`${type.name} is no relationship type`);
  const missing = ['sourceId', 'targetId'].filter((k) => typeof input[k] !== 'string' || input[k] === '');
  if (missing.length > 0) {
    throw new SchemaError(
      'Source node ID and target node ID of relationship must be set',
      missing.map((property) => ({ type: type.name, property, token: 'must_not_be_empty' })),
    );
  }
  const ends: GraphNode[] = [];
  for (const [key, wanted] of [
    ['sourceId', relation.source],
    ['targetId', relation.target],
  ] as const) {
    const id = input[key] as string;
    const node = await objects.tx.node(id);
    if (node === undefined || !(await objects.may('read', node))) {
      throw new SchemaError(`No ${wanted} with UUID ${id} found.`, [
        { type: type.name, property: key, token: 'object_not_found', detail: id },
      ]);
    }
    ends.push(objects.mustBeOf(node, wanted));
  }
  const [source, target] = ends as [GraphNode, GraphNode];
  const values: Record<string, StoredValue | null> = Object.create(null) as Record<string, StoredValue | null>;
  for (const key of Object.keys(input)) {
    if (KEPT_KEYS.has(key) || END_KEYS.has(key)) continue;
    const property = type.properties.get(key);
    const value = input[key] as JsonValue;
    if (property === undefined) objects.unknownKey(type, key, value, values);
    else if (property.kind === 'value') assignValue(objects, property, value, type, values, undefined);
  }
  return linkNodes(
    objects,
    relation,
    source,
    target,
    values,
    typeof input['id'] === 'string' ? await idFor(objects, input, type) : undefined,
  );
}

/** Writes properties of a relationship object. */
export async function updateRelationship(objects: ObjectTransaction, id: string, input: JsonObject): Promise<void> {
  const relationship = await objects.tx.relationship(id);
  if (relationship === undefined) throw new SchemaError(`No relationship with UUID ${id} found.`, [], 'not_found');
  const type = objects.schema.typeOf(relationship);
  const changes: Record<string, StoredValue | null> = Object.create(null) as Record<string, StoredValue | null>;
  for (const key of Object.keys(input)) {
    const property = type.properties.get(key);
    const value = input[key] as JsonValue;
    if (END_KEYS.has(key)) {
      if (storedValue(relationship, key) !== value && key !== 'sourceNode' && key !== 'targetNode') {
        throw new SchemaError(`Property ${key} of a relationship cannot change`, [
          { type: type.name, property: key, token: 'is_read_only_property' },
        ]);
      }
    } else if (property === undefined) objects.unknownKey(type, key, value, changes);
    else if (property.kind === 'value') assignValue(objects, property, value, type, changes, relationship);
  }
  objects.switches.lock(id);
  if (Object.keys(changes).length === 0) return;
  const link = await linkOf(objects, relationship);
  if (link === undefined) return;
  await mayChangeLinks(objects, [link]);
  objects.stamp(changes, false, relationship);
  await changeLink(objects, link, changes);
}

/** Deletes a relationship; both ends are checked at the end. Nothing happens when it is gone already. */
export async function deleteRelationship(objects: ObjectTransaction, id: string): Promise<void> {
  const relationship = await objects.tx.relationship(id);
  if (relationship === undefined) return;
  const link = await linkOf(objects, relationship);
  if (link === undefined) return;
  await mayRemoveLinks(objects, [link]);
  await removeLinks(objects, [link]);
}
