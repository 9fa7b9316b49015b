import { SchemaError } from '../../model/errors.js';
import { jsonString } from './json-text.js';
import type { PropertyType, ValueProperty } from '../../model/property.js';

/** What hidden values read as, in every answer (docs/interface/rest.md 7.1). */
export const HIDDEN_TEXT = '****** HIDDEN ******';
const HIDDEN_JSON = jsonString(HIDDEN_TEXT);

/** A property that cannot be searched: values could be guessed from which objects are found. */
export function notSearchable(property: string, reason: string): SchemaError {
  return new SchemaError(`Property ‛${property}‛ cannot be used as a search key: ${reason}.`, [], 'bad_request');
}

/** Adds to a type what a definition's `hidden` and `constant` mean, which is the same for all types. */
export function withMasks(type: PropertyType): PropertyType {
  return {
    name: type.name,
    className: type.className,
    create: (declared, context) => {
      const definition = type.alwaysHidden === true ? { ...declared, hidden: true } : declared;
      const property = type.create(definition, context);
      if (definition.hidden === true) return hide(property);
      return definition.constant === true ? fix(property) : property;
    },
  };
}

function hide(property: ValueProperty): ValueProperty {
  const prepare = property.prepare?.bind(property);
  const refuse = (): never => {
    throw notSearchable(property.name, 'its values are hidden');
  };
  return {
    ...property,
    toJson: () => HIDDEN_JSON,
    ignoresInput: (input) => input === HIDDEN_TEXT,
    // An input that will be ignored needs no work.
    ...(prepare !== undefined && {
      prepare: async (input, before) => (input === HIDDEN_TEXT ? input : prepare(input, before)),
    }),
    validate: (stored, typeName) => property.validate(stored, typeName).map(({ value: _value, ...token }) => token),
    fromText: refuse,
    filter: refuse,
    filterEmpty: refuse,
    filterRange: refuse,
  };
}

/** Constants read as their default, whatever an old database holds. */
function fix(property: ValueProperty): ValueProperty {
  const json = property.toJson(undefined);
  return { ...property, toJson: () => json };
}
