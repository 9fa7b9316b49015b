/** Values on their way into objects: limits on one object, stored forms and their comparison. */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { GraphNode, PropertyChanges, StoredValue } from '../../graph/index.js';
import { SchemaError } from '../model/errors.js';
import type { Type } from '../model/schema.js';

/** Keys of one object, and elements of one value: more would hold up the loop in a step that cannot pause. */
const MAX_KEYS = 10_000;
const MAX_ELEMENTS = 100_000;

/** Throws `SchemaError` when an object has too many keys or a value too many elements. */
export function tooLarge(input: JsonObject, type: Type): void {
  const keys = Object.keys(input);
  if (keys.length > MAX_KEYS) {
    throw new SchemaError(`An object may have ${String(MAX_KEYS)} keys, this one has ${String(keys.length)}.`, [
      { type: type.name, token: 'must_be_shorter_than', detail: MAX_KEYS },
    ]);
  }
  for (const key of keys) {
    const value = input[key];
    if (!Array.isArray(value) || value.length <= MAX_ELEMENTS) continue;
    throw new SchemaError(
      `The list ${key} may have ${String(MAX_ELEMENTS)} elements, it has ${String(value.length)}.`,
      [{ type: type.name, property: key, token: 'must_be_shorter_than', detail: MAX_ELEMENTS }],
    );
  }
}

/** Stored form of a value without declared type: scalars and their arrays as they are, anything else as JSON text. */
export function toStored(value: JsonValue): StoredValue | null {
  if (value === null) return null;
  if (typeof value !== 'object') return value;
  if (
    Array.isArray(value) &&
    value.every((v): v is string | number | boolean | bigint => v !== null && typeof v !== 'object')
  )
    return value;
  return JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? v.toString() : v));
}

/** Whether any of these changes would change the node. */
export function hasChange(node: GraphNode, changes: PropertyChanges): boolean {
  return Object.keys(changes).some((key) => !sameStored(node.properties[key] ?? null, changes[key] ?? null));
}

/** Equality of stored values; arrays by their elements. */
export function sameStored(a: StoredValue | null, b: StoredValue | null): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((v, i) => v === (b as readonly unknown[])[i]);
  return typeof a === 'number' && typeof b === 'number' && Number.isNaN(a) && Number.isNaN(b);
}

/** The values that there are. */
export function withoutNulls(values: PropertyChanges): Record<string, StoredValue> {
  const there = Object.create(null) as Record<string, StoredValue>;
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (value !== null && value !== undefined) there[key] = value;
  }
  return there;
}
