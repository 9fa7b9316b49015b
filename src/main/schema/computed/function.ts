import type { PropertyDefinition } from '../model/property.js';
import type { GraphNode } from '../../graph/index.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import type { FunctionProperty, SchemaSettings } from '../writing/function-properties.js';
import { indexedProperty, storedResult } from './indexed-function.js';

/** A map: a hint may be any text, `constructor` included. */
const VALUE_TYPES: ReadonlyMap<string, string> = new Map([
  ['boolean', 'Boolean'],
  ['string', 'String'],
  ['int', 'Integer'],
  ['long', 'Long'],
  ['double', 'Double'],
  ['date', 'Date'],
]);

/** `Function`: reads and writes through scripts (docs/interface/scripting.md 6.8). Without a write function input is ignored. */
export function functionProperty(
  definition: PropertyDefinition,
  trait: string,
  settings: SchemaSettings,
): FunctionProperty {
  const hint = definition.typeHint?.toLowerCase() ?? '';
  const { functions } = settings;
  const valueType = VALUE_TYPES.get(hint);
  const indexedAs =
    definition.indexed === true ? indexedProperty(definition, valueType ?? 'String', trait, settings) : undefined;
  return {
    kind: 'computed',
    name: definition.name,
    definition,
    declaringTrait: trait,
    valueType: valueType ?? 'Object',
    className: 'FunctionProperty',
    isCollection: false,
    isOutside: true,
    compute(entity, context) {
      const source = definition.readFunction ?? definition.format ?? '';
      const scripts = functions?.scripts;
      if (source === '' || scripts === undefined) return Promise.resolve({ json: null });
      return scripts.read(definition, trait, entity, context);
    },
    ...(indexedAs === undefined
      ? {}
      : {
          indexedAs,
          async indexedValue(entity: GraphNode, objects: ObjectTransaction) {
            const result = await functions?.scripts?.readWithin(definition, trait, entity, objects);
            return result === undefined ? null : storedResult(result, indexedAs);
          },
        }),
    async write(entity, value, objects) {
      if ((definition.writeFunction ?? '') === '') return;
      await functions?.scripts?.write(definition, trait, entity, value, objects);
    },
  };
}
