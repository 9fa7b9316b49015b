import type { PropertyDefinition, PropertySettings } from '../properties/property.js';
import type { ComputedProperty } from './computed.js';

/** A map: a hint may be any text, `constructor` included. */
const VALUE_TYPES: ReadonlyMap<string, string> = new Map([
  ['boolean', 'Boolean'],
  ['string', 'String'],
  ['int', 'Integer'],
  ['long', 'Long'],
  ['double', 'Double'],
  ['date', 'Date'],
]);

/** `Function`: reads and writes through scripts (schema.md 6, scripting.md 8.2a). Without a write function input is ignored. */
export function functionProperty(
  definition: PropertyDefinition,
  trait: string,
  settings: PropertySettings,
): ComputedProperty {
  const hint = definition.typeHint?.toLowerCase() ?? '';
  const { functions } = settings;
  return {
    kind: 'computed',
    name: definition.name,
    definition,
    declaringTrait: trait,
    valueType: VALUE_TYPES.get(hint) ?? 'Object',
    className: 'FunctionProperty',
    isCollection: false,
    compute(entity, context) {
      const source = definition.readFunction ?? definition.format ?? '';
      const scripts = functions?.scripts;
      if (source === '' || scripts === undefined) return Promise.resolve({ json: null });
      return scripts.read(definition, trait, entity, context);
    },
    async write(entity, value, objects) {
      if ((definition.writeFunction ?? '') === '') return;
      await functions?.scripts?.write(definition, trait, entity, value, objects);
    },
  };
}
