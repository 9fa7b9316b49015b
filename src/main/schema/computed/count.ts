import type { StoredValue } from '../../graph/index.js';
import type { PropertyDefinition } from '../model/property.js';
import { onlyReadable } from '../model/actor.js';
import type { ComputedProperty } from '../model/schema.js';
import { storedValue } from '../model/lookup.js';

/** `Count`: size of the collection that `format` names (docs/interface/schema.md 5). */
export function countProperty(definition: PropertyDefinition, trait: string): ComputedProperty {
  return {
    kind: 'computed',
    name: definition.name,
    definition,
    declaringTrait: trait,
    valueType: 'Integer',
    className: 'ElementCounter',
    isCollection: false,
    async compute(entity, { tx, type, access }) {
      const target = type.properties.get(definition.format ?? '');
      if (target?.kind === 'relation') {
        const { count } = await tx.count({
          kind: 'nodes',
          from: { id: entity.id, step: onlyReadable(target.step, access) },
        });
        return { json: count };
      }
      const stored: StoredValue | undefined = target?.kind === 'value' ? storedValue(entity, target.key) : undefined;
      return { json: Array.isArray(stored) ? stored.length : 0 };
    },
  };
}
