/**
 * Properties as JSON text. Plain JSON, so that SQLite's JSON functions see the values, with three rules
 * for what JSON cannot say:
 *
 * - `bigint` is written as its digits; a `number` that is an integer beyond 2^53 gets a `.0`, so that the two stay apart;
 * - infinities are `9e999` and `-9e999`, which both SQLite and JSON.parse read as infinities; NaN is `null`
 *   (a missing value is never written, so `null` is free);
 * - text that holds a bigint or a NaN begins with a space. One character tells the reader whether JSON.parse is
 *   exact for it; everything else takes the fast way.
 */
import type { PropertyMap, ScalarValue, StoredValue } from '../../types.js';

const jsonKeys = new Map<string, string>();
const MAX_KEYS = 10_000;

/** The name of a property as JSON writes it, with the colon. */
export function propertyName(key: string): string {
  let text = jsonKeys.get(key);
  if (text === undefined) {
    text = JSON.stringify(key) + ':';
    // Keys are few (they come from the schema), but clients may send any: bounded.
    if (jsonKeys.size >= MAX_KEYS) jsonKeys.clear();
    jsonKeys.set(key, text);
  }
  return text;
}

function isExact(value: StoredValue): boolean {
  if (typeof value === 'object') return value.every(isExact);
  return typeof value === 'bigint' ? false : !Number.isNaN(value);
}

function numberText(value: number): string {
  if (Number.isFinite(value)) {
    if (value === 0) return Object.is(value, -0) ? '-0.0' : '0';
    const text = String(value);
    return Number.isSafeInteger(value) || !Number.isInteger(value) || !/^-?\d+$/.test(text) ? text : text + '.0';
  }
  return Number.isNaN(value) ? 'null' : value > 0 ? '9e999' : '-9e999';
}

/** JSON text of a scalar. */
export function scalarText(value: ScalarValue): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return (value | 0) === value && value !== 0 ? String(value) : numberText(value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      return value.toString();
  }
}

/** JSON text of an array of scalars; also what `json_extract` returns for one stored here. */
export function encodeArray(values: readonly ScalarValue[]): string {
  return '[' + values.map(scalarText).join(',') + ']';
}

export function encodeProperties(properties: PropertyMap): string {
  let text = '';
  let exact = true;
  for (const key in properties) {
    const value = properties[key];
    if (value === undefined || value === null) continue;
    text += text === '' ? '{' : ',';
    if (typeof value === 'object') {
      text += propertyName(key) + encodeArray(value);
      exact &&= isExact(value);
    } else {
      text += propertyName(key) + scalarText(value);
      if (typeof value === 'bigint' || value !== value) exact = false;
    }
  }
  if (text === '') return '{}';
  return exact ? text + '}' : ' ' + text + '}';
}

/** Strings and numbers of a JSON text; the strings are only there to be skipped. */
const TOKENS = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;

function exactValue(value: unknown): unknown {
  if (value === null) return NaN;
  if (Array.isArray(value)) return value.map(exactValue);
  // No stored value is an object, so one can stand for the digits of a bigint.
  if (typeof value === 'object' && 'digits' in value) return BigInt(String(value.digits));
  return value;
}

/** Whether JSON.parse is exact for a text. */
export function isPlain(text: string): boolean {
  return text.charCodeAt(0) !== 32;
}

/** The reverse of `encodeProperties`; the object has no prototype, so `__proto__` is a key like any other. */
export function decodeProperties(text: string): PropertyMap {
  if (isPlain(text)) {
    return Object.setPrototypeOf(JSON.parse(text), null) as PropertyMap;
  }
  const marked = text.replace(TOKENS, (token) =>
    LONG_INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `{"digits":"${token}"}` : token,
  );
  const parsed = Object.setPrototypeOf(JSON.parse(marked), null) as Record<string, unknown>;
  for (const key of Object.keys(parsed)) parsed[key] = exactValue(parsed[key]);
  return parsed as PropertyMap;
}

/** Properties that nobody keeps: an object without prototype would take longer. */
export function decodeUnkept(text: string): Readonly<Record<string, unknown>> {
  return isPlain(text) ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : decodeProperties(text);
}

/** A copy without prototype and without absent values. */
export function copyProperties(properties: PropertyMap): PropertyMap {
  const copy = Object.create(null) as Record<string, StoredValue>;
  for (const key in properties) {
    const value = properties[key];
    if (value !== undefined && value !== null) copy[key] = value;
  }
  return copy;
}

/** Text with lone surrogates cannot be stored as UTF-8; they become U+FFFD. */
function wellFormed(value: StoredValue): StoredValue {
  if (typeof value === 'string') return Buffer.from(value).toString();
  return typeof value === 'object' ? (value.map(wellFormed) as ScalarValue[]) : value;
}

/** Of a new entity; one that was gathered has it with it. */
export function formOf({ properties, text }: { readonly properties: PropertyMap; readonly text?: string }): {
  properties: PropertyMap;
  text: string;
} {
  return text === undefined ? storedForm(properties) : { properties, text };
}

/** Properties as they will be read back, and their text. */
export function storedForm(properties: PropertyMap): { properties: PropertyMap; text: string } {
  const copy = copyProperties(properties);
  const text = encodeProperties(copy);
  // JSON.stringify writes a lone surrogate as an escape; one look at the text spares one at each value.
  if (!text.includes('\\ud')) return { properties: copy, text };
  const clean = Object.create(null) as Record<string, StoredValue>;
  for (const key of Object.keys(copy)) {
    const value = copy[key];
    if (value !== undefined) clean[Buffer.from(key).toString()] = wellFormed(value);
  }
  return { properties: clean, text: encodeProperties(clean) };
}
