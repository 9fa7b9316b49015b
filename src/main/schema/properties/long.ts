import type { ScalarValue } from '../../graph/index.js';
import { arrayType } from './common/array-property.js';
import type { CodecFactory } from './common/codec.js';
import { notNumerical } from './common/input-errors.js';
import { finiteNumber, longFromBigint, longFromText, numberFromText } from './common/numbers.js';
import { rangeRule } from './common/range-format.js';
import { scalarType } from './common/scalar-property.js';

/** 64-bit integers, exact. Fractions of JSON numbers are cut off, in texts they are refused (docs/interface/schema.md 5.2). */
export const longCodec: CodecFactory = ({ name }) => ({
  valueType: 'Long',
  fromJson: (input, typeName) => {
    if (typeof input === 'string' && input.trim() === '') return undefined;
    const long = typeof input === 'string' ? longFromText(input) : longFromNumber(input);
    if (long === undefined) throw notNumerical(name, input, typeName);
    return long;
  },
  refuseElement: (element, typeName) => notNumerical(name, element, typeName),
  toJson: longJson,
  fromText: (text, typeName) => {
    const long = longFromText(text);
    if (long !== undefined) return long;
    const number = numberFromText(text);
    if (number === undefined) throw notNumerical(name, text, typeName);
    // In the form in which it is stored, as far as it can be: 1e16 is.
    return (Number.isInteger(number) ? longFromNumber(number) : undefined) ?? number;
  },
});

function longFromNumber(input: unknown): number | bigint | undefined {
  if (typeof input === 'bigint') return longFromBigint(input);
  if (typeof input !== 'number' || !Number.isFinite(input)) return undefined;
  const whole = Math.trunc(input) + 0;
  return Number.isSafeInteger(whole) ? whole : longFromBigint(BigInt(whole));
}

/** All digits of a 64-bit number. */
function longJson(stored: ScalarValue): string {
  if (typeof stored === 'number' && Number.isSafeInteger(stored)) return String(stored + 0);
  if (typeof stored === 'bigint') return String(stored);
  const long = typeof stored === 'string' ? longFromText(stored) : undefined;
  return String(long ?? longFromNumber(finiteNumber(stored)) ?? null);
}

export const longType = scalarType({ name: 'Long', className: 'LongProperty', codec: longCodec, rule: rangeRule });

export const longArrayType = arrayType({
  name: 'LongArray',
  className: 'ArrayProperty',
  codec: longCodec,
  rule: rangeRule,
});
