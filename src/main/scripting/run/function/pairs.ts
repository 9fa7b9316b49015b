/** Arguments that name keys and values: alternating, or in one map (docs/interface/script-runtime.md 8). */
import { ScriptError } from '../../language/errors.js';
import type { ScriptContext } from '../run.js';
import type { ScriptFunction } from './function.js';
import { isOf } from '../names/lookup.js';
import { isMap, ScriptEntity, type Awaitable, type ScriptValue } from '../../language/values.js';
import { misused } from './arguments.js';

export type Pairs = readonly (readonly [string, ScriptValue])[];

/** Throws `ScriptError` 400 when a key has no value, or is no text. */
export function pairsIn(args: readonly ScriptValue[], from: number): Pairs {
  const pairs: [string, ScriptValue][] = [];
  for (let i = from; i < args.length; i++) {
    const arg = args[i] ?? null;
    if (isMap(arg)) {
      pairs.push(...arg);
      continue;
    }
    if (arg === null && args.length === from + 1) break;
    if (typeof arg !== 'string' || i + 1 >= args.length) {
      throw new ScriptError(
        400,
        `Invalid number of parameters: ${String(args.length)}. Keys are texts, and each needs a value behind it.`,
      );
    }
    pairs.push([arg, args[++i] ?? null]);
  }
  return pairs;
}

/** An object of the graph. Throws `ScriptError` 422 for anything else. */
export function entityIn(value: ScriptValue | undefined, what: string): ScriptEntity {
  if (value instanceof ScriptEntity) return value;
  throw new ScriptError(422, `${what} is no object of the database.`);
}

/**
 * A function whose first arguments are objects: with null for one of them it answers null, with anything else how it is used
 * (docs/interface/script-runtime.md 3.5, 8). `kinds`: what each has to be: a trait, or undefined for any object.
 */
export function ofObjects(
  one: Omit<ScriptFunction, 'run'>,
  kinds: readonly (string | undefined)[],
  run: (
    objects: readonly ScriptEntity[],
    rest: readonly ScriptValue[],
    context: ScriptContext,
  ) => Awaitable<ScriptValue>,
): ScriptFunction {
  return {
    ...one,
    run(args, context) {
      const given = args.slice(0, kinds.length);
      if (given.includes(null)) return null;
      const objects = given.filter((value, i): value is ScriptEntity => {
        const kind = kinds[i];
        return kind === undefined ? value instanceof ScriptEntity : isOf(value, kind, context);
      });
      if (objects.length === kinds.length) return run(objects, args.slice(kinds.length), context);
      const wanted = kinds.map((kind) => (kind === undefined ? 'an object' : `an object of type ${kind}`));
      return misused(this, `needs ${wanted.join(', then ')}`, context);
    },
  };
}

/** A value in a message: a text as it is, cut, and anything else by what it is. */
export function shown(value: ScriptValue | undefined): string {
  if (typeof value === 'string') return value.slice(0, 200);
  return value === undefined || value === null || typeof value !== 'object' ? String(value) : 'that is no text';
}
