import { propertyTypes } from '../../../src/main/schema/properties/table.js';
import type { PropertyDefinition, PropertySettings, ValueProperty } from '../../../src/main/schema/model/property.js';
import { SchemaError } from '../../../src/main/schema/model/errors.js';
import type { JsonValue } from '../../../src/shared/json/index.js';

export const settings: PropertySettings = {
  dateFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
  zonedDateTimeFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
  timeZone: 'UTC',
  encryptionSecret: 'a secret of the tests',
  lenientJson: false,
};

/** A property `p` of type `T`. */
export function property(
  propertyType: string,
  definition: Partial<PropertyDefinition> = {},
  changed: Partial<PropertySettings> = {},
): ValueProperty {
  const type = propertyTypes.get(propertyType);
  if (type === undefined) throw new Error(`no type ${propertyType}`);
  const format = propertyType.startsWith('Enum') ? { format: 'open, done' } : {};
  return type.create(
    { name: 'p', propertyType, ...format, ...definition },
    { declaringTrait: 'T', settings: { ...settings, ...changed } },
  );
}

/** What an answer shows after this input. */
export function afterWriting(p: ValueProperty, input: JsonValue): string {
  return p.toJson(p.fromJson(input, 'T') ?? undefined);
}

/** The `SchemaError` that `action` must throw. */
export function refusal(action: () => unknown): SchemaError {
  try {
    action();
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
