/**
 * The threads that read the database, as the main thread sees them: each is told before a COMMIT what it changes, and none is waited for
 * (docs/design/threads.md 4). Without threads nothing is done.
 */
import type { SqliteSeat } from '../../seats/seat.js';
import { Clock } from '../../seats/clock.js';
import { SeatPorts, SIZE, until } from '../../seats/ports.js';
import { sizeOfTold, toldChanges } from '../../seats/told-changes.js';
import type { Names } from '../connection/names.js';
import type { CounterDelta } from '../indexes/counters.js';
import { changedTypes } from '../reading/changed-types.js';
import type { Batch, Committed } from '../writing/batch.js';
import type { CommitMessage, FollowerMessage, SeatMessage } from './messages.js';

/** Milliseconds that threads are waited for until they have given states back. */
const LET_GO = 50;

type Message = SeatMessage extends infer M ? (M extends SeatMessage ? Omit<M, 'size'> : never) : never;

export interface SeatsParts {
  readonly file: string;
  readonly names: Names;
  /** Number of the last commit. */
  readonly number: () => number;
  /** Number of the last commit in the database. */
  readonly stored: () => number;
  /** Whether a COMMIT is on its way that nobody here has heard of. */
  readonly committing: () => boolean;
  /** For tests: bytes instead of 64 MB. */
  readonly mostLeft?: number | undefined;
  readonly told: (message: FollowerMessage) => void;
}

export class Seats {
  readonly #clock = new Clock();
  readonly #ports: SeatPorts<Message, FollowerMessage>;
  #serial = 0;
  /** The COMMIT that was told last. */
  #last: CommitMessage | undefined;

  constructor(private readonly parts: SeatsParts) {
    const { told, mostLeft } = parts;
    this.#ports = new SeatPorts<Message, FollowerMessage>({
      missed: () => ({ what: 'everything', missed: true }),
      told,
      left: () => {
        this.#last = undefined;
      },
      mostLeft,
    });
  }

  /** Whether this thread shows all that others may have shown. */
  get isCurrent(): boolean {
    return this.#ports.isEmpty || !this.#clock.isAfter(this.parts.number());
  }

  /** A place for one more thread. */
  open(): SqliteSeat {
    if (this.#ports.isEmpty) this.#clock.raise(this.parts.number());
    // What it finds in the database is what it begins with. What is being committed was told to nobody, or only to others.
    const { taken, port } = this.#ports.open();
    if (this.parts.committing()) {
      if (this.#last === undefined) taken.missed = true;
      else this.#ports.post(taken, this.#last, sizeOf(this.#last));
    }
    return { engine: 'sqlite', file: this.parts.file, port, clock: this.#clock.memory, own: taken.own.memory };
  }

  /** Before a COMMIT. */
  committing(batch: Batch): void {
    if (this.#ports.isEmpty) return;
    const { commits, delta, entries, isWhole } = batch;
    const { names } = this.parts;
    const changes = isWhole ? undefined : toldChanges(commits);
    const [first, last] = [commits[0]?.number, commits.at(-1)?.number];
    const message: CommitMessage = {
      what: 'commit',
      serial: ++this.#serial,
      numbers: first === undefined || last === undefined ? undefined : [first, last],
      names: names.added.map((text) => [names.idOf(text) ?? 0, text] as const),
      // Those of a COMMIT without a number are told once it is made: nobody could tell whether they are in what he reads.
      counters: first === undefined ? NO_COUNTERS : countersOf(delta),
      types: changes === undefined ? new Map() : changedTypes(batch, names),
      entries: changes === undefined ? [] : entries,
      changes,
      isWhole,
    };
    this.#last = message;
    this.#ports.toAll(message, sizeOf(message));
  }

  /** It has failed. */
  lost(): void {
    const last = this.#last;
    if (last === undefined) return;
    this.#last = undefined;
    this.#ports.toAll({ what: 'lost', serial: last.serial });
  }

  /** It is made, and this thread is about to show it. */
  committed({ commits, delta }: Committed): void {
    if (this.#ports.isEmpty) return;
    this.#last = undefined;
    if (commits.length > 0) this.#clock.raise(this.parts.number());
    else if (delta.node.size + delta.rel.size + delta.flag.size > 0)
      this.#other({ what: 'counters', counters: countersOf(delta) });
    // What has no number (a note) is to be seen as well.
    else this.#clock.tell();
  }

  /** Something was read in another thread: it may be of a commit that nobody here has heard of. Before it is shown. */
  seen(): void {
    if (!this.#ports.isEmpty && this.parts.committing()) this.#clock.raise(this.parts.stored());
  }

  /** Indexes are there now, or are not there any more. */
  indexes(): void {
    if (!this.#ports.isEmpty) this.#other({ what: 'indexes' });
  }

  /** All that is kept is to be forgotten. */
  forget(): void {
    if (!this.#ports.isEmpty) this.#other({ what: 'everything', missed: false });
  }

  /** Asks for states to be given back that are held since before; resolves when they are, or soon: nobody waits for a thread that computes. */
  letGo(): Promise<void> | undefined {
    if (this.#ports.isEmpty) return undefined;
    const asked = this.#clock.ask();
    return until(() => this.#ports.every((own) => !own.holdsSince(asked)), LET_GO);
  }

  /** Tells them that it is closed; resolves when they are, or soon. */
  async close(): Promise<void> {
    if (this.#ports.isEmpty) return;
    this.#other({ what: 'closed' });
    await this.#ports.close();
  }

  /** What is of no commit: the clock moves before and after, so that a thread knows whether the state that it reads is of before or after it. */
  #other(message: Message): void {
    this.#clock.tell();
    this.#ports.toAll(message);
    this.#clock.tell();
  }
}

const NO_COUNTERS = {
  node: new Map<number, number>(),
  rel: new Map<number, number>(),
  flag: new Map<number, number>(),
};

function countersOf({ node, rel, flag }: CounterDelta): CommitMessage['counters'] {
  return { node, rel, flag };
}

function sizeOf({ changes, entries, types }: CommitMessage): number {
  return SIZE + (changes === undefined ? 0 : sizeOfTold(changes)) + entries.length * 9 + types.size * 16;
}
