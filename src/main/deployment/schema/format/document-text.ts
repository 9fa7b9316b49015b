/** The text of a document: as that of other files of an export, without nulls but within `exact`, where they say something. */
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { TimeSlice } from '../../../../shared/time-slice.js';
import { prettyJson } from '../../tree/json-styles.js';

/** The text of a document; others get their turns meanwhile. */
export async function documentText({ definitions, methods }: JsonObject): Promise<string> {
  const slice = new TimeSlice();
  const members = async (value: JsonValue | undefined): Promise<string[]> => {
    if (typeof value !== 'object' || value === null) return [];
    const list = Array.isArray(value);
    const texts: string[] = [];
    for (const key of list ? value.keys() : Object.keys(value).sort()) {
      if (slice.due) await slice.pause();
      const one = prettyJson((value as JsonObject)[key] ?? null).replaceAll('\n', '\n    ');
      texts.push(`\n    ${list ? '' : `${prettyJson(String(key))}: `}${one}`);
    }
    return texts;
  };
  const within = ([open, close]: readonly [string, string], texts: readonly string[]): string =>
    texts.length === 0 ? open + close : `${open}${texts.join(',')}\n  ${close}`;
  const [types, functions] = [await members(definitions), await members(methods)];
  return `{\n  "definitions": ${within(['{', '}'], types)},\n  "methods": ${within(['[', ']'], functions)}\n}`;
}
