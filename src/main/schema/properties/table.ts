import { booleanArrayType, booleanType } from './boolean.js';
import { byteArrayType } from './byte-array.js';
import { dateArrayType, dateType } from './date.js';
import { doubleArrayType, doubleType } from './double.js';
import { encryptedType } from './encrypted.js';
import { enumArrayType, enumType } from './enum.js';
import { withMasks } from './common/hidden.js';
import { integerArrayType, integerType } from './integer.js';
import { longArrayType, longType } from './long.js';
import { passwordType } from './password.js';
import type { PropertyType } from '../model/property.js';
import { stringArrayType, stringType } from './string.js';
import { zonedDateTimeType } from './zoned-date-time.js';

const types: readonly PropertyType[] = [
  stringType,
  integerType,
  longType,
  doubleType,
  booleanType,
  dateType,
  zonedDateTimeType,
  enumType,
  stringArrayType,
  integerArrayType,
  longArrayType,
  doubleArrayType,
  booleanArrayType,
  dateArrayType,
  enumArrayType,
  byteArrayType,
  passwordType,
  encryptedType,
];

/** The types of properties with values of their own, by `propertyType`. Another type is a file and a line here. */
export const propertyTypes: ReadonlyMap<string, PropertyType> = new Map(
  types.map((type) => [type.name, withMasks(type)]),
);
