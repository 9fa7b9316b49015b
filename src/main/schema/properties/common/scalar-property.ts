import type { Predicate, ScalarValue, StoredValue } from '../../../graph/index.js';
import { SchemaError, type ErrorToken } from '../../model/errors.js';
import type { CodecFactory, ScalarCodec } from './codec.js';
import { badDefinition } from './input-errors.js';
import type { PropertyContext, PropertyDefinition, PropertyType, ValueProperty } from '../../model/property.js';
import { equalsAnySpelling } from './spelling.js';

/** Checks one stored value at the end of a transaction; undefined: there is none. */
export type ValueRule = (value: ScalarValue | undefined, typeName: string) => ErrorToken | undefined;

/** What sets one scalar type apart from the others. */
export interface ScalarTypeParts {
  readonly name: string;
  readonly className: string;
  readonly codec: CodecFactory;
  /** An inexact filter finds parts of the text, ignoring case. */
  readonly matchesParts?: boolean;
  /** An empty filter parameter finds the empty text too. */
  readonly emptyTextIsEmpty?: boolean;
  /** Compiles the rule in the definition's format. */
  readonly rule?: (definition: PropertyDefinition, context: PropertyContext) => ValueRule | undefined;
}

/** The key under which values are stored. */
export function storedKey(definition: PropertyDefinition): string {
  return definition.dbName === undefined || definition.dbName === '' ? definition.name : definition.dbName;
}

/** All conditions together; one alone stays as it is. */
export function allOf(terms: readonly Predicate[]): Predicate {
  const [first] = terms;
  return first !== undefined && terms.length === 1 ? first : { op: 'and', terms };
}

/** The type of properties with one value. */
export function scalarType(parts: ScalarTypeParts): PropertyType {
  return {
    name: parts.name,
    className: parts.className,
    create: (definition, context) => scalarProperty(parts, definition, context),
  };
}

/** Builds a property with one value. */
export function scalarProperty(
  parts: ScalarTypeParts,
  definition: PropertyDefinition,
  context: PropertyContext,
): ValueProperty {
  const codec = parts.codec(definition, context);
  const rule = parts.rule?.(definition, context);
  const key = storedKey(definition);
  const isUnique = definition.unique === true || definition.compound === true;
  const defaultValue = scalarDefault(codec, definition, context);
  const emptyJson = defaultValue === undefined ? 'null' : codec.toJson(defaultValue);
  return {
    kind: 'value',
    name: definition.name,
    key,
    definition,
    declaringTrait: context.declaringTrait,
    valueType: codec.valueType,
    isCollection: false,
    defaultValue,
    fromJson: (input, typeName) => (input === null ? null : (codec.fromJson(input, typeName) ?? null)),
    toJson: (stored) => {
      if (stored === undefined) return emptyJson;
      return isScalar(stored) ? codec.toJson(stored) : 'null';
    },
    validate: (stored, typeName) => {
      if (rule === undefined) return [];
      const value = stored ?? defaultValue;
      const token = rule(value === undefined || isScalar(value) ? value : undefined, typeName);
      return token === undefined ? [] : [token];
    },
    fromText: (text, typeName) => codec.fromText(text, typeName),
    understands: codec.understands,
    literal: codec.literal,
    filter: (values, inexact) =>
      allOf(
        values.map((value) =>
          inexact && parts.matchesParts === true
            ? { op: 'contains', key, value: String(value), ignoreCase: true }
            : isUnique && typeof value === 'string'
              ? equalsAnySpelling(key, value)
              : { op: 'equals', key, value },
        ),
      ),
    filterEmpty: () => ({ op: parts.emptyTextIsEmpty === true ? 'isEmpty' : 'isNull', key }),
  };
}

/** Arrays are found where a property was an array type before. */
export function isScalar(stored: StoredValue): stored is ScalarValue {
  return typeof stored !== 'object';
}

/** The stored form of the definition's default value, read like input. */
function scalarDefault(
  codec: ScalarCodec,
  definition: PropertyDefinition,
  context: PropertyContext,
): ScalarValue | undefined {
  if (definition.defaultValue === undefined || definition.defaultValue === '') return undefined;
  return defaultFrom(codec, definition.defaultValue, definition, context);
}

/** Reads one default value; a refusal becomes one of the definition. */
export function defaultFrom(
  codec: ScalarCodec,
  text: string,
  definition: PropertyDefinition,
  context: PropertyContext,
): ScalarValue | undefined {
  try {
    return codec.fromJson(text, context.declaringTrait);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const detail = `${text} is no default value of type ${codec.valueType}`;
    throw badDefinition(definition, context.declaringTrait, detail);
  }
}
