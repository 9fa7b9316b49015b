/** What scripts keep, and time that they measure and wait (docs/interface/script-runtime.md 6.1 to 6.3). */
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../graph/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { note } from '../../run/notes.js';
import { waitingSignal } from '../../run/limits/signals.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import { doubleOf, misused } from '../../run/function/arguments.js';

/** Characters of a key. */
const LONGEST_KEY = 10_000;
/** Keys of the store of one request. */
const MOST_KEYS = 100_000;
/** Nobody waits longer for a script, milliseconds. */
const LONGEST_SLEEP = 600_000;
/** A script that has written something holds up all other writers. */
const LONGEST_WRITERS_SLEEP = 10_000;

/** A function of a key; a null key gives null. */
function ofKey(
  name: string,
  meaning: string,
  example: string,
  read: (key: string, context: ScriptContext) => ScriptValue,
): ScriptFunction {
  return {
    name,
    signature: `${name}(key)`,
    meaning,
    example,
    min: 1,
    max: 1,
    run: ([key = null], context) => (key === null ? null : read(textOf(key, context), context)),
  };
}

function ofKeyAndValue(
  name: string,
  meaning: string,
  example: string,
  write: (key: string, value: ScriptValue, context: ScriptContext) => ScriptValue,
): ScriptFunction {
  return {
    name,
    signature: `${name}(key, value)`,
    meaning,
    example,
    min: 2,
    max: 2,
    run: ([key = null, value = null], context) => (key === null ? null : write(textOf(key, context), value, context)),
  };
}

/** Puts a value into the store of the request; answers the one before. */
function put(key: string, value: ScriptValue, { run }: ScriptContext): ScriptValue {
  const before = run.requestStore.get(key) ?? null;
  if (key.length > LONGEST_KEY) throw new ScriptError(422, 'The key of a store is too long.');
  if (!run.requestStore.has(key) && run.requestStore.size >= MOST_KEYS) {
    throw new ScriptError(422, 'The store of the request is full.');
  }
  run.requestStore.set(key, value);
  return before;
}

const timer: ScriptFunction = {
  name: 'timer',
  signature: 'timer(name, action)',
  meaning:
    'Measures time in milliseconds while the request lasts: `start`, `get` (all but pauses), `pause` (since the last start), ' +
    '`clear` (all, and takes the timer away).',
  example: "timer('t', 'start') // ",
  min: 2,
  max: 2,
  run(args, context) {
    if (args.includes(null)) return null;
    const [name = '', action = ''] = args.map((one) => textOf(one, context));
    if (name.length > LONGEST_KEY) return misused(this, 'was given a name that is too long', context);
    const { timers } = context.run;
    switch (action) {
      case 'start':
        return timers.start(name) ? null : misused(this, 'has too many timers', context);
      case 'get':
      case 'pause':
      case 'clear': {
        const time = timers[action](name);
        return time === undefined ? null : BigInt(Math.round(time));
      }
      default:
        return misused(this, 'does not know this action', context);
    }
  },
};

const sleep: ScriptFunction = {
  name: 'sleep',
  signature: 'sleep(milliseconds)',
  meaning:
    'Waits, at most ten minutes, and ten seconds once the script has written something, since others wait to write. ' +
    'Answers its argument as text.',
  example: 'sleep(1) // 1.0',
  min: 1,
  max: 1,
  run(args, context) {
    const [value = null] = args;
    if (value === null) return null;
    const wanted = doubleOf(value);
    if (wanted === undefined || !(wanted >= 0)) return misused(this, 'needs a number of milliseconds', context);
    const most = context.run.transaction.writes ? LONGEST_WRITERS_SLEEP : LONGEST_SLEEP;
    if (wanted > most || wanted === 0) {
      note(context, `sleep(${String(wanted)}) waits ${String(Math.min(wanted, most))} milliseconds`);
    }
    const { signal, stop } = waitingSignal(context.run);
    return delay(Math.min(wanted, most), textOf(value, context), { signal })
      .catch(() => {
        const { message } = signal.reason as ScriptError;
        throw new ScriptError(422, `sleep() was ended: ${message}.`);
      })
      .finally(stop);
  },
};

const randomUuid: ScriptFunction = {
  name: 'randomUuid',
  signature: 'randomUuid()',
  meaning: 'A new UUID, written as the settings have it.',
  example: 'isValidUuid(randomUuid()) // true',
  max: 0,
  pure: true,
  run: (_args, { run }) => newId(run.parts.write().compactIds),
};

export const stores: FunctionCategory = {
  title: 'Stores, cache and time',
  functions: [
    ofKeyAndValue(
      'store',
      'Keeps a value while the request lasts; null takes it away.',
      "concat(store('a', 'b'), retrieve('a')) // b",
      (key, value, context) => {
        if (context.parameters?.has(key) === true) {
          note(context, `store('${key}') is hidden by a parameter of the method`);
        }
        if (value === null) context.run.requestStore.delete(key);
        else put(key, value, context);
        return null;
      },
    ),
    ofKey(
      'retrieve',
      'The parameter of the method that has this name, else what `store` keeps; null when there is neither.',
      "retrieve('unknown') // ",
      (key, { parameters, run }) => parameters?.get(key) ?? run.requestStore.get(key) ?? null,
    ),
    ofKeyAndValue(
      'requestStorePut',
      'Keeps a value while the request lasts; answers the one before.',
      "concat(requestStorePut('k', 'a'), requestStorePut('k', 'b')) // a",
      put,
    ),
    ofKey(
      'requestStoreGet',
      'A value that is kept while the request lasts, or null.',
      "requestStoreGet('unknown') // ",
      (key, { run }) => run.requestStore.get(key) ?? null,
    ),
    ofKey(
      'requestStoreHas',
      'Whether something is kept under a key while the request lasts.',
      "requestStoreHas('unknown') // false",
      (key, { run }) => run.requestStore.has(key),
    ),
    ofKey(
      'requestStoreDelete',
      'Takes a value out of the store of the request.',
      "requestStoreDelete('unknown') // ",
      (key, { run }) => {
        run.requestStore.delete(key);
        return null;
      },
    ),
    {
      name: 'requestStoreGetKeys',
      signature: 'requestStoreGetKeys()',
      meaning: 'List of the keys of the store of the request.',
      example: 'size(requestStoreGetKeys()) // 0',
      max: 0,
      run: (_args, { run }) => [...run.requestStore.keys()],
    },
    ofKeyAndValue(
      'applicationStorePut',
      'Keeps a value on this instance until it ends; answers the one before. Null changes nothing.',
      "concat(applicationStorePut('docs', 'a'), applicationStoreGet('docs'), applicationStoreDelete('docs')) // a",
      (key, value, { run }) => {
        if (value === null) return null;
        const { application } = run.parts.stores;
        const before = application.get(key, run);
        application.set(key, value);
        return before;
      },
    ),
    ofKey(
      'applicationStoreGet',
      'A value that this instance keeps, or null.',
      "applicationStoreGet('unknown') // ",
      (key, { run }) => run.parts.stores.application.get(key, run),
    ),
    ofKey(
      'applicationStoreHas',
      'Whether this instance keeps something under a key.',
      "applicationStoreHas('unknown') // false",
      (key, { run }) => run.parts.stores.application.has(key),
    ),
    ofKey(
      'applicationStoreDelete',
      'Takes a value out of the store of the instance.',
      "applicationStoreDelete('unknown') // ",
      (key, { run }) => {
        run.parts.stores.application.delete(key);
        return null;
      },
    ),
    {
      name: 'applicationStoreGetKeys',
      signature: 'applicationStoreGetKeys()',
      meaning: 'List of the keys of the store of the instance.',
      example: "contains(applicationStoreGetKeys(), 'unknown') // false",
      max: 0,
      run: (_args, { run }) => [...run.parts.stores.application.keys()],
    },
    ofKey(
      'invalidateCacheValue',
      'Forgets a value of `cache`.',
      "invalidateCacheValue('unknown') // ",
      (key, { run }) => {
        const { cache } = run.parts.stores;
        cache.delete(key);
        cache.flights.forget(key);
        return null;
      },
    ),
    ofKey(
      'hasCacheValue',
      'Deprecated. Whether there is a value of `cache`, which may be old.',
      "hasCacheValue('unknown') // false",
      (key, context) => {
        note(context, 'hasCacheValue() is deprecated');
        return context.run.parts.stores.cache.has(key);
      },
    ),
    ofKey(
      'getCacheValue',
      'Deprecated. A value of `cache`; null when there is none, or it is too old.',
      "getCacheValue('unknown') // ",
      (key, context) => {
        note(context, 'getCacheValue() is deprecated');
        return context.run.parts.stores.cache.get(key, context.run) ?? null;
      },
    ),
    timer,
    sleep,
    randomUuid,
  ],
};
