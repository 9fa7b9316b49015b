/** Type names that methods, parameters and functions are declared with, as JSON schemas. */
import type { JsonObject } from '../../../../shared/json/index.js';

const TYPES: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['string', { type: 'string' }],
  ['boolean', { type: 'boolean' }],
  ['int', { type: 'integer', format: 'int32' }],
  ['integer', { type: 'integer', format: 'int32' }],
  ['long', { type: 'integer', format: 'int64' }],
  ['float', { type: 'number', format: 'float' }],
  ['double', { type: 'number', format: 'double' }],
  ['date', { type: 'string', description: 'Date in ISO form' }],
  ['map', { type: 'object' }],
  ['object', { type: 'object' }],
]);

/** What a parameter is declared as; undefined for names that say nothing about the value. */
export function declaredType(name: string | undefined): JsonObject | undefined {
  return TYPES.get(name?.toLowerCase() ?? '');
}

/** The declared result, `[]` behind it for a list. `objects`: the schema of a type of objects. Anything else may be anything. */
export function declaredResult(
  declared: string | undefined,
  objects: (type: string) => JsonObject | undefined,
): JsonObject {
  const name = declared?.trim() ?? '';
  const list = name.endsWith('[]');
  const element = list ? name.slice(0, -2) : name;
  const schema = objects(element) ?? declaredType(element);
  if (schema === undefined) return {};
  return list ? { type: 'array', items: schema } : schema;
}
