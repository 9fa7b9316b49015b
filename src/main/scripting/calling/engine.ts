/** Runs scripts of both languages, and the methods and functions that users define with them. */
import type { MethodDefinition, Type } from '../../schema/index.js';
import { ScriptError, type Position } from '../language/errors.js';
import { logMistake } from '../run/failed-scripts.js';
import { expressions, javaScriptOf } from './languages.js';
import { declaredArguments, mergedArguments, methodOf, scriptTitle, titleOf } from '../run/methods.js';
import { behindBlanks, placed, START } from '../language/place.js';
import type { BuiltinMethods, ScriptEngine, ScriptContext } from '../run/run.js';
import { replaceScripts, TEXT } from './templates.js';
import { ScriptEntity, type ScriptMap, type ScriptValue } from '../language/values.js';

/** Methods that call each other so deeply call each other for ever. */
const DEEPEST = 50;

export class Engine implements ScriptEngine {
  async evaluate(
    source: string,
    context: ScriptContext,
    wrapped: boolean,
    origin: Position = START,
  ): Promise<ScriptValue> {
    const { run } = context;
    const text = source.trim();
    if (text === '') return null;
    const javascript = isJavaScript(text);
    const begin = behindBlanks(source, origin);
    // What is printed stands for the result (docs/interface/scripting.md 3.1); that of a caller is his.
    const before = run.printed;
    run.printed = '';
    try {
      const result = javascript
        ? await javaScriptOf(run.parts.config).run(text, context, { wrapped, origin: begin })
        : await expressions.evaluate(text, context, begin);
      const { printed } = run;
      return printed !== '' && (javascript || result === null || result === '') ? printed : result;
    } finally {
      run.printed = before;
    }
  }

  async replace(text: string, context: ScriptContext, origin: Position = START): Promise<string> {
    return replaceScripts(text, context, TEXT, origin);
  }

  hold(context: ScriptContext): () => void {
    return javaScriptOf(context.run.parts.config).hold(context);
  }

  hasMethod(target: ScriptEntity | Type, name: string, context: ScriptContext): boolean {
    return this.#find(target, name, context) !== undefined || this.#builtin(target, name, context) !== undefined;
  }

  /** What has the method from the service; undefined: nothing has. */
  #builtin(target: ScriptEntity | Type, name: string, { run }: ScriptContext): BuiltinMethods | undefined {
    const { methods } = run.parts.pages;
    const isStatic = !(target instanceof ScriptEntity);
    if (methods?.has(isStatic ? target : run.schema.typeOf(target.entity), name, isStatic) !== true) return undefined;
    return methods;
  }

  #find(target: ScriptEntity | Type, name: string, context: ScriptContext): MethodDefinition | undefined {
    const { schema } = context.run;
    return methodOf(schema, target instanceof ScriptEntity ? schema.typeOf(target.entity) : target, name);
  }

  async callMethod(
    target: ScriptEntity | Type,
    name: string,
    args: readonly ScriptValue[],
    context: ScriptContext,
  ): Promise<ScriptValue> {
    const method = this.#find(target, name, context);
    if (method === undefined) {
      const type = target instanceof ScriptEntity ? target.type : target.name;
      const builtin = this.#builtin(target, name, context);
      if (builtin !== undefined)
        return builtin.call(target, name, mergedArguments({ owner: type, name }, args), context);
      throw new ScriptError(422, `There is no method ‛${name}‛ of ${type}.`);
    }
    if (target instanceof ScriptEntity) {
      if (method.isStatic) {
        throw new ScriptError(422, `The method ‛${titleOf(method)}‛ is static: call it on the type, not on an object.`);
      }
      return this.run(method, target, mergedArguments(method, args), context);
    }
    if (method.isStatic) return this.run(method, null, mergedArguments(method, args), context);
    // What an overriding method inherits is reached through the type (docs/interface/scripting.md 6.3).
    const { self, run } = context;
    if (self !== null && run.schema.typeOf(self.entity).hasTrait(target.name)) {
      return this.run(method, self, mergedArguments(method, args), context);
    }
    throw new ScriptError(422, `The method ‛${titleOf(method)}‛ is not static: call it on an object.`);
  }

  hasFunction(name: string, context: ScriptContext): boolean {
    return context.run.schema.functions.has(name);
  }

  async callFunction(name: string, args: readonly ScriptValue[], context: ScriptContext): Promise<ScriptValue> {
    const method = context.run.schema.functions.get(name);
    if (method === undefined) throw new ScriptError(422, `There is no user-defined function ‛${name}‛.`);
    return this.run(method, null, mergedArguments(method, args), context);
  }

  /** Runs a method's code with these arguments. `wrapped` replaces what the method itself says. */
  async run(
    method: MethodDefinition,
    self: ScriptEntity | null,
    args: ScriptMap,
    context: ScriptContext,
    { wrapped = method.wrapped, constants = NO_CONSTANTS }: RunMethod = {},
  ): Promise<ScriptValue> {
    const parameters = declaredArguments(method, args);
    const title = scriptTitle(method, self);
    const inner: ScriptContext = { ...context, self, method, parameters, title, constants };
    return this.nested(inner, () => this.evaluate(method.source, inner, wrapped));
  }

  /** Counts how deep calls are in each other. Throws `ScriptError` 422 when they go on for ever. */
  async nested<T>({ run, title }: ScriptContext, work: () => Promise<T>): Promise<T> {
    if (run.depth >= DEEPEST) {
      throw new ScriptError(422, `${title}: methods call each other more than ${String(DEEPEST)} levels deep.`);
    }
    if (run.depth === 0) run.since = performance.now();
    else run.checkTime();
    run.depth++;
    try {
      return await work();
    } catch (error) {
      placed(error, { title });
      if (run.isGuest && run.depth === 1) logMistake(error, title);
      throw error;
    } finally {
      run.depth--;
    }
  }
}

/** How lifecycle methods differ from others. */
export interface RunMethod {
  /** JavaScript answers by `return`. */
  readonly wrapped?: boolean;
  /** Names for this method alone: those of its caller mean nothing in it. */
  readonly constants?: ReadonlyMap<string, ScriptValue>;
}

const NO_CONSTANTS: ReadonlyMap<string, ScriptValue> = new Map();

/** `{ ... }` (docs/interface/scripting.md 1.2). */
export function isJavaScript(source: string): boolean {
  return source.startsWith('{') && source.endsWith('}');
}
