/** Finding methods, and what their parameters get (docs/interface/scripting.md 6.1, 6.3, 6.4). */
import type { MethodDefinition, MethodParameter, Schema, Type } from '../../schema/index.js';
import { dateOf, doubleOf, longOf } from '../language/as-number.js';
import { ScriptError } from '../language/errors.js';
import { isMap, type ScriptMap, type ScriptValue } from '../language/values.js';

const INTEGERS: ReadonlySet<string> = new Set(['int', 'Integer', 'long', 'Long']);
const INTEGER = /^[+-]?\d{1,19}$/;
const DECIMALS: ReadonlySet<string> = new Set(['double', 'Double', 'float', 'Float']);

/** The method of this name that objects of the type have: a subtype's replaces the one it inherits. */
export function methodOf(schema: Schema, type: Type, name: string): MethodDefinition | undefined {
  for (let i = type.traits.length - 1; i >= 0; i--) {
    const method = schema.methods.get(type.traits[i] ?? '')?.get(name);
    if (method !== undefined) return method;
  }
  return undefined;
}

/** `Project.close`, or the name alone of a user-defined function. */
export function titleOf(method: Pick<MethodDefinition, 'owner' | 'name'>): string {
  return method.owner === undefined ? method.name : `${method.owner}.${method.name}`;
}

/** What a method is called in messages and in the log: `Project[uuid]:close`, `Project[static]:sum`, `hello`. */
export function scriptTitle(
  method: MethodDefinition,
  self: { readonly type: string; readonly id: string } | null,
): string {
  if (self !== null) return `${self.type}[${self.id}]:${method.name}`;
  return method.owner === undefined ? method.name : `${method.owner}[static]:${method.name}`;
}

/** Several maps are one; anything else is refused. One map stays what it is, so that its caller sees changes. */
export function mergedArguments(
  method: Pick<MethodDefinition, 'owner' | 'name'>,
  args: readonly ScriptValue[],
): ScriptMap {
  const [first, ...more] = args;
  if (first === undefined || (first === null && more.length === 0)) return new Map();
  if (more.length === 0 && isMap(first)) return first;
  const merged: ScriptMap = new Map();
  for (const one of args) {
    if (!isMap(one)) {
      const kind = method.owner === undefined ? 'user-defined function' : 'method';
      throw new ScriptError(
        422,
        `Illegal arguments for the ${kind} ‛${titleOf(method)}‛: pass one object with named values, for example { "name": "example" }, or declare parameters.`,
      );
    }
    for (const [key, value] of one) merged.set(key, value);
  }
  return merged;
}

/** What the code gets: with declared parameters these only, converted. Throws `ScriptError` 422. */
export function declaredArguments(method: MethodDefinition, given: ScriptMap): ScriptMap {
  if (method.parameters.length === 0) return given;
  const declared: ScriptMap = new Map();
  for (const parameter of method.parameters) {
    declared.set(parameter.name, converted(method, parameter, given.get(parameter.name) ?? null));
  }
  return declared;
}

function converted(method: MethodDefinition, parameter: MethodParameter, value: ScriptValue): ScriptValue {
  const { type } = parameter;
  if (value === null) return type === 'Map' ? new Map() : null;
  const refuse = (token: string): ScriptError =>
    new ScriptError(422, `Cannot parse input for ‛${parameter.name}‛ in method ‛${titleOf(method)}‛`, [
      { token, method: method.name, parameter: parameter.name, value: typeof value === 'string' ? value : undefined },
    ]);
  if (type === 'Date') {
    const date = dateOf(value);
    if (date === undefined) throw refuse('invalid_date_format');
    return date;
  }
  if (INTEGERS.has(type)) {
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return longOf(value);
    const long = typeof value === 'string' && INTEGER.test(value.trim()) ? BigInt(value.trim()) : undefined;
    if (long !== undefined && longOf(long) === long) return long;
    throw refuse('must_be_numerical');
  }
  if (DECIMALS.has(type)) {
    const number = value instanceof Date ? undefined : doubleOf(value);
    if (number !== undefined && !Number.isNaN(number)) return number;
    throw refuse('must_be_numerical');
  }
  return value;
}

/** Arguments in the path of GET and DELETE, by the position of the declared parameters. Throws `ScriptError` 400 and 422. */
export function pathArguments(method: MethodDefinition, segments: readonly string[]): ScriptMap {
  const { parameters } = method;
  if (segments.length > 0 && parameters.length === 0) {
    throw new ScriptError(422, `The method ‛${titleOf(method)}‛ declares no parameters for values in the path.`);
  }
  if (segments.length > parameters.length) {
    throw new ScriptError(
      400,
      `Unexpected method parameter #${String(parameters.length + 1)}: the method ‛${titleOf(method)}‛ declares ${String(parameters.length)}.`,
    );
  }
  return new Map(segments.map((segment, i) => [parameters[i]?.name ?? '', segment]));
}
