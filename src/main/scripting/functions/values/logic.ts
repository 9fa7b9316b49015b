/** Logic and comparison (docs/interface/script-runtime.md 8.2). */
import { equal, isTrue, order } from '../../language/compare.js';
import type { ScriptContext } from '../../run/run.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import { isMap, ScriptEntity, type ScriptValue } from '../../language/values.js';

const LONGEST_ADDRESS = 320;

const equalFunction = {
  meaning:
    'Whether both are equal: numbers by value, objects by uuid, everything else by its text. Null equals only null.',
  pure: true,
  run: (args, context) => args.length < 2 || equal(args[0] ?? null, args[1] ?? null, context),
} satisfies Partial<ScriptFunction>;

/** A comparison by the order of two values. */
function comparison(name: string, meaning: string, example: string, holds: (order: number) => boolean): ScriptFunction {
  return {
    name,
    signature: `${name}(a, b)`,
    meaning: `Whether a is ${meaning} b. Null is before everything.`,
    example,
    min: 2,
    max: 2,
    pure: true,
    run: ([a = null, b = null], context) => holds(order(a, b, context)),
  };
}

const coalesce = {
  meaning: 'The first value that is not null; null when all are.',
  min: 1,
  pure: true,
  run: (args) => args.find((one) => one !== null) ?? null,
} satisfies Partial<ScriptFunction>;

export const logic: FunctionCategory = {
  title: 'Logic and comparison',
  functions: [
    { ...equalFunction, name: 'equal', signature: 'equal(a, b)', example: "equal('a', 'a') // true" },
    { ...equalFunction, name: 'eq', signature: 'eq(a, b)', example: 'eq(1, 2) // false' },
    comparison('lt', 'before', "lt('a', 'b') // true", (one) => one < 0),
    comparison('lte', 'before or equal to', 'lte(2, 2) // true', (one) => one <= 0),
    comparison('gt', 'after', 'gt(2, 1) // true', (one) => one > 0),
    comparison('gte', 'after or equal to', "gte('b', 'a') // true", (one) => one >= 0),
    {
      name: 'and',
      signature: 'and(condition, ...)',
      meaning: 'Whether all conditions are true, or the text `true`.',
      example: 'and(true, eq(1, 1)) // true',
      min: 1,
      pure: true,
      run: (args) => args.every(isTrue),
    },
    {
      name: 'or',
      signature: 'or(condition, condition, ...)',
      meaning: 'Whether one of the conditions is true, or the text `true`.',
      example: 'or(false, eq(1, 1)) // true',
      min: 2,
      pure: true,
      run: (args) => args.some(isTrue),
    },
    {
      name: 'not',
      signature: 'not(condition)',
      meaning: 'The contrary of a condition; null is false.',
      example: 'not(eq(1, 2)) // true',
      min: 1,
      max: 1,
      pure: true,
      run: ([one = null]) => !isTrue(one),
    },
    {
      name: 'empty',
      signature: 'empty(value)',
      meaning: 'Whether a value is null, or a text, list or map with nothing in it. A blank text is not empty.',
      example: "empty('') // true",
      max: 1,
      pure: true,
      run: ([one = null]) => isEmpty(one),
    },
    {
      name: 'one',
      signature: 'one(number, valueIfOne, otherValue)',
      meaning: 'The second argument when the first is 1, else the third: for singular and plural.',
      example: "one(3, 'item', 'items') // items",
      min: 3,
      max: 3,
      pure: true,
      run: ([number = null, single = null, other = null], context) => (equal(number, 1, context) ? single : other),
    },
    {
      ...coalesce,
      name: 'coalesce',
      signature: 'coalesce(value, ...)',
      example: "coalesce(null, 'a', 'b') // a",
    },
    {
      ...coalesce,
      name: 'coalesceObjects',
      signature: 'coalesceObjects(value, ...)',
      example: "coalesceObjects(null, 'a') // a",
    },
    {
      name: 'isEntity',
      signature: 'isEntity(value)',
      meaning: 'Whether a value is an object or relationship of the database.',
      example: "isEntity('text') // false",
      min: 1,
      max: 1,
      pure: true,
      run: ([one = null]) => one instanceof ScriptEntity,
    },
    {
      name: 'isCollection',
      signature: 'isCollection(value)',
      meaning: 'Whether a value is a list.',
      example: "isCollection(split('a,b')) // true",
      min: 1,
      max: 1,
      pure: true,
      run: ([one = null]) => Array.isArray(one),
    },
    {
      name: 'isLocale',
      signature: 'isLocale(locale)',
      meaning: 'Whether the locale of the request is this one, written `de_DE` or `de-DE`.',
      example: "isLocale('de_DE') // false",
      min: 1,
      pure: true,
      run: ([one = null], context) => one !== null && withUnderscores(textOf(one, context)) === currentLocale(context),
    },
    {
      name: 'isValidUuid',
      signature: 'isValidUuid(text)',
      meaning: 'Whether a text is a uuid in a form that the setting `application.uuid.allowedformats` allows.',
      example: "isValidUuid('b6b6f1c4d3b84b4c8a3f0a4f3f8b6a11') // true",
      min: 1,
      max: 1,
      pure: true,
      run: ([one = null], context) => typeof one === 'string' && context.run.parts.write().idPattern.test(one),
    },
    {
      name: 'isValidEmail',
      signature: 'isValidEmail(text)',
      meaning: 'Whether a text is an address as the setting `application.email.validation.regex` wants it.',
      example: "isValidEmail('ada@example.com') // true",
      min: 1,
      max: 1,
      pure: true,
      run: ([one = null], context) => isAddress(one, context),
    },
  ],
};

function isEmpty(value: ScriptValue): boolean {
  if (value === null || value === '') return true;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  return isMap(value) && value.size === 0;
}

function withUnderscores(locale: string): string {
  return locale.replaceAll('-', '_');
}

function currentLocale({ run }: ScriptContext): string {
  return withUnderscores(run.locale);
}

/** Longer texts are no addresses, whatever the setting says: its expression may take long for them. */
function isAddress(value: ScriptValue, { run }: ScriptContext): boolean {
  return typeof value === 'string' && value.length <= LONGEST_ADDRESS && run.parts.write().emailPattern.test(value);
}
