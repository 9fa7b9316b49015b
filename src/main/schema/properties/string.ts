import type { JsonValue } from '../../../shared/json/index.js';
import { arrayType } from './common/array-property.js';
import type { CodecFactory } from './common/codec.js';
import { wrongKind } from './common/input-errors.js';
import { jsonString } from './common/json-text.js';
import { patternRule } from './common/regex-format.js';
import { scalarType } from './common/scalar-property.js';
import { composed } from './common/spelling.js';

/** Text of a JSON scalar; lists and objects have none. */
export function scalarText(input: JsonValue, property: string): string {
  if (typeof input === 'string') return input;
  if (input === null || typeof input === 'object') throw wrongKind(property, input, 'text');
  return String(input);
}

/** Text; other scalars are taken as their text. What must be unique has one spelling. */
export const stringCodec: CodecFactory = ({ name, unique, compound }) => {
  const isUnique = unique === true || compound === true;
  return {
    valueType: 'String',
    literal: true,
    fromJson: (input) => {
      const text = scalarText(input, name);
      return isUnique ? composed(text) : text;
    },
    refuseElement: (element) => wrongKind(name, element, 'a list of texts'),
    toJson: (stored) => jsonString(typeof stored === 'string' ? stored : String(stored)),
    fromText: isUnique ? composed : (text) => text,
  };
};

export const stringType = scalarType({
  name: 'String',
  className: 'StringProperty',
  codec: stringCodec,
  matchesParts: true,
  emptyTextIsEmpty: true,
  rule: patternRule,
});

/** The format applies to each element. */
export const stringArrayType = arrayType({
  name: 'StringArray',
  className: 'ArrayProperty',
  codec: stringCodec,
  rule: patternRule,
});
