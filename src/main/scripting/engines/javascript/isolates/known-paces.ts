/** Which scripts compute for long: who waits for a place is better served when those that do not, come first. */

/** A script that computes for longer (ms), without waiting for anything, is a long one. */
export const LONG = 1000;
const MOST_KNOWN = 10_000;

export type Pace = 'quick' | 'long';

/** How scripts ran when they ran last, by what they are called; those not seen for longest are forgotten. */
export class KnownPaces {
  private readonly known = new Map<string, Pace>();

  /** Undefined: it has not run yet. */
  of(script: string | undefined): Pace | undefined {
    return script === undefined ? undefined : this.known.get(script);
  }

  set(script: string | undefined, pace: Pace): void {
    if (script === undefined) return;
    this.known.delete(script);
    this.known.set(script, pace);
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }
}
