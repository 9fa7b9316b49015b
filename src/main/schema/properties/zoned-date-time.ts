import {
  formatOffset,
  isoDateTime,
  parseIso,
  parseOffset,
  TimeZone,
  type ParsedDate,
} from '../../../shared/dates/index.js';
import type { Predicate, ScalarValue } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import { SchemaError } from '../model/errors.js';
import type { CodecFactory } from './common/codec.js';
import { patternOf, zoneOf } from './date.js';
import { echo } from './common/input-errors.js';
import { jsonString } from './common/json-text.js';
import type { PropertyType } from '../model/property.js';
import { allOf, scalarProperty, type ScalarTypeParts } from './common/scalar-property.js';

/**
 * Stored as the instant in UTC followed by the offset and, if known, the zone of the clock it was read from:
 * `2013-04-05T08:43:40.000Z+02:00[Europe/Berlin]`. The first part has a fixed length, so that the order of texts is the
 * order of instants. That holds for the years 0 to 9999, which are all that is accepted.
 */
const STORED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)([+-]\d\d:\d\d(?::\d\d)?)(?:\[([^\]]+)\])?$/;
const INSTANT_LENGTH = 24;
/** Sorts behind every offset. */
const AFTER_OFFSETS = '~';

function storedForm(date: ParsedDate): string | undefined {
  const utc = isoDateTime(date.instant, 0, 'milliseconds');
  const local = isoDateTime(date.instant, date.offset, 'seconds');
  if (utc.length !== INSTANT_LENGTH || !/^\d{4}-/.test(utc) || !/^\d{4}-/.test(local)) return undefined;
  return utc + formatOffset(date.offset, ':') + (date.zone === undefined ? '' : `[${date.zone}]`);
}

/** Reads the stored form, and ISO text that another program or an earlier type of the property may have left. */
function readStored(stored: ScalarValue): ParsedDate | undefined {
  if (typeof stored !== 'string') return undefined;
  const match = STORED.exec(stored);
  if (match === null) return parseIso(stored);
  const instant = Date.parse(match[1] ?? '');
  const offset = parseOffset(match[2] ?? '') ?? 0;
  return match[3] === undefined ? { instant, offset } : { instant, offset, zone: match[3] };
}

const codec: CodecFactory = (definition, context) => {
  const { name } = definition;
  const pattern = patternOf(definition, context, context.settings.zonedDateTimeFormat, 'zoned');
  const hasOwnPattern = (definition.format ?? '').trim() !== '';
  const zone = zoneOf(context);
  const refuse = (input: JsonValue): SchemaError =>
    new SchemaError(`Could not parse ZonedDateTime from source ${String(echo(input))} for property ${name}`);
  const fromText = (text: string): string => {
    const parsed = pattern.parse(text, zone) ?? parseIso(text);
    const stored = parsed === undefined ? undefined : storedForm(parsed);
    if (stored === undefined) throw refuse(text);
    return stored;
  };
  return {
    valueType: 'ZonedDateTime',
    fromJson: (input) => {
      if (typeof input !== 'string') throw refuse(input);
      return input.trim() === '' ? undefined : fromText(input);
    },
    refuseElement: refuse,
    // ISO unless the property itself has a pattern; the setting's is for reading only (docs/interface/schema.md 5.2).
    toJson: (stored) => {
      const date = readStored(stored);
      if (date === undefined) return 'null';
      if (hasOwnPattern) return jsonString(pattern.format(date.instant, zoneOfDate(date)));
      const text = isoDateTime(date.instant, date.offset, 'needed');
      return jsonString(date.zone === undefined ? text : `${text}[${date.zone}]`);
    },
    fromText,
  };
};

function zoneOfDate(date: ParsedDate): TimeZone {
  const named = date.zone === undefined ? undefined : TimeZone.of(date.zone);
  return named ?? TimeZone.ofOffset(date.offset);
}

const parts: ScalarTypeParts = { name: 'ZonedDateTime', className: 'ZonedDateTimeProperty', codec };

/** Date-times that remember the clock they were read from. Filters look at the instant alone. */
export const zonedDateTimeType: PropertyType = {
  name: parts.name,
  className: parts.className,
  create: (definition, context) => {
    const property = scalarProperty(parts, definition, context);
    const { key } = property;
    return {
      ...property,
      filter: (values) => allOf(values.map((value) => ({ op: 'startsWith', key, value: instantOf(value) }))),
      filterRange: (from, to): Predicate => ({
        op: 'range',
        key,
        ...(from !== undefined && { from: instantOf(from) }),
        ...(to !== undefined && { to: instantOf(to) + AFTER_OFFSETS }),
      }),
    };
  },
};

function instantOf(stored: ScalarValue): string {
  return String(stored).slice(0, INSTANT_LENGTH);
}
