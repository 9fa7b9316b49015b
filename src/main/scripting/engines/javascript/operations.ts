/**
 * What scripts can ask the loop for: all that `$` and objects of the graph need, and nothing else. Arguments come from the
 * isolate and are not trusted; what may be read and written is decided by the context, as everywhere.
 */
import { logger } from '../../../../shared/log.js';
import { storedValue, type Property } from '../../../schema/index.js';
import { fromStored } from '../../language/conversion.js';
import { ScriptError } from '../../language/errors.js';
import { callFunction, type FunctionLibrary } from '../../run/function/function.js';
import { camelCase } from '../../language/camel-case.js';
import { lookupKeyword, propertyOf } from '../../run/names/lookup.js';
import {
  chain,
  isScriptObject,
  ScriptCallable,
  type Awaitable,
  type ScriptEntity,
  type ScriptObject,
  type ScriptValue,
} from '../../language/values.js';
import { sessionObject } from '../../run/names/request-objects.js';
import type { RunOptions, ScriptContext } from '../../run/run.js';
import { contextFunction } from './context-functions.js';
import { modulesOf } from './modules.js';
import { FIXED_NAMES } from './prelude/prelude.js';
import { textOf, type Crossing, type Wire } from './wire.js';

const log = logger('scripting.javascript');
/** Values of so many objects travel at once when a script reads one after the other. */
const AHEAD = 64;
const MOST_LINES = 1000;

type Operation = (
  args: readonly Wire[],
  context: ScriptContext,
  crossing: Crossing,
  library: FunctionLibrary,
) => Awaitable<Wire>;

/** Throws, or rejects with, what the script is to be told. */
export function operate(
  name: string,
  args: readonly Wire[],
  context: ScriptContext,
  crossing: Crossing,
  library: FunctionLibrary,
): Awaitable<Wire> {
  const operation = operations.get(name);
  if (operation === undefined) throw new ScriptError(422, 'There is no such operation.');
  return operation(args, context, crossing, library);
}

const METHOD: Wire = ['method'];
const UNDEFINED: Wire = ['undefined'];

const operations = new Map<string, Operation>([
  [
    'global',
    ([first, asked], context, crossing, library) => {
      const name = textOf(first);
      const { run } = context;
      // `$.get('jobInfo')` is no function, though one has this name (docs/interface/scripting.md 3.3).
      const constant = asked === true ? context.constants.get(name) : undefined;
      if (constant !== undefined) return crossing.encode(constant);
      if (!FIXED_NAMES.has(camelCase(name))) {
        if (run.engine.hasFunction(name, context) || library(name) !== undefined) return METHOD;
        if (!context.constants.has(name) && run.requestStore.has(name)) {
          return crossing.encode(run.requestStore.get(name) ?? null);
        }
      }
      const isSession = name === 'session' && !context.constants.has(name);
      const found = isSession ? sessionObject(context, true) : lookupKeyword(name, context);
      return chain<ScriptValue | undefined, Wire>(found, (value) => crossing.encode(value ?? null));
    },
  ],
  [
    'call',
    ([first, list], context, crossing, library) => {
      const name = textOf(first);
      const { engine } = context.run;
      const own = contextFunction(camelCase(name));
      if (own !== undefined) return chain(own(crossing.list(list), context), (value) => crossing.encode(value));
      if (engine.hasFunction(name, context)) {
        return crossing
          .linked(list, (args) => engine.callFunction(name, args, context))
          .then((value) => crossing.encode(value));
      }
      const known = library(name);
      if (known === undefined) throw new ScriptError(422, `There is no function ${name}.`);
      return chain(callFunction(known, crossing.list(list), context), (value) => crossing.encode(value));
    },
  ],
  ['load', ([handle, version], context, crossing) => load(Number(handle), version, context, crossing)],
  [
    'property',
    ([handle, first], context, crossing) => {
      const one = crossing.entity(handle);
      const key = textOf(first);
      return chain(propertyOf(one, key, context), (value) => {
        if (value !== undefined && (value !== null || hasProperty(one, key, context))) return crossing.encode(value);
        if (context.run.engine.hasMethod(one, key, context)) return METHOD;
        return value === undefined ? UNDEFINED : crossing.encode(value);
      });
    },
  ],
  [
    'method',
    ([handle, name, list], context, crossing) => {
      const one = crossing.entity(handle);
      return crossing
        .linked(list, (args) => context.run.engine.callMethod(one, textOf(name), args, context))
        .then((value) => crossing.encode(value));
    },
  ],
  [
    'set',
    ([handle, first, value], context, crossing) => {
      const one = crossing.entity(handle);
      const key = textOf(first);
      if (!hasProperty(one, key, context) && !context.run.entities.typeOf(one).acceptsUnknownKeys) {
        throw new ScriptError(422, `${one.type} has no property ${key}.`);
      }
      return context.run.entities.set(one, [[key, crossing.decode(value)]], context).then(() => null);
    },
  ],
  [
    'remove',
    ([handle, first], context, crossing) => {
      const one = crossing.entity(handle);
      const key = textOf(first);
      if (!hasProperty(one, key, context) && !context.run.entities.typeOf(one).acceptsUnknownKeys) return null;
      return context.run.entities.set(one, [[key, null]], context).then(() => null);
    },
  ],
  [
    'mapSet',
    ([handle, key, value], _context, crossing) => {
      crossing.map(handle).set(textOf(key), crossing.decode(value));
      return null;
    },
  ],
  [
    'mapRemove',
    ([handle, key], _context, crossing) => {
      crossing.map(handle).delete(textOf(key));
      return null;
    },
  ],
  [
    'objectGet',
    ([handle, key], context, crossing) => {
      const one = objectOf(handle, context, crossing);
      if (one.hasMethod?.(textOf(key)) === true) return METHOD;
      return chain(one.get(textOf(key)), (value) => crossing.encode(value));
    },
  ],
  [
    'objectSet',
    ([handle, key, value], context, crossing) => {
      const one = objectOf(handle, context, crossing);
      if (one.set === undefined) throw new ScriptError(422, `${one.title} cannot be changed.`);
      return chain(one.set(textOf(key), crossing.decode(value)), () => null);
    },
  ],
  [
    'objectKeys',
    ([handle], context, crossing) => chain(objectOf(handle, context, crossing).keys(), (keys) => [...keys]),
  ],
  [
    'objectElements',
    ([handle], context, crossing) => {
      const one = objectOf(handle, context, crossing);
      if (one.elements === undefined) throw new ScriptError(422, `${one.title} cannot be iterated.`);
      return chain(one.elements(), (list) => crossing.encode(list));
    },
  ],
  [
    'objectText',
    ([handle], context, crossing) => {
      const one = objectOf(handle, context, crossing);
      return crossing.encode(one.asValue?.text() ?? one.title);
    },
  ],
  [
    'objectCall',
    ([handle, name, list], context, crossing) => {
      const one = objectOf(handle, context, crossing);
      if (one.call === undefined) throw new ScriptError(422, `${one.title} has no methods.`);
      const call = one.call.bind(one);
      return crossing.linked(list, async (args) => call(textOf(name), args)).then((value) => crossing.encode(value));
    },
  ],
  [
    'invoke',
    ([handle, list], _context, crossing) => {
      const one = crossing.handed(handle);
      if (!(one instanceof ScriptCallable)) throw new ScriptError(422, 'This is no function.');
      return one.call(crossing.list(list)).then((value) => crossing.encode(value));
    },
  ],
  [
    'import',
    async ([base, specifier], context, crossing) => {
      const read = { imports: [{ specifier: textOf(specifier), names: new Map<string, number>() }] };
      const from = typeof base === 'string' ? base : undefined;
      const { numbers, definitions } = await modulesOf(crossing).load(read, from, context);
      return [numbers[0] ?? null, definitions];
    },
  ],
  [
    'log',
    ([level, text], context) => {
      const request = context.run.options;
      const lines = linesOf.get(request) ?? 0;
      linesOf.set(request, lines + 1);
      if (lines === MOST_LINES) log.warn(`${context.title} logs no more than ${String(MOST_LINES)} lines`);
      if (lines >= MOST_LINES) return null;
      const line = `${context.title}: ${textOf(text)}`;
      request.told?.(textOf(text));
      if (level === 'error') log.error(line);
      else if (level === 'warn') log.warn(line);
      else if (level === 'debug' || level === 'trace') log.debug(line);
      else log.info(line);
      return null;
    },
  ],
]);

/** Lines that the scripts of a request have written by `console`. */
const linesOf = new WeakMap<RunOptions, number>();

/** A script may hold it longer than it has the rights that it got it with (`doPrivileged`). */
function objectOf(handle: Wire | undefined, context: ScriptContext, crossing: Crossing): ScriptObject {
  const one = crossing.handed(handle);
  if (!(one instanceof ScriptCallable) && isScriptObject(one)) return one.within?.(context) ?? one;
  throw new ScriptError(422, 'This object is unknown to the script.');
}

function hasProperty(one: ScriptEntity, key: string, context: ScriptContext): boolean {
  return key === 'id' || key === 'type' || context.run.entities.property(one, key) !== undefined;
}

/** Whether a bare name means a constant of the context to scripts: nothing else of that name comes before it. */
export function isConstant(name: string, context: ScriptContext, library: FunctionLibrary): boolean {
  const plain = camelCase(name);
  if (FIXED_NAMES.has(plain) || contextFunction(plain) !== undefined) return false;
  if (library(name) !== undefined || library(plain) !== undefined) return false;
  return context.constants.has(name) && !context.run.engine.hasFunction(name, context);
}

/** The plain values of an object, of those that were handed out behind it, and for the first of a type what it has. */
function load(handle: number, version: Wire | undefined, context: ScriptContext, crossing: Crossing): Awaitable<Wire> {
  const one = crossing.entity(handle);
  const { run } = context;
  return chain(run.entities.fresh(one), () => {
    const values = plainProperties(one, context);
    const out: Wire[] = [version === run.schema.version ? null : describe(one, values, context)];
    out.push(handle, valuesOf(one, values, context, crossing));
    const changes = run.transaction.changes;
    const count = crossing.readAhead(handle, AHEAD);
    for (let next = handle + 1; next <= handle + count; next++) {
      const other = crossing.entities[next];
      if (other === undefined || other.type !== one.type || other.asOf !== changes) break;
      out.push(next, valuesOf(other, values, context, crossing));
    }
    return out;
  });
}

/** The same of an object alone, before anybody asks for it. Undefined: it would have to be read. `isKnown`: what its type has. */
export function loadedNow(
  one: ScriptEntity,
  handle: Wire,
  isKnown: boolean,
  context: ScriptContext,
  crossing: Crossing,
): Wire | undefined {
  if (one.asOf !== context.run.transaction.changes) return undefined;
  const values = plainProperties(one, context);
  return [isKnown ? null : describe(one, values, context), handle, valuesOf(one, values, context, crossing)];
}

type PlainProperties = readonly (readonly [name: string, property: Property & { kind: 'value' }])[];

function plainProperties(one: ScriptEntity, { run }: ScriptContext): PlainProperties {
  const { properties } = run.entities.typeOf(one);
  return [...properties].filter((entry): entry is [string, Property & { kind: 'value' }] => isPlain(entry[1]));
}

function valuesOf({ entity }: ScriptEntity, values: PlainProperties, { run }: ScriptContext, crossing: Crossing): Wire {
  const secret = run.transaction.switches.encryptionKey;
  return values.map(([, property]) => crossing.encode(fromStored(property, storedValue(entity, property.key), secret)));
}

function isPlain(property: Property): boolean {
  return property.kind === 'value';
}

function describe(one: ScriptEntity, plain: PlainProperties, { run }: ScriptContext): Wire {
  const values = plain.map(([key]) => key);
  const type = run.entities.typeOf(one);
  const all = [...type.properties.keys()];
  const methods = type.traits.flatMap((trait) => [...(run.schema.methods.get(trait)?.values() ?? [])]);
  const callable = methods.filter((method) => !method.isPrivate && !method.isStatic && !method.isLifecycle);
  return {
    // As the object calls itself: its type may no longer exist.
    name: one.type,
    version: run.schema.version,
    values,
    others: all.filter((key) => !values.includes(key)),
    all: [...new Set(['id', 'type', ...all, ...callable.map((method) => method.name)])],
  };
}
