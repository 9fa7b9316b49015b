/** Arithmetic and numbers as text (docs/interface/scripting.md 4.4, docs/interface/script-runtime.md 8.3). Doubles are doubles, counts and integer parts 64-bit integers. */
import { randomInt } from 'node:crypto';
import type { ScriptContext } from '../../run/run.js';
import { formatNumber, parseNumber } from '../../language/formats/number-format.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { note } from '../../run/notes.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import { checkLength, dateOf, doubleOf, indexOf, longOf, misused, optionalText } from '../../run/function/arguments.js';

const MOST_PLACES = 300;
const LARGEST_BOUND = 2 ** 48 - 1;

/** What is answered for something that is no number, in the words of Java, which clients know. */
function noNumber(value: ScriptValue, context: ScriptContext): string {
  return `For input string: "${textOf(value, context).slice(0, 200)}"`;
}

/** Numbers of all values, or the text that says which is none. Nulls are left out. */
function doublesOf(values: readonly ScriptValue[], context: ScriptContext): number[] | string {
  const numbers: number[] = [];
  for (const value of values) {
    if (value === null) continue;
    const number = doubleOf(value);
    if (number === undefined) return noNumber(value, context);
    numbers.push(number);
  }
  return numbers;
}

const add: ScriptFunction = {
  name: 'add',
  signature: 'add(number...)',
  meaning: 'The sum, as a double. Null is left out.',
  example: "add(1, '2', null) // 3.0",
  pure: true,
  run: (args, context) => {
    const numbers = doublesOf(args, context);
    return typeof numbers === 'string' ? numbers : numbers.reduce((sum, one) => sum + one, 0);
  },
};

const subt: ScriptFunction = {
  name: 'subt',
  signature: 'subt(number, number...)',
  meaning: 'The first number without the others, as a double. Any null gives an empty text.',
  example: 'subt(5, 2, 1) // 2.0',
  min: 2,
  pure: true,
  run: (args, context) => {
    if (args.includes(null)) return '';
    const numbers = doublesOf(args, context);
    return typeof numbers === 'string' ? numbers : numbers.reduce((left, one) => left - one);
  },
};

const mult: ScriptFunction = {
  name: 'mult',
  signature: 'mult(number...)',
  meaning: 'The product, as a double. Any null gives null.',
  example: 'mult(2, 3, 4) // 24.0',
  pure: true,
  run: (args, context) => {
    if (args.includes(null)) return null;
    const numbers = doublesOf(args, context);
    return typeof numbers === 'string' ? numbers : numbers.reduce((product, one) => product * one, 1);
  },
};

function quotient(name: string): ScriptFunction {
  return {
    name,
    signature: `${name}(number, divisor)`,
    meaning: 'The quotient, as a double. Without a divisor it is the first number; null divided is null.',
    example: `${name}(7, 2) // 3.5`,
    min: 2,
    max: 2,
    pure: true,
    run: ([over = null, under = null], context) => {
      if (over === null) return null;
      const numbers = doublesOf([over, under], context);
      if (typeof numbers === 'string') return numbers;
      const [first = 0, second = 1] = numbers;
      return first / second;
    },
  };
}

const mod: ScriptFunction = {
  name: 'mod',
  signature: 'mod(number, divisor)',
  meaning:
    'What is left of the first number, as an integer, divided by the second. Null when one is null, or the divisor 0.',
  example: 'mod(7, 4) // 3',
  min: 2,
  max: 2,
  pure: true,
  run: (args, context) => {
    if (args.includes(null)) return null;
    const numbers = doublesOf(args, context);
    if (typeof numbers === 'string') return numbers;
    const [over = 0n, under = 0n] = numbers.map(longOf);
    if (under === 0n) {
      note(context, `mod() was asked to divide by 0`);
      return null;
    }
    return over % under;
  },
};

function extreme(
  name: string,
  meaning: string,
  example: string,
  choose: (a: number, b: number) => number,
): ScriptFunction {
  return {
    name,
    signature: `${name}(number, number)`,
    meaning,
    example,
    min: 2,
    max: 2,
    pure: true,
    run(args, context) {
      if (args.includes(null)) return null;
      const numbers = doublesOf(args, context);
      if (typeof numbers === 'string') return misused(this, 'needs two numbers', context);
      const [first = NaN, second = NaN] = numbers;
      return choose(first, second);
    },
  };
}

/** A function of one number. */
function ofNumber(
  name: string,
  meaning: string,
  example: string,
  change: (value: number | bigint) => ScriptValue,
): ScriptFunction {
  return {
    name,
    signature: `${name}(number)`,
    meaning,
    example,
    min: 1,
    max: 1,
    pure: true,
    run: ([value = null], context) => {
      if (value === null) return null;
      // What is an integer already loses no digits on the way.
      const number = typeof value === 'bigint' ? value : doubleOf(value);
      return number === undefined ? noNumber(value, context) : change(number);
    },
  };
}

const round: ScriptFunction = {
  name: 'round',
  signature: 'round(number [, places])',
  meaning:
    'The nearest integer, of two equally near ones the larger; with a number of places a double with so many decimals.',
  example: 'round(2.345, 2) // 2.35',
  min: 1,
  max: 2,
  pure: true,
  run(args, context) {
    const [value = null] = args;
    if (value === null) return null;
    const number = doubleOf(value);
    if (number === undefined) return noNumber(value, context);
    if (args.length === 1 || args[1] === null) return typeof value === 'bigint' ? value : longOf(Math.round(number));
    const places = indexOf(args[1]);
    if (places === undefined || Math.abs(places) > MOST_PLACES)
      return misused(this, 'needs a number of places', context);
    const factor = 10 ** places;
    const large = number * factor;
    return Number.isFinite(large) ? Math.round(large) / factor : number;
  },
};

/** Conversions: what means no number is null (docs/interface/scripting.md 4.4). */
function conversion(
  name: string,
  meaning: string,
  example: string,
  change: (value: number) => ScriptValue,
): ScriptFunction {
  return {
    name,
    signature: `${name}(value)`,
    meaning: `${meaning} Dates, also as ISO text, are epoch milliseconds. What means no number gives null.`,
    example,
    min: 1,
    max: 1,
    pure: true,
    run: ([value = null]) => {
      if (typeof value === 'bigint' && name !== 'num') return value;
      // A double has no room for all of these.
      if (name === 'long' && typeof value === 'string' && INTEGER.test(value)) return longOf(BigInt(value.trim()));
      const number = doubleOf(value) ?? dateOf(value)?.getTime();
      return number === undefined || Number.isNaN(number) ? null : change(number);
    },
  };
}

/** Digits of the longest 64-bit integer, and some zeros. */
const INTEGER = /^\s*-?\d{1,40}\s*$/;
const integer = (value: number): ScriptValue => longOf(value);

const rint: ScriptFunction = {
  name: 'rint',
  signature: 'rint(bound)',
  meaning: 'A random integer from 0 on and below the bound.',
  example: 'rint(1) // 0',
  min: 1,
  max: 1,
  pure: true,
  run(args, context) {
    if (args[0] === null) return null;
    const bound = indexOf(args[0]);
    if (bound === undefined || bound < 1 || bound > LARGEST_BOUND)
      return misused(this, 'needs a bound above 0', context);
    return BigInt(randomInt(bound));
  },
};

function sum(
  name: string,
  meaning: string,
  example: string,
  of: (numbers: readonly number[]) => ScriptValue,
): ScriptFunction {
  return {
    name,
    signature: `${name}(list)`,
    meaning,
    example,
    min: 1,
    max: 1,
    pure: true,
    run(args, context) {
      const [list = null] = args;
      if (list === null) return null;
      if (!Array.isArray(list)) return misused(this, 'needs a list', context);
      const numbers = doublesOf(list, context);
      return typeof numbers === 'string' ? numbers : of(numbers);
    },
  };
}

const numberFormat: ScriptFunction = {
  name: 'numberFormat',
  signature: 'numberFormat(number, locale, pattern)',
  meaning:
    'The number by a pattern of digits such as `#,##0.00`, with the symbols of a locale, rounded half-even. ' +
    'Null gives an empty text.',
  example: "numberFormat(12345.678, 'de', '#,##0.00') // 12.345,68",
  min: 3,
  max: 3,
  pure: true,
  run(args, context) {
    const [value = null, locale = null, pattern = null] = args;
    if (value === null) return '';
    if (locale === null || pattern === null) return misused(this, 'needs a locale and a pattern', context);
    const number = typeof value === 'bigint' ? value : doubleOf(value);
    if (number === undefined) return noNumber(value, context);
    const text = formatNumber(number, textOf(pattern, context), textOf(locale, context));
    return text ?? misused(this, 'was given a pattern that it cannot read', context);
  },
};

const parse: ScriptFunction = {
  name: 'parseNumber',
  signature: 'parseNumber(text [, locale])',
  meaning:
    'The number in a text of the locale; all but digits, points, commas and minus signs is skipped. Without one null.',
  example: "parseNumber('123.456 €', 'de') // 123456",
  min: 1,
  max: 2,
  pure: true,
  run: ([value = null, locale], context) => {
    if (value === null) return null;
    if (typeof value === 'number' || typeof value === 'bigint') return value;
    const text = textOf(value, context);
    checkLength(text.length, 'parseNumber');
    return parseNumber(text, optionalText(locale, context.run.locale, context)) ?? null;
  },
};

export const numbers: FunctionCategory = {
  title: 'Numbers',
  functions: [
    add,
    subt,
    mult,
    quotient('quot'),
    quotient('div'),
    mod,
    extreme('min', 'The smaller of two numbers, as a double.', 'min(2, 3) // 2.0', Math.min),
    extreme('max', 'The larger of two numbers, as a double.', 'max(2, 3) // 3.0', Math.max),
    round,
    ofNumber('floor', 'The largest integer that is not above the number.', 'floor(2.9) // 2', (value) =>
      longOf(typeof value === 'bigint' ? value : Math.floor(value)),
    ),
    ofNumber('ceil', 'The smallest integer that is not below the number.', 'ceil(2.1) // 3', (value) =>
      longOf(typeof value === 'bigint' ? value : Math.ceil(value)),
    ),
    conversion('num', 'The value as a double.', "num('1.5') // 1.5", (value) => value),
    conversion('long', 'The value as an integer, without its decimals.', "long('12.7') // 12", integer),
    conversion('int', 'The value as an integer, without its decimals.', "int('12.7') // 12", integer),
    rint,
    sum('doubleSum', 'The sum of a list, as a double.', "doubleSum(split('1,2,3')) // 6.0", (all) =>
      all.reduce((total, one) => total + one, 0),
    ),
    sum('intSum', 'The sum of the integer parts of a list.', "intSum(split('1,2,3')) // 6", (all) =>
      longOf(all.reduce((total, one) => total + longOf(one), 0n)),
    ),
    numberFormat,
    parse,
  ],
};
