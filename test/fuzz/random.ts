/** Random choices that a seed repeats. */
export class Random {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of them. Throws when there is none. */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[this.below(list.length)] as T;
  }

  /** At most so many of them, each once, in any order. */
  some<T>(list: readonly T[], most: number): T[] {
    const rest = [...list];
    const chosen: T[] = [];
    for (let count = this.below(most + 1); count > 0 && rest.length > 0; count--)
      chosen.push(...rest.splice(this.below(rest.length), 1));
    return chosen;
  }

  /** One of these by weight. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T {
    let at = this.next() * list.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of list) if ((at -= weight) < 0) return value;
    throw new Error('no weights');
  }

  /** An id as the service makes them. */
  id(): string {
    return Array.from({ length: 32 }, () => this.below(16).toString(16)).join('');
  }
}

/**
 * The seed of a run: of the environment, else a new one, which is told. It repeats all choices; what is decided by time (which of several
 * requests a kill meets, how clients that run at once take turns) differs, and choices after that are made from another state.
 */
export function seedOf(name: string): number {
  const given = process.env['FUZZ_SEED'];
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  process.stderr.write(`${name}: FUZZ_SEED=${String(seed)} repeats the choices of this run\n`);
  return seed;
}

/** Seconds a run may take: of the environment, for longer ones. */
export function secondsOf(usual: number): number {
  const given = Number(process.env['FUZZ_SECONDS']);
  return Number.isFinite(given) && given > 0 ? given : usual;
}
