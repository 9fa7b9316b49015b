/** What names mean in scripts of both languages (docs/interface/scripting.md 2.5, 2.6): bare ones, and those behind a dot. */
import type { Type } from '../../../schema/index.js';
import type { ScriptContext } from '../run.js';
import { keywordNamed } from './keywords.js';
import { methodArguments } from '../../language/method-arguments.js';
import {
  isMap,
  isScriptObject,
  ScriptEntity,
  type Awaitable,
  type ScriptObject,
  type ScriptValue,
} from '../../language/values.js';

/**
 * A bare name: constants of the context first, then keywords, then types, whose static methods it offers (docs/interface/scripting.md 2.5
 * rule 9). Undefined: it means nothing. `now` is a date here; expressions show it as text.
 */
export function lookupKeyword(name: string, context: ScriptContext): Awaitable<ScriptValue | undefined> {
  return resolverOf(name)(context);
}

/** The same for a name that is looked up often. */
export function resolverOf(name: string): (context: ScriptContext) => Awaitable<ScriptValue | undefined> {
  const keyword = keywordNamed(name);
  const isType = keyword === undefined && startsUpperCase(name);
  return (context) => {
    const constant = context.constants.get(name);
    if (constant !== undefined) return constant;
    if (keyword !== undefined) return keyword.of(context);
    const type = isType ? context.run.schema.type(name) : undefined;
    return type === undefined ? undefined : typeObject(type, context);
  };
}

function startsUpperCase(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 0x41 && first <= 0x5a;
}

/** Whether a value is an object of a type, or of one that inherits it. */
export function isOf(value: ScriptValue | undefined, trait: string, { run }: ScriptContext): value is ScriptEntity {
  return value instanceof ScriptEntity && run.entities.typeOf(value).hasTrait(trait);
}

/** A type as scripts see it: its static methods. */
export function typeObject(type: Type, context: ScriptContext): ScriptObject {
  const { engine } = context.run;
  return {
    isScriptObject: true,
    title: type.name,
    get: (name) => (engine.hasMethod(type, name, context) ? engine.callMethod(type, name, [], context) : null),
    keys: () => [],
    hasMethod: (name) => engine.hasMethod(type, name, context),
    call: (name, args) => engine.callMethod(type, name, methodArguments(args), context),
    within: (other: ScriptContext) => typeObject(type, other),
  };
}

/**
 * A member of a value as expressions navigate: what `propertyOf` answers, and for objects without a value of that name the result
 * of their method of that name (docs/interface/scripting.md 2.5 rules 2 to 5). Never undefined: what does not exist is null.
 */
export function memberOf(value: ScriptValue, key: string, context: ScriptContext): Awaitable<ScriptValue> {
  const found = propertyOf(value, key, context);
  if (found instanceof Promise) return found.then((one) => one ?? resultOf(value, key, context));
  return found ?? resultOf(value, key, context);
}

/** Of the method of this name that an object of the graph has. */
function resultOf(value: ScriptValue, key: string, context: ScriptContext): Awaitable<ScriptValue> {
  const { engine } = context.run;
  if (!(value instanceof ScriptEntity) || !engine.hasMethod(value, key, context)) return null;
  return engine.callMethod(value, key, [], context);
}

/** The same without calling methods; undefined: an object of the graph has no property of this name. */
export function propertyOf(
  value: ScriptValue,
  key: string,
  context: ScriptContext,
): Awaitable<ScriptValue | undefined> {
  if (value === null || typeof value !== 'object') return null;
  if (value instanceof ScriptEntity) return context.run.entities.get(value, storedName(value, key, context), context);
  if (isMap(value)) return value.get(key) ?? null;
  if (Array.isArray(value) || value instanceof Uint8Array) return key === 'size' ? BigInt(value.length) : null;
  return isScriptObject(value) ? (value.within?.(context) ?? value).get(key) : null;
}

/** Names that objects have in scripts beside those of their properties. */
const RELATIONSHIP: ReadonlyMap<string, string> = new Map([
  ['_source', 'sourceNode'],
  ['_target', 'targetNode'],
]);

function storedName(one: ScriptEntity, key: string, { run }: ScriptContext): string {
  if (!key.startsWith('_')) return key;
  if (one.entity.kind === 'relationship') return RELATIONSHIP.get(key) ?? key;
  return key === '_path' && run.entities.property(one, '_path') === undefined ? 'path' : key;
}
