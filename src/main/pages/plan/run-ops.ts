/** Does what plans say (docs/design/pages.md 4, 6). */
import {
  chain,
  countStep,
  forEach,
  isJavaScriptOf,
  type Awaitable,
  type PlacedScript,
  type ScriptValue,
} from '../../scripting/index.js';
import { always } from './always.js';
import type { Op, Scope, ScriptOp } from './plan.js';

/** Does what a plan says, one after the other. */
export function runOps(ops: readonly Op[], scope: Scope): Awaitable<void> {
  const { visit } = scope;
  const [only] = ops;
  if (ops.length === 1 && typeof only === 'string') {
    visit.write(only);
    return visit.pressure();
  }
  // Most pages never have to wait: as long as that is so nothing is made for a step.
  for (let i = 0; i < ops.length; i = behind(ops, i)) {
    const doing = doAt(ops, i, scope);
    const pause = countStep(visit.run);
    if (doing instanceof Promise || pause !== undefined) return rest(ops, behind(ops, i), scope, doing, pause);
  }
}

async function rest(
  ops: readonly Op[],
  from: number,
  scope: Scope,
  doing: Awaitable<void>,
  pause: (() => Promise<void>) | undefined,
): Promise<void> {
  await doing;
  await pause?.();
  for (let i = from; i < ops.length; i = behind(ops, i)) {
    await countStep(scope.visit.run)?.();
    const next = doAt(ops, i, scope);
    if (next instanceof Promise) await next;
  }
}

/** What stands at a place, and what is to be done with it. */
function doAt(ops: readonly Op[], at: number, scope: Scope): Awaitable<void> {
  const { visit } = scope;
  const op = ops[at] as Op;
  let doing: Promise<void> | void = undefined;
  if (typeof op === 'string') visit.write(op);
  else if (typeof op === 'function') doing = op(scope);
  else {
    const series = seriesAt(ops, at);
    doing = series === undefined ? visit.script(op, scope.constants) : runSeries(series, scope);
  }
  return doing instanceof Promise ? doing : visit.pressure();
}

/** The place behind what is done at a place. */
function behind(ops: readonly Op[], at: number): number {
  return seriesAt(ops, at)?.end ?? at + 1;
}

interface Series {
  /** From the first script to the last. */
  readonly ops: readonly (string | ScriptOp)[];
  readonly scripts: readonly ScriptOp[];
  /** Index behind it. */
  readonly end: number;
}

/** By the ops of a plan, which stay the same, and where in them it begins. */
const known = new WeakMap<readonly Op[], Map<number, Series | undefined>>();

/** Scripts of JavaScript from here on with nothing but texts between them; undefined: it is one at most. */
function seriesAt(ops: readonly Op[], begin: number): Series | undefined {
  const first = ops[begin];
  if (typeof first !== 'object' || !isJavaScriptOf(first.script)) return undefined;
  let ofOps = known.get(ops);
  if (ofOps === undefined) known.set(ops, (ofOps = new Map<number, Series | undefined>()));
  if (!ofOps.has(begin)) ofOps.set(begin, findSeries(ops, begin));
  return ofOps.get(begin);
}

function findSeries(ops: readonly Op[], begin: number): Series | undefined {
  const scripts: ScriptOp[] = [];
  let end = begin;
  for (let i = begin; i < ops.length; i++) {
    const op = ops[i];
    if (op === undefined || typeof op === 'function') break;
    if (typeof op === 'string') continue;
    if (!isJavaScriptOf(op.script)) break;
    scripts.push(op);
    end = i + 1;
  }
  return scripts.length < 2 ? undefined : { ops: ops.slice(begin, end) as Series['ops'], scripts, end };
}

function runSeries({ ops, scripts }: Series, { visit, constants }: Scope): Awaitable<void> {
  const at = (index: number): PlacedScript => {
    const { script, node, names, form } = scripts[index] as ScriptOp;
    return { script, context: visit.contextOf(node, constants, names), form };
  };
  const series = visit.series(scripts.length, at);
  let next = 0;
  const work = (): Awaitable<void> =>
    forEach(ops, visit.run, (op) => {
      if (typeof op === 'string') visit.write(op);
      else {
        const written = visit.within(op.place, () => series.write(at(next++), visit.write));
        if (written instanceof Promise) return written.then(() => false);
      }
      const waiting = visit.pressure();
      if (waiting === undefined) return false;
      if (!series.isRunning) return waiting.then(() => false);
      // A client that reads slowly, or nothing, would keep an isolate. What fails is told with what is sent next.
      waiting.catch(() => undefined);
      return false;
    });
  return always(work, () => {
    series.end();
  });
}

/** The same for each of a list of objects. */
export function forEachItem(
  items: readonly ScriptValue[],
  scope: Scope,
  body: (item: ScriptValue) => Awaitable<void>,
): Awaitable<void> {
  return forEach(items, scope.visit.run, (item) => chain(body(item), () => false));
}
