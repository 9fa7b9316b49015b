/**
 * How many scripts compute at a time, and how many run at all. Who comes when there are too many waits in line: scripts that
 * want to go on come before those that want to begin, and users take turns, so that nobody's scripts are behind all of another's.
 * Those of one user that compute for long let others pass: they come behind them, and where they have all the places of their user, others
 * get some more.
 */
import { availableParallelism } from 'node:os';
import { TooManyScriptsError } from '../../../language/errors.js';
import { KnownPaces, LONG, type Pace } from './known-paces.js';
import { Line, type Waiting } from './waiting-line.js';

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

/** How often those that compute are looked after while others wait (ms). */
const LOOK = LONG / 4;
/** Places beyond the bound that only scripts get that have run quickly before. */
const FOR_QUICK = 1;

export class Computing {
  private running = 0;
  private computing = 0;
  private readonly computingOf = new Map<string, number>();
  private readonly beginners = new Line();
  private readonly resuming = new Line();
  private readonly paces = new KnownPaces();
  /** Places of those that compute. */
  private readonly places = new Set<Place>();
  private looking: NodeJS.Timeout | undefined;

  constructor(private readonly bounds: () => Bounds) {}

  /**
   * The right of a script to run and, to begin with, to compute. `urgent`: it holds others up, so it waits for nobody. `script`: what
   * it is called, by which it is known again. Rejects with `TooManyScriptsError` when too many wait already, or it waited for long.
   */
  begin(user: string, urgent: boolean, script?: string): Promise<Place> {
    if (urgent || (this.beginners.size === 0 && this.mayBegin({ user, script }))) {
      return Promise.resolve(this.placeOf(user, script));
    }
    const { waiting, patience } = this.bounds();
    if (this.beginners.size >= waiting) return Promise.reject(new TooManyScriptsError());
    return new Promise((resolve, reject) => {
      const one: Waiting = {
        user,
        script,
        since: performance.now(),
        go: () => {
          clearTimeout(timer);
          resolve(this.placeOf(user, script));
        },
      };
      const timer = setTimeout(() => {
        this.beginners.remove(one);
        reject(new TooManyScriptsError());
      }, patience);
      this.beginners.add(one);
      this.watch();
      // Another's turn may be held up by what he computes already, not by the number of all.
      this.next();
    });
  }

  private placeOf(user: string, script: string | undefined): Place {
    this.running++;
    const place = new Place(user, script, this);
    this.take(place);
    return place;
  }

  private mayBegin(one: Pick<Waiting, 'user' | 'script'>): boolean {
    return this.running < this.bounds().running && this.mayCompute(one);
  }

  /** One user leaves a place for others, where there is more than one. */
  private mayCompute(one: Pick<Waiting, 'user' | 'script'>): boolean {
    const { computing } = this.bounds();
    const own = this.computingOf.get(one.user) ?? 0;
    return (this.computing < computing && own < Math.max(1, computing - 1)) || this.mayPass(one, own, computing);
  }

  /** Whether one that is not known to compute for long may do so beyond the bound, as long ones have all places of its user. */
  private mayPass({ user, script }: Pick<Waiting, 'user' | 'script'>, own: number, bound: number): boolean {
    const pace = this.paces.of(script);
    // Who computes nothing gets the place that one user has to leave, also where that one has passed the bound.
    if (own === 0) return this.isPassed(bound) && this.computing <= 2 * bound + FOR_QUICK;
    if (pace === 'long') return false;
    if (this.computing >= 2 * bound + (pace === 'quick' ? FOR_QUICK : 0)) return false;
    for (const place of this.places) if (place.user === user && !place.isLong) return false;
    return true;
  }

  /** Whether one user has more places than are one user's. */
  private isPassed(bound: number): boolean {
    for (const own of this.computingOf.values()) if (own > Math.max(1, bound - 1)) return true;
    return false;
  }

  /** Called by places alone. */
  take(place: Place): void {
    const { user } = place;
    this.computing++;
    this.computingOf.set(user, (this.computingOf.get(user) ?? 0) + 1);
    this.places.add(place);
    place.computes();
  }

  /** While others wait: those that have computed for long by now let them pass. */
  private look(): void {
    if (this.beginners.size + this.resuming.size === 0) {
      clearInterval(this.looking);
      this.looking = undefined;
      return;
    }
    for (const place of this.places) if (place.isLong) this.paces.set(place.script, 'long');
    this.next();
  }

  /** How a script ran that has ended. */
  ran(script: string | undefined, pace: Pace): void {
    this.paces.set(script, pace);
  }

  /** Of one user's that wait, the next one that may compute: those that compute for long come last, unless they have waited for long. */
  private candidate(list: readonly Waiting[], may: (one: Waiting) => boolean): number {
    const patient = performance.now() - this.bounds().patience / 2;
    const isLate = (one: Waiting): boolean => this.paces.of(one.script) === 'long' && one.since > patient;
    const first = list.findIndex((one) => !isLate(one));
    const quick = list.findIndex((one) => this.paces.of(one.script) === 'quick');
    for (const at of [first, quick, list.findIndex(isLate)]) {
      const one = list[at];
      if (one !== undefined && may(one)) return at;
    }
    return -1;
  }

  /** Computes again: at once when it may, or holds others up. */
  resume(one: Waiting, urgent: boolean): void {
    if (urgent || this.mayCompute(one)) one.go();
    else {
      this.resuming.add(one);
      this.watch();
    }
  }

  private watch(): void {
    this.looking ??= setInterval(() => {
      this.look();
    }, LOOK).unref();
  }

  cancel(one: Waiting): void {
    this.resuming.remove(one);
  }

  /** One computes no more. */
  rest(place: Place): void {
    const { user } = place;
    this.places.delete(place);
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
      const goes = this.resuming.take((list) => this.candidate(list, (one) => this.mayCompute(one)));
      if (goes === undefined) break;
      goes.go();
    }
    for (;;) {
      const begins = this.beginners.take((list) => this.candidate(list, (one) => this.mayBegin(one)));
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
  private since = 0;
  private wasLong = false;

  constructor(
    readonly user: string,
    readonly script: string | undefined,
    private readonly computing: Computing,
  ) {}

  /** It begins to compute, or goes on. */
  computes(): void {
    this.since = performance.now();
  }

  get isComputing(): boolean {
    return this.state === 'computing';
  }

  /** It computes, and has done so for long. */
  get isLong(): boolean {
    return performance.now() - this.since >= LONG;
  }

  /** It waits for something: unless that is over soon, others compute meanwhile. */
  pause(): void {
    if (this.state === 'computing') this.lapse ??= setTimeout(() => this.rest(), SHORT_WAIT);
  }

  /** It does nothing for now: others compute. */
  rest(): void {
    this.keep();
    if (this.state !== 'computing') return;
    this.state = 'resting';
    this.wasLong ||= this.isLong;
    this.computing.rest(this);
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
      script: this.script,
      since: performance.now(),
      go: () => {
        this.computing.take(this);
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
    this.computing.ran(this.script, this.wasLong ? 'long' : 'quick');
    this.computing.end();
  }
}
