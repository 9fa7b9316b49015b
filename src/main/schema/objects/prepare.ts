import type { JsonObject, JsonValue } from '../../../shared/json.js';
import type { RelationProperty } from '../relations/relation-property.js';
import type { Schema, Type } from '../schema.js';

/** The type of an object that is there already. */
type TypeOfId = (id: string) => Promise<Type | undefined>;

/**
 * Does the slow part of converting an input (hashing of passwords) before its transaction begins, so that no
 * writer waits for it. Changes the input in place, nested objects included. `type` is the type of the URL; an `id` or a
 * `type` in the input says more.
 */
export async function prepareInput(schema: Schema, type: Type, input: JsonObject, typeOfId?: TypeOfId): Promise<void> {
  const actual = await typeOfInput(schema, type, input, typeOfId);
  for (const key of Object.keys(input)) {
    const property = actual.properties.get(key);
    const value = input[key];
    if (property === undefined || value === undefined || value === null) continue;
    if (property.kind === 'value') {
      if (property.prepare !== undefined) input[key] = await property.prepare(value);
      continue;
    }
    const relation = property.kind === 'notion' ? actual.properties.get(property.relationName) : property;
    if (relation?.kind !== 'relation' || typeof value !== 'object') continue;
    for (const item of Array.isArray(value) ? value : [value]) await prepareItem(schema, relation, item, typeOfId);
  }
}

async function typeOfInput(
  schema: Schema,
  type: Type,
  input: JsonObject,
  typeOfId: TypeOfId | undefined,
): Promise<Type> {
  if (typeof input['id'] === 'string' && typeOfId !== undefined) {
    const found = await typeOfId(input['id']);
    if (found !== undefined) return found;
  }
  const named = typeof input['type'] === 'string' ? schema.type(input['type']) : undefined;
  return named?.kind === 'node' ? named : type;
}

async function prepareItem(
  schema: Schema,
  relation: RelationProperty,
  item: JsonValue,
  typeOfId: TypeOfId | undefined,
): Promise<void> {
  const related = schema.type(relation.relatedType);
  if (related === undefined || item === null || typeof item !== 'object' || Array.isArray(item)) return;
  await prepareInput(schema, related, item, typeOfId);
  // Keys the related type does not know may be the relationship's own.
  const actual = await typeOfInput(schema, related, item, typeOfId);
  const link = schema.type(relation.relation.name);
  for (const key of Object.keys(item)) {
    const property = actual.properties.has(key) ? undefined : link?.properties.get(key);
    const value = item[key];
    if (property?.kind !== 'value' || property.prepare === undefined || value === undefined || value === null) continue;
    item[key] = await property.prepare(value);
  }
}
