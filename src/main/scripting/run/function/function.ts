/**
 * What a function of the library is (docs/interface/script-runtime.md 8). A function is one entry in one file of `functions/`; a file of them is
 * one line in `functions/table.ts`. The entry is its documentation too: `docs/functions.md` is made of it.
 */
import type { ScriptContext } from '../run.js';
import { note } from '../notes.js';
import type { Awaitable, ScriptValue } from '../../language/values.js';

export interface ScriptFunction {
  /** In camelCase, as JavaScript calls it; expressions may write it in snake_case too. */
  readonly name: string;
  /** Arguments as users read them: `substring(text, start [, length])`. Behind `Usage: ` it answers wrong calls. */
  readonly signature: string;
  /** One or two sentences: what it answers, what it does with null. */
  readonly meaning: string;
  /** An expression or a line of JavaScript that works, with its result behind ` // `. */
  readonly example: string;
  /** Version of the interface that has it; absent: all. */
  readonly since?: string;
  /** Callable, but left out of the documentation (no fact left: leave the citation out). */
  readonly hidden?: boolean;
  /** Fewer or more arguments answer the usage text (docs/interface/script-runtime.md 3.5). Absent: no limit. */
  readonly min?: number;
  readonly max?: number;
  /** Neither reads nor writes objects of the graph and has no effect: what a script has read stays true after it. */
  readonly pure?: boolean;
  run(args: readonly ScriptValue[], context: ScriptContext): Awaitable<ScriptValue>;
}

/** A file of functions, with its heading in the documentation. */
export interface FunctionCategory {
  readonly title: string;
  readonly functions: readonly ScriptFunction[];
}

/** Which functions there are: the function of a name in either spelling. They lie above the engines, which are given this. */
export type FunctionLibrary = (name: string) => ScriptFunction | undefined;

export function usage(one: ScriptFunction): string {
  return `Usage: ${one.signature}`;
}

/** Calls a function as a script does: with the wrong number of arguments it answers how it is used. */
export function callFunction(
  one: ScriptFunction,
  args: readonly ScriptValue[],
  context: ScriptContext,
): Awaitable<ScriptValue> {
  if (args.length < (one.min ?? 0) || args.length > (one.max ?? Infinity)) {
    note(context, `${one.name}() was called with ${String(args.length)} arguments`);
    return usage(one);
  }
  return one.run(args, context);
}
