/** Values that scripts in a `<template>` know, which somebody sends with the request for it (docs/interface/pages.md 2.6). */
import { decodeJson, JsonLimitError, JsonSyntaxError, parseJson } from '../../../shared/json/index.js';
import { HttpError, type Exchange } from '../../http/index.js';
import { fromJsonValue, isKeyword, type ScriptRequest, type ScriptValue } from '../../scripting/index.js';

const LIMIT = 1024 * 1024;
const MOST_VALUES = 100_000;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/**
 * The members of a body of JSON, else the parameters of the request. Keywords are left out: else anybody could say what `me` is.
 * Throws `HttpError` 400 and 413.
 */
export async function templateValues(
  exchange: Exchange,
  { parameters }: ScriptRequest,
): Promise<ReadonlyMap<string, ScriptValue>> {
  const isJson = exchange.method === 'POST' && JSON_TYPE.test(exchange.header('content-type'));
  const sent: Iterable<readonly [string, ScriptValue]> = isJson
    ? await membersOf(exchange)
    : [...parameters].map(([name, value]) => [name, typeof value === 'string' ? value : [...value]] as const);
  return new Map([...sent].filter(([name]) => !isKeyword(name)));
}

async function membersOf(exchange: Exchange): Promise<ReadonlyMap<string, ScriptValue>> {
  const text = await decodeJson(await exchange.readBody(LIMIT));
  exchange.bodyDone();
  try {
    const value = fromJsonValue(await parseJson(text, { maxValues: MOST_VALUES, maxObjects: MOST_VALUES }));
    if (value instanceof Map) return value;
  } catch (error) {
    if (error instanceof JsonLimitError) throw new HttpError(413, 'The body holds too many values.');
    if (error instanceof JsonSyntaxError) throw new HttpError(400, error.message);
    throw error;
  }
  throw new HttpError(400, 'The values of a template are the members of a JSON object.');
}
