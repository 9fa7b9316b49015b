/** One logical transaction as the writer sees it. */
import { type Ending, type Origin, SYSTEM_ORIGIN } from '../../commits/commit.js';
import { GraphError } from '../../errors.js';
import type { Change } from '../../types.js';
import { CounterDelta } from '../indexes/counters.js';
import type { RecordMark } from './write-record.js';
import type { Pending } from './pending.js';

/** What a unit needs from the writer that runs it. */
export interface UnitHost {
  /** Opens the physical transaction before the unit's first write. */
  begin(unit: Unit): void;
  /** Sets the unit's savepoint, unless it is the first in the physical transaction. */
  secure(unit: Unit): void;
  /** The unit writes this node on the loop: until the commit caches must not answer for it within transactions. */
  touch(id: string): void;
  /** False when SQLite has ended the physical transaction itself (disk full). */
  readonly intact: boolean;
  /** The open batch is recorded: what a unit writes is kept in `Unit.pending`. */
  readonly recording: boolean;
}

export class Unit {
  readonly changes: Change[] = [];
  readonly delta = new CounterDelta();
  /** Set when the first write was made. */
  begun = false;
  /** The unit has a savepoint of its own in the physical transaction (not needed for the first one in it). */
  savepoint = false;
  /** Number of changes before the savepoint; they can be taken back by deleting what they inserted. */
  inserted = 0;
  /** Takes back `inserted` changes; set with the first of them. */
  takeBack: (() => void) | undefined;
  #secured = false;
  /** Number of names the physical transaction had added when this unit began. */
  namesMark = 0;
  /** Where the unit's part of the record begins; undefined: the batch is not recorded. */
  recordMark: RecordMark | undefined;
  #ended = false;
  #reason: GraphError | undefined;
  /** Open nested savepoints. */
  depth = 0;
  /** Where these begin in the record; empty when the batch is not recorded. */
  readonly levels: RecordMark[] = [];
  /** What it has recorded, if anything. */
  pending: Pending | undefined;
  /** It has asked for the connection on the loop: it writes there to its end. */
  onLoop = false;
  /** It is handed to the thread in pieces, alone in its batch (docs/design/writer.md). */
  inPieces = false;
  /** It empties the database: nobody lists what it changes, and nobody else writes until it is committed. */
  isWhole = false;
  /** The first of them is on its way: what it has written cannot come back to the loop any more. */
  handed = false;
  /** It needs the connection on the loop, which it can have only when it begins anew there. */
  needsLoop = false;
  /** What is told of it once it is committed; set at its end, when it has changed something. */
  commit: Ending | undefined;

  constructor(
    readonly host: UnitHost,
    readonly origin: Origin = SYSTEM_ORIGIN,
  ) {}

  /** Before each write, but those that `beginInsert` is for. */
  begin(): void {
    this.check();
    if (this.#secured) return;
    if (!this.begun) this.host.begin(this);
    this.inserted = this.changes.length;
    this.host.secure(this);
    this.#secured = true;
  }

  /** All of it, what it has written so far included, is behind a savepoint now. */
  securedWhole(): void {
    this.savepoint = true;
    this.inserted = 0;
    this.#secured = true;
  }

  /**
   * Before a write that only inserts what its entry in `changes` tells. A unit with no other writes needs no savepoint:
   * keeping copies of the pages it changes would cost more than a tenth of creating an object.
   */
  beginInsert(takeBack: () => void): void {
    this.check();
    if (!this.begun) this.host.begin(this);
    this.takeBack ??= takeBack;
  }

  /** After the last write, whether it went well or not: what of it has no savepoint. */
  get unsecured(): readonly Change[] {
    return this.#secured ? this.changes.slice(0, this.inserted) : this.changes;
  }

  /** Throws when the transaction is over. */
  check(): void {
    if (this.#ended) throw this.#reason ?? new GraphError('closed', 'The transaction has ended.');
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The first reason stays: a transaction that ran into its time limit says so to its own work. */
  end(reason?: GraphError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reason = reason;
  }
}
