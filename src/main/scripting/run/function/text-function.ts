/** Functions of one text, as the library has many (docs/interface/script-runtime.md 8.1). */
import type { ScriptFunction } from './function.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import { checkLength } from './arguments.js';
import { runSteps, Turns, type Steps } from '../../language/steps.js';

/** Characters that are changed at once. */
const PIECE = 64 * 1024;
/** The longest thing that must not be cut in two: an entity of HTML. */
const LONGEST_UNIT = 12;

/** A function of one text; null stays what is said. Throws `ScriptError` 422 for results that are too long. */
export function ofText(
  name: string,
  meaning: string,
  example: string,
  change: (text: string) => ScriptValue,
  absent: ScriptValue = null,
): ScriptFunction {
  return {
    name,
    signature: `${name}(text)`,
    meaning,
    example,
    min: 1,
    max: 1,
    pure: true,
    run: ([value = null], context) => {
      if (value === null) return absent;
      const changed = change(textOf(value, context));
      if (typeof changed === 'string') checkLength(changed.length, name);
      return changed;
    },
  };
}

/** The same where each character is changed by itself: long texts in pieces, while others run. */
export function ofCharacters(
  name: string,
  meaning: string,
  example: string,
  change: (text: string) => string,
): ScriptFunction {
  return {
    ...ofText(name, meaning, example, change),
    run: ([value = null], context) =>
      value === null ? null : runSteps(inPieces(textOf(value, context), name, change)),
  };
}

function* inPieces(text: string, name: string, change: (text: string) => string): Steps<string> {
  const turns = new Turns(`${name}()`, 60_000, 1);
  let result = '';
  for (let at = 0; at < text.length;) {
    const end = endOfPiece(text, at + PIECE);
    result += change(text.slice(at, end));
    checkLength(result.length, name);
    at = end;
    yield* turns.pause();
  }
  return result;
}

function endOfPiece(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  const entity = text.lastIndexOf('&', wanted - 1);
  if (entity > wanted - LONGEST_UNIT) return entity;
  const last = text.charCodeAt(wanted - 1);
  return last >= 0xd800 && last < 0xdc00 ? wanted + 1 : wanted;
}
