import { logger } from '../../../shared/log.js';
import { SchemaError } from '../errors.js';
import type { PropertyDefinition } from '../properties/property.js';
import type { ComputedProperty } from './computed.js';

const log = logger('schema.function');
/** A map: a hint may be any text, `constructor` included. */
const VALUE_TYPES: ReadonlyMap<string, string> = new Map([
  ['boolean', 'Boolean'],
  ['string', 'String'],
  ['int', 'Integer'],
  ['long', 'Long'],
  ['double', 'Double'],
  ['date', 'Date'],
]);

/**
 * `Function`: reads and writes through scripts (schema.md 6). The script engine is not part of the service yet: reading
 * gives null, as a failing script does, and a write that would have to run a script is refused.
 */
export function functionProperty(definition: PropertyDefinition, trait: string): ComputedProperty {
  const hint = definition.typeHint?.toLowerCase() ?? '';
  const source = definition.readFunction ?? definition.format ?? '';
  return {
    kind: 'computed',
    name: definition.name,
    definition,
    declaringTrait: trait,
    valueType: VALUE_TYPES.get(hint) ?? 'Object',
    className: 'FunctionProperty',
    isCollection: false,
    compute() {
      if (source !== '') log.debug(`${trait}.${definition.name} reads as null: scripting is not available yet`);
      return Promise.resolve({ json: null });
    },
    refuseWrite() {
      if ((definition.writeFunction ?? '') === '') return;
      throw new SchemaError(`Property ${definition.name} is written by a script, and scripting is not available yet`, [
        {
          type: trait,
          property: definition.name,
          token: 'exception_occurred',
          detail: 'scripting is not available yet',
        },
      ]);
    },
  };
}
