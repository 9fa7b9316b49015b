import type { JsonValue } from '../../../../shared/json/index.js';
import { SchemaError } from '../../model/errors.js';
import type { PropertyDefinition } from '../../model/property.js';

const MAX_ECHO = 200;

/**
 * An input as error bodies repeat it: scalars as they are, other things as the beginning of their JSON text. Never a
 * `bigint`, which not every JSON writer takes.
 */
export function echo(input: JsonValue): string | number | boolean | null {
  if (typeof input === 'bigint') return String(input);
  if (typeof input !== 'object' || input === null) return input;
  const text = JSON.stringify(input, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return text.slice(0, MAX_ECHO);
}

/** Kind of a JSON value, for messages. */
export function jsonKind(input: JsonValue): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'array';
  return typeof input === 'bigint' ? 'number' : typeof input;
}

/** Input that is no number. The message is fixed: clients test it. */
export function notNumerical(property: string, input: JsonValue, typeName: string): SchemaError {
  return new SchemaError(`Cannot parse input for property '${property}'`, [
    { type: typeName, property, token: 'must_be_numerical', value: echo(input) },
  ]);
}

/** Input of a JSON kind that this property never takes. */
export function wrongKind(property: string, input: JsonValue, expected: string): SchemaError {
  return new SchemaError(`Property ‛${property}‛ takes ${expected}, not a JSON ${jsonKind(input)}.`);
}

/** A property declared in a way that makes no sense for its type. */
export function badDefinition(definition: PropertyDefinition, trait: string, detail: string): SchemaError {
  return new SchemaError(`Property ‛${definition.name}‛ of ${trait} cannot be defined so: ${detail}.`, [
    { type: trait, property: definition.name, token: 'invalid_property_definition', detail },
  ]);
}
