/**
 * Properties whose value is worked out on reading. One file a kind, one line in this table.
 */
import type { PropertyDefinition } from '../model/property.js';
import { builtinComputations } from './builtin.js';
import type { ComputedProperty } from '../model/schema.js';
import { FUNCTION, type SchemaSettings } from '../writing/function-properties.js';
import { countProperty } from './count.js';
import { functionProperty } from './function.js';
import { thumbnailProperty } from './thumbnail.js';
import { unavailableProperty } from './unavailable.js';

type Factory = (definition: PropertyDefinition, trait: string, settings: SchemaSettings) => ComputedProperty;

const table: ReadonlyMap<string, Factory> = new Map<string, Factory>([
  ['Count', countProperty],
  [FUNCTION, functionProperty],
  [
    'Cypher',
    (d, t) => unavailableProperty(d, t, { valueType: 'Object', className: 'CypherQueryProperty', isCollection: true }),
  ],
  ['Thumbnail', thumbnailProperty],
  ['Computed', builtinComputations],
]);

/** The computed property of a definition; undefined when its type is none of these. */
export function createComputed(
  definition: PropertyDefinition,
  trait: string,
  settings: SchemaSettings,
): ComputedProperty | undefined {
  // `Computed` names code of the service: no schema may ask for it.
  if (definition.propertyType === 'Computed' && definition.schemaPropertyId !== undefined) return undefined;
  return table.get(definition.propertyType)?.(definition, trait, settings);
}
