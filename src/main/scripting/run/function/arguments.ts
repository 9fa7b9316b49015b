/** What functions make of their arguments: the interface accepts many kinds of values for each (docs/interface/scripting.md 4.3, 4.4, docs/interface/script-runtime.md 8). */
import { doubleOf } from '../../language/as-number.js';
import type { ScriptContext } from '../run.js';
import { ScriptError } from '../../language/errors.js';
import { usage, type ScriptFunction } from './function.js';
import { propertyOf as propertyIn } from '../names/lookup.js';
import { note } from '../notes.js';
import { MOST_TEXT, textOf } from '../../language/text.js';
import { chain, type Awaitable, type ScriptValue } from '../../language/values.js';

export { dateOf, doubleOf, longOf, parseDouble } from '../../language/as-number.js';
export { isTrue as isOn } from '../../language/compare.js';
/** Characters of the longest text that a function makes. */
export { MOST_TEXT as LONGEST_TEXT } from '../../language/text.js';

/** Elements of the longest list that a function makes. */
export const MOST_ELEMENTS = 1_000_000;

/** Refuses a text that is too long before it is made. Throws `ScriptError` 422. */
export function checkLength(length: number, name: string): void {
  if (length > MOST_TEXT) {
    throw new ScriptError(422, `${name}() would make a text of more than ${String(MOST_TEXT)} characters.`);
  }
}

/** Refuses a list that is too long before it is made. Throws `ScriptError` 422. */
export function checkElements(count: number, name: string): void {
  if (count > MOST_ELEMENTS) {
    throw new ScriptError(422, `${name}() would make a list of more than ${String(MOST_ELEMENTS)} elements.`);
  }
}

/** The answer to arguments of the wrong kind: how the function is used (docs/interface/script-runtime.md 3.5). */
export function misused(one: ScriptFunction, why: string, context: ScriptContext): string {
  note(context, `${one.name}() ${why}`);
  return usage(one);
}

/** Options of a URL that mean nothing to a function. */
export function ignoring(one: ScriptFunction, options: readonly string[], context: ScriptContext): void {
  if (options.length === 0) return;
  note(context, `${one.name}() does not know the options ${options.join(', ').slice(0, 500)}`);
}

/** Text of an argument that may be left out. */
export function optionalText(value: ScriptValue | undefined, absent: string, context: ScriptContext): string {
  return value === undefined || value === null ? absent : textOf(value, context);
}

/** A flag that is on unless it is switched off. */
export function isOff(value: ScriptValue | undefined): boolean {
  return value === false || value === 'false';
}

/** An integer for counting and positions. Undefined: the value means none. */
export function indexOf(value: ScriptValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = doubleOf(value);
  return number === undefined || Number.isNaN(number) ? undefined : Math.trunc(number);
}

/** A property of an object, or an entry of a map; null for everything that has none of this name. */
export function propertyOf(value: ScriptValue, key: string, context: ScriptContext): Awaitable<ScriptValue> {
  return chain(propertyIn(value, key, context), (found) => found ?? null);
}
