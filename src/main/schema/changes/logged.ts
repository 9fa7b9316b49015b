/**
 * What of the changes of an object stands in the changelog (docs/interface/changelog.md 3), secrets aside, which `secrets.ts` knows. Nothing here depends
 * on who asks.
 */
import type { Type } from '../model/schema.js';

/** What the service keeps for itself as objects: they come and go with every login. */
const OWN_TRAITS = ['SessionDataNode', 'OAuthLogin'];
const NEVER: ReadonlySet<string> = new Set(['id', 'localStorage']);

const logged = new WeakMap<Type, boolean>();
const names = new WeakMap<Type, Map<string, string | undefined>>();

/** Whether changes of objects of this type are in the changelog at all. */
export function isLogged(type: Type): boolean {
  let is = logged.get(type);
  if (is === undefined) logged.set(type, (is = !OWN_TRAITS.some((trait) => type.hasTrait(trait))));
  return is;
}

/**
 * Whether a relationship of this type has a log of its own. One of the service's own types that has no properties (ownership, trees) has none: what there is to say
 * of it the logs of its ends say, and a file for each would be as many again as objects have.
 */
export function hasOwnLog({ isBuiltin, relation }: Type): boolean {
  return relation === undefined || !isBuiltin || (relation.properties ?? []).length > 0;
}

/**
 * The name of the property that has this stored key; undefined: its values are not in the changelog, as nobody writes it (when an object was
 * changed last stands in each entry) or it is for the service alone. Keys of no property are their own names.
 */
export function loggedName(type: Type, key: string): string | undefined {
  let known = names.get(type);
  if (known === undefined) {
    known = new Map([...NEVER].map((one) => [one, undefined]));
    for (const property of type.properties.values()) {
      if (property.kind !== 'value' || known.has(property.key)) continue;
      const { readOnly, system, constant } = property.definition;
      const isWritten = readOnly !== true && system !== true && constant !== true;
      known.set(property.key, isWritten ? property.name : undefined);
    }
    known.set('type', 'type');
    names.set(type, known);
  }
  return known.has(key) ? known.get(key) : key;
}
