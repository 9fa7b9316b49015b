/**
 * Properties as Neo4j stores them: each key is a property of that name (see names.ts), beside `id` and `type`.
 *
 * | value                                     | stored as                                                           |
 * | ----------------------------------------- | ------------------------------------------------------------------- |
 * | text, Boolean                             | the same; lone surrogates become U+FFFD                             |
 * | number that is an integer within +-2^53   | Integer                                                             |
 * | any other number, infinities too          | Float                                                               |
 * | bigint of 64 bits                         | Integer; read back as bigint only outside +-2^53                    |
 * | array of one of these kinds               | List; integers among fractions are Floats                           |
 * | long text or array at an indexed key      | its beginning, and the whole as `_svc_long_<key>`                   |
 * | NaN                                       | `_svc_exact_<key>` alone: it compares as missing                    |
 * | -0, alone or in an array                  | 0, which it equals (Neo4j sorts -0 below 0); exact as `_svc_exact_<key>` |
 * | larger bigint, array of mixed kinds       | the nearest Float, the elements as text; exact as `_svc_exact_<key>` |
 *
 * `_svc_exact_` is JSON text as the SQLite engine writes it. Long values are cut because an index of Neo4j refuses more
 * than about 8,000 bytes, and with it the transaction.
 */
import { Integer } from 'neo4j-driver';
import { decodeProperties as fromJson, encodeProperties as toJson } from '../../sqlite/connection/codec.js';
import type { PropertyMap, ScalarValue, StoredValue } from '../../types.js';
import { keyOf, OWN, propertyName, SEQUENCE } from './names.js';

/** What the driver sends and receives as properties. */
export type RawProperties = Record<string, unknown>;

export const LONG = '_svc_long_';
const EXACT = '_svc_exact_';
/** Characters of a text, or of all elements of an array, that are in an index: at most three bytes each. */
export const INDEXED_LENGTH = 1900;

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

function fits(value: bigint): boolean {
  return value <= INT64_MAX && value >= INT64_MIN;
}

/** The driver makes its own integers of ours by way of their decimal text, which takes ten times as long. */
export function integer(value: number | bigint): Integer {
  if (typeof value === 'number') return Integer.fromNumber(value);
  return new Integer(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
}

/** A scalar as a parameter; `float`: numbers are Floats whatever they are. */
export function scalarParameter(value: ScalarValue, float = false): unknown {
  switch (typeof value) {
    case 'string':
      return value.toWellFormed();
    case 'number':
      return !float && Number.isSafeInteger(value) ? integer(value + 0) : value + 0;
    case 'bigint':
      return fits(value) ? integer(value) : Number(value);
    default:
      return value;
  }
}

/** A list as a parameter; undefined: Neo4j cannot store it. */
function listParameter(values: readonly ScalarValue[]): unknown[] | undefined {
  const [first] = values;
  if (first === undefined) return [];
  if (typeof first === 'string' || typeof first === 'boolean') {
    return values.every((one) => typeof one === typeof first) ? values.map((one) => scalarParameter(one)) : undefined;
  }
  if (values.every((one) => (typeof one === 'bigint' ? fits(one) : Number.isSafeInteger(one)))) {
    return values.map((one) => scalarParameter(one));
  }
  return values.every((one) => typeof one === 'number') ? values.map((one) => scalarParameter(one, true)) : undefined;
}

/** A list to compare with, whatever is in it. */
export function comparedList(values: readonly ScalarValue[]): unknown[] {
  return listParameter(values) ?? values.map((one) => scalarParameter(one));
}

/** A beginning of a text that does not end within a character. */
export function beginning(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

function sizeOf(values: readonly unknown[]): number {
  let size = 0;
  for (const one of values) size += typeof one === 'string' ? one.length + 2 : 9;
  return size;
}

const isMinusZero = (value: ScalarValue): boolean => Object.is(value, -0);

/** Whether a value may have more than its own property: then a change of it must clear the others. */
function mayBeSplit(value: StoredValue | undefined): boolean {
  if (typeof value === 'string') return value.length > INDEXED_LENGTH;
  if (typeof value === 'object')
    return sizeOf(value) > INDEXED_LENGTH || listParameter(value) === undefined || value.some(isMinusZero);
  return typeof value === 'bigint' ? !fits(value) : Number.isNaN(value) || Object.is(value, -0);
}

function put(raw: RawProperties, key: string, value: StoredValue, indexed: boolean): void {
  const name = propertyName(key);
  if (typeof value === 'string') {
    const text = value.toWellFormed();
    if (indexed && text.length > INDEXED_LENGTH) {
      raw[name] = beginning(text, INDEXED_LENGTH);
      raw[LONG + name] = text;
    } else raw[name] = text;
  } else if (typeof value === 'object') {
    const list = listParameter(value);
    if (list === undefined) {
      raw[name] = value.map(String);
      raw[EXACT + name] = toJson({ value });
    } else if (indexed && sizeOf(list) > INDEXED_LENGTH) {
      raw[name] = [typeof list[0] === 'string' ? beginning(list[0], INDEXED_LENGTH) : list[0]];
      raw[LONG + name] = list;
    } else raw[name] = list;
    if (list !== undefined && value.some(isMinusZero)) raw[EXACT + name] = toJson({ value });
  } else if (Number.isNaN(value)) raw[EXACT + name] = toJson({ value });
  else {
    raw[name] = scalarParameter(value);
    if (typeof value === 'bigint' ? !fits(value) : Object.is(value, -0)) raw[EXACT + name] = toJson({ value });
  }
}

/** Properties to store. `indexed` says of a key whether an index may hold it. */
export function encodeProperties(properties: PropertyMap, indexed: (key: string) => boolean): RawProperties {
  const raw: RawProperties = {};
  for (const key of Object.keys(properties)) {
    const value = properties[key];
    if (value !== undefined && value !== null) put(raw, key, value, indexed(key));
  }
  return raw;
}

/** What `SET n += $map` needs to turn `before` into `after` at some keys. */
export function encodeChange(
  before: PropertyMap,
  after: PropertyMap,
  keys: readonly string[],
  indexed: (key: string) => boolean,
): RawProperties {
  const raw: RawProperties = {};
  for (const key of keys) {
    const name = propertyName(key);
    raw[name] = null;
    if (mayBeSplit(before[key])) raw[LONG + name] = raw[EXACT + name] = null;
    const value = after[key];
    if (value !== undefined) put(raw, key, value, indexed(key));
  }
  return raw;
}

function decodeScalar(value: unknown): ScalarValue {
  switch (typeof value) {
    case 'bigint': {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : value;
    }
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    default:
      // Dates and points of other clients: their text.
      return String(value);
  }
}

function decodeValue(value: unknown): StoredValue {
  return Array.isArray(value) ? value.map(decodeScalar) : decodeScalar(value);
}

/** The reverse of `encodeProperties`, without `id` and `type`; the object has no prototype. */
export function decodeProperties(raw: RawProperties): PropertyMap {
  const properties = Object.create(null) as Record<string, StoredValue>;
  for (const name in raw) {
    if (name === 'id' || name === 'type' || name === SEQUENCE) continue;
    const value = raw[name];
    if (!name.startsWith(OWN)) {
      // The whole value may have been met before.
      if (!(name in properties)) properties[name] = decodeValue(value);
      continue;
    }
    const long = name.startsWith(LONG);
    if (long || name.startsWith(EXACT)) {
      // Of a long list with a -0 there are both.
      if (long && EXACT + name.slice(LONG.length) in raw) continue;
      const key = keyOf(name.slice(long ? LONG.length : EXACT.length));
      const exact = long ? decodeValue(value) : fromJson(String(value))['value'];
      if (key !== undefined && exact !== undefined) properties[key] = exact;
      continue;
    }
    const key = keyOf(name);
    if (key !== undefined && !(key in properties)) properties[key] = decodeValue(value);
  }
  return properties;
}

/** Properties as they will be read back. */
export function storedForm(properties: PropertyMap): PropertyMap {
  const copy = Object.create(null) as Record<string, StoredValue>;
  for (const key of Object.keys(properties)) {
    const value = properties[key];
    if (value !== undefined && value !== null) copy[key.toWellFormed()] = wellFormed(value);
  }
  return copy;
}

function wellFormed(value: StoredValue): StoredValue {
  if (typeof value === 'string') return value.toWellFormed();
  return typeof value === 'object' ? (value.map(wellFormed) as ScalarValue[]) : value;
}
