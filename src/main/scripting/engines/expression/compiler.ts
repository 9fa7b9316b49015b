/** Makes functions of the trees of expressions (docs/interface/scripting.md 2). */
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { callFunction, type FunctionLibrary, type ScriptFunction } from '../../run/function/function.js';
import { memberOf, resolverOf } from '../../run/names/lookup.js';
import { ELEMENT, takesMemory } from '../../run/limits/memory.js';
import { methodArguments } from '../../language/method-arguments.js';
import { note, noteAt } from '../../run/notes.js';
import { concatenated, textOf } from '../../language/text.js';
import {
  chain,
  isScriptObject,
  ScriptCallable,
  ScriptEntity,
  type Awaitable,
  type ScriptValue,
} from '../../language/values.js';
import type { Call, Expression, Index, MethodCall, Script } from '../../language/expression/ast.js';
import type { Evaluator } from './evaluator.js';
import { blockNamed } from '../../language/expression/block-table.js';
import { blockCompilers } from './blocks.js';
import { breath } from '../../run/limits/pace.js';

export interface Compiled {
  readonly evaluate: Evaluator;
  /** Functions that are called though the library does not have them: without one of the user, the script cannot be read. */
  readonly unknown: readonly { readonly name: string; readonly at: number }[];
}

/** What is in `refused` is left to the caller. */
export function compile({ items }: Script, library: FunctionLibrary): Compiled {
  const compiler = new Compiler(library);
  // The others are compiled for the functions that they name.
  const [first = (): null => null] = items.map((item) => compiler.compile(item));
  return { evaluate: first, unknown: compiler.unknown };
}

class Compiler {
  readonly unknown: { readonly name: string; readonly at: number }[] = [];

  constructor(private readonly library: FunctionLibrary) {}

  compile(one: Expression): Evaluator {
    switch (one.kind) {
      case 'literal': {
        const { value } = one;
        return () => value;
      }
      case 'path': {
        const [first = '', ...others] = one.parts;
        return withDefault(members(named(first), others), one.otherwise);
      }
      case 'member':
        return withDefault(members(this.subject(one.of), one.parts), one.otherwise);
      case 'call':
        return this.call(one);
      case 'method':
        return this.method(one);
      case 'group': {
        const items = this.all(one.items);
        return (context) => chain(inOrder(items, context), (values) => concatenated(values, context));
      }
      case 'index':
        return this.index(one);
    }
  }

  private all(expressions: readonly Expression[]): readonly Evaluator[] {
    return expressions.map((one) => this.compile(one));
  }

  private subject(of: Expression | null): Evaluator {
    return of === null ? () => null : this.compile(of);
  }

  private call({ name, args, inFind, at }: Call): Evaluator {
    const predicate = inFind ? this.library(`find.${name}`) : undefined;
    const block = blockNamed(name, inFind);
    const evaluators = this.all(args);
    if (predicate !== undefined) {
      return located(at, (context) =>
        chain(inOrder(evaluators, context), (values) => callFunction(predicate, values, context)),
      );
    }
    if (block !== undefined) {
      if (evaluators.length >= block.count) return located(at, blockCompilers[block.name](evaluators));
      return located(at, (context) => {
        note(context, `${name}() was called with ${String(args.length)} arguments`);
        return block.usage;
      });
    }
    const builtIn = this.library(name);
    if (builtIn === undefined) this.unknown.push({ name, at });
    const called = (values: readonly ScriptValue[], context: ScriptContext): Awaitable<ScriptValue> => {
      const { engine } = context.run;
      return builtIn === undefined || engine.hasFunction(name, context)
        ? engine.callFunction(name, methodArguments(values), context)
        : callLibrary(builtIn, values, context);
    };
    return located(at, (context) => {
      const values = inOrder(evaluators, context);
      return values instanceof Promise ? values.then((known) => called(known, context)) : called(values, context);
    });
  }

  private method({ of, name, args, at }: MethodCall): Evaluator {
    const subject = this.subject(of);
    const evaluators = this.all(args);
    return located(at, (context) =>
      chain(subject(context), (target) =>
        target === null
          ? null
          : chain(inOrder(evaluators, context), (values) => callMethod(target, name, values, context)),
      ),
    );
  }

  private index({ of, index, at }: Index): Evaluator {
    const place = this.compile(index);
    if (of === null) return place;
    const subject = this.compile(of);
    return located(at, (context) =>
      chain(subject(context), (list) => chain(place(context), (number) => elementOf(list, number))),
    );
  }
}

/** Indexes in their sources of calls that failed, by the error. */
const failures = new WeakMap<Error, number>();

/** Where in its source an expression failed; undefined: nobody knows. */
export function failedAt(error: unknown): number | undefined {
  return error instanceof Error ? failures.get(error) : undefined;
}

/** Remembers which call it was that failed, or noted something: the innermost. */
function located(at: number, evaluate: Evaluator): Evaluator {
  const failed = (error: unknown): never => {
    if (error instanceof Error && !failures.has(error)) failures.set(error, at);
    throw error;
  };
  return (context) => {
    let value: Awaitable<ScriptValue>;
    try {
      value = evaluate(context);
    } catch (error) {
      return failed(error);
    }
    const { run } = context;
    if (value instanceof Promise) {
      return value.then((known) => {
        if (run.notes !== undefined) noteAt(run, at);
        return known;
      }, failed);
    }
    if (run.notes !== undefined) noteAt(run, at);
    return value;
  };
}

/** One function may work for a while by itself: what comes before the next lets others run. */
function callLibrary(
  one: ScriptFunction,
  args: readonly ScriptValue[],
  context: ScriptContext,
): Awaitable<ScriptValue> {
  const pause = breath(context.run, args);
  const value = pause === undefined ? callFunction(one, args, context) : called(pause, one, args, context);
  return value instanceof Promise ? value.then(counted) : counted(value);
}

async function called(
  pause: Promise<void>,
  one: ScriptFunction,
  args: readonly ScriptValue[],
  context: ScriptContext,
): Promise<ScriptValue> {
  await pause;
  return callFunction(one, args, context);
}

/** Short texts are what all expressions make all the time. */
const LONG = 1000;

function counted(value: ScriptValue): ScriptValue {
  if (typeof value === 'string' && value.length > LONG) takesMemory(value.length);
  else if (value instanceof Uint8Array) takesMemory(value.length);
  else if (Array.isArray(value)) takesMemory(value.length * ELEMENT);
  return value;
}

const orNull = (value: ScriptValue | undefined): ScriptValue => value ?? null;

function named(name: string): Evaluator {
  const resolve = resolverOf(name);
  if (name !== 'now') {
    return (context) => {
      const value = resolve(context);
      return value instanceof Promise ? value.then(orNull) : (value ?? null);
    };
  }
  return (context) =>
    chain(resolve(context), (value) => (value instanceof Date ? textOf(value, context) : (value ?? null)));
}

function members(subject: Evaluator, parts: readonly string[]): Evaluator {
  const [only] = parts;
  if (only === undefined) return subject;
  if (parts.length > 1) return (context) => walk(subject(context), parts, 0, context);
  // Most of them.
  return (context) => {
    const value = subject(context);
    if (value instanceof Promise) return walk(value, parts, 0, context);
    return value === null ? null : memberOf(value, only, context);
  };
}

/** Goes on to the first null. */
function walk(
  start: Awaitable<ScriptValue>,
  parts: readonly string[],
  from: number,
  context: ScriptContext,
): Awaitable<ScriptValue> {
  let value = start;
  for (let i = from; ; i++) {
    const at = i;
    if (value instanceof Promise) return value.then((known) => walk(known, parts, at, context));
    const part = parts[i];
    if (part === undefined || value === null) return value;
    value = memberOf(value, part, context);
  }
}

function withDefault(evaluate: Evaluator, otherwise: string | undefined): Evaluator {
  if (otherwise === undefined) return evaluate;
  const value = defaultValue(otherwise);
  return (context) => chain(evaluate(context), (found) => found ?? value);
}

/** Java's long; what is longer is a double. */
const INTEGER = /^-?\d{1,18}$/;
const DOUBLE = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/;

function defaultValue(text: string): ScriptValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (INTEGER.test(text)) return BigInt(text);
  return DOUBLE.test(text) ? Number(text) : text;
}

/** The values of all of them, one after the other. */
function inOrder(evaluators: readonly Evaluator[], context: ScriptContext): Awaitable<ScriptValue[]> {
  const { length } = evaluators;
  // A list that grows takes room for many more.
  const values = new Array<ScriptValue>(length);
  for (let i = 0; i < length; i++) {
    const value = (evaluators[i] as Evaluator)(context);
    if (value instanceof Promise) return others(evaluators, context, values.slice(0, i), value);
    values[i] = value;
  }
  return values;
}

async function others(
  evaluators: readonly Evaluator[],
  context: ScriptContext,
  values: ScriptValue[],
  pending: Promise<ScriptValue>,
): Promise<ScriptValue[]> {
  values.push(await pending);
  for (let i = values.length; i < evaluators.length; i++) values.push(await (evaluators[i] as Evaluator)(context));
  return values;
}

function callMethod(
  target: Exclude<ScriptValue, null>,
  name: string,
  args: readonly ScriptValue[],
  context: ScriptContext,
): Awaitable<ScriptValue> {
  if (target instanceof ScriptEntity) {
    return context.run.engine.callMethod(target, name, methodArguments(args), context);
  }
  if (isScriptObject(target)) {
    const one = target.within?.(context) ?? target;
    if (one.call !== undefined) return one.call(name, args);
  }
  return chain(memberOf(target, name, context), (member) => {
    if (member instanceof ScriptCallable) return member.call(args);
    throw new ScriptError(422, `There is no method ${name} to be called here.`);
  });
}

function elementOf(list: ScriptValue, at: ScriptValue): ScriptValue {
  const index = typeof at === 'string' && at.trim() !== '' ? Number(at) : at;
  if ((typeof index !== 'number' && typeof index !== 'bigint') || Number.isNaN(index)) {
    throw new ScriptError(422, 'What stands between [ and ] is no number.');
  }
  if (list === null) return null;
  if (!Array.isArray(list)) throw new ScriptError(422, '[ ] is behind something that is no list.');
  return list[Math.trunc(Number(index))] ?? null;
}
