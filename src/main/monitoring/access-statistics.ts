/** Requests by method and time (`GET /svc/rest/stats`, docs/interface/monitoring.md 4). */
import type { JsonObject } from '../../shared/json/index.js';

/** Spans that are kept of each method, the newest: a week of minutes. */
const MOST = 10_080;

export class AccessStatistics {
  /** By method: how many in the span that begins at this time (ms). */
  readonly #methods = new Map<string, Map<number, number>>();

  /** `span`: milliseconds that are counted together. */
  constructor(readonly span: number) {}

  readonly count = (method: string): void => {
    let spans = this.#methods.get(method);
    if (spans === undefined) this.#methods.set(method, (spans = new Map<number, number>()));
    const begin = this.#begin(Date.now(), this.span);
    const known = spans.get(begin);
    spans.set(begin, (known ?? 0) + 1);
    // The first is the oldest.
    if (known === undefined && spans.size > MOST) for (const oldest of spans.keys()) return void spans.delete(oldest);
  };

  /** Counts by method and time. `interval`: ms, a multiple of the span; `most`: spans of a method, the newest. */
  sums(interval: number, most: number): JsonObject {
    const result: Record<string, JsonObject> = {};
    for (const [method, spans] of this.#methods) {
      const sums = new Map<number, number>();
      for (const [time, count] of spans) {
        const begin = this.#begin(time, interval);
        sums.set(begin, (sums.get(begin) ?? 0) + count);
      }
      const shown = [...sums].sort(([a], [b]) => a - b).slice(-most);
      result[method] = Object.fromEntries(most === 0 ? [] : shown.map(([time, count]) => [String(time), count]));
    }
    return result;
  }

  #begin(time: number, interval: number): number {
    return time - (time % interval);
  }
}
