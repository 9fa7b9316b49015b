import type { PropertyDefinition } from '../model/property.js';
import type { ComputedProperty } from '../model/schema.js';

/** A read-only property whose feature is not part of the service yet: reads as null or an empty list. */
export function unavailableProperty(
  definition: PropertyDefinition,
  trait: string,
  shape: { readonly valueType: string; readonly className: string; readonly isCollection: boolean },
): ComputedProperty {
  return {
    kind: 'computed',
    name: definition.name,
    definition,
    declaringTrait: trait,
    ...shape,
    compute: () => Promise.resolve(shape.isCollection ? { json: [] } : { json: null }),
  };
}
