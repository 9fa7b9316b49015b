/**
 * Whether what was read is of one state (docs/design/requests.md, 4). Neo4j numbers its transactions. The bookmark that comes with
 * each answer names the last one that was committed, and a transaction counts as committed before its first change can be seen.
 * So who knows up to which transaction all was applied when he began, and gets no later number with his answers, has read one
 * state; later transactions are compared with what he has read.
 */
import type { Change } from '../../types.js';
import type { Touched } from '../../commits/commit.js';
import { LoggedUnit } from '../../optimistic/commit-log.js';
import { type Effects, effectsOf } from '../../optimistic/effects.js';
import { effectsOfTouched } from '../../optimistic/touched.js';
import type { ReadSet } from '../../optimistic/read-set.js';
import { transactionOf } from '../connection/bookmarks.js';
import { integer } from '../connection/codec.js';
import { newsBetween } from '../instances/commits.js';
import { META } from '../connection/names.js';
import type { Statement, Values } from '../connection/statement.js';

const NEWS =
  `MATCH (m:${META} {name: 'writer'}) WITH m.commit AS last ` +
  `CALL { WITH last ${newsBetween('$known', 'last')} } RETURN last, news`;
/** Changes that are kept for those who read; who is older has to read again. */
const MOST_CHANGES = 200_000;

/** What was applied for certain when somebody began to read. */
export interface Mark {
  /** All transactions of the database up to this one. */
  readonly transaction: number;
  /** All commits of svc up to this number. */
  readonly commit: number;
}

interface Kept {
  readonly unit: LoggedUnit;
  /** Its number in the database; absent: it is of another instance, or the answer to its commit was lost. */
  readonly transaction: number | undefined;
}

type Made = () => Effects | 'everything';

/** Asks for what was committed once all that these bookmarks name is applied. */
export type Ask = (statement: Statement, bookmarks: readonly string[]) => Promise<Values[]>;

/** The word of commits that other threads of this process make. */
export interface Heard {
  /** Takes in what is there. */
  take(): void;
  /** Resolves when this commit is heard of, or soon. */
  reached(number: number): Promise<void>;
}

export class States {
  /** All is applied up to these. */
  #applied: Mark = { transaction: 0, commit: 0 };
  /** The highest number that an answer has brought, and where it stood. */
  #latest = 0;
  #bookmark: readonly string[] = [];
  /** In the order in which they began, so that the first is the oldest. */
  readonly #marks = new Set<Mark>();
  /** What was committed since the oldest mark, by commit number. */
  readonly #kept = new Map<number, Kept>();
  #size = 0;
  readonly #committing = new Set<Promise<unknown>>();
  #asking: Promise<number> | undefined;
  #next: { since: number; readonly answer: Promise<number> } | undefined;

  /** `others`: where this thread commits nothing itself. */
  constructor(
    private readonly ask: Ask,
    private readonly others?: Heard,
  ) {}

  /** All commits up to this one are known to be applied. */
  get applied(): number {
    return this.#applied.commit;
  }

  /** Of the last transaction that an answer has told of. */
  get bookmarks(): readonly string[] {
    return this.#bookmark;
  }

  /** All commits up to this one are known to be applied. */
  start(commit: number): void {
    this.#applied = { transaction: 0, commit };
  }

  /** An answer has come with these bookmarks. */
  told(bookmarks: readonly string[]): void {
    const [bookmark] = bookmarks;
    if (bookmark === undefined || bookmark === this.#bookmark[0]) return;
    // What cannot be read may stand for anything that is later.
    const transaction = transactionOf(bookmark) ?? this.#latest + 1;
    if (transaction <= this.#latest) return;
    this.#latest = transaction;
    this.#bookmark = bookmarks;
  }

  /** To be given to `end` when nothing is to be compared any more. */
  begin(): Mark {
    const mark = { ...this.#applied };
    this.#marks.add(mark);
    return mark;
  }

  end(mark: Mark): void {
    if (!this.#marks.delete(mark)) return;
    if (this.#marks.size === 0) {
      this.#kept.clear();
      this.#size = 0;
      return;
    }
    const [oldest] = this.#marks;
    for (const number of this.#kept.keys()) if (number <= (oldest?.commit ?? 0)) this.#forget(number);
  }

  /** This instance has got the lock for a commit with this number. One that was there before is of another database in place of this. */
  locked(number: number): void {
    if (number > this.#applied.commit) return;
    this.start(number - 1);
    this.#latest = 0;
    this.#bookmark = [];
  }

  /**
   * Commits a unit of this instance; `commit` answers the bookmarks of its transaction, none when the answer was lost. The number of the transaction in the
   * database, where that is known.
   */
  async committing(
    number: number,
    changes: readonly Change[] | 'everything',
    commit: () => Promise<readonly string[]>,
  ): Promise<number | undefined> {
    const work = commit().then((bookmarks) => {
      this.told(bookmarks);
      const transaction = transactionOf(bookmarks[0]);
      const effects: Made = () => (changes === 'everything' ? changes : effectsOf(changes));
      this.#keep(number, changes === 'everything' ? 1 : changes.length, effects, transaction);
      this.#apply(transaction ?? 0, number);
      return transaction;
    });
    this.#committing.add(work);
    try {
      return await work;
    } finally {
      this.#committing.delete(work);
    }
  }

  /** Another thread has committed a unit of this instance, with so many changes. */
  heard(number: number, transaction: number | undefined, size: number, effects: Made): void {
    // It may have been found in the database, without the number of its transaction.
    if (this.#kept.has(number)) this.#forget(number);
    this.#keep(number, size, effects, transaction);
    this.#apply(transaction ?? 0, number);
  }

  /**
   * Whether all that was read since `mark` is of one state: `reads` is asked for only where something was committed meanwhile.
   * `unfinished`: an answer has not come to its end, so that it has brought no number. Undefined: it is, at once.
   */
  differs(mark: Mark, reads: () => ReadSet, unfinished = false): Promise<boolean> | undefined {
    return !unfinished && this.#latest <= mark.transaction ? undefined : this.#differs(mark, reads, unfinished);
  }

  async #differs(mark: Mark, reads: () => ReadSet, unfinished: boolean): Promise<boolean> {
    // What such an answer has shown so far is not later than an answer to a statement that is sent now.
    if (unfinished) await this.#news(mark.commit);
    const upTo = this.#latest;
    this.others?.take();
    // Neo4j may have told others of a commit before it has told us.
    if (!this.#explained(mark, upTo)) await Promise.allSettled([...this.#committing]);
    let last = Infinity;
    if (!this.#explained(mark, upTo)) {
      last = await this.#news(mark.commit);
      if (this.others !== undefined && !this.#keepsAll(mark.commit, last)) {
        this.others.take();
        if (!this.#keepsAll(mark.commit, last)) await this.others.reached(last);
      }
      if (!this.#keepsAll(mark.commit, last)) return true;
    }
    let read: ReadSet | undefined;
    for (const { unit, transaction } of this.#kept.values()) {
      if (unit.number <= mark.commit || unit.number > last || (transaction ?? upTo) > upTo) continue;
      read ??= reads();
      if (read.concerns(unit.effects, unit.number)) return true;
    }
    return false;
  }

  /** Whether all transactions of the database between these are known here. */
  #explained(mark: Mark, upTo: number): boolean {
    let known = 0;
    for (const { transaction } of this.#kept.values()) {
      if (transaction !== undefined && transaction > mark.transaction && transaction <= upTo) known++;
    }
    return known === upTo - mark.transaction;
  }

  /** Whether all commits after the first of these up to the other are known here. */
  #keepsAll(after: number, last: number): boolean {
    for (let number = after + 1; number <= last; number++) if (!this.#kept.has(number)) return false;
    return true;
  }

  /** Gets what was committed after this number; answers the last number. Who asks meanwhile gets the next answer together. */
  #news(since: number): Promise<number> {
    if (this.#next !== undefined) {
      this.#next.since = Math.min(this.#next.since, since);
      return this.#next.answer;
    }
    const before = this.#asking ?? Promise.resolve();
    const answer = before
      .catch(() => undefined)
      .then(() => {
        const known = this.#next?.since ?? since;
        this.#next = undefined;
        const asking = this.#fetch(known).finally(() => {
          if (this.#asking === asking) this.#asking = undefined;
        });
        this.#asking = asking;
        return asking;
      });
    this.#next = { since, answer };
    return answer;
  }

  async #fetch(known: number): Promise<number> {
    const upTo = this.#latest;
    const [row] = await this.ask({ text: NEWS, params: { known: integer(BigInt(known)) } }, this.#bookmark);
    const [number, news] = (row ?? []) as [bigint?, [bigint, string | null][]?];
    const last = Number(number ?? 0);
    for (const [n, text] of news ?? []) {
      if (this.#kept.has(Number(n))) continue;
      const effects: Made = () => (text === null ? 'everything' : effectsOfTouched(JSON.parse(text) as Touched[]));
      this.#keep(Number(n), 1, effects);
    }
    // One that was committed meanwhile may be there in parts only, the number of the commit among them.
    this.#apply(upTo, this.#latest > upTo ? last - 1 : last);
    return last;
  }

  #apply(transaction: number, commit: number): void {
    const { transaction: before, commit: number } = this.#applied;
    this.#applied = { transaction: Math.max(transaction, before), commit: Math.max(commit, number) };
  }

  #keep(number: number, size: number, effects: Made, transaction?: number): void {
    if (this.#marks.size === 0) return;
    this.#kept.set(number, { unit: new LoggedUnit(number, undefined, size, effects), transaction });
    this.#size += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= MOST_CHANGES) return;
      this.#forget(oldest);
    }
  }

  #forget(number: number): void {
    this.#size -= this.#kept.get(number)?.unit.size ?? 0;
    this.#kept.delete(number);
  }
}
