/** Calls of library functions, over the contexts of all scripting tests. */
import { callFunction } from '../../../src/main/scripting/run/function/function.js';
import { functionNamed } from '../../../src/main/scripting/functions/table.js';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { tellNotes } from '../../../src/main/scripting/run/notes.js';
import type { Awaitable, ScriptValue } from '../../../src/main/scripting/language/values.js';

/** One call and its result. */
export type Case = readonly [name: string, args: readonly ScriptValue[], expected: ScriptValue];

/** Calls a function as scripts do. */
export function call(context: ScriptContext, name: string, ...args: ScriptValue[]): Awaitable<ScriptValue> {
  const found = functionNamed(name);
  if (found === undefined) throw new Error(`There is no function ${name}.`);
  const value = callFunction(found, args, context);
  const tell = (): void => {
    tellNotes(context.run);
  };
  if (value instanceof Promise) return value.finally(tell);
  tell();
  return value;
}
