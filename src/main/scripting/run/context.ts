/** What scripts know of where they run (docs/interface/scripting.md 5, docs/interface/script-runtime.md 6.1). */
import { ALLOW_ALL, SYSTEM, type Actor, type MethodDefinition, type ObjectAccess } from '../../schema/index.js';
import type { ScriptRun } from './run.js';
import type { ScriptEntity, ScriptMap, ScriptValue } from '../language/values.js';

/** One script on its way: changes from call to call, while `run` is the same for all that one request sets off. */
export interface ScriptContext {
  readonly run: ScriptRun;
  /** With whose rights it acts; another one inside of `doPrivileged` and `doAs`. */
  readonly actor: Actor;
  readonly access: ObjectAccess;
  /** Keyword `this`. */
  readonly self: ScriptEntity | null;
  /** Keyword `methodParameters`; null outside of methods. */
  readonly parameters: ScriptMap | null;
  /** The method or user-defined function that runs; absent outside of them. */
  readonly method?: MethodDefinition;
  /** Names that are defined for this script alone: `data`, `accumulator`, `value`, `link`, ... */
  readonly constants: ReadonlyMap<string, ScriptValue>;
  /** What the script is called in messages: `Project.close`, `/index.html`. */
  readonly title: string;
}

/** The same with some more constants, which hide others of their names. */
export function withConstants(context: ScriptContext, constants: Iterable<[string, ScriptValue]>): ScriptContext {
  return { ...context, constants: new Map([...context.constants, ...constants]) };
}

/** The same without regard to the rights of the user (`doPrivileged`, `findPrivileged`, ...). */
export function privileged(context: ScriptContext): ScriptContext {
  return { ...context, actor: SYSTEM, access: ALLOW_ALL };
}
