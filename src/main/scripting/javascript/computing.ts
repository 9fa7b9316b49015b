/**
 * How many scripts compute at a time, and how many run at all. Who comes when there are too many waits in line: scripts that
 * want to go on come before those that want to begin, and users take turns, so that nobody's scripts are behind all of another's.
 */
import { availableParallelism } from 'node:os';
import { TooManyScriptsError } from '../errors.js';

/**
 * A script that waits for the loop keeps its place for this time (ms): most answers come sooner, and every script that begins
 * meanwhile needs an isolate and memory of its own.
 */
const SHORT_WAIT = 10;

/** Bounds, as they are now. */
export interface Bounds {
  /** Scripts that compute at a time. */
  readonly computing: number;
  /** Scripts that run at a time, those that wait for something included. */
  readonly running: number;
  /** Scripts that wait to begin. */
  readonly waiting: number;
  /** How long one waits to begin (ms). */
  readonly patience: number;
}

/** Asked of the system once: it reads files for it. */
const PROCESSORS = availableParallelism();

/** What the setting means: 0 is one more than there are processors, three at least, as one user leaves one to others. */
export function computingBound(setting: number): number {
  return setting === 0 ? Math.max(3, PROCESSORS + 1) : setting;
}

interface Waiting {
  readonly user: string;
  readonly go: () => void;
}

export class Computing {
  private running = 0;
  private computing = 0;
  private readonly computingOf = new Map<string, number>();
  private readonly beginners = new Line();
  private readonly resuming = new Line();

  constructor(private readonly bounds: () => Bounds) {}

  /**
   * The right of a script to run and, to begin with, to compute. `urgent`: it holds others up, so it waits for nobody. Rejects with
   * `TooManyScriptsError` when too many wait already, or it waited for long.
   */
  begin(user: string, urgent: boolean): Promise<Place> {
    if (urgent || (this.beginners.size === 0 && this.mayBegin(user))) return Promise.resolve(this.placeOf(user));
    const { waiting, patience } = this.bounds();
    if (this.beginners.size >= waiting) return Promise.reject(new TooManyScriptsError());
    return new Promise((resolve, reject) => {
      const one: Waiting = {
        user,
        go: () => {
          clearTimeout(timer);
          resolve(this.placeOf(user));
        },
      };
      const timer = setTimeout(() => {
        this.beginners.remove(one);
        reject(new TooManyScriptsError());
      }, patience);
      this.beginners.add(one);
      // Another's turn may be held up by what he computes already, not by the number of all.
      this.next();
    });
  }

  private placeOf(user: string): Place {
    this.running++;
    this.take(user);
    return new Place(user, this);
  }

  private mayBegin(user: string): boolean {
    return this.running < this.bounds().running && this.mayCompute(user);
  }

  /** One user leaves a place for others, where there is more than one. */
  private mayCompute(user: string): boolean {
    const { computing } = this.bounds();
    return this.computing < computing && (this.computingOf.get(user) ?? 0) < Math.max(1, computing - 1);
  }

  private take(user: string): void {
    this.computing++;
    this.computingOf.set(user, (this.computingOf.get(user) ?? 0) + 1);
  }

  /** Computes again: at once when it may, or holds others up. */
  resume(one: Waiting, urgent: boolean): void {
    if (urgent || this.mayCompute(one.user)) {
      this.take(one.user);
      one.go();
    } else this.resuming.add(one);
  }

  cancel(one: Waiting): void {
    this.resuming.remove(one);
  }

  /** One computes no more. */
  rest(user: string): void {
    this.computing--;
    const left = (this.computingOf.get(user) ?? 1) - 1;
    if (left === 0) this.computingOf.delete(user);
    else this.computingOf.set(user, left);
    this.next();
  }

  /** One runs no more. */
  end(): void {
    this.running--;
    this.next();
  }

  private next(): void {
    for (;;) {
      const goes = this.resuming.take((user) => this.mayCompute(user));
      if (goes === undefined) break;
      this.take(goes.user);
      goes.go();
    }
    for (;;) {
      const begins = this.beginners.take((user) => this.mayBegin(user));
      if (begins === undefined) return;
      begins.go();
    }
  }

  get counts(): { readonly running: number; readonly computing: number; readonly waiting: number } {
    return { running: this.running, computing: this.computing, waiting: this.beginners.size };
  }
}

/** What a script that runs has of the bounds. */
export class Place {
  private state: 'computing' | 'asked' | 'resting' | 'over' = 'computing';
  private lapse: NodeJS.Timeout | undefined;
  private waiting: Waiting | undefined;

  constructor(
    private readonly user: string,
    private readonly computing: Computing,
  ) {}

  /** It waits for something: unless that is over soon, others compute meanwhile. */
  pause(): void {
    if (this.state === 'computing') this.lapse ??= setTimeout(() => this.rest(), SHORT_WAIT);
  }

  /** It does nothing for now: others compute. */
  rest(): void {
    this.keep();
    if (this.state !== 'computing') return;
    this.state = 'resting';
    this.computing.rest(this.user);
  }

  private keep(): void {
    clearTimeout(this.lapse);
    this.lapse = undefined;
  }

  /**
   * True: it may compute. False: it is its turn later, and `go` is called then, for the first who asked. `urgent`: it holds others up.
   */
  resume(urgent: boolean, go: () => void): boolean {
    if (this.state === 'computing') {
      this.keep();
      return true;
    }
    if (this.state !== 'resting') return false;
    this.state = 'asked';
    let isAtOnce = true;
    this.waiting = {
      user: this.user,
      go: () => {
        this.state = 'computing';
        this.waiting = undefined;
        if (!isAtOnce) go();
      },
    };
    this.computing.resume(this.waiting, urgent);
    isAtOnce = false;
    return this.waiting === undefined;
  }

  /** It runs no more. */
  end(): void {
    if (this.state === 'over') return;
    if (this.waiting !== undefined) this.computing.cancel(this.waiting);
    this.rest();
    this.state = 'over';
    this.computing.end();
  }
}

/** Who waits, by user; the users take turns. */
class Line {
  size = 0;
  /** In the order of their turns. */
  private readonly users = new Map<string, Waiting[]>();

  add(one: Waiting): void {
    const list = this.users.get(one.user);
    if (list === undefined) this.users.set(one.user, [one]);
    else list.push(one);
    this.size++;
  }

  remove(one: Waiting): void {
    const list = this.users.get(one.user);
    const at = list?.indexOf(one) ?? -1;
    if (list === undefined || at === -1) return;
    list.splice(at, 1);
    if (list.length === 0) this.users.delete(one.user);
    this.size--;
  }

  /** The next of the first user who may. */
  take(may: (user: string) => boolean): Waiting | undefined {
    for (const [user, list] of this.users) {
      if (!may(user)) continue;
      const one = list.shift();
      this.users.delete(user);
      if (list.length > 0) this.users.set(user, list);
      this.size--;
      return one;
    }
    return undefined;
  }
}
