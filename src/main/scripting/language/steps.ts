/** Work that sometimes has to wait, written once: it answers at once when it did not. */
import { ScriptError } from './errors.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import type { Awaitable } from './values.js';

/** What is yielded is waited for; `wait` and `Turns.pause` yield. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** A value that may take a while, within steps. */
export function* wait<T>(value: Awaitable<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

/** Runs steps to their end. */
export function runSteps<T>(steps: Steps<T>): Awaitable<T> {
  const { done, value } = steps.next();
  return done === true ? value : goOn(steps, value);
}

async function goOn<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  let waiting = first;
  for (;;) {
    let next: IteratorResult<Promise<unknown>, T>;
    try {
      next = steps.next(await waiting);
    } catch (error) {
      next = steps.throw(error);
    }
    if (next.done === true) return next.value;
    waiting = next.value;
  }
}

/** Clock readings are not free: one is taken each so many elements. */
const EACH = 64;

/** Gives the loop back now and then during long work, and ends it when it takes too long altogether. */
export class Turns {
  private readonly slice = new TimeSlice();
  private count = 0;
  private readonly deadline: number;

  /**
   * @param most milliseconds after which the work ends with a `ScriptError` 422
   * @param each elements after which the clock is looked at
   */
  constructor(
    private readonly what: string,
    most = 10_000,
    private readonly each = EACH,
  ) {
    this.deadline = performance.now() + most;
  }

  /** To be called once an element. */
  *pause(): Steps<void> {
    if (++this.count % this.each !== 0 || !this.slice.due) return;
    if (performance.now() > this.deadline) throw new ScriptError(422, `${this.what} takes too long.`);
    yield this.slice.pause();
  }
}

/** Elements that are sorted, or put together, at once. */
const RUN = 512;

/** A list sorted stably; others run meanwhile. `order`: below zero, its first argument comes first. */
export function* inOrder<T>(list: readonly T[], order: (a: T, b: T) => number, what: string): Steps<T[]> {
  const turns = new Turns(what, 60_000, 1);
  let sorted: T[] = [];
  for (let at = 0; at < list.length; at += RUN) {
    sorted.push(...list.slice(at, at + RUN).sort(order));
    yield* turns.pause();
  }
  for (let width = RUN; width < sorted.length; width *= 2) {
    const merged: T[] = [];
    for (let at = 0; at < sorted.length; at += 2 * width) {
      let [left, right] = [at, at + width];
      const [middle, end] = [Math.min(at + width, sorted.length), Math.min(at + 2 * width, sorted.length)];
      while (left < middle || right < end) {
        const takesLeft = right >= end || (left < middle && order(sorted[left] as T, sorted[right] as T) <= 0);
        merged.push(sorted[takesLeft ? left++ : right++] as T);
        if (merged.length % RUN === 0) yield* turns.pause();
      }
    }
    sorted = merged;
  }
  return sorted;
}
