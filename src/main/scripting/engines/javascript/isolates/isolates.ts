/**
 * The isolates that users' JavaScript runs in: each with a heap of its own, on a thread of its own while it works. A run has one for
 * itself and a context in it: a fresh one, or one of the same user in which nothing is left of earlier runs (prelude-reset.ts).
 */
import { setTimeout as delay } from 'node:timers/promises';
import type ivm from 'isolated-vm';
import { ScriptError } from '../../../language/errors.js';
import { Computing, type Place } from './computing.js';
import { Inhabited } from './inhabited.js';
import { openIsolate } from './open-isolate.js';
import { prelude } from '../prelude/prelude.js';
import type { Room } from './room.js';

/** Unused isolates end after this time (ms), but for a few. */
const IDLE_TIME = 60_000;
const KEPT_IDLE = 2;
/** Isolates for each run that may compute: the contexts of some are made meanwhile. */
const SPARE = 2;
/** Longest wait for isolates that are ended (ms). */
const CLOSE_TIME = 2000;
/** What contexts leave in their isolate (interned names, for example) does not add up for ever. */
const MOST_RUNS = 5000;

/** Limits of `application.scripting.js.*`, as they are now. */
export interface Limits {
  /** MB */
  readonly memory: number;
  /** ms of computing */
  readonly cpu: number;
  /** ms, waiting included */
  readonly total: number;
  /** Runs at a time. */
  readonly isolates: number;
  /** Of these, how many compute. */
  readonly computing: number;
  /** Runs that wait to begin, and for how long (ms). */
  readonly waiting: number;
  readonly patience: number;
}

/** A run of scripts, as those see it who may end it. */
export interface RunningScript {
  readonly id: number;
  /** Of the script that it began with. */
  readonly title: string;
  /** Whose turn it took: the id of a user. */
  readonly user: string;
  /** ms */
  readonly cpuTime: number;
  /** False: it waits for something. */
  readonly computes: boolean;
}

export class Isolates {
  private readonly idle: Inhabited[] = [];
  private readonly rooms = new Set<Room>();
  /** What runs is known by numbers to those who look at it. */
  private readonly numbers = new WeakMap<Room, number>();
  private lastNumber = 0;
  private isClosed = false;
  private isMakingSpare = false;
  private readonly computing: Computing;
  private used = 0;
  /** Isolates are made one a turn of the loop, as each takes it some milliseconds. */
  private making: Promise<unknown> = Promise.resolve();
  private sweep: NodeJS.Timeout | undefined;
  /** Compiled form of the prelude, for all but the first. */
  private compiled: ivm.ExternalCopy<ArrayBuffer> | undefined;

  /** `functions`: names of those of the library. */
  constructor(
    private readonly limits: () => Limits,
    private readonly functions: readonly string[],
  ) {
    this.computing = new Computing(() => {
      const { isolates, computing, waiting, patience } = limits();
      return { running: isolates, computing, waiting, patience };
    });
  }

  /**
   * An isolate for one run. `user`: whose turn it takes. `script`: what it is called. `urgent`: it holds others up (it is the one that writes), so it waits for
   * nobody. Rejects with `TooManyScriptsError` when too many wait already, or it waited for long.
   */
  async acquire(user: string, urgent: boolean, script?: string): Promise<Room> {
    const place = await this.computing.begin(user, urgent, script);
    try {
      this.checkOpen();
      const room = await this.enter(this.take(user), user, place)
        // What another's run has left of an isolate is no reason to refuse this one.
        .catch(() => {
          this.used++;
          return this.enter(this.makeNext(), user, place);
        })
        .catch((error: unknown) => {
          throw new ScriptError(503, 'JavaScript cannot run at the moment.', [], { cause: error });
        });
      if (this.isClosed) room.discard();
      this.checkOpen();
      return room;
    } catch (error) {
      place.end();
      throw error;
    }
  }

  private checkOpen(): void {
    if (this.isClosed) throw new ScriptError(503, 'The service is being stopped.');
  }

  private async enter(coming: Inhabited | Promise<Inhabited>, user: string, place: Place): Promise<Room> {
    const inhabited = await coming;
    try {
      return await inhabited.enter(user, place, this.rooms);
    } catch (error) {
      inhabited.end();
      throw error;
    }
  }

  private take(user: string): Inhabited | Promise<Inhabited> {
    this.used++;
    // The one used last has its code and memory at hand; but its next context may not be there yet.
    const ready = this.idle.findLastIndex((one) => one.isReadyFor(user));
    // Not for one that comes now and then.
    if (ready === -1 && this.idle.length > 0 && this.computing.counts.running > 1) this.makeSpare();
    const [known] = this.idle.splice(ready, 1);
    return known ?? this.makeNext();
  }

  /** One by one, with other work of the loop in between. */
  private makeNext(): Promise<Inhabited> {
    const made = this.making.then(() => this.make());
    this.making = made.then(nextTurn, nextTurn);
    return made;
  }

  /** Another for those that come, where each run would wait for the context of its isolate. */
  private makeSpare(): void {
    const { computing, isolates } = this.limits();
    if (this.isMakingSpare || this.idle.length + this.used >= Math.min(isolates, SPARE * computing)) return;
    this.isMakingSpare = true;
    this.used++;
    this.makeNext()
      .then((spare) => {
        this.returned(spare);
      })
      // Who needs one is told.
      .catch(() => undefined)
      .finally(() => {
        this.isMakingSpare = false;
      });
  }

  private async make(): Promise<Inhabited> {
    try {
      const { memory } = this.limits();
      const source = await prelude(this.functions);
      const isolate = openIsolate(memory);
      const options = this.compiled === undefined ? { produceCachedData: true } : { cachedData: this.compiled };
      const script = await isolate.compileScript(source, { ...options, filename: 'svc-prelude' });
      this.compiled ??= (script as { cachedData?: ivm.ExternalCopy<ArrayBuffer> }).cachedData;
      return new Inhabited(isolate, script, memory, {
        returned: (inhabited) => {
          this.returned(inhabited);
        },
        lost: (inhabited) => {
          const at = this.idle.indexOf(inhabited);
          if (at === -1) return;
          this.idle.splice(at, 1);
          inhabited.dispose();
        },
        prepares: () => {
          this.contexts++;
        },
        ended: () => {
          this.used--;
        },
      });
    } catch (error) {
      this.used--;
      throw error;
    }
  }

  private returned(inhabited: Inhabited): void {
    if (this.isClosed || inhabited.memory !== this.limits().memory || inhabited.runs > MOST_RUNS) {
      inhabited.end();
      return;
    }
    this.used--;
    inhabited.idleSince = Date.now();
    this.idle.push(inhabited);
    this.sweep ??= setInterval(() => {
      this.endIdle();
    }, IDLE_TIME / 4).unref();
  }

  private endIdle(): void {
    const before = Date.now() - IDLE_TIME;
    while (this.idle.length > KEPT_IDLE && (this.idle[0]?.idleSince ?? before) < before) this.idle.shift()?.dispose();
    if (this.idle.length > KEPT_IDLE) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }

  /** Ends all of them, whatever runs in them, and begins no more: what runs rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const one of this.idle.splice(0)) one.dispose();
    clearInterval(this.sweep);
    this.sweep = undefined;
    const rooms = [...this.rooms];
    for (const room of rooms) room.discard();
    const ended = Promise.allSettled(rooms.map(({ working }) => working));
    // An isolate that V8 has lost ends never.
    await Promise.race([ended, delay(CLOSE_TIME, undefined, { ref: false })]);
  }

  /** What runs now, or waits for something. */
  running(): RunningScript[] {
    return [...this.rooms].map((room) => {
      const { place, cpuTime } = room;
      return {
        id: this.numberOf(room),
        title: place.script ?? '',
        user: place.user,
        cpuTime,
        computes: place.isComputing,
      };
    });
  }

  /** Ends one of them; false: there is none of this number. */
  kill(id: number): boolean {
    const room = [...this.rooms].find((one) => this.numberOf(one) === id);
    room?.kill();
    return room !== undefined;
  }

  private numberOf(room: Room): number {
    const known = this.numbers.get(room) ?? ++this.lastNumber;
    this.numbers.set(room, known);
    return known;
  }

  /** Contexts made so far; for tests and figures. */
  contexts = 0;
  /** The same. */
  get counts(): { readonly used: number; readonly idle: number; readonly waiting: number } {
    return { used: this.used, idle: this.idle.length, waiting: this.computing.counts.waiting };
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
