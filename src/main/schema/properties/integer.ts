import type { ScalarValue } from '../../graph/index.js';
import { arrayType } from './common/array-property.js';
import type { CodecFactory } from './common/codec.js';
import { notNumerical } from './common/input-errors.js';
import { finiteNumber, numberFromText } from './common/numbers.js';
import { rangeRule } from './common/range-format.js';
import { scalarType } from './common/scalar-property.js';

/** 32-bit integers: fractions are cut off, larger numbers wrap (docs/interface/schema.md 5.2). */
export const integerCodec: CodecFactory = ({ name }) => ({
  valueType: 'Integer',
  fromJson: (input, typeName) => {
    if (typeof input === 'number') return input | 0;
    if (typeof input === 'bigint') return Number(BigInt.asIntN(32, input));
    if (typeof input !== 'string') throw notNumerical(name, input, typeName);
    if (input.trim() === '') return undefined;
    const number = numberFromText(input);
    if (number === undefined) throw notNumerical(name, input, typeName);
    return number | 0;
  },
  refuseElement: (element, typeName) => notNumerical(name, element, typeName),
  toJson: integerJson,
  // Not cut and not wrapped: 1.5 is the number of no object.
  fromText: (text, typeName) => {
    const number = numberFromText(text);
    if (number === undefined) throw notNumerical(name, text, typeName);
    return number;
  },
});

function integerJson(stored: ScalarValue): string {
  if (typeof stored === 'number' && Number.isSafeInteger(stored)) return String(stored + 0);
  const number = finiteNumber(stored);
  return number === undefined ? 'null' : String(Math.trunc(number) + 0);
}

export const integerType = scalarType({
  name: 'Integer',
  className: 'IntProperty',
  codec: integerCodec,
  rule: rangeRule,
});

export const integerArrayType = arrayType({
  name: 'IntegerArray',
  className: 'ArrayProperty',
  codec: integerCodec,
  rule: rangeRule,
});
