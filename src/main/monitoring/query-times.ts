/** Which statements the database was asked, how often, and how long they took (`/svc/histogram`, docs/interface/monitoring.md 3). */

/** Statements that are kept apart, and characters of them. */
const MOST_STATEMENTS = 2000;
const MOST_CHARACTERS = 8_000_000;
/** Longer ones come once: they name what they ask for. */
const LONGEST = 20_000;

/** One statement, without values. Times are milliseconds. */
export interface QueryTime {
  readonly text: string;
  count: number;
  total: number;
  max: number;
  min: number;
}

export const QUERY_ORDERS = ['total', 'count', 'min', 'max', 'avg'] as const;
export type QueryOrder = (typeof QUERY_ORDERS)[number];

export class QueryTimes {
  readonly #known = new Map<string, QueryTime>();
  #characters = 0;
  /** Of all statements since the start. */
  count = 0;
  /** Milliseconds. */
  total = 0;

  /** A statement took so many milliseconds. */
  readonly took = (text: string, milliseconds: number): void => {
    this.count++;
    this.total += milliseconds;
    const known = this.#known.get(text);
    if (known === undefined) {
      this.#keep(text, milliseconds);
      return;
    }
    known.count++;
    known.total += milliseconds;
    if (milliseconds > known.max) known.max = milliseconds;
    if (milliseconds < known.min) known.min = milliseconds;
  };

  /** The first `top` of them, the largest first. */
  sorted(order: QueryOrder, top: number): readonly QueryTime[] {
    const size = (one: QueryTime): number => (order === 'avg' ? one.total / one.count : one[order]);
    return [...this.#known.values()].sort((a, b) => size(b) - size(a)).slice(0, top);
  }

  reset(): void {
    this.#known.clear();
    this.#characters = 0;
  }

  #keep(text: string, milliseconds: number): void {
    if (text.length > LONGEST) return;
    this.#known.set(text, { text, count: 1, total: milliseconds, max: milliseconds, min: milliseconds });
    this.#characters += text.length;
    // The first has been there for longest: one that is still asked comes back.
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_STATEMENTS && this.#characters <= MOST_CHARACTERS) return;
      this.#known.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
