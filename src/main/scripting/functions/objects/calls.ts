/** Functions that run other scripts (docs/interface/scripting.md 6.3). */
import { privileged } from '../../run/context.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory } from '../../run/function/function.js';
import { isMap, ScriptEntity, type ScriptValue } from '../../language/values.js';
import { pairsIn, shown } from '../../run/function/pairs.js';

export const callFunctions: FunctionCategory = {
  title: 'Calling scripts',
  functions: [
    {
      name: 'call',
      signature: 'call(functionName [, key, value... | map])',
      meaning: 'Runs a user-defined function with these parameters; answers what it answers.',
      example: "call('sendReport', 'month', 5)",
      min: 1,
      run: (args, context) => calling(args, context),
    },
    {
      name: 'callPrivileged',
      signature: 'callPrivileged(functionName [, key, value... | map])',
      meaning: 'Like call, without regard to the rights of the user.',
      example: "callPrivileged('sendReport', 'month', 5)",
      min: 1,
      run: (args, context) => calling(args, privileged(context)),
    },
    {
      name: 'evaluateScript',
      signature: 'evaluateScript(object, source)',
      meaning: 'Runs the source as a script whose "this" is the object; answers its result as text.',
      example: "evaluateScript(me, 'this.name')",
      min: 2,
      max: 2,
      run: ([object = null, source = null], context) => {
        if (!(object instanceof ScriptEntity) || typeof source !== 'string') return null;
        const inner = { ...context, self: object };
        return context.run.engine.nested(inner, () => context.run.engine.replace(`\${${source}}`, inner));
      },
    },
    {
      name: 'replace',
      signature: 'replace(template, object)',
      meaning:
        'The text with its scripts replaced by their results; "this" is the object, or keys of the map are names.',
      example: "replace('Hello ${this.name}', me)",
      min: 2,
      max: 2,
      run: ([template = null, object = null], context) => {
        if (typeof template !== 'string' || object === null) return null;
        return replaced(template, object, context);
      },
    },
  ],
};

/** A text with its scripts replaced by their results: `this` is the object, or keys of the map are names; also of a list of one. */
export function replaced(template: string, object: ScriptValue, context: ScriptContext): Promise<string> {
  const one = Array.isArray(object) && object.length === 1 ? (object[0] ?? null) : object;
  const inner: ScriptContext =
    one instanceof ScriptEntity
      ? { ...context, self: one }
      : isMap(one)
        ? {
            ...context,
            self: null,
            constants: new Map<string, ScriptValue>([...context.constants, ...one, ['this', one]]),
          }
        : context;
  return context.run.engine.nested(inner, () => context.run.engine.replace(template, inner));
}

function calling(args: readonly ScriptValue[], context: ScriptContext): Promise<ScriptValue> {
  const [name] = args;
  const { engine } = context.run;
  if (typeof name !== 'string' || !engine.hasFunction(name, context)) {
    throw new ScriptError(422, `Cannot call the user-defined function ${shown(name)}: there is none of this name.`);
  }
  const [only] = args.slice(1);
  // One map stays what it is: what the function changes in it, the caller sees.
  const parameters = args.length === 2 && only !== undefined && isMap(only) ? only : new Map(pairsIn(args, 1));
  return engine.callFunction(name, [parameters], context);
}
