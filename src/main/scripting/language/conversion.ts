/** Between the values of scripts, of the graph and of JSON (docs/interface/scripting.md 3.5, 4.5). */
import type { ScalarValue, StoredValue } from '../../graph/index.js';
import { isSecret, type ValueProperty } from '../../schema/index.js';
import { dateOf, doubleOf, longOf } from './as-number.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { ScriptError } from './errors.js';
import {
  formsOf,
  isScriptObject,
  partsOf,
  ScriptCallable,
  ScriptEntity,
  ScriptPredicate,
  type ScriptValue,
} from './values.js';

/** Maps and lists of scripts may hold themselves; deeper ones are not converted. */
const DEEPEST = 200;
/** Elements and entries of all lists and maps of one value. */
const MOST_PARTS = 1_000_000;

/**
 * What a property stores, as scripts see it: dates as dates, integers as `bigint`. Hidden values read as nothing. `secret`: the key
 * that the script has set for encrypted ones.
 */
export function fromStored(
  property: ValueProperty | undefined,
  stored: StoredValue | undefined,
  secret?: string,
): ScriptValue {
  if (property === undefined) return stored === undefined ? null : plain(stored);
  const { propertyType, hidden } = property.definition;
  // Encrypted ones are for scripts to read.
  if (isSecret(property) && (hidden === true || propertyType !== 'Encrypted')) return null;
  // Ciphertext and computed defaults: what the property shows is what JSON shows.
  if (propertyType === 'Encrypted' || stored === undefined) {
    const coded = secret === undefined ? property : (property.withSecret?.(secret) ?? property);
    return fromJsonValue(parsed(coded.toJson(stored)));
  }
  if (Array.isArray(stored)) return (stored as readonly ScalarValue[]).map((one) => scalar(propertyType, one));
  return scalar(propertyType, stored as ScalarValue);
}

function parsed(json: string): JsonValue {
  return JSON.parse(json) as JsonValue;
}

function scalar(propertyType: string, value: ScalarValue): ScriptValue {
  if (typeof value !== 'number') return value;
  if (propertyType.startsWith('Date')) return new Date(value);
  return /^(?:Integer|Long)/.test(propertyType) ? BigInt(Math.trunc(value)) : value;
}

function plain(value: StoredValue): ScriptValue {
  if (Array.isArray(value)) return (value as readonly ScalarValue[]).map((one) => plain(one));
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : (value as ScalarValue);
}

/** JSON as scripts see it: integers as `bigint`, objects as maps. */
export function fromJsonValue(json: JsonValue): ScriptValue {
  if (json === null || typeof json !== 'object') {
    return typeof json === 'number' && Number.isSafeInteger(json) ? BigInt(json) : json;
  }
  if (Array.isArray(json)) return json.map(fromJsonValue);
  return new Map(Object.keys(json).map((key) => [key, fromJsonValue(json[key] ?? null)]));
}

/**
 * Input for a property: what a REST client would send for it. Objects become their ids, geometries their text, dates what `dates` makes
 * of them; without it, the form that every property takes. Throws `ScriptError` 422 for what JSON has no form of, and for what has too
 * many parts: one list may be in another many times.
 */
export function toJsonValue(value: ScriptValue, dates: (date: Date) => string = iso): JsonValue {
  let parts = 0;
  const spend = (count: number): void => {
    parts += count;
    if (parts > MOST_PARTS) throw new ScriptError(422, 'A list or map of the script has too many parts.');
  };
  const json = (one: ScriptValue, depth: number): JsonValue => {
    if (one === null || typeof one === 'boolean' || typeof one === 'string') return one;
    if (typeof one === 'number') return Number.isNaN(one) ? null : one;
    if (typeof one === 'bigint') {
      const number = Number(one);
      return Number.isSafeInteger(number) ? number : one;
    }
    if (one instanceof Date) return Number.isNaN(one.getTime()) ? null : dates(one);
    if (one instanceof ScriptEntity) return one.id;
    if (one instanceof Uint8Array) return Buffer.from(one).toString('base64');
    const forms = formsOf(one);
    if (forms !== undefined) {
      spend(partsOf(forms));
      return forms.text();
    }
    if (depth > DEEPEST) {
      throw new ScriptError(422, 'A list or map of the script is nested too deeply, or holds itself.');
    }
    if (!Array.isArray(one) && !(one instanceof Map)) {
      throw new ScriptError(422, `${nameOfValue(one)} cannot be stored or sent.`);
    }
    spend(Array.isArray(one) ? one.length : one.size);
    if (Array.isArray(one)) return one.map((part) => json(part, depth + 1));
    const object = Object.create(null) as JsonObject;
    for (const [key, part] of one) object[key] = json(part, depth + 1);
    return object;
  };
  return json(value, 0);
}

function iso(date: Date): string {
  return date.toISOString();
}

/** What a value that has no form in JSON is called in messages. */
export function nameOfValue(value: Exclude<ScriptValue, null>): string {
  if (value instanceof ScriptCallable) return 'A function';
  if (value instanceof ScriptPredicate) return 'A predicate';
  return isScriptObject(value) ? value.title : 'This value';
}

/** A function property's result by its type hint; what cannot be converted stays, an empty text becomes null. */
export function hinted(hint: string | undefined, value: ScriptValue): ScriptValue {
  if (value === null || hint === undefined || hint === '') return value;
  const text = typeof value === 'string' ? value.trim() : undefined;
  if (text === '' && hint.toLowerCase() !== 'string') return null;
  switch (hint.toLowerCase()) {
    case 'boolean':
      return typeof value === 'boolean' ? value : text === undefined ? value : text.toLowerCase() === 'true';
    case 'int':
    case 'long': {
      const number = typeof value === 'bigint' ? undefined : doubleOf(value);
      return number === undefined || !Number.isFinite(number) ? value : longOf(number);
    }
    case 'double': {
      const number = doubleOf(value) ?? NaN;
      return Number.isNaN(number) ? value : number;
    }
    case 'date':
      return dateOf(value) ?? value;
    default:
      return value;
  }
}
