/** Values of indexed function properties, as they are stored with their objects (docs/interface/schema.md 6). */
import type { StoredValue } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import { logger } from '../../../shared/log.js';
import { SchemaError } from '../model/errors.js';
import type { PropertyDefinition, PropertySettings, ValueProperty } from '../model/property.js';
import { propertyTypes } from '../properties/table.js';
import type { Computed } from '../model/schema.js';

const log = logger('schema.function');

/** Characters: longer texts are not stored. */
const LONGEST = 32 * 1024;

/** The property that values are stored, searched and sorted as; `valueType`: by the type hint of the function, texts without one. */
export function indexedProperty(
  { name, dbName }: PropertyDefinition,
  valueType: string,
  declaringTrait: string,
  settings: PropertySettings,
): ValueProperty | undefined {
  const definition = { name, propertyType: valueType, indexed: true, ...(dbName === undefined ? {} : { dbName }) };
  return propertyTypes.get(valueType)?.create(definition, { declaringTrait, settings });
}

/** What is stored of a result; null for objects, lists and maps, and for what is not of the type of the hint. */
export function storedResult(result: Computed, property: ValueProperty): StoredValue | null {
  if (!('json' in result)) return null;
  const json = result.date?.getTime() ?? (property.valueType === 'String' ? asText(result.json) : result.json);
  if (json === null || typeof json === 'object') return null;
  if (typeof json === 'string' && json.length > LONGEST) return null;
  try {
    return property.fromJson(json, property.declaringTrait);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    log.warn(`${property.declaringTrait}.${property.name} is not indexed: ${error.message}`);
    return null;
  }
}

function asText(json: JsonValue): JsonValue {
  return json === null || typeof json === 'object' ? json : String(json);
}
