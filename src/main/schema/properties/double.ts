import type { ScalarValue } from '../../graph/index.js';
import { arrayType } from './common/array-property.js';
import type { CodecFactory } from './common/codec.js';
import { notNumerical } from './common/input-errors.js';
import { numberFromText } from './common/numbers.js';
import { rangeRule } from './common/range-format.js';
import { scalarType } from './common/scalar-property.js';

/** Floating point numbers, `NaN` and the infinities included. There is one zero: -0 becomes it, and reads as it. */
export const doubleCodec: CodecFactory = ({ name }, { settings }) => ({
  valueType: 'Double',
  fromJson: (input, typeName) => {
    if (typeof input === 'number') return input + 0;
    if (typeof input === 'bigint') return Number(input);
    if (typeof input === 'string' && input.trim() === '') return undefined;
    const number = typeof input === 'string' ? doubleFromText(input) : undefined;
    if (number === undefined) throw notNumerical(name, input, typeName);
    return number;
  },
  refuseElement: (element, typeName) => notNumerical(name, element, typeName),
  toJson: (stored) => {
    const number = typeof stored === 'number' ? stored : toNumber(stored);
    return number === undefined ? 'null' : doubleJson(number, settings.lenientJson);
  },
  fromText: (text, typeName) => {
    const number = doubleFromText(text);
    if (number === undefined) throw notNumerical(name, text, typeName);
    return number;
  },
});

function toNumber(stored: ScalarValue): number | undefined {
  return typeof stored === 'string' ? doubleFromText(stored) : Number(stored);
}

const NAMED = /^(?:NaN|[+-]?Infinity)$/;

function doubleFromText(text: string): number | undefined {
  const number = numberFromText(text);
  if (number !== undefined) return number + 0;
  return NAMED.test(text.trim()) ? Number(text.trim()) : undefined;
}

/** Whole numbers get `.0`, so that clients see a floating point number (docs/interface/schema.md 5.2). */
export function doubleJson(number: number, lenient: boolean): string {
  if (!Number.isFinite(number)) return lenient ? String(number) : 'null';
  if (!Number.isInteger(number)) return String(number);
  // The text of -0 is that of 0.
  const text = String(number);
  return text.includes('e') ? text : `${text}.0`;
}

export const doubleType = scalarType({
  name: 'Double',
  className: 'DoubleProperty',
  codec: doubleCodec,
  rule: rangeRule,
});

export const doubleArrayType = arrayType({
  name: 'DoubleArray',
  className: 'ArrayProperty',
  codec: doubleCodec,
  rule: rangeRule,
});
