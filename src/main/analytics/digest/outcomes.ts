/** What expressions make of messages: each message of a block is looked at once, and those that come to the same share an outcome. */
import type { TextColumn } from '../../../shared/digest.js';

/** Of one message. */
export interface Outcome {
  /** Numbers of the expressions that match. */
  readonly matched: readonly number[];
  /** What counts instead of 1 for these, and for the value. */
  readonly weight: number;
  /** What the histogram captures. */
  readonly value: string | undefined;
}

/** Messages that are left out. */
export const LEFT_OUT = -1;
const UNKNOWN = -2;
/** Expressions whose matches are one number. */
const MOST_BITS = 30;

export class Outcomes {
  readonly list: Outcome[] = [];
  readonly #places: Int32Array;
  /** By value, weight and matches. */
  readonly #known = new Map<string, Map<number, Map<number, number>>>();

  /** `outcomeOf`: undefined leaves a message out; it is undefined for events without one. */
  constructor(
    private readonly messages: TextColumn,
    private readonly outcomeOf: (message: string | undefined) => Outcome | undefined,
  ) {
    this.#places = new Int32Array(messages.values).fill(UNKNOWN);
  }

  /** Place in `list` of what becomes of the message with this code, or `LEFT_OUT`. */
  of(code: number): number {
    const known = this.#places[code] ?? LEFT_OUT;
    if (known !== UNKNOWN) return known;
    const outcome = this.outcomeOf(this.messages.text(code));
    const place = outcome === undefined ? LEFT_OUT : this.#placeOf(outcome);
    this.#places[code] = place;
    return place;
  }

  #placeOf(outcome: Outcome): number {
    const { matched, weight, value = '' } = outcome;
    let bits = outcome.value === undefined ? 0 : 1;
    for (const number of matched) {
      if (number >= MOST_BITS) return this.list.push(outcome) - 1;
      bits |= 2 << number;
    }
    const weights = this.#known.get(value) ?? new Map<number, Map<number, number>>();
    if (weights.size === 0) this.#known.set(value, weights);
    const places = weights.get(weight) ?? new Map<number, number>();
    if (places.size === 0) weights.set(weight, places);
    let place = places.get(bits);
    if (place === undefined) places.set(bits, (place = this.list.push(outcome) - 1));
    return place;
  }
}
