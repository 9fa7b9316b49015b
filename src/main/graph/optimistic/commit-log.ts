/**
 * What units have changed, in their order: those of this process, and between them those of others on the same database. A unit gets
 * its number while it has the writer; readers see it when it is committed, which may be later, together with others. One of others
 * gets its number when this process hears of it, before the next of its own units does anything: what was read before that has a
 * smaller number, whether it has seen it or not.
 */
import type { CommitFollower, Touched } from '../commits/commit.js';
import type { WriteTransaction } from '../graph.js';
import type { Change } from '../types.js';
import { type Effects, effectsOf } from './effects.js';
import { effectsOfTouched } from './touched.js';

/** Changes kept for transactions that are open; whoever is older than the first of them conflicts. */
const MOST_CHANGES = 200_000;

export class LoggedUnit {
  #effects: Effects | 'everything' | undefined;

  constructor(
    readonly number: number,
    /** Of a unit of this process. */
    readonly changes: readonly Change[] | undefined,
    /** For the bound of the log. */
    readonly size: number,
    private readonly make: () => Effects | 'everything',
  ) {}

  /** Made when somebody asks: most units concern no one. */
  get effects(): Effects | 'everything' {
    return (this.#effects ??= this.make());
  }
}

/** A transaction that the log is kept for. */
export interface LogReader {
  /** The number of the last unit before it began. */
  readonly begin: number;
}

export class CommitLog implements CommitFollower {
  /** The last unit that has ended well. */
  ordered = 0;
  /** Readers see all units up to this one. */
  committed = 0;
  /** Units up to this one are forgotten. */
  forgotten = 0;
  /** How many units were lost: their commit has failed. */
  lost = 0;
  #pending: LoggedUnit[] = [];
  readonly #kept: LoggedUnit[] = [];
  #size = 0;
  readonly #most: number;
  /** In the order in which they began. */
  readonly #readers = new Set<LogReader>();
  #waiting: { readonly number: number; readonly resolve: () => void }[] = [];

  constructor(most = MOST_CHANGES) {
    this.#most = most;
  }

  /** A unit that has the writer ends well. Returns its number; 0: it has changed nothing. */
  add(tx: Pick<WriteTransaction, 'changes' | 'unlisted'>): number {
    const changes = tx.changes();
    const { unlisted } = tx;
    if (changes.length === 0 && unlisted === undefined) return 0;
    const effects = (): Effects | 'everything' => (unlisted === 'anything' ? 'everything' : effectsOf(changes));
    const unit = new LoggedUnit(++this.ordered, changes, changes.length, effects);
    this.#pending.push(unit);
    return unit.number;
  }

  foreign(touched: readonly Touched[] | 'everything'): void {
    if (!this.isRead) return;
    const effects = (): Effects | 'everything' => (touched === 'everything' ? touched : effectsOfTouched(touched));
    const unit = new LoggedUnit(++this.ordered, undefined, touched === 'everything' ? 1 : touched.length, effects);
    this.committed = unit.number;
    this.#keep(unit);
  }

  /** The unit with this very list is committed, and so is what came before it, unless that was lost. */
  isCommitted(changes: readonly Change[]): void {
    const at = this.#pending.findIndex((unit) => unit.changes === changes);
    const unit = this.#pending[at];
    if (unit === undefined) return;
    this.#pending.splice(0, at + 1);
    this.lost += at;
    this.committed = unit.number;
    if (this.#readers.size > 0) this.#keep(unit);
    this.#tell();
  }

  /** The commit of this unit has failed. */
  isLost(number: number): void {
    const at = this.#pending.findIndex((unit) => unit.number === number);
    if (at < 0) return;
    this.#pending.splice(at, 1);
    this.lost++;
    this.#tell();
  }

  /** Units after this one, in their order; those that are not committed yet included. */
  *after(number: number): Iterable<LoggedUnit> {
    for (const units of [this.#kept, this.#pending]) {
      for (const unit of units) if (unit.number > number) yield unit;
    }
  }

  /** Resolves when readers see this unit, or when it is lost. */
  seen(number: number): Promise<void> {
    if (this.#isSettled(number)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ number, resolve }));
  }

  /** Some transaction is open. */
  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  open(reader: LogReader): void {
    this.#readers.add(reader);
  }

  close(reader: LogReader): void {
    this.#readers.delete(reader);
    const [oldest] = this.#readers;
    while ((this.#kept[0]?.number ?? Infinity) <= (oldest?.begin ?? this.committed)) this.#forget();
  }

  #isSettled(number: number): boolean {
    return this.committed >= number || !this.#pending.some((unit) => unit.number === number);
  }

  #keep(unit: LoggedUnit): void {
    this.#kept.push(unit);
    this.#size += unit.size;
    while (this.#size > this.#most) this.forgotten = this.#forget();
  }

  #forget(): number {
    const unit = this.#kept.shift();
    this.#size -= unit?.size ?? 0;
    return unit?.number ?? 0;
  }

  #tell(): void {
    if (this.#waiting.length === 0) return;
    const settled = this.#waiting.filter(({ number }) => this.#isSettled(number));
    this.#waiting = this.#waiting.filter((one) => !settled.includes(one));
    for (const { resolve } of settled) resolve();
  }
}
