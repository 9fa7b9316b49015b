/** Functions of JavaScript that run a function of the script in another context (docs/interface/script-runtime.md 1.2, 2.3, 6.2). */
import { askerOf } from '../../../request/index.js';
import { cached } from '../../run/stores/cache.js';
import { privileged } from '../../run/context.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { logFailure } from '../../run/failed-scripts.js';
import { OwnTransactionRefused } from '../../run/transaction/transaction.js';
import { isOf } from '../../run/names/lookup.js';
import { ScriptCallable, type Awaitable, type ScriptValue } from '../../language/values.js';
import type { CONTEXT_FUNCTIONS } from './prelude/prelude.js';
import { ThrownError } from './wire.js';

type ContextFunction = (args: readonly ScriptValue[], context: ScriptContext) => Awaitable<ScriptValue>;

const functions: Readonly<Record<(typeof CONTEXT_FUNCTIONS)[number], ContextFunction>> = {
  doPrivileged: ([work], context) => callable(work, 'doPrivileged').call([], privileged(context)),
  doAs,
  doInNewTransaction,
  cache,
};

export function contextFunction(name: string): ContextFunction | undefined {
  return Object.hasOwn(functions, name) ? functions[name as keyof typeof functions] : undefined;
}

function callable(value: ScriptValue | undefined, name: string): ScriptCallable {
  if (value instanceof ScriptCallable) return value;
  throw new ScriptError(422, `${name}() needs a function.`);
}

async function doAs([user, work]: readonly ScriptValue[], context: ScriptContext): Promise<ScriptValue> {
  const { run } = context;
  if (!isOf(user, 'User', context) || !(work instanceof ScriptCallable)) {
    throw new ScriptError(422, 'Invalid parameter(s) for doAs function. Expected (non-null): Principal, Executable');
  }
  const { security } = run.parts;
  const known = await security.principals.get(user.id);
  if (known === undefined) throw new ScriptError(422, `The user ${user.id} is not committed yet, or deleted.`);
  await work.call([], { ...context, ...(await askerOf(security, known.actor)) });
  return null;
}

async function doInNewTransaction(
  [work, onError]: readonly ScriptValue[],
  context: ScriptContext,
): Promise<ScriptValue> {
  const one = callable(work, 'doInNewTransaction');
  const handler = onError === undefined || onError === null ? undefined : callable(onError, 'doInNewTransaction');
  context.run.transaction.refuseReading();
  for (;;) {
    let again: ScriptValue;
    try {
      again = await inOwnTransaction(context, (inside) => one.call([], inside));
    } catch (error) {
      // Nothing of it may be lost without a word.
      if (error instanceof OwnTransactionRefused) throw error;
      if (handler === undefined) {
        logFailure(error, context.title, ' (doInNewTransaction goes on without it)');
        return null;
      }
      const thrown = new ThrownError(error instanceof Error ? error : new Error(String(error)));
      again = await inOwnTransaction(context, (inside) => handler.call([thrown], inside));
    }
    if (again !== true) return null;
  }
}

function inOwnTransaction(
  context: ScriptContext,
  work: (inside: ScriptContext) => Promise<ScriptValue>,
): Promise<ScriptValue> {
  const { parts, engine } = context.run;
  return parts.aside(context.run, context, (run) => {
    const inside = { ...context, run };
    return engine.nested(inside, () => work(inside));
  });
}

function cache(
  [key = null, seconds = null, what = null]: readonly ScriptValue[],
  context: ScriptContext,
): Awaitable<ScriptValue> {
  return cached(key, seconds, () => (what instanceof ScriptCallable ? what.call([]) : what), context);
}
