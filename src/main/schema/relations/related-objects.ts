/** The objects that the input of a relation property names: found, changed or created (docs/interface/rest.md 7.3). */
import type { GraphNode, NodeQuery, Predicate, ScalarValue, StoredValue } from '../../graph/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { assignValue } from '../input/assign.js';
import { saysNothingNew } from '../input/unchanged.js';
import { onlyReadable } from '../model/actor.js';
import { SchemaError } from '../model/errors.js';
import type { RelationProperty } from '../model/relation-property.js';
import type { Type } from '../model/schema.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/** Stored values of a relationship. */
export type Values = Record<string, StoredValue | null>;

/** A related object and what to write on the relationship to it. */
export interface RelatedObject {
  readonly node: GraphNode;
  readonly onRelationship: Values;
}

const noValues = (): Values => Object.create(null) as Values;
const isObject = (value: JsonValue): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The object that one input of a relation property names. Throws `SchemaError`. */
export async function relatedObject(
  objects: ObjectTransaction,
  property: RelationProperty,
  input: JsonValue,
): Promise<RelatedObject> {
  if (isObject(input)) return resolveObject(objects, property, input);
  if (typeof input !== 'string' && property.notion === undefined) {
    throw new SchemaError(`Invalid JSON input for key ${property.name}, expected a UUID or an object.`, [
      { type: property.relatedType, property: property.name, token: 'must_be_of_type', detail: property.relatedType },
    ]);
  }
  const key = property.notion?.keys.length === 1 ? property.notion.keys[0] : undefined;
  if (key !== undefined && key !== 'id') return resolveByKey(objects, property, key, input);
  const id = typeof input === 'string' ? input : JSON.stringify(input);
  return { node: await byId(objects, property, id), onRelationship: noValues() };
}

async function byId(objects: ObjectTransaction, property: RelationProperty, id: string): Promise<GraphNode> {
  const node = await objects.tx.node(id);
  if (node === undefined || !(await objects.may('read', node))) {
    const tokens = [{ type: property.relatedType, property: 'id', token: 'object_not_found', detail: id }];
    // Through a notion the id is a value to look up, which has an answer of its own (docs/interface/schema.md 5, IdNotion).
    if (property.notion !== undefined) throw new SchemaError('No node found for given properties', tokens, 'not_found');
    throw new SchemaError(`No ${property.relatedType} with UUID ${id} found.`, tokens);
  }
  return objects.mustBeOf(node, property.relatedType);
}

async function resolveByKey(
  objects: ObjectTransaction,
  property: RelationProperty,
  key: string,
  value: JsonValue,
): Promise<RelatedObject> {
  const related = typeNamed(objects, property.relatedType);
  const input: JsonObject = Object.create(null) as JsonObject;
  input[key] = value;
  const found = await search(objects, related, input, [key]);
  const node = found[0];
  if (node !== undefined) return { node, onRelationship: noValues() };
  if (!property.creates) {
    throw new SchemaError(
      'No node found for the given properties and auto-creation not enabled',
      [{ type: related.name, token: 'object_not_found', detail: { [key]: value } }],
      'not_found',
    );
  }
  return { node: await objects.create(related, input), onRelationship: noValues() };
}

async function resolveObject(
  objects: ObjectTransaction,
  property: RelationProperty,
  input: JsonObject,
): Promise<RelatedObject> {
  const related = relatedTypeOf(objects, property, input);
  const id = input['id'];
  if (typeof id === 'string') {
    const node = await objects.tx.node(id);
    if (node !== undefined && (await objects.may('read', node))) {
      objects.mustBeOf(node, property.relatedType);
      const { own, onRelationship } = split(objects, objects.schema.typeOf(node), property, input);
      delete own['id'];
      delete own['type'];
      return { node: await updated(objects, node, own), onRelationship };
    }
    if (!property.creates) await byId(objects, property, id);
    const { own, onRelationship } = split(objects, related, property, input);
    return { node: await objects.create(related, own), onRelationship };
  }
  const { own, onRelationship } = split(objects, related, property, input);
  const keys = searchKeys(related, own, property);
  const found = keys.length === 0 ? [] : await search(objects, related, own, keys);
  if (found.length > 1) {
    throw new SchemaError(
      `Unable to resolve related node of type ${related.name}, ambiguous result: found ${String(found.length)} nodes for the given property set.`,
      [
        {
          type: related.name,
          property: property.name,
          token: 'object_not_found',
          detail: `${String(found.length)} matches`,
        },
      ],
      property.notion === undefined ? 'invalid' : 'not_found',
    );
  }
  const node = found[0];
  if (node !== undefined) {
    const rest = Object.fromEntries(Object.entries(own).filter(([k]) => !keys.includes(k) && k !== 'type'));
    return { node: await updated(objects, node, rest), onRelationship };
  }
  if (!property.creates) {
    const shown = JSON.stringify(own, (_, v: unknown) => (typeof v === 'bigint' ? v.toString() : v));
    throw new SchemaError(
      `Cannot create ${property.name}: no matching ${related.name} found for the given property set ${shown} and autoCreate has a value of NONE`,
      [{ type: related.name, property: property.name, token: 'object_not_found', detail: shown }],
      property.notion === undefined ? 'invalid' : 'not_found',
    );
  }
  return { node: await objects.create(related, own), onRelationship };
}

/** A related object after what the input says of it. */
async function updated(objects: ObjectTransaction, node: GraphNode, input: JsonObject): Promise<GraphNode> {
  if (Object.keys(input).length === 0) return node;
  if (saysNothingNew(objects, node, input) && !(await objects.may('write', node))) return node;
  return objects.update(node, input);
}

/** The type of an object to find or create: the one the input names, which must fit the relation. */
function relatedTypeOf(objects: ObjectTransaction, property: RelationProperty, input: JsonObject): Type {
  const wanted = typeNamed(objects, property.relatedType);
  const named = typeof input['type'] === 'string' ? objects.schema.type(input['type']) : undefined;
  if (named?.kind !== 'node') return wanted;
  if (named.hasTrait(wanted.name)) return named;
  throw new SchemaError('Node type mismatch', [
    { type: named.name, property: property.name, token: 'must_be_of_type', detail: wanted.name, value: named.name },
  ]);
}

/** Keys of the related object, and keys that only the relationship type knows. */
function split(
  objects: ObjectTransaction,
  related: Type,
  property: RelationProperty,
  input: JsonObject,
): { own: JsonObject; onRelationship: Values } {
  const own: JsonObject = Object.create(null) as JsonObject;
  const onRelationship = noValues();
  const relationType = objects.schema.type(property.relation.name);
  for (const key of Object.keys(input)) {
    const value = input[key] as JsonValue;
    if (value === null && objects.options.mergeNested === true) continue;
    const onLink = related.properties.has(key) ? undefined : relationType?.properties.get(key);
    if (relationType !== undefined && onLink?.kind === 'value')
      assignValue(objects, onLink, value, relationType, onRelationship, undefined);
    else own[key] = value;
  }
  return { own, onRelationship };
}

/** Keys of an input that can identify an object: unique and compound ones, names of principals, a notion's keys. */
function searchKeys(type: Type, input: JsonObject, property: RelationProperty): string[] {
  return Object.keys(input).filter((key) => {
    const p = type.properties.get(key);
    if (p?.kind !== 'value' || input[key] === null) return false;
    if (property.notion !== undefined && property.notion.keys.includes(key)) return true;
    if (p.definition.unique === true || p.definition.compound === true) return true;
    return type.hasTrait('Principal') && (key === 'name' || key === 'eMail');
  });
}

async function search(
  objects: ObjectTransaction,
  type: Type,
  input: JsonObject,
  keys: readonly string[],
): Promise<GraphNode[]> {
  const terms: Predicate[] = [];
  for (const key of keys) {
    const p = type.properties.get(key);
    if (p?.kind !== 'value') {
      throw new SchemaError(`Property ${key} of ${type.name} cannot identify an object`, [
        { type: type.name, property: key, token: 'invalid_property_reference' },
      ]);
    }
    const stored = p.fromJson(input[key] ?? null, type.name);
    if (stored === null) terms.push({ op: 'isNull', key: p.key });
    else if (Array.isArray(stored)) terms.push({ op: 'arrayEquals', key: p.key, values: stored });
    else terms.push({ op: 'equals', key: p.key, value: stored as ScalarValue });
  }
  const query: NodeQuery = {
    kind: 'nodes',
    trait: type.name,
    types: type.concreteTypes,
    where: { op: 'and', terms },
    limit: 3,
  };
  return objects.tx.find(onlyReadable(query, objects.access));
}

function typeNamed(objects: ObjectTransaction, name: string): Type {
  const type = objects.schema.type(name);
  if (type === undefined)
    throw new SchemaError(`There is no type ${name}`, [{ type: name, token: 'object_not_found' }]);
  return type;
}
