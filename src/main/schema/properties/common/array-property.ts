import type { Predicate, ScalarValue, StoredValue } from '../../../graph/index.js';
import type { JsonValue } from '../../../../shared/json/index.js';
import { SchemaError } from '../../model/errors.js';
import type { CodecFactory, ScalarCodec } from './codec.js';
import type { PropertyContext, PropertyDefinition, PropertyType, ValueProperty } from '../../model/property.js';
import { allOf, isScalar, storedKey, type ValueRule } from './scalar-property.js';

/** What sets one array type apart from the others. */
export interface ArrayTypeParts {
  readonly name: string;
  readonly className: string;
  /** The codec of the elements. */
  readonly codec: CodecFactory;
  /** Elements that cannot be read are left out, and nothing left is no value (dates). */
  readonly dropsBadElements?: boolean;
  /** Checks each element. */
  readonly rule?: (definition: PropertyDefinition, context: PropertyContext) => ValueRule | undefined;
  /** Reads the definition's default; absent: the type has none. */
  readonly defaultValue?: (
    codec: ScalarCodec,
    definition: PropertyDefinition,
    context: PropertyContext,
  ) => readonly ScalarValue[] | undefined;
}

/** The type of properties with a list of values. */
export function arrayType(parts: ArrayTypeParts): PropertyType {
  return {
    name: parts.name,
    className: parts.className,
    create: (definition, context) => arrayProperty(parts, definition, context),
  };
}

function arrayProperty(parts: ArrayTypeParts, definition: PropertyDefinition, context: PropertyContext): ValueProperty {
  const codec = parts.codec(definition, context);
  const rule = parts.rule?.(definition, context);
  const key = storedKey(definition);
  const valueType = `${codec.valueType}[]`;
  const defaultValue = parts.defaultValue?.(codec, definition, context);
  const emptyJson = defaultValue === undefined ? '[]' : arrayJson(codec, defaultValue);
  return {
    kind: 'value',
    name: definition.name,
    key,
    definition,
    declaringTrait: context.declaringTrait,
    valueType,
    isCollection: true,
    defaultValue,
    fromJson: (input, typeName) => {
      if (input === null) return null;
      const elements = expectArray(input, definition.name, valueType);
      if (parts.dropsBadElements !== true) return elements.map((element) => readElement(codec, element, typeName));
      const readable = readableElements(codec, elements, typeName);
      return readable.length === 0 ? null : readable;
    },
    toJson: (stored) => (stored === undefined ? emptyJson : arrayJson(codec, stored)),
    validate: (stored, typeName) => {
      if (rule === undefined || stored === undefined) return [];
      for (const value of isScalar(stored) ? [stored] : stored) {
        const token = rule(value, typeName);
        // One token a property, however many elements are wrong.
        if (token !== undefined) return [token];
      }
      return [];
    },
    fromText: (text, typeName) => codec.fromText(text, typeName),
    understands: codec.understands,
    filter: (values, inexact) => arrayFilter(key, values, inexact),
    filterEmpty: () => ({ op: 'isEmpty', key }),
  };
}

/** The elements of array input. The message is the reference's. */
export function expectArray(input: JsonValue, property: string, valueType: string): readonly JsonValue[] {
  if (Array.isArray(input)) return input;
  throw new SchemaError(`Invalid JSON input for key ${property}, expected a JSON ${valueType}.`);
}

function arrayFilter(key: string, values: readonly ScalarValue[], inexact: boolean): Predicate {
  if (!inexact) return { op: 'arrayEquals', key, values };
  return allOf(values.map((value) => ({ op: 'arrayContains', key, value })));
}

function readElement(codec: ScalarCodec, element: JsonValue, typeName: string): ScalarValue {
  const value = element === null ? undefined : codec.fromJson(element, typeName);
  if (value === undefined) throw codec.refuseElement(element, typeName);
  return value;
}

function readableElements(codec: ScalarCodec, elements: readonly JsonValue[], typeName: string): ScalarValue[] {
  const values: ScalarValue[] = [];
  for (const element of elements) {
    try {
      values.push(readElement(codec, element, typeName));
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
    }
  }
  return values;
}

function arrayJson(codec: ScalarCodec, stored: StoredValue): string {
  if (isScalar(stored)) return `[${codec.toJson(stored)}]`;
  let text = '[';
  for (let i = 0; i < stored.length; i++) {
    const value = stored[i];
    if (value !== undefined) text += (i === 0 ? '' : ',') + codec.toJson(value);
  }
  return text + ']';
}
