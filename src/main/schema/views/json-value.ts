import type { JsonValue } from '../../../shared/json/index.js';

/** JSON text of a plain value; 64-bit integers in full. */
export function jsonText(value: JsonValue): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  return `{${Object.keys(value)
    .map((k) => `${JSON.stringify(k)}:${jsonText(value[k] ?? null)}`)
    .join(',')}}`;
}
