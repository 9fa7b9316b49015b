/** The styles of JSON in exports (docs/interface/deployment.md 2.1): keys in order, so that a change of an application is a change of few lines. */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';

const UNSAFE = /[<>&='\u2028\u2029]/g;

/** A value indented by two spaces, its keys in order, nulls written. */
export function prettyJson(value: JsonValue): string {
  return written(value, '');
}

/** The same without keys whose value is null. */
export function prettyJsonWithoutNulls(value: JsonValue): string {
  return written(withoutNulls(value), '');
}

/** A list with a line for each entry. `keys`: their order; what is not named comes behind it, in order. */
export function lineList(entries: readonly JsonObject[], keys: readonly string[] = []): string {
  if (entries.length === 0) return '[]';
  const lines = entries.map((entry) => `\t${onOneLine(entry, keys)}`);
  return `[\n${lines.join(',\n')}\n]`;
}

function written(value: JsonValue, indent: string): string {
  if (value === null || typeof value !== 'object') return scalar(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((one) => inner + written(one, inner)).join(',\n')}\n${indent}]`;
  }
  const keys = Object.keys(value).sort();
  if (keys.length === 0) return '{}';
  const lines = keys.map((key) => `${inner}${scalar(key)}: ${written(value[key] ?? null, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

function onOneLine(value: JsonValue, order: readonly string[]): string {
  if (value === null || typeof value !== 'object') return scalar(value);
  if (Array.isArray(value)) return `[${value.map((one) => onOneLine(one, [])).join(',')}]`;
  const first = order.filter((key) => key in value);
  const keys = [
    ...first,
    ...Object.keys(value)
      .filter((key) => !first.includes(key))
      .sort(),
  ];
  return `{${keys.map((key) => `${scalar(key)}:${onOneLine(value[key] ?? null, [])}`).join(',')}}`;
}

function scalar(value: string | number | bigint | boolean | null): string {
  if (typeof value === 'bigint') return value.toString();
  return JSON.stringify(value).replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function withoutNulls(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const kept = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutNulls(one)]));
}
