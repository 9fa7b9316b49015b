/**
 * The states that a thread reads which does not write. The newest one is held by a transaction of SQLite's, and what is kept in memory is of that state and of no
 * other: messages are taken in up to its number, and nothing changes while somebody reads in one go. It moves when somebody begins to read and the clock has
 * moved. Then those who have begun before go on with the state before, as on the main thread (reading/snapshots.ts).
 */
import { type Connection, graphError } from '../connection/connection.js';
import { NUMBER, Pin, Snapshots, type SnapshotOptions } from '../reading/snapshots.js';
import type { Clock, Own } from '../../seats/clock.js';
import type { Inbox, SeatMessage } from './messages.js';

/** Milliseconds between two looks at whether somebody still reads, and at the clock. */
const LOOK = 25;
/** How often a state is begun anew because the main thread has told something meanwhile. */
const TRIES = 100;

export interface StatesParts extends Omit<SnapshotOptions, 'number'> {
  readonly clock: Clock;
  readonly own: Own;
  readonly inbox: Inbox;
  /** The newest state is read here from now on. */
  readonly reads: (connection: Connection) => void;
  /** Takes in what the state has. */
  readonly took: (messages: readonly SeatMessage[], number: number, connection: Connection) => void;
}

export class States extends Snapshots {
  readonly #parts: StatesParts;
  #newest: Connection;
  #isHeld = false;
  /** -1: none was read yet. */
  #number = -1;
  #others = -1;
  #asked = 0;
  /** Messages that were taken out of the port with a state that could not be read. */
  readonly #late: SeatMessage[] = [];
  /** Somebody has begun to read since the last look. */
  #isUsed = false;
  readonly #timer: NodeJS.Timeout;

  constructor(parts: StatesParts) {
    super({ ...parts, number: () => this.#number });
    this.#parts = parts;
    this.#newest = this.connection();
    parts.reads(this.#newest);
    this.#asked = parts.clock.asked;
    this.#timer = setInterval(() => {
      this.#look();
    }, LOOK).unref();
  }

  /** Number of the last commit in the newest state. */
  get number(): number {
    return this.#number;
  }

  override begin(): number {
    this.refresh();
    return super.begin();
  }

  /** From now on the newest state is none that is older than what any thread has shown. Not while somebody reads in one go. */
  refresh(): void {
    this.#isUsed = true;
    if (this.#isHeld && this.#isNow) return;
    this.#move();
  }

  /** The same, where that state was given back meanwhile. */
  hold(): void {
    if (!this.#isHeld) this.#move();
  }

  get #isNow(): boolean {
    const { clock } = this.#parts;
    return clock.isAt(this.#number) && clock.others === this.#others;
  }

  #move(): void {
    const { clock, inbox } = this.#parts;
    const { asked } = clock;
    const gaveBack = asked !== this.#asked;
    if (gaveBack) {
      // Older ones keep the log from starting over.
      this.#asked = asked;
      this.dropAll();
      this.#release();
    }
    const keep = this.#isHeld && this.open > 0;
    if (!keep) this.#release();
    const next = keep ? this.connection() : this.#newest;
    const messages = this.#late.splice(0);
    let number = 0;
    try {
      this.#parts.own.hold(this.#asked);
      for (let tries = 1; ; tries++) {
        const { others } = clock;
        next.run('BEGIN', []);
        number = Number(next.get(NUMBER, [])?.[0] ?? 0);
        // Whoever begins after this is shown is not to be content with less.
        clock.raise(number);
        messages.push(...inbox.upTo(number));
        this.#others = others;
        // What was told meanwhile is of a state after this one, perhaps.
        if (clock.others === others || tries === TRIES) break;
        next.run('COMMIT', []);
      }
    } catch (error) {
      if (keep) next.close();
      else if (next.inTransaction) next.run('ROLLBACK', []);
      this.#late.push(...messages);
      this.#others = -1;
      this.#lookAtHeld();
      throw graphError(error);
    }
    if (keep && number === this.#number) this.giveBack(this.#newest);
    else if (keep) this.committing(false);
    this.#newest = next;
    this.#isHeld = true;
    const before = this.#number;
    this.#number = number;
    this.#parts.reads(next);
    if (messages.length > 0 || number !== before) this.#parts.took(messages, number, next);
  }

  /** The newest state, which becomes an older one. */
  protected override pinned(): Pin {
    return new Pin(this.#newest, this.options.indexVersion());
  }

  #release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#newest.run('COMMIT', []);
    this.#lookAtHeld();
  }

  #lookAtHeld(): void {
    if (!this.#isHeld && this.kept === 0) this.#parts.own.hold(undefined);
  }

  /** A state that nobody reads is given back; messages are taken in although nobody reads. */
  #look(): void {
    if (this.#isHeld && !this.#isUsed && this.open === 0) this.#release();
    this.#isUsed = false;
    this.#lookAtHeld();
    if (this.#isNow) return;
    try {
      this.#move();
    } catch (error) {
      this.options.onError(error);
    }
  }

  override close(): void {
    clearInterval(this.#timer);
    this.#release();
    super.close();
    this.#newest.close();
  }
}
