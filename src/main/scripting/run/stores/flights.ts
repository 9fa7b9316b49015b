/** What several requests ask `cache` for at once is computed by the first of them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Awaitable, ScriptValue } from '../../language/values.js';

/** How long a run waits for the value of another one before it computes one of its own, milliseconds. */
const LONGEST_WAIT = 10_000;

/** Whose values they are: a run of scripts. */
interface Flying {
  /** It is the one writer. */
  readonly transaction: { readonly holds: boolean };
}

interface Flight {
  readonly run: Flying;
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
    run: Flying,
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
