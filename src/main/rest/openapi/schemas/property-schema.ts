/** Properties as JSON schemas, as OpenAPI 3.0 has them. */
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import {
  relationOf,
  type NotionProperty,
  type Property,
  type RelationProperty,
  type Schema,
  type Type,
  type ValueProperty,
} from '../../../schema/index.js';
import { schemaRef } from '../names.js';
import { declaredResult } from './declared-types.js';

const NUMBERS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['Integer', { type: 'integer', format: 'int32' }],
  ['Long', { type: 'integer', format: 'int64' }],
  ['Double', { type: 'number', format: 'double' }],
]);

/** RFC 3339, which `format: date-time` promises. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** 2013-04-05T08:43:40Z: an instant whose text shows every part of a pattern. */
const SAMPLE_INSTANT = 1_365_151_420_000;

/** A related object: id, type and name in any case, in the view of the request as far as the nesting goes. */
const RELATED = schemaRef('NodeInterface');

/** A value as answers show it. */
export function outputSchema(property: Property, type: Type, schema: Schema): JsonObject {
  const readOnly = isReadOnly(property) ? { readOnly: true } : {};
  switch (property.kind) {
    case 'value':
      return { ...valueSchema(property, true), ...readOnly };
    case 'relation':
      return relationSchema(property, schema);
    case 'notion':
      return notionSchema(property, type, schema);
    case 'computed': {
      const declared = declaredResult(property.definition.openAPIReturnType, (name) =>
        schema.type(name)?.kind === 'node' ? RELATED : undefined,
      );
      const element = Object.keys(declared).length > 0 ? declared : computedElement(property.valueType);
      return { ...(property.isCollection ? { type: 'array', items: element } : nullable(element)), ...readOnly };
    }
  }
}

/** A value as request bodies take it; undefined for what nobody can write. */
export function inputSchema(property: Property, type: Type, schema: Schema): JsonObject | undefined {
  if (isReadOnly(property)) return undefined;
  if (property.kind === 'value') return valueSchema(property, false);
  const relation =
    property.kind === 'relation' ? property : property.kind === 'notion' ? relationOf(type, property) : undefined;
  if (relation === undefined || property.kind === 'computed') return outputSchema(property, type, schema);
  if (property.notion !== undefined) return outputSchema(property, type, schema);
  // An id, an object that names one, or the values of an object to find or create (docs/interface/rest.md 7.3).
  const one: JsonObject = { anyOf: [{ type: 'string', description: 'Id' }, { type: 'object' }] };
  return property.kind === 'relation' && property.isCollection
    ? { type: 'array', description: relation.relatedType, items: one }
    : { ...one, nullable: true, description: relation.relatedType };
}

/** Nobody can write it through the interface, whatever their permissions. */
function isReadOnly(property: Property): boolean {
  const d = property.definition;
  if (d.readOnly === true || d.system === true || d.constant === true) return true;
  return property.kind === 'computed' && (d.propertyType !== 'Function' || (d.writeFunction ?? '') === '');
}

function valueSchema(property: ValueProperty, output: boolean): JsonObject {
  const d = property.definition;
  const description = describe(property);
  const base: JsonObject = description === '' ? {} : { description };
  // Bytes are written as one text.
  if (d.propertyType === 'ByteArray') return { ...base, type: 'string' };
  const element = scalarSchema(property);
  if (property.isCollection) return { ...base, type: 'array', items: element };
  const { defaultValue } = property;
  const hasDefault = output && d.hidden !== true && isPlain(defaultValue) && !isDate(property);
  const withDefault: JsonObject = { ...base, ...element, ...(hasDefault ? { default: defaultValue } : {}) };
  return property.valueType === 'Boolean' || d.notNull === true ? withDefault : nullable(withDefault);
}

const isDate = (p: ValueProperty): boolean => p.valueType.startsWith('Date') || p.valueType.startsWith('ZonedDateTime');

function isPlain(value: unknown): value is string | number | boolean {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}

/** Type and format of one value, or of the elements of a list. */
function scalarSchema(property: ValueProperty): JsonObject {
  const valueType = property.valueType.replace(/\[\]$/, '');
  const number = NUMBERS.get(valueType);
  if (number !== undefined) return number;
  switch (valueType) {
    case 'Boolean':
      return { type: 'boolean' };
    case 'Enum':
      return { type: 'string', enum: members(property.definition.format) };
    case 'Date':
      return dateSchema(property);
    case 'ZonedDateTime':
      // The name of a zone may follow the offset, which is more than RFC 3339 allows.
      return { type: 'string', example: '2013-04-05T10:43:40+02:00' };
    default:
      return property.definition.propertyType === 'Password'
        ? { type: 'string', format: 'password' }
        : { type: 'string' };
  }
}

/** Dates are written by a pattern, of which not every one is a date-time of RFC 3339: the text itself tells. */
function dateSchema(property: ValueProperty): JsonObject {
  const stored = property.isCollection ? [SAMPLE_INSTANT] : SAMPLE_INSTANT;
  const parsed = JSON.parse(property.toJson(stored)) as JsonValue;
  const example = Array.isArray(parsed) ? parsed[0] : parsed;
  if (typeof example !== 'string') return { type: 'string' };
  return { type: 'string', ...(DATE_TIME.test(example) ? { format: 'date-time' } : {}), example };
}

function members(format: string | undefined): string[] {
  return [...new Set((format ?? '').split(/[\s,]+/).filter((m) => m !== ''))];
}

/** The hint, and the rule of the format: patterns are of another dialect than JSON schema's, so they are told in words. */
function describe({ definition: d, valueType }: ValueProperty): string {
  const format = d.format?.trim() ?? '';
  const rule =
    format === '' || format === 'multi-line' || valueType.startsWith('Enum')
      ? ''
      : valueType.startsWith('String')
        ? `Matches ${format}`
        : NUMBERS.has(valueType.replace(/\[\]$/, ''))
          ? `Within ${format}`
          : `Pattern ${format}`;
  return [d.hint ?? '', rule].filter((t) => t !== '').join('. ');
}

function nullable(schema: JsonObject): JsonObject {
  // What may be anything may be null as well; and `nullable` beside no type means nothing.
  if ('$ref' in schema) return { nullable: true, allOf: [schema] };
  if (!('type' in schema)) return schema;
  const members = schema['enum'];
  return { ...schema, ...(Array.isArray(members) ? { enum: [...members, null] } : {}), nullable: true };
}

function relationSchema(property: RelationProperty, schema: Schema): JsonObject {
  const description = property.relatedType;
  const { notion } = property;
  if (notion !== undefined) return keysSchema(notion.keys, property, schema);
  return property.isCollection
    ? { type: 'array', description, items: RELATED }
    : { nullable: true, description, allOf: [RELATED] };
}

function notionSchema(property: NotionProperty, type: Type, schema: Schema): JsonObject {
  const relation = relationOf(type, property);
  return relation === undefined ? {} : keysSchema(property.notion.keys, relation, schema);
}

/** Keys of related objects in place of the objects. */
function keysSchema(keys: readonly string[], relation: RelationProperty, schema: Schema): JsonObject {
  const related = schema.type(relation.relatedType);
  const keySchema = (key: string): JsonObject => {
    const property = related?.properties.get(key);
    return property?.kind === 'value' ? valueSchema(property, false) : { type: 'string', nullable: true };
  };
  const [first] = keys;
  const only = keys.length === 1 ? first : undefined;
  const element: JsonObject =
    only === undefined
      ? { type: 'object', properties: Object.fromEntries(keys.map((k) => [k, keySchema(k)])) }
      : keySchema(only);
  const description = `${keys.join(', ')} of ${relation.relatedType}`;
  if (relation.isCollection) return { type: 'array', description, items: element };
  return { ...nullable(element), description };
}

/** `Object` stands for anything; names of types for related objects. */
function computedElement(valueType: string): JsonObject {
  switch (valueType) {
    case 'Object':
      return {};
    case 'Boolean':
      return { type: 'boolean' };
    case 'String':
    case 'Date':
      return { type: 'string' };
    default:
      return NUMBERS.get(valueType) ?? RELATED;
  }
}
