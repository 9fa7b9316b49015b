import type { JsonValue } from '../../../shared/json/index.js';
import { dateFormatter, datePattern, DatePatternError, parseIso, TimeZone } from '../../../shared/dates/index.js';
import type { DatePattern, PatternDialect } from '../../../shared/dates/index.js';
import { SchemaError } from '../model/errors.js';
import { arrayType } from './common/array-property.js';
import type { CodecFactory, ScalarCodec } from './common/codec.js';
import { badDefinition, echo, jsonKind } from './common/input-errors.js';
import { jsonString } from './common/json-text.js';
import { finiteNumber } from './common/numbers.js';
import type { PropertyContext, PropertyDefinition } from '../model/property.js';
import { scalarType } from './common/scalar-property.js';

const MAX_INSTANT = 8.64e15;

/** The property's own pattern, else the setting's. */
export function patternOf(
  definition: PropertyDefinition,
  context: PropertyContext,
  defaultPattern: string,
  dialect: PatternDialect,
): DatePattern {
  const own = definition.format?.trim();
  const source = own === undefined || own === '' ? defaultPattern : own;
  try {
    return datePattern(source, dialect);
  } catch (error) {
    if (!(error instanceof DatePatternError)) throw error;
    throw badDefinition(definition, context.declaringTrait, `the date pattern ${source} ${error.message}`);
  }
}

/** The zone of the settings; which one is no matter of a property's definition. */
export function zoneOf(context: PropertyContext): TimeZone {
  const zone = TimeZone.of(context.settings.timeZone);
  if (zone === undefined) throw new Error(`There is no time zone ${context.settings.timeZone}.`);
  return zone;
}

/** Dates: epoch milliseconds; texts by the property's pattern, then in ISO form (docs/interface/schema.md 5.4). */
export const dateCodec: CodecFactory = (definition, context): ScalarCodec => {
  const { name } = definition;
  const pattern = patternOf(definition, context, context.settings.dateFormat, 'simple');
  const zone = zoneOf(context);
  const format = dateFormatter(pattern, zone);
  // Texts of the usual patterns need no escaping.
  const needsEscapes = /["\\]|[^ -~]/.test(pattern.source);

  const refuse = (input: JsonValue, typeName: string): SchemaError =>
    new SchemaError(`Cannot parse input for property '${name}'`, [
      { type: typeName, property: name, token: 'invalid_date_format', detail: echo(input) },
    ]);
  const fromText = (text: string, typeName: string): number => {
    const parsed = pattern.parse(text, zone) ?? parseIso(text);
    if (parsed === undefined) throw refuse(text, typeName);
    return parsed.instant;
  };

  return {
    valueType: 'Date',
    fromJson: (input, typeName) => {
      if (typeof input === 'string') return input.trim() === '' ? undefined : fromText(input, typeName);
      if (typeof input === 'bigint') throw refuse(input, typeName);
      if (typeof input !== 'number') {
        throw new SchemaError(`Unknown input type for date property ‛${name}‛: ${jsonKind(input)}`);
      }
      if (!(Math.abs(input) <= MAX_INSTANT)) throw refuse(input, typeName);
      return Math.trunc(input) + 0;
    },
    refuseElement: refuse,
    toJson: (stored) => {
      const instant = typeof stored === 'number' ? stored : finiteNumber(stored);
      if (instant === undefined || !(Math.abs(instant) <= MAX_INSTANT)) return 'null';
      const text = format(Math.trunc(instant));
      return needsEscapes ? jsonString(text) : `"${text}"`;
    },
    fromText,
  };
};

export const dateType = scalarType({ name: 'Date', className: 'DateProperty', codec: dateCodec });

/** Elements that are no dates are left out; nothing left is no value (docs/interface/schema.md 5.4). */
export const dateArrayType = arrayType({
  name: 'DateArray',
  className: 'DateArrayProperty',
  codec: dateCodec,
  dropsBadElements: true,
});
