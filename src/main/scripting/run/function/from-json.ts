/** JSON of others as `fromJson` reads it (docs/interface/script-runtime.md 8.5). */
import { parseJson, parseJsonSync, JsonSyntaxError, type JsonValue } from '../../../../shared/json/index.js';
import { runSteps, Turns, type Steps } from '../../language/steps.js';
import { isMap, type Awaitable, type ScriptValue } from '../../language/values.js';
import { note } from '../notes.js';
import type { ScriptContext } from '../run.js';
import { checkElements } from './arguments.js';

/** Texts up to here are parsed at once. */
const SMALL = 64 * 1024;

/** Parsed JSON as this function has always answered it: all numbers are doubles. */
function fromParsed(json: JsonValue): ScriptValue {
  if (typeof json === 'bigint') return Number(json);
  if (json === null || typeof json !== 'object') return json;
  if (Array.isArray(json)) return json.map(fromParsed);
  return new Map(Object.keys(json).map((key) => [key, fromParsed(json[key] ?? null)]));
}

/** What is neither an object nor a list of them comes as objects with the key `value`. */
function asMaps(json: JsonValue): Awaitable<ScriptValue> {
  const inMap = (one: JsonValue): ScriptValue => {
    const value = fromParsed(one);
    return isMap(value) ? value : new Map([['value', value]]);
  };
  if (!Array.isArray(json)) return inMap(json);
  // A map for each number of a long list takes many times as much memory as its text.
  checkElements(json.length, 'fromJson');
  return runSteps(mapped(json, inMap));
}

function* mapped(json: readonly JsonValue[], inMap: (one: JsonValue) => ScriptValue): Steps<ScriptValue[]> {
  const turns = new Turns('fromJson()', 60_000);
  const result: ScriptValue[] = [];
  for (const one of json) {
    result.push(inMap(one));
    yield* turns.pause();
  }
  return result;
}

/**
 * What `fromJson` answers, also for bodies of other servers (docs/interface/script-runtime.md 5.1). Empty text: this is no JSON, and the log says
 * why.
 */
export function fromJsonText(text: string, context: ScriptContext): Awaitable<ScriptValue> {
  const refuse = (error: unknown): ScriptValue => {
    if (!(error instanceof JsonSyntaxError)) throw error;
    note(context, `fromJson() cannot read its text: ${error.message}`);
    return '';
  };
  try {
    if (text.length <= SMALL) return asMaps(parseJsonSync(text, { primitives: true }));
  } catch (error) {
    return refuse(error);
  }
  return parseJson(text, { primitives: true }).then(asMaps, refuse);
}
