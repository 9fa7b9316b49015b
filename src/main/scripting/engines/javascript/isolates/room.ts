/** An isolate for the time of one run: who enters it, who answers its questions, and how it is given back or ended. */
import type ivm from 'isolated-vm';
import { library } from './library.js';
import type { Place } from './computing.js';
import { USED } from '../prelude/prelude.js';

/** Answers one JSON text with another while the isolate's thread waits. */
export type Answering = (text: string) => Promise<string>;

/** A context in which nothing has run yet but the prelude, or that is as good as that. */
export interface Prepared {
  readonly context: ivm.Context;
  readonly entry: ivm.Reference<(text: string, host?: ivm.Reference, isUsed?: boolean) => string>;
  /** Runs that had it. */
  runs: number;
  /** Nobody has looked at what the last run left in it. */
  isUsed: boolean;
}

/** The isolate of a room, between its runs. */
export interface Owner {
  readonly isolate: ivm.Isolate;
  /** Another context for the run under way: something was found in the one it began in. */
  renewed(prepared: Prepared): Promise<Prepared>;
  /** The run is over: the next may have the isolate. */
  leave(prepared: Prepared): void;
  /** Nobody uses it again. */
  end(): void;
}

/** An isolate as one run has it. */
export class Room {
  private readonly host: ivm.Reference;
  private isEntered = false;
  private isOver = false;
  private answering: Answering | undefined;
  /** Settled when nothing runs in it any more. */
  working: Promise<unknown> = Promise.resolve();
  /** Somebody has ended it. */
  isKilled = false;
  /** Its isolate is not used by another run: something of this one may go on in it. */
  isTainted = false;

  constructor(
    private readonly owner: Owner,
    private prepared: Prepared,
    /** Its part of what all scripts may compute at a time. */
    readonly place: Place,
    /** Where it stands while it is used. */
    private readonly rooms: Set<Room>,
  ) {
    rooms.add(this);
    this.host = new library.Reference((text: unknown): Promise<string> | string =>
      this.answering === undefined
        ? JSON.stringify(['e', 'This script has ended.', 422, null, null])
        : this.answering(String(text)),
    );
  }

  /** Who answers the scripts from now on. */
  answer(answering: Answering): void {
    this.answering = answering;
  }

  /** Calls the prelude's entry; `cpu` is the limit of computing in ms. Rejects when the isolate has come to its limits. */
  async enter(text: string, cpu: number): Promise<string> {
    const { isUsed } = this.prepared;
    this.prepared.isUsed = false;
    let answer = await this.apply(this.isEntered ? [text] : [text, this.host, isUsed], cpu);
    if (answer === USED) {
      this.prepared = await this.owner.renewed(this.prepared);
      answer = await this.apply([text, this.host], cpu);
    }
    this.isEntered = true;
    return answer;
  }

  private async apply(args: [string, ivm.Reference?, boolean?], cpu: number): Promise<string> {
    const working = this.prepared.entry.apply(undefined, args, { timeout: cpu });
    this.working = working;
    const answer: unknown = await working;
    if (typeof answer !== 'string') throw new Error('the isolate answered nothing');
    return answer;
  }

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

  /** Ends it as its user is told: somebody wanted it so. */
  kill(): void {
    this.isKilled = true;
    this.discard();
  }

  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.rooms.delete(this);
    this.answering = undefined;
    this.host.release();
  }
}
