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

/** Clock readings are not free: one is taken each so many elements, while they prove to be quick. */
const EACH = 64;
/** Elements between two readings that took longer than this (ms) are not quick: lists in lists, long texts. */
const SLOW = 0.5;

/** Gives the loop back now and then during long work, and ends it when it takes too long altogether. */
export class Turns {
  private readonly slice = new TimeSlice();
  private untilLook = 1;
  private interval = 1;
  private lookedAt = performance.now();
  private readonly deadline: number;

  /**
   * @param most milliseconds after which the work ends with a `ScriptError` 422
   * @param each elements after which the clock is looked at, at most
   */
  constructor(
    private readonly what: string,
    most = 10_000,
    private readonly each = EACH,
  ) {
    this.deadline = this.lookedAt + most;
  }

  /** To be called once an element. */
  *pause(): Steps<void> {
    if (--this.untilLook > 0) return;
    const now = performance.now();
    this.interval = now - this.lookedAt > SLOW ? 1 : Math.min(this.each, this.interval * 2);
    this.untilLook = this.interval;
    this.lookedAt = now;
    if (!this.slice.due) return;
    if (now > this.deadline) throw new ScriptError(422, `${this.what} takes too long.`);
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
