/** Lists: their elements, joining and comparing them (docs/interface/script-runtime.md 8.4). */
import type { ScriptContext } from '../../run/run.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import { isMap, ScriptEntity, type ScriptValue } from '../../language/values.js';
import { checkElements, indexOf, misused, propertyOf } from '../../run/function/arguments.js';
import { Identities } from './identities.js';
import { sort } from './sorting.js';
import { runSteps, Turns, wait, type Steps } from '../../language/steps.js';

/** Adds the elements of a list one by one, which for long ones `push(...)` cannot. */
function append(target: ScriptValue[], values: readonly ScriptValue[], name: string): void {
  checkElements(target.length + values.length, name);
  for (const value of values) if (value !== null) target.push(value);
}

/** The values with lists among them replaced by their elements, so many levels deep; without nulls. */
function flattened(values: readonly ScriptValue[], levels: number, name: string): ScriptValue[] {
  const result: ScriptValue[] = [];
  for (const value of values) {
    if (Array.isArray(value)) append(result, levels > 1 ? flattened(value, levels - 1, name) : value, name);
    else append(result, [value], name);
  }
  return result;
}

/** Those whose identities are wanted. */
function* kept(
  list: readonly ScriptValue[],
  name: string,
  identities: Identities,
  isWanted: (identity: number) => boolean,
): Steps<ScriptValue[]> {
  const turns = new Turns(`${name}()`, 60_000);
  const result: ScriptValue[] = [];
  for (const one of list) {
    if (isWanted(identities.of(one))) result.push(one);
    yield* turns.pause();
  }
  return result;
}

function element(
  name: string,
  meaning: string,
  example: string,
  at: (list: readonly ScriptValue[]) => ScriptValue | undefined,
): ScriptFunction {
  return {
    name,
    signature: `${name}(list)`,
    meaning,
    example,
    min: 1,
    max: 1,
    pure: true,
    run: ([list = null]) => (Array.isArray(list) ? (at(list) ?? null) : null),
  };
}

const nth: ScriptFunction = {
  name: 'nth',
  signature: 'nth(list, index)',
  meaning: 'The element at a position, from 0 on; null behind the end. A negative position is the first.',
  example: "nth(split('a,b,c'), 1) // b",
  min: 2,
  max: 2,
  pure: true,
  run(args, context) {
    const [list = null] = args;
    if (!Array.isArray(list)) return null;
    if (args[1] === null) return null;
    const at = indexOf(args[1]);
    return at === undefined ? misused(this, 'needs a position', context) : (list[Math.max(0, at)] ?? null);
  },
};

const size: ScriptFunction = {
  name: 'size',
  signature: 'size(value...)',
  meaning:
    'How many elements that are not null the first argument has that is not null; 1 for what is no list, 0 for null.',
  example: "size(split('a,b,c')) // 3",
  min: 1,
  pure: true,
  run: (args) => {
    const value = args.find((one) => one !== null) ?? null;
    if (value === null) return 0n;
    return Array.isArray(value) ? BigInt(value.filter((one) => one !== null).length) : 1n;
  },
};

const merge: ScriptFunction = {
  name: 'merge',
  signature: 'merge(value or list...)',
  meaning: 'One list of all values and of the elements of lists; null is left out.',
  example: "merge(split('a,b'), 'c') // [a, b, c]",
  pure: true,
  run: (args) => flattened(args, 1, 'merge'),
};

const mergeUnique: ScriptFunction = {
  name: 'mergeUnique',
  signature: 'mergeUnique(value or list...)',
  meaning: 'As `merge`, with what is equal only once.',
  example: "mergeUnique(split('a,b'), split('b,c')) // [a, b, c]",
  pure: true,
  run: (args) => {
    const seen = new Set<number>();
    return runSteps(
      kept(flattened(args, 1, 'mergeUnique'), 'mergeUnique', new Identities(), (identity) => {
        const isNew = !seen.has(identity);
        seen.add(identity);
        return isNew;
      }),
    );
  },
};

const complement: ScriptFunction = {
  name: 'complement',
  signature: 'complement(list, value or list...)',
  meaning: 'The list without everything that equals one of the values or elements.',
  example: "complement(split('a,b,c,b'), 'b') // [a, c]",
  min: 2,
  pure: true,
  run(args, context) {
    const [list = null, ...others] = args;
    if (list === null) return null;
    if (!Array.isArray(list)) return misused(this, 'needs a list', context);
    const identities = new Identities();
    const without = new Set(flattened(others, 1, 'complement').map((one) => identities.of(one)));
    return runSteps(kept(list, 'complement', identities, (identity) => !without.has(identity)));
  },
};

const unwind: ScriptFunction = {
  name: 'unwind',
  signature: 'unwind(value or list...)',
  meaning: 'One list of all values, with lists and the lists in them replaced by their elements; null is left out.',
  example: 'unwind(merge(1, 2), 3) // [1.0, 2.0, 3.0]',
  pure: true,
  run: (args) => flattened(args, 2, 'unwind'),
};

function* extracted(list: readonly ScriptValue[], key: string, context: ScriptContext): Steps<ScriptValue> {
  const turns = new Turns('extract()', 60_000);
  const result: ScriptValue[] = [];
  for (const one of list) {
    const value = yield* wait(propertyOf(one, key, context));
    if (value !== null) result.push(value);
    yield* turns.pause();
  }
  return result;
}

const extract: ScriptFunction = {
  name: 'extract',
  signature: 'extract(list, key)',
  meaning:
    'The values that the objects of a list have under a key; null is left out. Without a key a list of lists becomes one.',
  example: `extract(fromJson('[{"a": "x"}, {"a": "y"}]'), 'a') // [x, y]`,
  min: 1,
  max: 2,
  pure: true,
  run(args, context) {
    const [list = null, key = null] = args;
    if (list === null) return null;
    if (!Array.isArray(list)) return misused(this, 'needs a list', context);
    if (args.length === 1) return flattened(list, 1, 'extract');
    return key === null ? null : runSteps(extracted(list, textOf(key, context), context));
  },
};

function* copied(
  source: ScriptValue,
  target: ScriptValue,
  keys: readonly string[],
  context: ScriptContext,
): Steps<null> {
  const values: [string, ScriptValue][] = [];
  for (const key of keys) {
    const value = yield* wait(propertyOf(source, key, context));
    if (value !== null) values.push([key, value]);
  }
  if (isMap(target)) for (const [key, value] of values) target.set(key, value);
  else if (target instanceof ScriptEntity && values.length > 0) {
    yield* wait(context.run.entities.set(target, values, context));
  }
  return null;
}

const mergeProperties: ScriptFunction = {
  name: 'mergeProperties',
  signature: 'mergeProperties(source, target, key...)',
  meaning: 'Copies the named properties that are not null from one object or map to another.',
  example: "mergeProperties(fromJson('{}'), fromJson('{}'), 'name') // ",
  min: 3,
  run(args, context) {
    const [source = null, target = null, ...keys] = args;
    if (source === null || target === null) return null;
    const objects = [source, target].every((one) => isMap(one) || one instanceof ScriptEntity);
    if (!objects) return misused(this, 'needs two objects', context);
    const names = keys.filter((key) => key !== null).map((key) => textOf(key, context));
    return runSteps(copied(source, target, names, context));
  },
};

export const collections: FunctionCategory = {
  title: 'Collections',
  functions: [
    element(
      'first',
      'The first element of a list; null when it is empty.',
      "first(split('a,b,c')) // a",
      (list) => list[0],
    ),
    element('last', 'The last element of a list; null when it is empty.', "last(split('a,b,c')) // c", (list) =>
      list.at(-1),
    ),
    nth,
    size,
    merge,
    mergeUnique,
    complement,
    unwind,
    extract,
    sort,
    mergeProperties,
  ],
};
