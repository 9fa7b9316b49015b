/** Which properties a table shows, and what can be done with a column. */
import type { PropertyInfo } from '../server/schema.js';

/** How a property is shown, filtered and edited; a kind is a line in `editors.tsx` and `filters.tsx`. */
export type Kind = 'text' | 'number' | 'boolean' | 'date' | 'enum' | 'list' | 'related' | 'other';

export interface Column {
  readonly name: string;
  readonly kind: Kind;
  readonly readOnly: boolean;
  readonly needed: boolean;
  readonly members: readonly string[];
  readonly integer: boolean;
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
/** Written by the server, or what an object is. */
const FIXED: ReadonlySet<string> = new Set(['id', 'type']);
const COMMON: ReadonlySet<string> = new Set([
  'GraphObject',
  'NodeInterface',
  'AccessControllable',
  'PropertyContainer',
]);
const MOST_AT_FIRST = 8;

export function columnOf(property: PropertyInfo): Column {
  const { jsonName, type, format, readOnly, notNull, relatedType, isCollection } = property;
  const kind =
    typeof relatedType === 'string'
      ? 'related'
      : isCollection || type.endsWith('[]')
        ? 'list'
        : (KINDS[type] ?? 'other');
  return {
    name: jsonName,
    kind,
    readOnly: readOnly || FIXED.has(jsonName) || kind === 'related' || kind === 'other',
    needed: notNull,
    members:
      kind === 'enum'
        ? (format ?? '')
            .split(',')
            .map((one) => one.trim())
            .filter(Boolean)
        : [],
    integer: type === 'Integer' || type === 'Long',
  };
}

const keptAt = (type: string): string => `svc.data.columns.${type}`;

/** The names of the columns that were chosen for a type, else those that tell most. */
export function shownColumns(type: string, properties: readonly PropertyInfo[]): readonly string[] {
  try {
    const kept = JSON.parse(localStorage.getItem(keptAt(type)) ?? 'null') as unknown;
    if (Array.isArray(kept)) {
      const known = kept.filter((name): name is string => properties.some(({ jsonName }) => jsonName === name));
      if (known.length > 0) return known;
    }
  } catch {
    // What is no list of names counts as none.
  }
  const own = properties.filter(({ declaringClass }) => !COMMON.has(declaringClass)).map(({ jsonName }) => jsonName);
  return ['name', ...own.filter((name) => name !== 'name').slice(0, MOST_AT_FIRST), 'lastModifiedDate'];
}

export function keepColumns(type: string, names: readonly string[]): void {
  localStorage.setItem(keptAt(type), JSON.stringify(names));
}
