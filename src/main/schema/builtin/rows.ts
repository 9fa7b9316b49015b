/**
 * Short forms for the rows of the built-in tables. Marks follow a key: `*` indexed, `!` not null, `!!` not null and
 * not blank, `u` unique, `r` read-only.
 */
import type { Multiplicity, RelationDefinition, TraitDefinition } from '../model/definitions.js';
import type { PropertyDefinition } from '../model/property.js';

type Extra = Omit<PropertyDefinition, 'name' | 'propertyType'>;
type Views = Readonly<Record<string, readonly string[]>>;

function flags(marks: string): Extra {
  return {
    ...(marks.includes('*') ? { indexed: true } : {}),
    ...(marks.includes('!') ? { notNull: true } : {}),
    ...(marks.includes('!!') ? { notBlank: true } : {}),
    ...(marks.includes('u') ? { unique: true } : {}),
    ...(marks.includes('r') ? { readOnly: true } : {}),
  };
}

/** One property: `key('Integer', 'position', '*')`. */
export function key(propertyType: string, name: string, marks = '', extra: Extra = {}): PropertyDefinition {
  return { name, propertyType, ...flags(marks), ...extra };
}

/** A String property. */
export function str(name: string, marks = '', extra: Extra = {}): PropertyDefinition {
  return key('String', name, marks, extra);
}

/** Several properties of one type, separated by blanks, `*` and `!` after a name: `keys('String', 'to* cc*')`. */
export function keys(propertyType: string, names: string): PropertyDefinition[] {
  return words(names).map((word) => {
    const name = word.replace(/[*!]+$/, '');
    return key(propertyType, name, word.slice(name.length));
  });
}

/** Boolean properties that are false when not given. */
export function falseByDefault(names: string): PropertyDefinition[] {
  return keys('Boolean', names).map((p) => ({ ...p, defaultValue: 'false' }));
}

/** A marker such as `isUser`: always true. */
export function marker(name: string): PropertyDefinition {
  return key('Boolean', name, '', { constant: true, defaultValue: 'true' });
}

/** Ids of the objects of the relation property `relation`. */
export function ids(name: string, relation: string): PropertyDefinition {
  return key('IdNotion', name, '', { format: relation });
}

/** A value worked out when it is read; `computation` is a row of `schema/computed/builtin.ts`. */
export function computed(name: string, computation: string, extra: Extra = {}): PropertyDefinition {
  return key('Computed', name, 'r', { format: computation, ...extra });
}

/** A member of a list; `members` as in SchemaProperty.format. */
export function oneOf(name: string, members: string, marks = '', defaultValue?: string): PropertyDefinition {
  return key('Enum', name, marks, { format: members, ...(defaultValue === undefined ? {} : { defaultValue }) });
}

export function words(text: string): string[] {
  return text.split(/\s+/).filter((w) => w !== '');
}

export function namesOf(properties: readonly PropertyDefinition[]): string[] {
  return properties.map((p) => p.name);
}

/** The same keys in the views `public` and `ui`. */
export function publicAndUi(list: readonly string[]): Views {
  return { public: list, ui: list };
}

/** A trait; `more` holds what few have. */
export function trait(
  name: string,
  inherits: readonly string[],
  properties: readonly PropertyDefinition[],
  views: Views = {},
  more: Partial<TraitDefinition> = {},
): TraitDefinition {
  return { name, inherits, properties, views, ...more };
}

/**
 * A relationship type. `multiplicity` is source:target, `1:*` and the like; `targetKey` stands on the source type
 * and shows targets, `sourceKey` on the target type and shows sources.
 */
export function relation(
  name: string,
  source: string,
  relType: string,
  target: string,
  multiplicity: `${Multiplicity}:${Multiplicity}`,
  more: Partial<RelationDefinition> = {},
): RelationDefinition {
  const [sourceMultiplicity, targetMultiplicity] = multiplicity.split(':') as [Multiplicity, Multiplicity];
  return { name, source, target, relType, sourceMultiplicity, targetMultiplicity, builtin: true, ...more };
}

/** Values of `RelationDefinition.cascadingDelete` and `autocreation`. */
export const SOURCE_TO_TARGET = 1;
export const TARGET_TO_SOURCE = 2;
export const BOTH_WAYS = 3;
