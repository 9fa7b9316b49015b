/**
 * The isolates that users' JavaScript runs in: each with a heap of its own, on a thread of its own while it works. A run has one for
 * itself and a context in it: a fresh one, or one of the same user in which nothing is left of earlier runs (prelude-reset.ts).
 */
import { setTimeout as delay } from 'node:timers/promises';
import ivm from 'isolated-vm';
import { logger } from '../../../shared/log.js';
import { ScriptError } from '../errors.js';
import { Computing, type Place } from './computing.js';
import { openIsolate } from './open-isolate.js';
import { PRELUDE } from './prelude.js';

const log = logger('scripting.javascript');

/** Unused isolates end after this time (ms), but for a few. */
const IDLE_TIME = 60_000;
const KEPT_IDLE = 2;
/** Isolates for each run that may compute: the contexts of some are made meanwhile. */
const SPARE = 2;
/** Longest look at a context (ms), which takes a fraction of one. */
const RESET_TIME = 1000;
/** Longest wait for isolates that are ended (ms). */
const CLOSE_TIME = 2000;
/** What one context leaves in its isolate (interned names, for example) does not add up for ever. */
const MOST_RUNS = 5000;
/** As little does what runs leave in a context. */
const MOST_RUNS_OF_CONTEXT = 500;

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

/** Answers one JSON text with another while the isolate's thread waits. */
export type Answering = (text: string) => Promise<string>;

/** A context in which nothing has run yet but the prelude, or that is as good as that. */
interface Prepared {
  readonly context: ivm.Context;
  readonly entry: ivm.Reference<(text: string, host?: ivm.Reference) => string>;
  /** Runs that had it. */
  runs: number;
}

/** An isolate as one run has it. */
export class Room {
  private readonly host: ivm.Reference;
  private isEntered = false;
  private isOver = false;
  private answering: Answering | undefined;

  constructor(
    private readonly owner: Inhabited,
    private readonly prepared: Prepared,
    /** Its part of what all scripts may compute at a time. */
    readonly place: Place,
    /** Where it stands while it is used. */
    private readonly rooms: Set<Room>,
  ) {
    rooms.add(this);
    this.host = new ivm.Reference((text: unknown): Promise<string> | string =>
      this.answering === undefined
        ? JSON.stringify(['e', 'This script has ended.', 422, null, null])
        : this.answering(String(text)),
    );
  }

  /** Who answers the scripts from now on. */
  answer(answering: Answering): void {
    this.answering = answering;
  }

  /** Settled when nothing runs in it any more. */
  working: Promise<unknown> = Promise.resolve();

  /** Calls the prelude's entry; `cpu` is the limit of computing in ms. Rejects when the isolate has come to its limits. */
  async enter(text: string, cpu: number): Promise<string> {
    const args: [string, ivm.Reference?] = this.isEntered ? [text] : [text, this.host];
    this.isEntered = true;
    const working = this.prepared.entry.apply(undefined, args, { timeout: cpu });
    this.working = working;
    const answer: unknown = await working;
    if (typeof answer !== 'string') throw new Error('the isolate answered nothing');
    return answer;
  }

  /** Its isolate is not used by another run: something of this one may go on in it. */
  isTainted = false;

  /** Time its thread has computed so far, in ms. */
  get cpuTime(): number {
    try {
      return Number(this.owner.isolate.cpuTime / 1_000_000n);
    } catch {
      return 0;
    }
  }

  get isAlive(): boolean {
    return !this.owner.isolate.isDisposed;
  }

  /** The next run may have the isolate. */
  release(): void {
    if (this.isTainted) {
      this.discard();
      return;
    }
    this.end();
    this.owner.leave(this.prepared);
    this.place.end();
  }

  /** Ends whatever happens in the isolate; nobody uses it again. */
  discard(): void {
    this.end();
    this.owner.end();
    this.place.end();
  }

  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.rooms.delete(this);
    this.answering = undefined;
    this.host.release();
  }
}

export class Isolates {
  private readonly idle: Inhabited[] = [];
  private readonly rooms = new Set<Room>();
  private isClosed = false;
  private isMakingSpare = false;
  private readonly computing: Computing;
  private used = 0;
  /** Isolates are made one a turn of the loop, as each takes it some milliseconds. */
  private making: Promise<unknown> = Promise.resolve();
  private sweep: NodeJS.Timeout | undefined;
  /** Compiled form of the prelude, for all but the first. */
  private compiled: ivm.ExternalCopy<ArrayBuffer> | undefined;

  constructor(private readonly limits: () => Limits) {
    this.computing = new Computing(() => {
      const { isolates, computing, waiting, patience } = limits();
      return { running: isolates, computing, waiting, patience };
    });
  }

  /**
   * An isolate for one run. `user`: whose turn it takes. `urgent`: it holds others up (it is the one that writes), so it waits for
   * nobody. Rejects with `TooManyScriptsError` when too many wait already, or it waited for long.
   */
  async acquire(user: string, urgent: boolean): Promise<Room> {
    const place = await this.computing.begin(user, urgent);
    if (this.isClosed) {
      place.end();
      throw new ScriptError(503, 'The service is being stopped.');
    }
    const room = await this.enter(this.take(user), user, place)
      // What another's run has left of an isolate is no reason to refuse this one.
      .catch(() => {
        this.used++;
        return this.enter(this.makeNext(), user, place);
      })
      .catch((error: unknown) => {
        place.end();
        throw new ScriptError(503, 'JavaScript cannot run at the moment.', [], { cause: error });
      });
    if (this.isClosed as boolean) {
      room.discard();
      throw new ScriptError(503, 'The service is being stopped.');
    }
    return room;
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
      const isolate = openIsolate({ memoryLimit: memory, onCatastrophicError });
      const options = this.compiled === undefined ? { produceCachedData: true } : { cachedData: this.compiled };
      const script = await isolate.compileScript(PRELUDE, { ...options, filename: 'svc-prelude' });
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

  /** Contexts made so far; for tests and figures. */
  contexts = 0;
  /** The same. */
  get counts(): { readonly used: number; readonly idle: number; readonly waiting: number } {
    return { used: this.used, idle: this.idle.length, waiting: this.computing.counts.waiting };
  }
}

interface Watch {
  prepares(): void;
  returned(inhabited: Inhabited): void;
  /** It has come to its end between two runs. */
  lost(inhabited: Inhabited): void;
  ended(): void;
}

/** An isolate with the context for its next run. */
class Inhabited {
  runs = 0;
  idleSince = 0;
  private next: Promise<Prepared>;
  /** The context for the next run is there. */
  private isReady = false;
  /** Whose runs had it; undefined: it is new. */
  private user: string | undefined;
  private isOver = false;

  constructor(
    readonly isolate: ivm.Isolate,
    private readonly prelude: ivm.Script,
    readonly memory: number,
    private readonly watch: Watch,
  ) {
    this.next = this.prepare();
  }

  isReadyFor(user: string): boolean {
    return this.isReady && (this.user === undefined || this.user === user);
  }

  private prepare(): Promise<Prepared> {
    this.user = undefined;
    this.watch.prepares();
    return this.comes(prepare(this.isolate, this.prelude));
  }

  private comes(next: Promise<Prepared>): Promise<Prepared> {
    this.isReady = false;
    next.then(
      () => (this.isReady = true),
      // Who has entered is told.
      () => {
        this.watch.lost(this);
      },
    );
    return next;
  }

  async enter(user: string, place: Place, rooms: Set<Room>): Promise<Room> {
    this.runs++;
    if (this.user !== undefined && this.user !== user) this.next = this.next.then((old) => this.replaced(old));
    const prepared = await this.next;
    prepared.runs++;
    this.user = user;
    return new Room(this, prepared, place, rooms);
  }

  leave(prepared: Prepared): void {
    try {
      // Those without a name are not one user.
      const mayStay = this.user !== '' && prepared.runs < MOST_RUNS_OF_CONTEXT;
      this.next = mayStay ? this.comes(this.again(prepared)) : this.replaced(prepared);
    } catch {
      // It has come to its end by itself.
      this.end();
      return;
    }
    this.watch.returned(this);
  }

  /** The same context when nothing is left in it; a new one otherwise. */
  private async again(prepared: Prepared): Promise<Prepared> {
    const state: unknown = await prepared.entry.apply(undefined, ['reset'], { timeout: RESET_TIME });
    return state === 'new' ? prepared : this.replaced(prepared);
  }

  private replaced({ context, entry }: Prepared): Promise<Prepared> {
    entry.release();
    context.release();
    return this.prepare();
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.dispose();
    this.watch.ended();
  }

  dispose(): void {
    try {
      if (!this.isolate.isDisposed) this.isolate.dispose();
    } catch {
      // Its memory limit was faster.
    }
  }
}

async function prepare(isolate: ivm.Isolate, prelude: ivm.Script): Promise<Prepared> {
  const context = await isolate.createContext();
  const entry = await prelude.run(context, { reference: true });
  return { context, entry: entry as Prepared['entry'], runs: 0 };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** V8 has lost control over an isolate. The others go on, but its memory and perhaps its thread are lost. */
function onCatastrophicError(message: string): void {
  log.error(`an isolate of JavaScript could not be ended (${message}): its memory is lost until the next start`);
  // Node would wait for its thread for ever. By then everything is stored and closed.
  if (!diesHard) process.once('exit', () => process.kill(process.pid, 'SIGKILL'));
  diesHard = true;
}
let diesHard = false;
