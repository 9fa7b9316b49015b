/** Keeps long expressions and loops over lists from holding up everybody else, and from going on for ever. */
import { TimeSlice } from '../../../../shared/time-slice.js';
import { ScriptError } from '../../language/errors.js';
import type { Awaitable, ScriptValue } from '../../language/values.js';

/** Elements that the loops of one run may go through, all together. */
const MOST_STEPS = 10_000_000;

/** Quick steps for which the clock is looked at once, at most: reading it costs more than they do. */
const QUICK = 16;
/** As many steps that take longer than this (ms) are not quick. */
const SLOW = 0.5;
/** A function may take long over a text or list from this length on. */
const LARGE = 2000;

/** Long expressions go on one a turn of the loop, however many there are: together they hold it up no longer than one. */
class Turns {
  private readonly line: (() => void)[] = [];

  get isBusy(): boolean {
    return this.line.length > 0;
  }

  wait(): Promise<void> {
    return new Promise((go) => {
      if (this.line.push(go) === 1) setImmediate(this.next);
    });
  }

  private readonly next = (): void => {
    this.line.shift()?.();
    if (this.isBusy) setImmediate(this.next);
  };
}

const turns = new Turns();

/** What has a pace: the run of scripts. */
interface Paced {
  pace: Pace | undefined;
  /** Throws `ScriptError` 422 when they have taken too long. */
  checkTime(): void;
}

export class Pace {
  private readonly slice = new TimeSlice();
  private steps = 0;
  /** Where others wait for their turns, this run's first comes behind them. */
  private isNew = turns.isBusy;

  /** Whether others are to run now. Throws `ScriptError` 422 when the script has taken too long. */
  due(): boolean {
    if (!this.isNew && !this.slice.due) return false;
    this.run.checkTime();
    return true;
  }

  /** Lets the loop run, and others that have much to do. */
  async pause(): Promise<void> {
    await turns.wait();
    this.isNew = false;
    this.slice.restart();
  }

  constructor(private readonly run: Pick<Paced, 'checkTime'>) {}

  /** Counts a step; true: the loop is to let others run now. Throws `ScriptError` 422 when there were too many. */
  step(): boolean {
    if (++this.steps > MOST_STEPS) {
      throw new ScriptError(422, `The loops of this script go through more than ${String(MOST_STEPS)} elements.`);
    }
    return this.quickly();
  }

  /** True, now and then: there was much to do since the loop was let go. */
  quickly(): boolean {
    if (--this.untilLook > 0) return false;
    const now = performance.now();
    // More and more steps, while they prove to be quick.
    this.interval = now - this.lookedAt > SLOW ? 1 : Math.min(QUICK, this.interval * 2);
    this.untilLook = this.interval;
    this.lookedAt = now;
    return this.due();
  }
  private untilLook = 1;
  private interval = 1;
  private lookedAt = performance.now();
}

function paceOf(run: Paced): Pace {
  return (run.pace ??= new Pace(run));
}

/** Something to wait for before a function is called, when the run has kept the event loop to itself for long; undefined: it may go on. */
export function breath(run: Paced, args: readonly ScriptValue[]): Promise<void> | undefined {
  const pace = paceOf(run);
  return (areLarge(args) ? pace.due() : pace.quickly()) ? pace.pause() : undefined;
}

/** No `some`: it is asked at each call. */
function areLarge(args: readonly ScriptValue[]): boolean {
  for (let i = 0; i < args.length; i++) if (isLarge(args[i] as ScriptValue)) return true;
  return false;
}

function isLarge(value: ScriptValue): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length > LARGE;
  return value instanceof Uint8Array && value.length > LARGE;
}

/** Counts a step of a loop, as `forEach` does; answers how to wait where others are to run before the next one. */
export function countStep(run: Paced): (() => Promise<void>) | undefined {
  const pace = paceOf(run);
  return pace.step() ? () => pace.pause() : undefined;
}

/**
 * Does something with each element until it answers true. Answers at once where each step does and the loop is short; lets the
 * event loop run in between otherwise. Loops of one run within each other count together.
 */
export function forEach<T>(
  list: readonly T[],
  run: Paced,
  body: (element: T, index: number) => Awaitable<boolean>,
): Awaitable<void> {
  const pace = paceOf(run);
  for (let i = 0; i < list.length; i++) {
    const due = pace.step();
    const done = body(list[i] as T, i);
    if (done instanceof Promise || due) return rest(list, pace, body, i + 1, done, due);
    if (done) return;
  }
}

async function rest<T>(
  list: readonly T[],
  pace: Pace,
  body: (element: T, index: number) => Awaitable<boolean>,
  from: number,
  pending: Awaitable<boolean>,
  due: boolean,
): Promise<void> {
  if (await pending) return;
  if (due) await pace.pause();
  for (let i = from; i < list.length; i++) {
    if (pace.step()) await pace.pause();
    const done = body(list[i] as T, i);
    if (done instanceof Promise ? await done : done) return;
  }
}
