/** Objects and relationships of a data export as text: the values as they are stored, the keys in order (docs/interface/deployment.md 4.2). */
import type { PropertyMap, ScalarValue, StoredValue } from '../../graph/index.js';
import type { Holders } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { prettyJson } from '../tree/json-styles.js';

/** Members of an object, and of a relationship, beside the stored values. */
export const NODE_MEMBERS = ['grantees', 'id', 'owner', 'type'] as const;
export const LINK_MEMBERS = ['id', 'relType', 'sourceId', 'targetId'] as const;

/** Owner and grantees as an entry names them. */
export function rightsMembers({ owner, grantees }: Holders): {
  readonly owner: JsonValue;
  readonly grantees: JsonValue;
} {
  return {
    owner: owner === undefined ? null : { name: owner },
    grantees: grantees.map(({ name, allowed }) => ({ name, allowed: [...allowed] })),
  };
}

/** Members beside the stored values; they go before values of the same name. */
export function entryText(properties: PropertyMap, more: JsonObject): string {
  const keys = [...Object.keys(properties).filter((key) => !Object.hasOwn(more, key)), ...Object.keys(more)].sort();
  const lines = keys.map((key) => {
    const said = Object.hasOwn(more, key) ? more[key] : undefined;
    const text = said === undefined ? storedText(properties[key] ?? '') : inner(said);
    return `  ${nameText(key)}: ${text}`;
  });
  return `{\n${lines.join(',\n')}\n}`;
}

/** The value of a member. */
export const inner = (value: JsonValue): string => prettyJson(value).replaceAll('\n', '\n  ');

const NAMES = new Map<string, string>();
const MOST_NAMES = 10_000;

function nameText(key: string): string {
  let text = NAMES.get(key);
  if (text === undefined) {
    if (NAMES.size >= MOST_NAMES) NAMES.clear();
    NAMES.set(key, (text = prettyJson(key)));
  }
  return text;
}

function storedText(value: StoredValue): string {
  if (typeof value !== 'object') return scalarText(value);
  if (value.length === 0) return '[]';
  return `[\n${value.map((one) => `    ${scalarText(one)}`).join(',\n')}\n  ]`;
}

/** What JSON has no number for is a text that the import knows again where the property is a number. */
function scalarText(value: ScalarValue): string {
  if (typeof value !== 'number') return prettyJson(value);
  if (!Number.isFinite(value)) return `"${String(value)}"`;
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  // Such a number is no 64-bit integer, which would be written without a fraction.
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(text) ? `${text}.0` : text;
}
