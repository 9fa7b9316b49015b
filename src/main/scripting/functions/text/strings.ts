/** Texts: changing, joining and looking into them (docs/interface/script-runtime.md 8.1). */
import { includesText, positionOf } from '../../../../shared/text-search.js';
import type { ScriptContext } from '../../run/run.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import { checkElements, checkLength, indexOf, misused, optionalText } from '../../run/function/arguments.js';
import { Identities } from '../values/identities.js';
import { slug } from './slug.js';
import { runSteps, Turns, type Steps } from '../../language/steps.js';
import { ofText } from '../../run/function/text-function.js';

/** A function of one text or of each element of a list. */
function ofTexts(name: string, meaning: string, example: string, change: (text: string) => string): ScriptFunction {
  const changed = (value: ScriptValue, context: ScriptContext): ScriptValue =>
    value === null ? null : change(textOf(value, context));
  const changedAll = function* (list: readonly ScriptValue[], context: ScriptContext): Steps<ScriptValue[]> {
    const turns = new Turns(`${name}()`, 60_000);
    const result: ScriptValue[] = [];
    let length = 0;
    for (const one of list) {
      const text = changed(one, context);
      length += typeof text === 'string' ? text.length : 0;
      checkLength(length, name);
      result.push(text);
      yield* turns.pause();
    }
    return result;
  };
  return {
    name,
    signature: `${name}(text or list)`,
    meaning,
    example,
    min: 1,
    max: 1,
    pure: true,
    run: ([value = null], context) =>
      Array.isArray(value) ? runSteps(changedAll(value, context)) : changed(value, context),
  };
}

const upperFirst = (text: string): string => {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return text === '' ? '' : first.toUpperCase() + text.slice(first.length);
};

const titleize: ScriptFunction = {
  name: 'titleize',
  signature: 'titleize(text [, separators = " "])',
  meaning: 'Splits the text at each of the separators and joins the parts by blanks, beginning with capitals.',
  example: "titleize('one-two_three', '-_') // One Two Three",
  min: 1,
  max: 2,
  pure: true,
  run: ([value = null, separators], context) => {
    if (value === null) return '';
    const ends = new Set(optionalText(separators, ' ', context));
    const text = textOf(value, context);
    const parts: string[] = [];
    let from = 0;
    const end = (at: number): void => {
      if (at > from) parts.push(upperFirst(text.slice(from, at)));
      checkElements(parts.length, 'titleize');
    };
    for (let at = 0; at < text.length;) {
      const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
      if (ends.has(char)) {
        end(at);
        from = at + char.length;
      }
      at += char.length;
    }
    end(text.length);
    return parts.join(' ');
  },
};

const concat: ScriptFunction = {
  name: 'concat',
  signature: 'concat(value...)',
  meaning: 'Joins the texts of all values and of the elements of lists; null is left out.',
  example: "concat('a', null, merge('b', 'c')) // abc",
  pure: true,
  run: (args, context) => {
    let text = '';
    for (const value of args) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== null) text += textOf(one, context);
        checkLength(text.length, 'concat');
      }
    }
    return text;
  },
};

const join: ScriptFunction = {
  name: 'join',
  signature: 'join(list, separator)',
  meaning:
    'The texts of the elements with a separator between them; null is left out. What is no list gives an empty text.',
  example: "join(merge('a', 'b'), ', ') // a, b",
  min: 2,
  max: 2,
  pure: true,
  run: ([list = null, separator], context) => {
    if (!Array.isArray(list)) return '';
    const between = optionalText(separator, '', context);
    const parts: string[] = [];
    let length = 0;
    for (const one of list) {
      if (one === null) continue;
      const part = textOf(one, context);
      length += part.length + between.length;
      checkLength(length, 'join');
      parts.push(part);
    }
    return parts.join(between);
  },
};

const substring: ScriptFunction = {
  name: 'substring',
  signature: 'substring(text, start [, length])',
  meaning: 'Part of a text from a position on, which counts from 0; empty when there is none.',
  example: "substring('Hello World', 6, 3) // Wor",
  min: 2,
  max: 3,
  pure: true,
  run(args, context) {
    const [value = null] = args;
    if (value === null) return null;
    if (args[1] === null) return null;
    const text = textOf(value, context);
    const start = indexOf(args[1]);
    const length = args.length < 3 || args[2] === null ? text.length : indexOf(args[2]);
    if (start === undefined || length === undefined)
      return misused(this, 'needs numbers for start and length', context);
    return start < 0 || start > text.length || length < 0 ? '' : text.slice(start, start + length);
  },
};

const indexOfText: ScriptFunction = {
  name: 'indexOf',
  signature: 'indexOf(text, part)',
  meaning: 'Position at which a part first stands in a text, from 0 on; -1 when it does not. Null gives an empty text.',
  example: "indexOf('Hello', 'l') // 2",
  min: 2,
  max: 2,
  pure: true,
  run: ([text = null, part = null], context) =>
    text === null || part === null ? '' : BigInt(positionOf(textOf(text, context), textOf(part, context))),
};

const contains: ScriptFunction = {
  name: 'contains',
  signature: 'contains(text or list, part)',
  meaning: 'Whether a text has a part, by its very letters, or a list an element. Null gives false.',
  example: "contains('Hello', 'ell') // true",
  min: 2,
  max: 2,
  pure: true,
  run: ([whole = null, part = null], context) => {
    if (whole === null || part === null) return false;
    if (Array.isArray(whole)) {
      const identities = new Identities();
      const wanted = identities.of(part);
      return whole.some((one) => identities.of(one) === wanted);
    }
    return includesText(textOf(whole, context), textOf(part, context));
  },
};

const startsWith: ScriptFunction = {
  name: 'startsWith',
  signature: 'startsWith(text or list, start)',
  meaning: 'Whether a text begins with another, or a list with an element. Null counts as the text `null`.',
  example: "startsWith('Hello', 'He') // true",
  min: 2,
  max: 2,
  pure: true,
  run: ([whole = null, start = null], context) => {
    if (Array.isArray(whole)) {
      const identities = new Identities();
      return whole.length > 0 && identities.of(whole[0] ?? null) === identities.of(start);
    }
    return optionalText(whole, 'null', context).startsWith(optionalText(start, 'null', context));
  },
};

const endsWith: ScriptFunction = {
  name: 'endsWith',
  signature: 'endsWith(text, end)',
  meaning: 'Whether a text ends with another. Null gives false.',
  example: "endsWith('Hello', 'lo') // true",
  min: 2,
  max: 2,
  pure: true,
  run: ([text = null, end = null], context) =>
    text !== null && end !== null && textOf(text, context).endsWith(textOf(end, context)),
};

const abbr: ScriptFunction = {
  name: 'abbr',
  signature: 'abbr(text, length [, suffix = "…"])',
  meaning:
    'Cuts a text that is longer at the last blank before that length, and appends the suffix. Null gives an empty text.',
  example: "abbr('Hello great World', 14) // Hello great…",
  min: 2,
  max: 3,
  pure: true,
  run(args, context) {
    const [value = null] = args;
    if (value === null) return '';
    if (args[1] === null) return null;
    const text = textOf(value, context);
    const most = indexOf(args[1]);
    if (most === undefined || most < 0) return misused(this, 'needs a length', context);
    if (text.length <= most) return text;
    const cut = text.slice(0, most);
    const blank = cut.lastIndexOf(' ');
    return (blank < 0 ? cut : cut.slice(0, blank)) + optionalText(args[2], '…', context);
  },
};

export const strings: FunctionCategory = {
  title: 'Strings',
  functions: [
    ofText('upper', 'The text in capital letters.', "upper('Hello') // HELLO", (text) => text.toUpperCase()),
    ofText('lower', 'The text in small letters.', "lower('Hello') // hello", (text) => text.toLowerCase()),
    ofText('capitalize', 'The text with its first letter as a capital.', "capitalize('hello') // Hello", upperFirst),
    titleize,
    ofText('length', 'Number of characters.', "length('Hello') // 5", (text) => BigInt(text.length)),
    ofTexts('trim', 'Without blanks and line ends around it.', "trim('  Hello ') // Hello", (text) => text.trim()),
    ofTexts(
      'clean',
      'A name for paths and identifiers: small Latin letters, digits and single dashes.',
      "clean('Über die Straße, heute!') // ueber-die-strasse-heute",
      slug,
    ),
    concat,
    join,
    substring,
    indexOfText,
    contains,
    startsWith,
    endsWith,
    abbr,
  ],
};
