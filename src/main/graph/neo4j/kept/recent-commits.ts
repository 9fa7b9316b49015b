/** What the last commits have touched, of this instance and of others, by their numbers. */
import type { Touched } from '../../commits/commit.js';
import { type Effects } from '../../optimistic/effects.js';
import { effectsOfTouched, touchedBy } from '../../optimistic/touched.js';
import type { Change } from '../../types.js';

type Made = Effects | 'everything';

/** Commits that are remembered; what was kept before them is not compared any more. */
const KEPT = 1000;
/** What one commit may have changed; a larger one may have changed anything. */
const MOST_CHANGES = 5000;
const MOST_IN_ALL = 50_000;

export class RecentCommits {
  readonly #commits = new Map<number, { readonly size: number; readonly effects: Made }>();
  #size = 0;

  /** A commit of this instance. */
  add(number: number, changes: readonly Change[] | 'everything'): void {
    if (changes === 'everything' || changes.length > MOST_CHANGES) this.#put(number, 1, 'everything');
    else this.#put(number, changes.length, effectsOfTouched(touchedBy(changes)));
  }

  /** The same by what it has touched. */
  addTouched(number: number, touched: readonly Touched[] | 'everything'): void {
    if (touched === 'everything' || touched.length > MOST_CHANGES) this.#put(number, 1, 'everything');
    else this.#put(number, touched.length, effectsOfTouched(touched));
  }

  /** Rows of `newsBetween` (instances/commits.ts). */
  heard(news: unknown): void {
    for (const [n, text] of news as [bigint, string | null][]) {
      const number = Number(n);
      if (this.#commits.has(number)) continue;
      const touched = text === null ? undefined : (JSON.parse(text) as Touched[]);
      this.#put(number, touched?.length ?? 1, touched === undefined ? 'everything' : effectsOfTouched(touched));
    }
  }

  /** Undefined: not known, or not any more. */
  effects(number: number): Made | undefined {
    return this.#commits.get(number)?.effects;
  }

  clear(): void {
    this.#commits.clear();
    this.#size = 0;
  }

  #put(number: number, size: number, effects: Made): void {
    this.#drop(number);
    this.#commits.set(number, { size, effects });
    this.#size += size;
    for (const oldest of this.#commits.keys()) {
      if (this.#commits.size <= KEPT && this.#size <= MOST_IN_ALL) return;
      this.#drop(oldest);
    }
  }

  #drop(number: number): void {
    this.#size -= this.#commits.get(number)?.size ?? 0;
    this.#commits.delete(number);
  }
}
