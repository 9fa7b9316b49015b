/**
 * `cache` of both languages (docs/interface/script-runtime.md 6.2): what several requests ask for at once is computed by the first of them, and kept
 * by `ValueCache`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ScriptContext } from '../context.js';
import { doubleOf } from '../function/arguments.js';
import type { ScriptRun } from '../run.js';
import { textOf } from '../../language/text.js';
import type { Awaitable, ScriptValue } from '../../language/values.js';

const LONGEST_KEY = 1000;
/** How long a run waits for the value of another one before it computes one of its own, milliseconds. */
const LONGEST_WAIT = 10_000;

interface Flight {
  readonly run: ScriptRun;
  /** Resolves when the value is there, or is not going to be; never rejects. */
  readonly landed: Promise<void>;
}

/** Values that are being computed, by key. */
export class Flights {
  private readonly flights = new Map<string, Flight>();

  /** Whoever computes the value now is not waited for any more, and what he finds is not kept: it may be old already. */
  forget(key: string): void {
    this.flights.delete(key);
  }

  /**
   * Computes a value unless somebody else is about to. `fresh` looks whether it is there; `keep` is called with one that was not
   * forgotten meanwhile. Rejects as `make` does, for who called it alone.
   */
  async once(
    key: string,
    run: ScriptRun,
    fresh: () => ScriptValue | undefined,
    make: () => Awaitable<ScriptValue>,
    keep: (value: ScriptValue) => void,
  ): Promise<ScriptValue> {
    const giveUp = performance.now() + LONGEST_WAIT;
    for (;;) {
      const found = fresh();
      if (found !== undefined) return found;
      const other = this.flights.get(key);
      const left = giveUp - performance.now();
      // Who is the writer must not wait for somebody who may want to be; nobody waits for himself.
      if (other === undefined || other.run === run || run.transaction.holds || left <= 0) break;
      const stop = new AbortController();
      await Promise.race([other.landed, delay(left, undefined, { signal: stop.signal }).catch(() => undefined)]);
      stop.abort();
    }
    let land = (): void => undefined;
    const landed = new Promise<void>((resolve) => {
      land = resolve;
    });
    const flight: Flight = { run, landed };
    this.flights.set(key, flight);
    try {
      const value = await make();
      if (this.flights.get(key) === flight) keep(value);
      return value;
    } finally {
      if (this.flights.get(key) === flight) this.flights.delete(key);
      land();
    }
  }
}

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
