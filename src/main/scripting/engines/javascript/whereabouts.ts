/**
 * Where in its sources a run of JavaScript is, for limits that end it from outside: no exception tells it then. A script that asks for
 * something is looked at now and then, and once more when its time is over; what V8 interrupts tells by itself (`frameInTimeout`).
 */
import type { Place } from '../../language/place.js';

/** A script is looked at with an answer after so long (ms): it costs a question more, which is not to be felt. */
const EVERY = 25;
/** How long a script whose time is over may take to say where it is (ms). */
const GRACE = 100;

export class Whereabouts {
  /** Where it was when it was looked at last. */
  seen: Place | undefined;
  private lookedAt = 0;
  private found: (() => void) | undefined;

  /** Something else runs from now on. */
  begin(): void {
    this.seen = undefined;
    this.lookedAt = performance.now();
  }

  /** A script or function that runs inside of others has ended: what was seen in it says nothing of these. */
  left(): void {
    if (this.seen === undefined) return;
    this.seen = undefined;
    this.lookedAt = 0;
  }

  /** The next answer is to ask where it is. */
  get isDue(): boolean {
    return performance.now() - this.lookedAt >= EVERY;
  }

  /** Undefined: in no source. */
  at(place: Place | undefined): void {
    this.lookedAt = performance.now();
    this.seen = place ?? this.seen;
    this.found?.();
  }

  /** Its time is over: all that it is asked from now on is where it is. Resolves when that is known, or it has been given time enough. */
  locate(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, GRACE);
      this.found = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Its time is over. */
  get isLocating(): boolean {
    return this.found !== undefined;
  }
}
