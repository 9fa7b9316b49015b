/**
 * `cache` of both languages (docs/interface/script-runtime.md 6.2); `ValueCache` keeps what is computed.
 */
import { doubleOf } from '../function/arguments.js';
import type { ScriptContext } from '../run.js';
import { textOf } from '../../language/text.js';
import type { Awaitable, ScriptValue } from '../../language/values.js';

const LONGEST_KEY = 1000;
/**
 * The value of a key while it is fresh, else what `make` gives, kept for so many seconds. What is wrong with the arguments is
 * answered as text, as the interface has it.
 */
export function cached(
  key: ScriptValue,
  seconds: ScriptValue,
  make: () => Awaitable<ScriptValue>,
  context: ScriptContext,
): Awaitable<ScriptValue> {
  const name = key === null ? '' : textOf(key, context);
  if (name.trim() === '') return 'Error: cache(): key may not be empty.';
  if (name.length > LONGEST_KEY) return `Error: cache(): key may not have more than ${String(LONGEST_KEY)} characters.`;
  const time = seconds === null ? undefined : doubleOf(seconds);
  if (time === undefined || !(time >= 0)) return 'Error: cache(): timeout must be non-empty and a number.';
  const { run } = context;
  const values = run.parts.stores.cache;
  const fresh = (): ScriptValue | undefined => values.get(name, run);
  const found = fresh();
  if (found !== undefined) return found;
  return values.flights.once(name, run, fresh, make, (value) => {
    values.set(name, value, time);
  });
}
