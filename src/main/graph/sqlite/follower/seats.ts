/**
 * The threads that read the database, as the main thread sees them: each is told before a COMMIT what it changes, and none is waited for
 * (docs/design/threads.md 4). Without threads nothing is done.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Seat } from '../../graph.js';
import type { Names } from '../connection/names.js';
import type { CounterDelta } from '../indexes/counters.js';
import { changedTypes } from '../reading/changed-types.js';
import type { Batch, Committed } from '../writing/batch.js';
import { Clock, Own } from './clock.js';
import type { CommitMessage, FollowerMessage, SeatMessage } from './messages.js';
import { sizeOfTold, toldChanges } from './told-changes.js';

/** Bytes of messages that a thread may have left in its port. */
const MOST_LEFT = 64 * 1024 * 1024;
/** Bytes of a message, about, without what grows with the commit. */
const SIZE = 512;
/** Milliseconds that threads are waited for: until they have given states back, and at the end. */
const LET_GO = 50;
const CLOSING = 2000;

type Message = SeatMessage extends infer M ? (M extends SeatMessage ? Omit<M, 'size'> : never) : never;

interface Taken {
  readonly port: MessagePort;
  readonly own: Own;
  /** Bytes that were sent. */
  sent: number;
  /** Something was not told, as too much was left. */
  missed: boolean;
}

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
  readonly #all = new Set<Taken>();
  #serial = 0;
  /** The COMMIT that was told last. */
  #last: CommitMessage | undefined;

  constructor(private readonly parts: SeatsParts) {}

  /** Whether this thread shows all that others may have shown. */
  get isCurrent(): boolean {
    return this.#all.size === 0 || !this.#clock.isAfter(this.parts.number());
  }

  /** A place for one more thread. */
  open(): Seat {
    const { port1, port2 } = new MessageChannel();
    const own = new Own();
    own.hold(undefined);
    const taken: Taken = { port: port1, own, sent: 0, missed: false };
    if (this.#all.size === 0) this.#clock.raise(this.parts.number());
    // What it finds in the database is what it begins with. What is being committed was told to nobody, or only to others.
    this.#all.add(taken);
    if (this.parts.committing()) {
      if (this.#last === undefined) taken.missed = true;
      else this.#post(taken, this.#last, sizeOf(this.#last));
    }
    port1.on('message', (message: FollowerMessage) => {
      this.parts.told(message);
    });
    port1.on('close', () => {
      this.#all.delete(taken);
      if (this.#all.size === 0) this.#last = undefined;
    });
    port1.unref();
    return { file: this.parts.file, port: port2, clock: this.#clock.memory, own: own.memory };
  }

  /** Before a COMMIT. */
  committing(batch: Batch): void {
    if (this.#all.size === 0) return;
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
    this.#toAll(message, sizeOf(message));
  }

  /** It has failed. */
  lost(): void {
    const last = this.#last;
    if (last === undefined) return;
    this.#last = undefined;
    this.#toAll({ what: 'lost', serial: last.serial });
  }

  /** It is made, and this thread is about to show it. */
  committed({ commits, delta }: Committed): void {
    if (this.#all.size === 0) return;
    this.#last = undefined;
    if (commits.length > 0) this.#clock.raise(this.parts.number());
    else if (delta.node.size + delta.rel.size + delta.flag.size > 0)
      this.#other({ what: 'counters', counters: countersOf(delta) });
    // What has no number (a note) is to be seen as well.
    else this.#clock.tell();
  }

  /** Something was read in another thread: it may be of a commit that nobody here has heard of. Before it is shown. */
  seen(): void {
    if (this.#all.size > 0 && this.parts.committing()) this.#clock.raise(this.parts.stored());
  }

  /** Indexes are there now, or are not there any more. */
  indexes(): void {
    if (this.#all.size > 0) this.#other({ what: 'indexes' });
  }

  /** All that is kept is to be forgotten. */
  forget(): void {
    if (this.#all.size > 0) this.#other({ what: 'everything', missed: false });
  }

  /** Asks for states to be given back that are held since before; resolves when they are, or soon: nobody waits for a thread that computes. */
  letGo(): Promise<void> | undefined {
    if (this.#all.size === 0) return undefined;
    const asked = this.#clock.ask();
    return this.#until(() => [...this.#all].every(({ own }) => !own.holdsSince(asked)), LET_GO);
  }

  /** Tells them that it is closed; resolves when they are, or soon. */
  async close(): Promise<void> {
    if (this.#all.size === 0) return;
    this.#other({ what: 'closed' });
    await this.#until(() => this.#all.size === 0, CLOSING);
    for (const { port } of this.#all) port.close();
  }

  async #until(isSo: () => boolean, most: number): Promise<void> {
    const end = performance.now() + most;
    while (!isSo() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** What is of no commit: the clock moves before and after, so that a thread knows whether the state that it reads is of before or after it. */
  #other(message: Message): void {
    this.#clock.tell();
    this.#toAll(message);
    this.#clock.tell();
  }

  #toAll(message: Message, size = SIZE): void {
    for (const taken of this.#all) this.#post(taken, message, size);
  }

  #post(taken: Taken, message: Message, size = SIZE): void {
    const { port, own } = taken;
    if (own.left(taken.sent) + size > (this.parts.mostLeft ?? MOST_LEFT)) {
      taken.missed = true;
      return;
    }
    if (taken.missed) {
      taken.missed = false;
      taken.sent += SIZE;
      port.postMessage({ what: 'everything', missed: true, size: SIZE } satisfies SeatMessage);
    }
    taken.sent += size;
    port.postMessage({ ...message, size });
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
