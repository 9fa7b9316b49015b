import { hash, randomBytes } from 'node:crypto';

/**
 * Failures of names that nobody has, or nobody who may log in: they lock like those of users, so that the answer to the one
 * too many tells nobody which names there are. In memory, by a hash; of many names those not tried for longest are forgotten.
 */
export class UnknownNames {
  readonly #key = randomBytes(16).toString('base64');
  readonly #failures = new Map<string, number>();

  constructor(private readonly capacity = 10_000) {}

  /** What a name is counted under. */
  keyOf(name: string): string {
    return hash('sha256', this.#key + name, 'base64');
  }

  /** Counts an attempt; returns how many failed before. */
  add(key: string): number {
    const before = this.#failures.get(key) ?? 0;
    this.#failures.delete(key);
    const oldest = this.#failures.size >= this.capacity ? this.#failures.keys().next().value : undefined;
    if (oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(key, before + 1);
    return before;
  }
}
