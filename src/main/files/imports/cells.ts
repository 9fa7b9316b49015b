/** From the text of a cell, an attribute or an element to the input of a property. */
import type { Predicate, ScalarValue, StoredValue } from '../../graph/index.js';
import { isSecret, type Type } from '../../schema/index.js';
import { JsonSyntaxError, parseJsonSync, type JsonObject, type JsonValue } from '../../../shared/json/index.js';

/**
 * What a text is for a property: itself, and for one that holds several values, or objects, what it says as JSON. Empty
 * text is no value.
 */
export function inputOf(type: Type, key: string, text: string): JsonValue | undefined {
  if (text === '') return undefined;
  const property = type.properties.get(key);
  switch (property?.kind) {
    case 'value':
      return property.isCollection ? listOf(text) : text;
    case 'relation':
      return property.isCollection ? listOf(text) : text.startsWith('{') ? jsonOr(text) : text;
    default:
      return text.startsWith('[') && property?.kind === 'notion' ? jsonOr(text) : text;
  }
}

function listOf(text: string): JsonValue {
  return text.startsWith('[') ? jsonOr(text) : [text];
}

function jsonOr(text: string): JsonValue {
  try {
    return parseJsonSync(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return text;
    throw error;
  }
}

/**
 * The condition that an object has all these values, and none where the input has none; undefined when nothing of it can
 * be searched. `keys`: those that count.
 */
export function sameValues(type: Type, keys: readonly string[], input: JsonObject): Predicate | undefined {
  const terms: Predicate[] = [];
  for (const name of keys) {
    const property = type.properties.get(name);
    // What is hidden or encrypted cannot be searched.
    if (property?.kind !== 'value' || isSecret(property) || property.prepare !== undefined) continue;
    const value = input[name];
    const stored = value === undefined ? property.defaultValue : property.fromJson(value, type.name);
    terms.push(equals(property.key, stored));
  }
  if (terms.every((term) => term.op === 'isNull')) return undefined;
  return terms.length === 1 ? terms[0] : { op: 'and', terms };
}

function equals(key: string, stored: StoredValue | null | undefined): Predicate {
  if (stored === null || stored === undefined) return { op: 'isNull', key };
  if (Array.isArray(stored)) return { op: 'arrayEquals', key, values: stored as readonly ScalarValue[] };
  return { op: 'equals', key, value: stored as ScalarValue };
}
