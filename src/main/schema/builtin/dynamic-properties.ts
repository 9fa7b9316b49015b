/** What the users of a database have added to the types that come with the service. */
import type { ValueProperty } from '../model/property.js';
import type { Type } from '../model/schema.js';
import { baseProperties, builtinPropertiesOf } from './builtin-properties.js';

const byType = new WeakMap<Type, readonly ValueProperty[]>();

/** Properties with a stored value that no built-in trait declares, by name. */
export function dynamicProperties(type: Type): readonly ValueProperty[] {
  let found = byType.get(type);
  if (found === undefined) {
    const builtin = new Set(
      [...baseProperties(type.name, type.kind), ...type.traits.flatMap(builtinPropertiesOf)].map(({ name }) => name),
    );
    const all = [...type.properties.values()].filter(
      (one): one is ValueProperty => one.kind === 'value' && !builtin.has(one.name),
    );
    found = all.sort((a, b) => (a.name < b.name ? -1 : 1));
    byType.set(type, found);
  }
  return found;
}
