/** Texts and regular expressions, parts of texts (docs/interface/script-runtime.md 8.1). */
import { randomInt } from 'node:crypto';
import { RE2JS, RE2JSException, type Matcher } from 're2js';
import { splitText } from '../../../../shared/text-search.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { note } from '../../run/notes.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import { checkElements, checkLength, indexOf, misused, MOST_ELEMENTS } from '../../run/function/arguments.js';
import { runSteps, Turns, type Steps } from '../../language/steps.js';
import { stopWordsOf } from './stop-words.js';

const LONGEST_PATTERN = 1000;
/** Characters times instructions: one search holds the loop for less than half a second. */
const MOST_WORK = 4_000_000;
const LONGEST_RANDOM = 10_000;
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const BETWEEN_WORDS = '[,;\\s]+';

/** An expression of a user: undefined when there is none such. Time is linear in the text, whatever it is. */
function compiled(source: string): RE2JS | undefined {
  if (source.length > LONGEST_PATTERN) return undefined;
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}

function matcher(pattern: RE2JS, text: string, name: string): Matcher {
  if (text.length * pattern.programSize() > MOST_WORK) {
    throw new ScriptError(422, `The text of ${String(text.length)} characters is too long for this ${name}().`);
  }
  return pattern.matcher(text);
}

function* parts(pattern: RE2JS, text: string, name: string): Steps<ScriptValue> {
  const turns = new Turns(`${name}()`);
  const found: ScriptValue[] = [];
  const matches = matcher(pattern, text, name);
  let from = 0;
  while (matches.find()) {
    if (matches.start() > from) found.push(text.slice(from, matches.start()));
    from = matches.end();
    yield* turns.pause();
  }
  if (from < text.length) found.push(text.slice(from));
  return found;
}

function* replaced(pattern: RE2JS, text: string, replacement: Replacement): Steps<string> {
  const turns = new Turns('strReplace()');
  const matches = matcher(pattern, text, 'strReplace');
  let result = '';
  let from = 0;
  while (matches.find()) {
    result += text.slice(from, matches.start());
    for (const part of replacement) {
      result += typeof part === 'string' ? part : (matches.group(part.group) ?? '');
      checkLength(result.length, 'strReplace');
    }
    from = matches.end();
    yield* turns.pause();
  }
  return result + text.slice(from);
}

type Replacement = readonly (string | { readonly group: number | string })[];

/** `$1` and `${name}` are groups, a backslash takes the character behind it as it is. Undefined: there is no such group. */
function replacementOf(source: string, pattern: RE2JS): Replacement | undefined {
  const found: (string | { readonly group: number | string })[] = [];
  const names = pattern.namedGroups();
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at);
    if (char === '\\' && at + 1 < source.length) {
      found.push(source.charAt(++at));
    } else if (char === '$') {
      const named = /^\$\{(\w{1,100})\}/.exec(source.slice(at, at + 110));
      let group: number | string | undefined = named?.[1];
      let length = named?.[0].length ?? 0;
      if (group === undefined) {
        const digits = /^\d{1,3}/.exec(source.slice(at + 1, at + 4))?.[0] ?? '';
        // As many digits as make the number of a group.
        for (length = digits.length; length > 1 && Number(digits.slice(0, length)) > pattern.groupCount();) length--;
        if (length === 0 || Number(digits.slice(0, length)) > pattern.groupCount()) return undefined;
        group = Number(digits.slice(0, length));
        length++;
      } else if (!Object.hasOwn(names, group)) return undefined;
      found.push({ group });
      at += length - 1;
    } else found.push(char);
  }
  return found;
}

const split: ScriptFunction = {
  name: 'split',
  signature: 'split(text [, separator])',
  meaning:
    'List of the parts between separators, empty ones left out; without one: between commas, semicolons and blanks.',
  example: "split('one,two') // [one, two]",
  min: 1,
  max: 2,
  pure: true,
  run: ([value = null, separator = null], context) => {
    if (value === null) return null;
    const text = textOf(value, context);
    const most = MOST_ELEMENTS + 1;
    const parts = separator === null ? text.split(/[,;\s]+/, most) : splitText(text, textOf(separator, context), most);
    checkElements(parts.length, 'split');
    return parts.filter((part) => part !== '');
  },
};

const splitRegex: ScriptFunction = {
  name: 'splitRegex',
  signature: 'splitRegex(text [, regex])',
  meaning: 'List of the parts between matches of a regular expression, empty ones left out. Null gives an empty text.',
  example: "splitRegex('a1b22c', '[0-9]+') // [a, b, c]",
  min: 1,
  max: 2,
  pure: true,
  run(args, context) {
    const [value = null, regex = null] = args;
    if (value === null) return '';
    const pattern = compiled(regex === null ? BETWEEN_WORDS : textOf(regex, context));
    if (pattern === undefined) return misused(this, 'needs a regular expression', context);
    return runSteps(parts(pattern, textOf(value, context), 'splitRegex'));
  },
};

const strReplace: ScriptFunction = {
  name: 'strReplace',
  signature: 'strReplace(text, regex, replacement)',
  meaning:
    'Replaces every match of a regular expression; `$1` in the replacement is what the first group matched. ' +
    'An expression that cannot be read gives null.',
  example: "strReplace('2024-01', '([0-9]+)-([0-9]+)', '$2/$1') // 01/2024",
  min: 3,
  max: 3,
  pure: true,
  run: ([value = null, regex = null, replacement = null], context) => {
    if (value === null || regex === null || replacement === null) return null;
    const pattern = compiled(textOf(regex, context));
    const by = pattern === undefined ? undefined : replacementOf(textOf(replacement, context), pattern);
    if (pattern !== undefined && by !== undefined) return runSteps(replaced(pattern, textOf(value, context), by));
    note(context, `strReplace() needs a regular expression, and a replacement with its groups`);
    return null;
  },
};

const random: ScriptFunction = {
  name: 'random',
  signature: 'random(length)',
  meaning: `That many random letters and digits, at most ${String(LONGEST_RANDOM)}; fit for passwords and keys.`,
  example: 'length(random(8)) // 8',
  min: 1,
  max: 1,
  pure: true,
  run(args, context) {
    const length = indexOf(args[0]);
    if (args[0] === null) return null;
    if (length === undefined || length < 0 || length > LONGEST_RANDOM) return misused(this, 'needs a length', context);
    let text = '';
    for (let i = 0; i < length; i++) text += ALPHANUMERIC.charAt(randomInt(ALPHANUMERIC.length));
    return text;
  },
};

const stopWords: ScriptFunction = {
  name: 'stopWords',
  signature: 'stopWords(language)',
  meaning: 'List of words that say nothing about a text: of `en`, `de`, `fr` and `es`; empty for other languages.',
  example: "contains(stopWords('en'), 'the') // true",
  min: 1,
  max: 1,
  pure: true,
  run: ([language = null], context) => (language === null ? null : stopWordsOf(textOf(language, context))),
};

export const patterns: FunctionCategory = {
  title: 'Strings',
  functions: [split, splitRegex, strReplace, random, stopWords],
};
