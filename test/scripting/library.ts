/** A few functions as the library has them, for tests of the language that calls them. */
import type { ScriptFunction } from '../../src/main/scripting/run/function/function.js';
import { camelCase } from '../../src/main/scripting/language/camel-case.js';
import { functionNamed } from '../../src/main/scripting/functions/table.js';
import { textOf } from '../../src/main/scripting/language/text.js';
import { ScriptPredicate } from '../../src/main/scripting/language/values.js';

/** `find` answers its arguments, `work` takes 3 milliseconds. */
const made: (Partial<ScriptFunction> & Pick<ScriptFunction, 'name' | 'run'>)[] = [
  {
    name: 'print',
    run: (args, context) => {
      context.run.printed += args.map((one) => textOf(one, context)).join('');
      return null;
    },
  },
  { name: 'concat', run: (args, context) => args.map((one) => textOf(one, context)).join('') },
  { name: 'first', min: 1, run: ([list = null]) => (Array.isArray(list) ? (list[0] ?? null) : null) },
  { name: 'list', run: (args) => [...args] },
  { name: 'count', run: (args) => BigInt(args.length) },
  { name: 'dateFormat', min: 2, max: 2, run: () => 'formatted' },
  { name: 'later', run: async ([value = null]) => Promise.resolve(value) },
  {
    name: 'work',
    run: () => {
      for (const end = performance.now() + 3; performance.now() < end;);
      return null;
    },
  },
  { name: 'find', run: (args) => [...args] },
  { name: 'sort', run: () => 'sorted' },
  ...['sort', 'equals', 'any', 'empty', 'range'].map((name) => ({
    name: `find.${name}`,
    run: (args: Parameters<ScriptFunction['run']>[0]) => new ScriptPredicate(name, args),
  })),
];

const byName = new Map(
  made.map((one) => [one.name, { signature: `${one.name}(...)`, meaning: '', example: '', ...one }] as const),
);

/** The functions above, then the real ones. */
export function library(name: string): ScriptFunction | undefined {
  return byName.get(name) ?? byName.get(camelCase(name)) ?? functionNamed(name);
}
