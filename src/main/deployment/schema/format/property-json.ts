/** Properties as the document has them (docs/interface/deployment.md, "The schema as a document"). */
import type { JsonObject } from '../../../../shared/json/index.js';
import { enumMembers, numberRange, parseNotionFormat } from '../../../schema/index.js';
import { EXACT, exactValues, untold, withUntold } from './exact.js';
import { Findings, Place } from './findings.js';
import { formed, PROPERTY_KEYS, type Said, type Values } from '../keys.js';
import type { PropertyModel } from '../model.js';

/** Told by the list `required` of the type. */
const REQUIRED = 'notNull';
const KEYS = PROPERTY_KEYS.filter(({ key }) => key !== REQUIRED);

/** Keys of all properties that are the same here and there but for their name: here, there. */
const FLAGS = [
  ['compound', 'compound'],
  ['unique', 'unique'],
  ['indexed', 'indexed'],
  ['fulltext', 'fulltext'],
  ['readOnly', 'readOnly'],
  ['isAbstract', 'isAbstract'],
  ['serializationDisabled', 'isSerializationDisabled'],
] as const;
const TEXTS = [
  ['hint', 'hint'],
  ['category', 'category'],
  ['default', 'defaultValue'],
] as const;
const LISTS = [
  ['validators', 'validators'],
  ['transformators', 'transformers'],
] as const;

/** Types with one word of their own; those of numbers have ranges. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['String', 'string'],
  ['Boolean', 'boolean'],
  ['Password', 'password'],
  ['Thumbnail', 'thumbnail'],
  ['Count', 'count'],
  ['Encrypted', 'encrypted'],
  ['Integer', 'integer'],
  ['Long', 'long'],
  ['Double', 'number'],
]);
/** Types of lists, by that of their elements. */
const LIST_WORDS: ReadonlyMap<string, string> = new Map([
  ['StringArray', 'string'],
  ['IntegerArray', 'integer'],
  ['LongArray', 'long'],
  ['DoubleArray', 'number'],
  ['BooleanArray', 'boolean'],
  ['DateArray', 'date'],
  ['ByteArray', 'Byte[]'],
]);
const reversed = (map: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...map].map(([a, b]) => [b, a]));
const OF_WORD = reversed(WORDS);
const OF_LIST_WORD = reversed(LIST_WORDS);
const NUMBERS: ReadonlySet<string> = new Set(['integer', 'long', 'number']);
const DATE_TIME = 'date-time';
const CYPHER = 'application/x-cypher';

const KNOWN: ReadonlySet<string> = new Set([
  ...['type', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'items', 'enum', 'datePattern'],
  ...['cachingEnabled', 'readFunctionWrapJS', 'writeFunctionWrapJS', 'readFunction', 'writeFunction', 'typeHint'],
  ...['openAPIReturnType', 'source', 'contentType', '$ref', 'properties', 'fqcn', EXACT],
  ...[...FLAGS, ...TEXTS, ...LISTS].map(([there]) => there),
]);

/** What the schema adds to a property that shows keys of related objects. */
export interface NotionHint {
  /** The type that it is of. */
  readonly type: string;
  /** Whether there may be several related objects. */
  readonly isList: boolean;
}

/** A property, with `exact` where needed. */
export function propertyJson({ values }: PropertyModel, hint: NotionHint): JsonObject {
  const json = encode(values, hint);
  return withUntold(json, untold(KEYS, values, decoded(json)));
}

function encode(values: Values, hint: NotionHint): JsonObject {
  const type = String(values['propertyType'] ?? '');
  const json: JsonObject = ofType(type, values, hint);
  for (const [there, here] of FLAGS) if (values[here] === true) json[there] = true;
  for (const [there, here] of TEXTS) if (values[here] !== undefined) json[there] = String(values[here]);
  for (const [there, here] of LISTS) {
    const list = values[here];
    if (Array.isArray(list)) json[there] = [...(list as string[])];
  }
  return json;
}

const textOf = (values: Values, key: string): string | undefined =>
  values[key] === undefined ? undefined : String(values[key]);

function ofType(type: string, values: Values, hint: NotionHint): JsonObject {
  const format = textOf(values, 'format');
  const withFormat = format === undefined ? {} : { format };
  const word = WORDS.get(type);
  if (word !== undefined) return { type: word, ...(NUMBERS.has(word) ? rangeOf(format) : withFormat) };
  const element = LIST_WORDS.get(type);
  if (element !== undefined) {
    if (NUMBERS.has(element)) return { type: 'array', items: { type: element, ...rangeOf(format) } };
    return { type: 'array', items: { type: element }, ...withFormat };
  }
  switch (type) {
    case 'Date':
    case 'ZonedDateTime':
      return { type: 'string', format: DATE_TIME, ...(format === undefined ? {} : { datePattern: format }) };
    case 'Enum':
    case 'EnumArray':
      return { type: 'string', enum: [...enumMembers(format)] };
    case 'Function':
      return { type: 'function', ...withFormat, ...functionOf(values) };
    case 'Cypher':
      return { type: 'script', source: format ?? '', contentType: CYPHER };
    case 'Notion':
    case 'IdNotion':
      return notionOf(type, format, hint);
    default:
      return { type: 'custom', ...given(values, ['fqcn', 'typeHint']) };
  }
}

function given(values: Values, keys: readonly string[]): JsonObject {
  const json: JsonObject = {};
  for (const key of keys) if (values[key] !== undefined) json[key] = String(values[key]);
  return json;
}

function functionOf(values: Values): JsonObject {
  return {
    cachingEnabled: values['isCachingEnabled'] === true,
    readFunctionWrapJS: values['readFunctionWrapJS'] !== false,
    writeFunctionWrapJS: values['writeFunctionWrapJS'] !== false,
    ...given(values, ['readFunction', 'writeFunction', 'typeHint', 'openAPIReturnType']),
  };
}

/** A range with two ends; others have no keys. */
function rangeOf(format: string | undefined): JsonObject {
  const range = numberRange(format);
  if (range === undefined) return {};
  const { low, high, withLow, withHigh } = range;
  if (!isPlain(low) || !isPlain(high)) return {};
  return {
    minimum: low,
    maximum: high,
    ...(withLow ? {} : { exclusiveMinimum: true }),
    ...(withHigh ? {} : { exclusiveMaximum: true }),
  };
}

/** Numbers that JSON tells as ranges do. */
const isPlain = (bound: number | bigint): bound is number =>
  typeof bound === 'number' && /^-?[\d.]+$/.test(String(bound));

function notionOf(type: 'Notion' | 'IdNotion', format: string | undefined, hint: NotionHint): JsonObject {
  const parsed = parseNotionFormat(type, format);
  const $ref = `#/definitions/${hint.type}/properties/${parsed?.relationName ?? ''}`;
  const properties = type === 'Notion' ? { properties: [...(parsed?.notion.keys ?? [])] } : {};
  return hint.isList ? { type: 'array', items: { $ref }, ...properties } : { type: 'object', $ref, ...properties };
}

/** A property of a document; undefined: it is passed over. */
export function readProperty(name: string, place: Place): PropertyModel | undefined {
  const propertyType = typeOf(place);
  if (propertyType === undefined) return undefined;
  place.onlyKeys(KNOWN);
  const told = formed(KEYS, read(place, propertyType));
  const hint = { type: '', isList: place.text('type') === 'array' };
  // The document names any type in its references.
  return { name, values: exactValues(place, KEYS, told, (values) => encode(values, hint)) };
}

/** Shows a relation: what the relation says counts. */
export const isRelationProperty = (place: Place): boolean => place.has('$link');

function typeOf(place: Place): string | undefined {
  const type = place.text('type');
  if (type === undefined) {
    place.problem('has no type');
    return undefined;
  }
  const items = place.object('items');
  if (place.has('$ref') || items?.has('$ref') === true) return place.has('properties') ? 'Notion' : 'IdNotion';
  if (type === 'string') {
    if (place.has('enum')) return 'Enum';
    return place.text('format') === DATE_TIME ? 'Date' : 'String';
  }
  if (type === 'function') return 'Function';
  if (type === 'script') return place.text('contentType') === CYPHER ? 'Cypher' : 'Function';
  const found = type === 'array' ? OF_LIST_WORD.get(items?.text('type') ?? '') : OF_WORD.get(type);
  if (found === undefined) {
    const what = type === 'array' ? `a list of ${items?.text('type') ?? 'nothing'}` : type;
    place.notice(`is left out: this version has no properties of the type ${what}`);
  }
  return found;
}

/** What the keys of a property say beside `exact`. */
function read(place: Place, propertyType: string): Record<string, Said> {
  const values: Record<string, Said> = { propertyType, format: formatOf(place, propertyType) };
  for (const [there, here] of FLAGS) values[here] = place.flag(there);
  for (const [there, here] of TEXTS) values[here] = place.text(there);
  for (const [there, here] of LISTS) values[here] = place.list(there);
  if (propertyType !== 'Function') return values;
  values['isCachingEnabled'] = place.flag('cachingEnabled');
  for (const key of ['readFunctionWrapJS', 'writeFunctionWrapJS']) values[key] = place.flag(key) ?? true;
  for (const key of ['readFunction', 'writeFunction', 'typeHint', 'openAPIReturnType']) values[key] = place.text(key);
  return values;
}

function formatOf(place: Place, propertyType: string): string | undefined {
  if (propertyType === 'Date') return place.text('datePattern');
  if (propertyType === 'Enum') return place.list('enum')?.join(',');
  const format = place.text('format');
  if (place.text('type') === 'script') return place.text('source') ?? scriptWithout(place);
  if (format !== undefined) return format;
  if (propertyType === 'Notion' || propertyType === 'IdNotion') return notionFormat(place, propertyType);
  const bounds = place.text('type') === 'array' ? place.object('items') : place;
  return bounds === undefined || !NUMBERS.has(bounds.text('type') ?? '') ? undefined : rangeText(bounds);
}

function scriptWithout(place: Place): undefined {
  place.problem('is a script and has no source');
}

/** One end alone is no range. */
function rangeText(place: Place): string | undefined {
  const [low, high] = [place.number('minimum'), place.number('maximum')];
  if (low === undefined || high === undefined) return undefined;
  const [without, withoutHigh] = [place.flag('exclusiveMinimum') === true, place.flag('exclusiveMaximum') === true];
  return `${without ? ']' : '['}${String(low)},${String(high)}${withoutHigh ? '[' : ']'}`;
}

function notionFormat(place: Place, propertyType: 'Notion' | 'IdNotion'): string | undefined {
  const reference = place.text('$ref') ?? place.object('items')?.text('$ref') ?? '';
  const [, relation] = /\/properties\/([^/]+)$/.exec(reference) ?? [];
  if (relation === undefined) {
    place.problem(`refers to ${reference}, which is no property (#/definitions/<Type>/properties/<property>)`);
    return undefined;
  }
  return propertyType === 'IdNotion' ? relation : [relation, ...(place.list('properties') ?? [])].join(', ');
}

/** What the keys of a property that was written here say. */
function decoded(json: JsonObject): Values {
  const place = new Place('', json, new Findings());
  const type = typeOf(place);
  return type === undefined ? {} : formed(KEYS, read(place, type));
}
