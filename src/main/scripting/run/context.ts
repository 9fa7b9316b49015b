/** Contexts made of others. */
import { ALLOW_ALL, SYSTEM } from '../../schema/index.js';
import type { ScriptValue } from '../language/values.js';
import type { ScriptContext } from './run.js';

/** The same with some more constants, which hide others of their names. */
export function withConstants(context: ScriptContext, constants: Iterable<[string, ScriptValue]>): ScriptContext {
  return { ...context, constants: new Map([...context.constants, ...constants]) };
}

/** The same without regard to the rights of the user (`doPrivileged`, `findPrivileged`, ...). */
export function privileged(context: ScriptContext): ScriptContext {
  return { ...context, actor: SYSTEM, access: ALLOW_ALL };
}
