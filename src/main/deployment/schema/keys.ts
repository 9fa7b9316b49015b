/**
 * Which keys of schema objects the document tells, and the one form that their values have here: what says no more than its absence is
 * absent (the empty text, the empty list, a default).
 */
import type { JsonValue } from '../../../shared/json/index.js';
import type { StoredValue } from '../../graph/index.js';

/** Values by key of a schema object, in their one form. */
export type Values = Readonly<Record<string, StoredValue>>;

/** One key. */
export interface KeyRule {
  readonly key: string;
  readonly kind: 'text' | 'flag' | 'list' | 'number';
  /** What an object without a value counts as; flags: false unless told. */
  readonly byDefault?: string | number | boolean;
  /** Lists whose order says nothing. */
  readonly sorted?: boolean;
  /** Flags without a default: false is told apart from nothing, so that a document reads back as it was. */
  readonly threeStates?: boolean;
}

export type KeyTable = readonly KeyRule[];

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
const texts = (keys: string): KeyRule[] => words(keys).map((key) => ({ key, kind: 'text' }));
const flags = (keys: string): KeyRule[] => words(keys).map((key) => ({ key, kind: 'flag', byDefault: false }));
const lists = (keys: string, sorted = false): KeyRule[] => words(keys).map((key) => ({ key, kind: 'list', sorted }));
const choice = (byDefault: string, keys: string): KeyRule[] =>
  words(keys).map((key) => ({ key, kind: 'text', byDefault }));

const ABSTRACT: KeyTable = [
  ...flags('includeInOpenAPI isServiceClass changelogDisabled'),
  ...texts('icon summary description'),
  ...lists('tags', true),
];

/** SchemaNode. */
export const TYPE_KEYS: KeyTable = [
  ...ABSTRACT,
  ...lists('inheritedTraits', true),
  ...flags('isAbstract isInterface defaultVisibleToPublic defaultVisibleToAuth'),
  ...texts('category defaultSortKey defaultSortOrder'),
];

/** SchemaRelationshipNode, without its ends and `relationshipType`. */
export const RELATION_KEYS: KeyTable = [
  ...ABSTRACT,
  ...choice('*', 'sourceMultiplicity targetMultiplicity'),
  ...texts('sourceJsonName targetJsonName sourceNotion targetNotion propertyMask'),
  { key: 'cascadingDeleteFlag', kind: 'number', byDefault: 0 },
  { key: 'autocreationFlag', kind: 'number', byDefault: 0 },
  ...choice('None', 'permissionPropagation'),
  ...choice('Remove', 'readPropagation writePropagation deletePropagation accessControlPropagation'),
];

/** SchemaProperty. */
export const PROPERTY_KEYS: KeyTable = [
  ...texts('propertyType dbName format typeHint defaultValue hint category fqcn'),
  ...flags('notNull unique compound indexed fulltext readOnly isAbstract isSerializationDisabled isCachingEnabled'),
  ...texts('readFunction writeFunction openAPIReturnType'),
  { key: 'readFunctionWrapJS', kind: 'flag', byDefault: true },
  { key: 'writeFunctionWrapJS', kind: 'flag', byDefault: true },
  ...lists('validators transformers'),
];

/** SchemaMethod on a type. */
export const METHOD_KEYS: KeyTable = [
  ...texts('source summary description codeType openAPIReturnType virtualFileName'),
  ...flags('isStatic isPrivate returnRawResult includeInOpenAPI'),
  ...choice('POST', 'httpVerb'),
  { key: 'wrapJsInMain', kind: 'flag', byDefault: true },
  ...words('callSuper overridesExisting doExport').map((key): KeyRule => ({ key, kind: 'flag', threeStates: true })),
  ...lists('exceptions'),
  ...lists('tags', true),
];

/** SchemaMethod that is a user-defined function. */
export const FUNCTION_KEYS: KeyTable = [...METHOD_KEYS, ...flags('visibleToPublicUsers visibleToAuthenticatedUsers')];

/** SchemaMethodParameter, without its place. */
export const PARAMETER_KEYS: KeyTable = texts('parameterType description exampleValue');

/** A value that may not be there. */
export type Said = StoredValue | null | undefined;

/** The one form of a value; undefined: it says no more than its absence. */
function formOf({ kind, byDefault, sorted, threeStates }: KeyRule, value: Said): StoredValue | undefined {
  if (value === undefined || value === null) return undefined;
  if (kind === 'list') {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    const list = value.map(String);
    return sorted === true ? [...new Set(list)].sort() : list;
  }
  if (kind === 'flag') {
    const flag = value === true;
    return threeStates === true || flag !== byDefault ? flag : undefined;
  }
  const plain = kind === 'number' ? Number(value) : String(value);
  return plain === '' || plain === byDefault ? undefined : plain;
}

/** The values of a schema object in their one form, in the order of the table. */
export function formed(table: KeyTable, values: Readonly<Record<string, Said>>): Values {
  const result: Record<string, StoredValue> = Object.create(null) as Record<string, StoredValue>;
  for (const rule of table) {
    const value = formOf(rule, values[rule.key]);
    if (value !== undefined) result[rule.key] = value;
  }
  return result;
}

/** What is written to an object so that a key has a value; `null`: that it has none. */
export function toWrite({ byDefault }: KeyRule, value: StoredValue | undefined): JsonValue {
  if (value === undefined) return byDefault ?? null;
  return typeof value === 'object' ? [...value] : value;
}

/** Whether two values in their one form are the same. */
export function same(a: StoredValue | undefined, b: StoredValue | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return a.length === b.length && a.every((one, i) => one === b[i]);
}

/** Keys whose values differ. */
export function differing(table: KeyTable, a: Values, b: Values): KeyRule[] {
  return table.filter(({ key }) => !same(a[key], b[key]));
}

/** The order of names in documents: that of their signs, whatever the language. */
export function byName<T extends { readonly name: string }>(a: T, b: T): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
