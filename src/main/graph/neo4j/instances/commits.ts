/**
 * How instances know what others have committed: each transaction leaves what it has touched (`Touched`) as a part of itself, under
 * its commit number, unless its instance is alone. Who takes the writers' lock gets what others have left since he last looked, in the same statement; who computes
 * for long beside the lock looks a few times a second. Numbers are given under the lock and have no gaps, so one that is missing is
 * noticed: it may have changed anything. A ring of nodes holds the last ones: nothing grows and nothing has to be tidied.
 */
import type { CommitFollower, Touched } from '../../commits/commit.js';
import { touchedBy } from '../../optimistic/touched.js';
import type { Change } from '../../types.js';
import { integer } from '../connection/codec.js';
import type { Database } from '../connection/database.js';
import { COMMIT, META } from '../connection/names.js';
import type { Statement } from '../connection/statement.js';

/** Commits that are kept; who has missed more knows only that there were some. */
const KEPT = 1000;
/** What one commit leaves at most: a larger one may have touched anything. */
const MOST_CHANGES = 5000;
const MOST_TOUCHED = 300;
const MOST_TEXT = 30_000;

const WRITE = `MERGE (x:${COMMIT} {slot: $slot}) SET x.n = $n, x.touched = $touched`;

/** A subquery: `news` are number and text of commits after `known` up to `last`, expressions; none when there are more than are kept. */
export function newsBetween(known: string, last: string): string {
  return (
    `UNWIND CASE WHEN ${last} - ${known} > ${String(KEPT)} THEN [] ELSE range(${known} + 1, ${last}) END AS n ` +
    `MATCH (x:${COMMIT} {slot: n % ${String(KEPT)}}) WHERE x.n = n RETURN collect([n, x.touched]) AS news`
  );
}

/** Milliseconds that a look waits for the lock. */
const PATIENCE = 250;
const LOOK =
  `MATCH (m:${META} {name: 'writer'}) SET m.lock = 'look' WITH m.notice AS notice, m.commit AS last ` +
  `CALL { WITH last ${newsBetween('$known', 'last')} } RETURN notice, last, news`;

export class Commits {
  /** Number of the last commit that the follower knows of, or need not know of. */
  #known = 0;
  #follower: CommitFollower | undefined;

  constructor(private readonly database: Database) {}

  get known(): number {
    return this.#known;
  }

  start(number: number): void {
    this.#known = number;
  }

  follow(follower: CommitFollower): void {
    this.#follower = follower;
  }

  /** What a transaction leaves, to be run in it. `anything`: nobody knows what it has changed. */
  leave(number: number, changes: readonly Change[], anything: boolean): Statement {
    const touched = anything ? null : textOf(changes);
    return {
      text: WRITE,
      params: { slot: integer(BigInt(number % KEPT)), n: integer(BigInt(number)), touched },
    };
  }

  /** Our own transaction of this number is committed, and all before it are known. `unheard`: `onCommit` does not tell of it. */
  committed(number: number, unheard: readonly Change[] | undefined): void {
    this.#known = Math.max(this.#known, number);
    if (unheard !== undefined) this.#follower?.isCommitted(unheard);
  }

  /**
   * To be called by who has the lock, which he got with `news` since the commit `since`; `last` is the one before his. A smaller one
   * than before is of another database in its place.
   */
  hear(since: number, last: number, news: unknown): void {
    const replaced = last < this.#known;
    const from = Math.max(since, this.#known);
    const all = (news as [bigint, string | null][]).filter(([n]) => Number(n) > from);
    this.#known = last;
    if (this.#follower?.isRead !== true) return;
    if (replaced || all.length !== last - from) this.#follower.foreign('everything');
    else
      for (const [, text] of all)
        this.#follower.foreign(text === null ? 'everything' : (JSON.parse(text) as Touched[]));
  }

  /** Whether something was committed that is not known here; `number` is of the last commit. */
  isBehind(number: number): boolean {
    return number > this.#known;
  }

  /**
   * Looks without a transaction of one's own. It takes the lock for a moment: read without it, the last commit may be there in parts
   * only. Undefined: others keep the lock. `tell` is to be called while no transaction of this instance writes.
   */
  async look(): Promise<{ readonly notice: bigint; readonly tell: () => void } | undefined> {
    const since = this.#known;
    const statement = { text: LOOK, params: { known: integer(BigInt(since)) } };
    try {
      const [row] = await this.database.run(statement, { deadline: Date.now() + PATIENCE }, true);
      const [notice, last, news] = (row ?? []) as [bigint?, bigint?, unknown?];
      if (notice === undefined || last === undefined) return undefined;
      const tell = (): void => {
        if (Number(last) > this.#known) this.hear(since, Number(last), news);
      };
      return { notice, tell };
    } catch {
      return undefined;
    }
  }
}

function textOf(changes: readonly Change[]): string | null {
  if (changes.length > MOST_CHANGES) return null;
  const touched = touchedBy(changes);
  if (touched.length > MOST_TOUCHED) return null;
  const text = JSON.stringify(touched);
  return text.length > MOST_TEXT ? null : text;
}
