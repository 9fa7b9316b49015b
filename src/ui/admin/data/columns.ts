/** Which properties a table shows, and what can be done with a column. */
import type { CodeLanguage } from '../parts/code-languages.js';
import type { PropertyInfo } from '../server/schema.js';

/** How a value is shown, filtered and edited. */
export type Kind =
  'text' | 'number' | 'boolean' | 'date' | 'day' | 'enum' | 'list' | 'related' | 'password' | 'encrypted' | 'other';

/** What stands behind a column of related objects. */
export interface Relation {
  readonly type: string;
  readonly many: boolean;
  /** The relationship type, and the end of it that the object is. */
  readonly relationship: string;
  readonly direction: 'out' | 'in';
}

export interface Column {
  readonly name: string;
  readonly kind: Kind;
  /** Of a list: the kind of its elements; else the kind itself. */
  readonly element: Kind;
  readonly readOnly: boolean;
  readonly needed: boolean;
  readonly members: readonly string[];
  readonly integer: boolean;
  /** Texts of several lines. */
  readonly long: boolean;
  /** Of texts that are code. */
  readonly language: CodeLanguage | undefined;
  readonly relation: Relation | undefined;
  /** Stored, so that the server searches and sorts by it. */
  readonly stored: boolean;
  /** Where an object's properties are shown by groups: the category of the schema after `=`, or one of these. */
  readonly group: 'own' | 'related' | 'rights' | 'system' | `=${string}`;
}

const KINDS: Readonly<Record<string, Kind>> = {
  String: 'text',
  Integer: 'number',
  Long: 'number',
  Double: 'number',
  Boolean: 'boolean',
  Date: 'date',
  ZonedDateTime: 'date',
  Enum: 'enum',
};
/** What an object is; what the server keeps of it. */
const FIXED: ReadonlySet<string> = new Set([
  'id',
  'type',
  'createdDate',
  'createdBy',
  'lastModifiedDate',
  'lastModifiedBy',
]);
const RIGHTS: ReadonlySet<string> = new Set([
  'owner',
  'ownerId',
  'grantees',
  'hidden',
  'visibleToPublicUsers',
  'visibleToAuthenticatedUsers',
]);
const COMMON: ReadonlySet<string> = new Set([
  'GraphObject',
  'NodeInterface',
  'AccessControllable',
  'PropertyContainer',
]);
/** Properties of built-in types that hold code. */
const CODE: Readonly<Record<string, CodeLanguage>> = {
  source: 'javascript',
  readFunction: 'javascript',
  writeFunction: 'javascript',
  content: 'html',
};
/** Made by scripts and counts when they are read, or keys of other objects. */
const COMPUTED = /\.(Function|ElementCounter|Cypher|EntityNotion|Thumbnail)\w*$/;
const MOST_AT_FIRST = 8;

function kindOf({ type, className, isCollection, relatedType, format }: PropertyInfo): Kind {
  if (className.endsWith('.PasswordProperty')) return 'password';
  if (className.endsWith('.EncryptedStringProperty')) return 'encrypted';
  if (className.endsWith('.ByteArrayProperty')) return 'text';
  if (className.endsWith('.EntityNotionProperty')) return 'other';
  if (typeof relatedType === 'string') return 'related';
  if (type.endsWith('[]')) return 'list';
  if (isCollection) return 'other';
  // A day without a time is written so, and read so.
  if (type === 'Date' && format === 'yyyy-MM-dd') return 'day';
  // Other patterns are for people: a text of the pattern.
  if (type === 'Date' && typeof format === 'string' && format !== '') return 'text';
  return KINDS[type] ?? 'other';
}

function groupOf({ jsonName, category, declaringClass, dynamic, relatedType }: PropertyInfo): Column['group'] {
  if (FIXED.has(jsonName)) return 'system';
  if (RIGHTS.has(jsonName)) return 'rights';
  if (typeof category === 'string' && category !== '') return `=${category}`;
  if (typeof relatedType === 'string') return 'related';
  return dynamic || jsonName === 'name' || !COMMON.has(declaringClass) ? 'own' : 'system';
}

export function columnOf(property: PropertyInfo): Column {
  const { jsonName, type, className, format, readOnly, notNull, dynamic, relatedType, isCollection } = property;
  const kind = kindOf(property);
  const element = kind === 'list' ? (KINDS[type.slice(0, -2)] ?? 'text') : kind;
  const isComputed = COMPUTED.test(className);
  return {
    name: jsonName,
    kind,
    element,
    readOnly: readOnly || FIXED.has(jsonName) || kind === 'other' || isComputed,
    needed: notNull,
    members: element === 'enum' ? (format ?? '').split(/[,\s]+/).filter(Boolean) : [],
    integer: /^(Integer|Long)/.test(type),
    long: kind === 'text' && format === 'multi-line',
    language: kind === 'text' && !dynamic ? CODE[jsonName] : undefined,
    relation:
      kind === 'related'
        ? {
            type: relatedType ?? '',
            many: isCollection,
            relationship: property.relationship ?? '',
            direction: property.direction ?? 'out',
          }
        : undefined,
    stored: !isComputed && !['password', 'encrypted', 'other'].includes(kind),
    group: groupOf(property),
  };
}

/** The columns that tell most, for a type that nobody has chosen any for. */
export function usualColumns(properties: readonly PropertyInfo[]): readonly string[] {
  const own = properties.filter(({ declaringClass }) => !COMMON.has(declaringClass)).map(({ jsonName }) => jsonName);
  return ['name', ...own.filter((name) => name !== 'name').slice(0, MOST_AT_FIRST), 'lastModifiedDate'];
}
