/** What changes make of the properties of an entity. */
import type { PropertyChanges, PropertyMap, StoredValue } from '../../types.js';
import { copyProperties, storedForm } from './codec.js';
import { sameValue } from './values.js';

/** The properties after the changes and the keys that differ; undefined: none does. */
export function merged(
  before: PropertyMap,
  changes: PropertyChanges,
): { properties: PropertyMap; text: string; keys: string[] } | undefined {
  const next = copyProperties(before) as Record<string, StoredValue>;
  const keys: string[] = [];
  for (const key in changes) {
    const value = changes[key];
    if (value === undefined || sameValue(before[key], value ?? undefined)) continue;
    if (value === null) Reflect.deleteProperty(next, key);
    else next[key] = value;
    keys.push(key);
  }
  return keys.length === 0 ? undefined : { ...storedForm(next), keys };
}
