/** `sort` (docs/interface/script-runtime.md 8.4). */
import { isNumber } from '../../language/as-number.js';
import { order } from '../../language/compare.js';
import type { ScriptContext } from '../../run/run.js';
import type { ScriptFunction } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import { isMap, ScriptEntity, type ScriptValue } from '../../language/values.js';
import { checkLength, isOn, misused, propertyOf } from '../../run/function/arguments.js';
import { inOrder, runSteps, Turns, wait, type Steps } from '../../language/steps.js';

interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

const isObject = (value: ScriptValue): boolean => value instanceof ScriptEntity || isMap(value);

/** What rows are sorted by. */
type Comparable = null | boolean | number | bigint | string | Date;

/** Lists, maps and objects are sorted by their texts, which are made once. */
function comparable(value: ScriptValue, context: ScriptContext): Comparable {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return textOf(value, context);
}

/** Below zero: `a` comes first. Nothing comes last; texts are compared by their code units, as in the graph. */
function compareValues(a: Comparable, b: Comparable, context: ScriptContext): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (isNumber(a) && isNumber(b)) return order(a, b, context);
  const left = textOf(a, context);
  const right = textOf(b, context);
  return left < right ? -1 : left > right ? 1 : 0;
}

function* valueAt(one: ScriptValue, path: readonly string[], context: ScriptContext): Steps<ScriptValue> {
  let value = one;
  for (const key of path) {
    value = yield* wait(propertyOf(value, key, context));
    if (value === null) break;
  }
  return value;
}

function* sorted(list: ScriptValue[], keys: readonly SortKey[], context: ScriptContext): Steps<ScriptValue> {
  const turns = new Turns('sort()', 60_000);
  const rows: { readonly one: ScriptValue; readonly values: readonly Comparable[] }[] = [];
  let length = 0;
  for (const one of list) {
    const values: Comparable[] = [];
    for (const { path } of keys) {
      const value = yield* valueAt(one, path, context);
      const made = comparable(value, context);
      if (made !== value) checkLength((length += String(made).length), 'sort');
      values.push(made);
    }
    rows.push({ one, values });
    yield* turns.pause();
  }
  const inSequence = yield* inOrder(
    rows,
    (a, b) => {
      for (const [i, { descending }] of keys.entries()) {
        const result = compareValues(a.values[i] ?? null, b.values[i] ?? null, context);
        if (result !== 0) return descending ? -result : result;
      }
      return 0;
    },
    'sort()',
  );
  for (const [i, { one }] of inSequence.entries()) list[i] = one;
  return list;
}

/** Numbers, dates or texts, all of one kind, are sorted as they are; everything else keeps its order. */
function* sortedPlain(list: ScriptValue[], context: ScriptContext): Steps<ScriptValue> {
  const kind = (value: ScriptValue): string =>
    isNumber(value) ? 'number' : value instanceof Date ? 'date' : typeof value === 'string' ? 'text' : 'other';
  const [first = null] = list;
  const common = kind(first);
  if (common === 'other' || !list.every((one) => kind(one) === common)) return list;
  const values = yield* inOrder(list as Comparable[], (a, b) => compareValues(a, b, context), 'sort()');
  for (const [i, one] of values.entries()) list[i] = one;
  return list;
}

export const sort: ScriptFunction = {
  name: 'sort',
  signature: 'sort(list [, key [, descending = false [, key, descending]...]])',
  meaning:
    'Sorts a list of objects by their properties, a dotted key by those of related objects, or a list of texts, numbers or dates. ' +
    'The list itself is sorted, and answered. Without a key objects keep their order; what has no value comes last.',
  example: "sort(split('b,c,a')) // [a, b, c]",
  run(args, context) {
    const [list = null, ...rest] = args;
    if (list === null) return null;
    if (!Array.isArray(list)) return misused(this, 'needs a list', context);
    if (!list.some(isObject)) return runSteps(sortedPlain(list, context));
    const keys: SortKey[] = [];
    for (let at = 0; at < rest.length; at += 2) {
      const key = rest[at] ?? null;
      if (key === null) return misused(this, 'needs keys that are not null', context);
      keys.push({ path: textOf(key, context).split('.'), descending: isOn(rest[at + 1]) });
    }
    return keys.length === 0 ? list : runSteps(sorted(list, keys, context));
  },
};
