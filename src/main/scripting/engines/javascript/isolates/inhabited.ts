/** An isolate between its runs: the context that the next one finds is made, or looked at, while nobody waits for it. */
import type ivm from 'isolated-vm';
import type { Place } from './computing.js';
import { Room, type Owner, type Prepared } from './room.js';

/** Longest look at a context (ms), which takes a fraction of one. */
const RESET_TIME = 1000;
/** What runs leave in a context does not add up for ever. */
const MOST_RUNS_OF_CONTEXT = 500;
/**
 * After so many runs that left nothing, the look at the context is part of the next run: going to the isolate's thread for it alone
 * costs the loop as much as a question of a script does. Runs that leave something would each keep the next one waiting for a context.
 */
const TRUSTED_AFTER = 8;

interface Watch {
  prepares(): void;
  returned(inhabited: Inhabited): void;
  /** It has come to its end between two runs. */
  lost(inhabited: Inhabited): void;
  ended(): void;
}

/** An isolate with the context for its next run. */
export class Inhabited implements Owner {
  runs = 0;
  idleSince = 0;
  private next: Promise<Prepared>;
  /** The context for the next run is there. */
  private isReady = false;
  /** Whose runs had it; undefined: it is new. */
  private user: string | undefined;
  private isOver = false;
  /** Runs in a row that left nothing. */
  private cleanRuns = 0;

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
      if (prepared.runs >= MOST_RUNS_OF_CONTEXT) this.next = this.replaced(prepared);
      else if (this.cleanRuns < TRUSTED_AFTER) this.next = this.comes(this.again(prepared));
      else {
        prepared.isUsed = true;
        this.next = Promise.resolve(prepared);
      }
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
    if (state !== 'new') {
      this.cleanRuns = 0;
      return this.replaced(prepared);
    }
    this.cleanRuns++;
    prepared.isUsed = false;
    return prepared;
  }

  /** Another context for the run under way: something was found in the one it began in. */
  renewed(prepared: Prepared): Promise<Prepared> {
    const { user } = this;
    this.cleanRuns = 0;
    const next = this.replaced(prepared);
    // It is not a new one for whoever comes next.
    this.user = user;
    return next;
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
  return { context, entry: entry as Prepared['entry'], runs: 0, isUsed: false };
}
