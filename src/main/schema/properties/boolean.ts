import type { ScalarValue } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import { arrayType } from './common/array-property.js';
import type { CodecFactory } from './common/codec.js';
import { wrongKind } from './common/input-errors.js';
import type { PropertyType } from '../model/property.js';
import { allOf, scalarProperty, type ScalarTypeParts } from './common/scalar-property.js';

/** `true`, `1`, `on` in any case. */
const TRUE_TEXT = /^(?:true|1|on)$/i;
const FALSE_TEXT = /^(?:false|0|off)$/i;

function isTrue(value: JsonValue | ScalarValue): boolean {
  return value === true || (typeof value === 'string' && TRUE_TEXT.test(value));
}

/** Nothing is refused: what is not true is false, JSON numbers included (docs/interface/schema.md 5.2). */
export const booleanCodec: CodecFactory = ({ name }) => ({
  valueType: 'Boolean',
  fromJson: isTrue,
  refuseElement: (element) => wrongKind(name, element, 'a list of true and false'),
  toJson: (stored) => (isTrue(stored) ? 'true' : 'false'),
  fromText: isTrue,
  understands: (text) => TRUE_TEXT.test(text) || FALSE_TEXT.test(text),
});

const parts: ScalarTypeParts = { name: 'Boolean', className: 'BooleanProperty', codec: booleanCodec };

/** Booleans always have a value: the default, else false. */
export const booleanType: PropertyType = {
  name: parts.name,
  className: parts.className,
  create: (definition, context) => {
    const property = scalarProperty(parts, definition, context);
    const { key } = property;
    const missing = property.defaultValue === true;
    const missingJson = missing ? 'true' : 'false';
    return {
      ...property,
      toJson: (stored) => {
        if (typeof stored === 'boolean') return stored ? 'true' : 'false';
        return stored === undefined ? missingJson : property.toJson(stored);
      },
      filter: (values) =>
        allOf(
          values.map((value) =>
            // A missing value is found as what it reads as.
            value === missing ? { op: 'equals', key, value, orNull: true } : { op: 'equals', key, value },
          ),
        ),
      // The empty text means false (docs/interface/lists.md 1.2).
      filterEmpty: () =>
        missing ? { op: 'equals', key, value: false } : { op: 'equals', key, value: false, orNull: true },
    };
  },
};

export const booleanArrayType = arrayType({
  name: 'BooleanArray',
  className: 'ArrayProperty',
  codec: booleanCodec,
});
