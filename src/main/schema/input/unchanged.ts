/** Clients send whole objects back, with what is nested in them: what says nothing new needs no right to write (docs/rights.md). */
import type { JsonObject } from '../../../shared/json/index.js';
import type { GraphEntity, GraphNode, PropertyChanges } from '../../graph/index.js';
import { SchemaError } from '../model/errors.js';
import { isComparable } from '../changes/secrets.js';
import type { Property } from '../model/schema.js';
import { storedValue } from '../model/lookup.js';
import { sameStored } from './input-values.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/**
 * Whether an input says of an object only what it says itself to who may read it. A value that he does not see is none of that,
 * whether it is right or wrong: he must not find it out by trying.
 */
export function saysNothingNew({ schema, actor }: ObjectTransaction, node: GraphNode, input: JsonObject): boolean {
  const type = schema.typeOf(node);
  const isSame = (key: string, property: Property | undefined): boolean => {
    const value = input[key] ?? null;
    if (property?.kind !== 'value') return false;
    if (property.ignoresInput?.(value) === true) return true;
    if (!isComparable(property, actor)) return false;
    // As text: dates lose their milliseconds in it.
    const given = property.fromJson(value, type.name) ?? undefined;
    return property.toJson(given) === property.toJson(storedValue(node, property.key));
  };
  try {
    return Object.keys(input).every((key) => isSame(key, type.properties.get(key)));
  } catch (error) {
    if (error instanceof SchemaError) return false;
    throw error;
  }
}

/** Whether any of these values of a relationship is another than the one it has. */
export function changesAny({ properties }: GraphEntity, values: PropertyChanges): boolean {
  return Object.keys(values).some((key) => !sameStored(properties[key] ?? null, values[key] ?? null));
}
