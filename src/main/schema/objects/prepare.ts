import type { JsonObject, JsonValue } from '../../../shared/json.js';
import type { Schema, Type } from '../schema.js';

/**
 * Does the slow part of converting an input (hashing of passwords) before its transaction begins, so that no
 * writer waits for it. Changes the input in place, nested objects included.
 */
export async function prepareInput(schema: Schema, type: Type, input: JsonObject): Promise<void> {
  for (const key of Object.keys(input)) {
    const property = type.properties.get(key);
    const value = input[key];
    if (property === undefined || value === undefined || value === null) continue;
    if (property.kind === 'value') {
      if (property.prepare !== undefined) input[key] = await property.prepare(value);
    } else if (property.kind === 'relation' && typeof value === 'object') {
      const related = schema.type(property.relatedType);
      if (related === undefined) continue;
      for (const item of Array.isArray(value) ? value : [value]) await prepareItem(schema, related, item);
    }
  }
}

async function prepareItem(schema: Schema, related: Type, item: JsonValue): Promise<void> {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return;
  const named = typeof item['type'] === 'string' ? schema.type(item['type']) : undefined;
  await prepareInput(schema, named?.kind === 'node' ? named : related, item);
}
