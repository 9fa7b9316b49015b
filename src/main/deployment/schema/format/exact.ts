/**
 * The format has no keys for some of what a schema object says. That stands in one more key, `exact`, by key of the schema object, and
 * `null` for what the others would have said too much. It is written only where needed, and others read past it.
 */
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import type { Place } from './findings.js';
import { differing, formed, type KeyTable, type Said, type Values } from '../keys.js';

export const EXACT = 'exact';

/** What `values` say and the other keys, which read as `told`, do not. */
export function untold(table: KeyTable, values: Values, told: Values): JsonObject {
  const exact: JsonObject = {};
  for (const { key } of differing(table, values, told)) {
    const value = values[key];
    exact[key] = value === undefined ? null : typeof value === 'object' ? [...value] : value;
  }
  return exact;
}

/** Puts `exact` into the JSON of an object, where it says something. */
export function withUntold(json: JsonObject, exact: JsonObject): JsonObject {
  return Object.keys(exact).length === 0 ? json : { ...json, [EXACT]: exact };
}

/**
 * Values that the other keys and `exact` say together. Who edits a document edits the other keys: what `exact` says otherwise than they
 * do is passed over, and told. `encode` writes values as those keys.
 */
export function exactValues(
  place: Place,
  table: KeyTable,
  told: Values,
  encode: (values: Values) => JsonValue,
): Values {
  const exact = place.object(EXACT);
  if (exact === undefined) return told;
  const given: Record<string, Said> = {};
  for (const { key, kind } of table) {
    if (exact.json[key] === undefined) continue;
    if (exact.json[key] === null) given[key] = null;
    else if (kind === 'text') given[key] = exact.text(key);
    else if (kind === 'flag') given[key] = exact.flag(key);
    else if (kind === 'list') given[key] = exact.list(key);
    else given[key] = exact.number(key);
  }
  const wanted = JSON.stringify(encode(told));
  const fits = (values: Values): boolean => JSON.stringify(encode(values)) === wanted;
  const all = formed(table, { ...told, ...given });
  if (fits(all)) return all;
  let values = told;
  for (const [key, value] of Object.entries(given)) {
    const next = formed(table, { ...values, [key]: value });
    if (fits(next)) values = next;
    else exact.notice('says otherwise than the keys beside exact, which count', key);
  }
  return values;
}
