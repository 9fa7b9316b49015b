import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { GraphNode } from '../../graph/index.js';
import type { InputContents } from '../writing/contents.js';
import type { PasswordPolicy } from '../writing/policies.js';
import type { RelationProperty } from '../model/relation-property.js';
import type { Schema, Type } from '../model/schema.js';
import { rulesOf } from '../rules/table.js';

/** What is known while inputs are prepared. */
export interface PrepareContext {
  /** The object an input with this id means. */
  readonly byId?: (id: string) => Promise<GraphNode | undefined>;
  /** The user that a nested input without id most likely means, by his name and e-mail address. */
  readonly byName?: (type: Type, input: JsonObject) => Promise<GraphNode | undefined>;
  readonly passwords?: PasswordPolicy | undefined;
  /** Takes the content of files. */
  readonly contents?: Pick<InputContents, 'store'>;
}

/** A text that says something. */
function said(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Does the slow part of converting an input (hashing of passwords) before its transaction begins, so that no
 * writer waits for it, and checks what can only be seen here. Changes the input in place, nested objects included.
 * `type` is the type of the URL; an `id` or a `type` in the input says more. `target` is the object that the URL names.
 * Throws `SchemaError`.
 */
export async function prepareInput(
  schema: Schema,
  type: Type,
  input: JsonObject,
  context: PrepareContext = {},
  target?: GraphNode,
): Promise<void> {
  const before = target ?? (await objectOf(input, context));
  const actual = before === undefined ? typeOfInput(schema, type, input) : schema.typeOf(before);
  for (const rule of rulesOf(actual)) rule.prepare?.(input, before, context.passwords);
  for (const key of Object.keys(input)) {
    const property = actual.properties.get(key);
    const value = input[key];
    if (property === undefined || value === undefined || value === null) continue;
    if (property.kind === 'computed' && property.isContent === true && typeof value === 'string') {
      const [name, contentType, id] = ['name', 'contentType', 'id'].map((k) => said(input[k] ?? before?.properties[k]));
      const near = folderIn(actual, input, before?.id);
      const stored = await context.contents?.store(value, { name, contentType, id: before?.id ?? id, near });
      if (stored !== undefined) input[key] = stored;
      continue;
    }
    if (property.kind === 'value') {
      if (property.prepare !== undefined) input[key] = await property.prepare(value, before);
      continue;
    }
    const relation = property.kind === 'notion' ? actual.properties.get(property.relationName) : property;
    if (relation?.kind !== 'relation' || typeof value !== 'object') continue;
    for (const item of Array.isArray(value) ? value : [value]) await prepareItem(schema, relation, item, context);
  }
}

/** Id of the folder that an input names; `otherwise` when it says nothing about that. */
function folderIn(type: Type, input: JsonObject, otherwise: string | undefined): string | undefined {
  for (const key of Object.keys(input)) {
    const property = type.properties.get(key);
    const relation = property?.kind === 'notion' ? type.properties.get(property.relationName) : property;
    if (relation?.kind !== 'relation' || relation.relation.relType !== 'CONTAINS' || relation.direction !== 'in')
      continue;
    const value = input[key];
    return said(value !== null && typeof value === 'object' && !Array.isArray(value) ? value['id'] : value);
  }
  return otherwise;
}

async function objectOf(input: JsonObject, { byId }: PrepareContext): Promise<GraphNode | undefined> {
  return typeof input['id'] === 'string' ? byId?.(input['id']) : undefined;
}

function typeOfInput(schema: Schema, type: Type, input: JsonObject): Type {
  const named = typeof input['type'] === 'string' ? schema.type(input['type']) : undefined;
  return named?.kind === 'node' ? named : type;
}

async function prepareItem(
  schema: Schema,
  relation: RelationProperty,
  item: JsonValue,
  context: PrepareContext,
): Promise<void> {
  const related = schema.type(relation.relatedType);
  if (related === undefined || item === null || typeof item !== 'object' || Array.isArray(item)) return;
  // It only says which object it is: there is nothing to convert.
  if (Object.keys(item).every((key) => key === 'id' || key === 'type')) return;
  const named = typeOfInput(schema, related, item);
  const before =
    (await objectOf(item, context)) ??
    (named.hasTrait('Principal') && item['password'] !== undefined ? await context.byName?.(named, item) : undefined);
  await prepareInput(schema, related, item, context, before);
  // Keys the related type does not know may be the relationship's own.
  const actual = before === undefined ? named : schema.typeOf(before);
  const link = schema.type(relation.relation.name);
  for (const key of Object.keys(item)) {
    const property = actual.properties.has(key) ? undefined : link?.properties.get(key);
    const value = item[key];
    if (property?.kind !== 'value' || property.prepare === undefined || value === undefined || value === null) continue;
    item[key] = await property.prepare(value);
  }
}
