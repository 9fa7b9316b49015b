/** The text of a document: two blanks a level, keys in order, no nulls, and nothing that means something in HTML. */
import type { JsonObject, JsonValue } from '../../../shared/json.js';
import { TimeSlice } from '../../../shared/time-slice.js';

const SPECIAL = /[<>&='\u2028\u2029]/g;
const escape = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
const text = (value: string | number | bigint | boolean): string =>
  typeof value === 'bigint' ? String(value) : JSON.stringify(value).replace(SPECIAL, escape);

/** The JSON of a value whose first line stands `depth` levels in. */
export function schemaJson(value: JsonValue, depth = 0): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return text(value);
  const [inner, outer] = ['\n' + '  '.repeat(depth + 1), '\n' + '  '.repeat(depth)];
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[${value.map((one) => inner + schemaJson(one, depth + 1)).join(',')}${outer}]`;
  }
  const members = keysOf(value).map((key) => `${inner}${text(key)}: ${schemaJson(value[key] ?? null, depth + 1)}`);
  return members.length === 0 ? '{}' : `{${members.join(',')}${outer}}`;
}

/** Within `exact` null says something. */
function keysOf(value: JsonObject): string[] {
  return Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort();
}

/** The text of a document; others get their turns meanwhile. */
export async function documentText({ definitions, methods }: JsonObject): Promise<string> {
  const slice = new TimeSlice();
  const parts: string[] = [];
  for (const [key, value] of [
    ['definitions', definitions],
    ['methods', methods],
  ] as const) {
    const isList = Array.isArray(value);
    const list = isList ? value : keysOf(value as JsonObject);
    const members: string[] = [];
    for (const one of list) {
      if (slice.due) await slice.pause();
      const member = isList ? one : ((value as JsonObject)[one as string] ?? null);
      members.push(`\n    ${isList ? '' : `${text(one as string)}: `}${schemaJson(member, 2)}`);
    }
    const [open, close] = isList ? '[]' : '{}';
    const body = members.length === 0 ? '' : `${members.join(',')}\n  `;
    parts.push(`\n  "${key}": ${String(open)}${body}${String(close)}`);
  }
  return `{${parts.join(',')}\n}`;
}
