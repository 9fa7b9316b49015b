/** How the block functions work (docs/interface/scripting.md 2.4). */
import { booleanOf, isTrue } from '../../language/compare.js';
import { withConstants } from '../../run/context.js';
import type { ScriptContext } from '../../run/run.js';
import { cached } from '../../run/stores/cache.js';
import { ELEMENT, takesMemory } from '../../run/limits/memory.js';
import { chain, type Awaitable, type ScriptValue } from '../../language/values.js';
import type { BlockName } from '../../language/expression/block-table.js';
import type { Evaluator } from './evaluator.js';
import { forEach } from '../../run/limits/pace.js';

/** Gets as many arguments as the block has. */
type BlockCompiler = (args: readonly Evaluator[]) => Evaluator;

const NOTHING: Evaluator = () => null;

export const blockCompilers: Readonly<Record<BlockName, BlockCompiler>> = {
  if: choice,
  is: choice,
  each: ([list = NOTHING, expression = NOTHING]) =>
    overList(
      list,
      () => null,
      (elements, context) => chain(visit(elements, expression, context), () => null),
    ),
  filter: ([list = NOTHING, condition = NOTHING]) =>
    overList(
      list,
      () => [],
      (elements, context) => {
        const kept: ScriptValue[] = [];
        const done = visit(elements, condition, context, (result, element) => {
          if (result === true) kept.push(element);
          return false;
        });
        return chain(done, () => kept);
      },
    ),
  map: ([list = NOTHING, expression = NOTHING]) =>
    overList(
      list,
      () => [],
      (elements, context) => {
        const results: ScriptValue[] = [];
        const done = visit(elements, expression, context, (result) => {
          results.push(result);
          return false;
        });
        return chain(done, () => {
          takesMemory(results.length * ELEMENT);
          return results;
        });
      },
    ),
  reduce,
  any: ([list = NOTHING, condition = NOTHING]) => some(list, condition, true, true),
  all: ([list = NOTHING, condition = NOTHING]) => some(list, condition, false, false),
  none: ([list = NOTHING, condition = NOTHING]) => some(list, condition, true, false),
  cache,
};

function choice([condition = NOTHING, then = NOTHING, otherwise = NOTHING]: readonly Evaluator[]): Evaluator {
  return (context) => {
    const value = condition(context);
    if (value instanceof Promise) return value.then((known) => (isTrue(known) ? then : otherwise)(context));
    return (isTrue(value) ? then : otherwise)(context);
  };
}

function overList(
  list: Evaluator,
  withoutList: () => ScriptValue,
  work: (elements: readonly ScriptValue[], context: ScriptContext) => Awaitable<ScriptValue>,
): Evaluator {
  return (context) =>
    chain(list(context), (elements) => (Array.isArray(elements) ? work(elements, context) : withoutList()));
}

/** Evaluates an expression for each element as `data`, until `next` answers true for a result. */
function visit(
  elements: readonly ScriptValue[],
  expression: Evaluator,
  context: ScriptContext,
  next: (result: ScriptValue, element: ScriptValue) => boolean = () => false,
): Awaitable<void> {
  return forEach(elements, context.run, (element) =>
    chain(expression(withConstants(context, [['data', element]])), (result) => next(result, element)),
  );
}

function reduce([list = NOTHING, initial = NOTHING, expression = NOTHING]: readonly Evaluator[]): Evaluator {
  return (context) =>
    chain(list(context), (elements) =>
      chain(initial(context), (first) => {
        if (!Array.isArray(elements)) return first;
        let accumulator = first;
        const done = forEach(elements, context.run, (element) => {
          const inside = withConstants(context, [
            ['accumulator', accumulator],
            ['data', element],
          ]);
          return chain(expression(inside), (result) => {
            accumulator = result;
            return false;
          });
        });
        return chain(done, () => accumulator);
      }),
    );
}

/** Looks for an element whose condition is `wanted`: answers `found` when there is one, and the contrary otherwise. */
function some(list: Evaluator, condition: Evaluator, wanted: boolean, found: boolean): Evaluator {
  return overList(
    list,
    () => !found,
    (elements, context) => {
      let answer = !found;
      const done = visit(elements, condition, context, (result) => {
        if (result === null || truthOf(result) !== wanted) return false;
        answer = found;
        return true;
      });
      return chain(done, () => answer);
    },
  );
}

function truthOf(value: ScriptValue): boolean {
  return (typeof value === 'boolean' || typeof value === 'string') && booleanOf(value);
}

/** Values of all scripts of the instance, by key (docs/interface/script-runtime.md 6.2). */
function cache([key = NOTHING, seconds = NOTHING, expression = NOTHING]: readonly Evaluator[]): Evaluator {
  return (context) =>
    chain(key(context), (name) =>
      chain(seconds(context), (time) => cached(name, time, () => expression(context), context)),
    );
}
