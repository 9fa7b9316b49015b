import type { ScalarValue, StoredValue } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import { expectArray } from './common/array-property.js';
import { notNumerical } from './common/input-errors.js';
import { jsonString } from './common/json-text.js';
import type { PropertyType } from '../model/property.js';
import { isScalar, storedKey } from './common/scalar-property.js';

const VALUE_TYPE = 'Byte[]';

/** Bytes: the UTF-8 form of a text, or a list of numbers from 0 to 255 (or -128 to 127); read as UTF-8 text. */
export const byteArrayType: PropertyType = {
  name: 'ByteArray',
  className: 'ByteArrayProperty',
  create: (definition, context) => {
    const key = storedKey(definition);
    return {
      kind: 'value',
      name: definition.name,
      key,
      definition,
      declaringTrait: context.declaringTrait,
      valueType: VALUE_TYPE,
      isCollection: true,
      defaultValue: undefined,
      fromJson: (input, typeName) => {
        if (input === null) return null;
        if (typeof input === 'string') return bytesOf(input);
        const elements = expectArray(input, definition.name, VALUE_TYPE);
        return elements.map((element) => readByte(element, definition.name, typeName));
      },
      toJson: (stored) => (stored === undefined ? '[]' : jsonString(textOf(stored))),
      validate: () => [],
      fromText: (text) => text,
      // Commas are part of the text here, which the caller has taken apart.
      filter: (values) => ({ op: 'arrayEquals', key, values: bytesOf(values.join(',')) }),
      filterEmpty: () => ({ op: 'isEmpty', key }),
    };
  },
};

function bytesOf(text: string): readonly number[] {
  return [...Buffer.from(text, 'utf8')];
}

function readByte(element: JsonValue, property: string, typeName: string): number {
  if (typeof element === 'number' && Number.isInteger(element) && element >= -128 && element <= 255) {
    return element & 255;
  }
  throw notNumerical(property, element, typeName);
}

function textOf(stored: StoredValue): string {
  if (isScalar(stored)) return String(stored);
  return Buffer.from(stored.map((value: ScalarValue) => Number(value))).toString('utf8');
}
