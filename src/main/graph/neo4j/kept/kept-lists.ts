/**
 * Counts of many and the ids of pages far from the beginning, which cost Neo4j a step for each that is counted or comes before.
 * What was found holds until a commit concerns it. Each use asks the database for the number of the last commit of any instance, and for
 * what others have touched since, in the statement that reads the page: so it is never older than the question. Another client
 * of the database leaves no word of what it writes; it is noticed at once where a number that Neo4j keeps tells it, else within a minute.
 */
import type { Touched } from '../../commits/commit.js';
import type { NodeQuery } from '../../query.js';
import { ReadSet } from '../../optimistic/read-set.js';
import type { Change } from '../../types.js';
import type { Statement, Values } from '../connection/statement.js';
import { type Checked, checkStatement } from './check.js';
import { nameOf } from './names.js';
import { RecentCommits } from './recent-commits.js';

/** A count of fewer is made anew each time. */
export const MANY = 500;
/** Rows before a page from which on the ids of pages are kept, how many at a time, and the rows of the largest page. */
export const DEEP = 200;
const WINDOW = 1000;
const LARGEST = 200;
const MOST_KEPT = 1000;
const MOST_IDS = 200_000;
/** Milliseconds after which it is found anew, because of other clients. */
const HOLDS = 60_000;

/** How a request runs statements. */
export interface KeptRun {
  /** Others may get the same rows. */
  readonly shared: (statement: Statement) => Promise<readonly Values[]>;
  /** The same, once all is applied that answers have told of. */
  readonly fresh: (statement: Statement) => Promise<readonly Values[]>;
}

interface Found {
  readonly count?: bigint;
  /** Of nodes in order, from the beginning of the window. */
  readonly ids?: readonly string[];
}

interface Kept extends Found {
  readonly reads: ReadSet;
  readonly until: number;
  /** The last commit for which it is known to hold. */
  commit: number;
  guard: unknown;
}

/** A statement for rows of the query from `start` on, whose row is `[ids, properties of those from offset on]`. */
export interface Window {
  readonly start: number;
  readonly size: number;
  /** Rows of the page within it. */
  readonly from: number;
  readonly to: number;
}

/** The window that has the page; undefined: the page is none whose ids are kept. */
export function windowOf({ offset = 0, limit }: NodeQuery): Window | undefined {
  if (offset < DEEP || limit === undefined || limit > LARGEST) return undefined;
  const from = offset % WINDOW;
  return { start: offset - from, size: WINDOW + LARGEST, from, to: from + limit };
}

export class KeptLists {
  readonly #kept = new Map<string, Kept>();
  readonly #recent = new RecentCommits();
  #ids = 0;
  /** Questions on their way: what is committed meanwhile is remembered for them. */
  #asking = 0;
  /** The last commit that was heard of. */
  #last = 0;

  /** `applied`: the number of a commit that is applied for certain, with all before it. */
  constructor(private readonly applied: () => number) {}

  /** A commit of this instance; to be called before anybody is told of it. */
  committed(number: number, changes: readonly Change[] | 'everything'): void {
    this.#last = Math.max(this.#last, number);
    if (this.#kept.size + this.#asking > 0) this.#recent.add(number, changes);
  }

  /** The same of a commit that another thread of this process has made; `touched`: asked for where it matters. */
  heard(number: number, touched: () => readonly Touched[] | 'everything'): void {
    this.#last = Math.max(this.#last, number);
    if (this.#kept.size + this.#asking > 0) this.#recent.addTouched(number, touched());
  }

  /** The number of all that match, up to one more than `most`. */
  async count(query: NodeQuery, most: number, statement: Statement, run: KeptRun): Promise<bigint> {
    const name = nameOf(query, `count ${String(most)}`);
    const { found } = await this.#known(name, query, run, {
      counts: true,
      ids: () => undefined,
      find: async (ask) => {
        const [row] = await ask(statement);
        return { count: (row?.[0] ?? 0n) as bigint };
      },
      isWorth: ({ count = 0n }) => count >= BigInt(MANY),
    });
    return found.count ?? 0n;
  }

  /** Properties of the nodes of a page. `statement` is for the whole window. */
  async page(query: NodeQuery, window: Window, statement: Statement, run: KeptRun): Promise<readonly unknown[]> {
    const name = nameOf(query, `page ${String(window.start)}`);
    let own: readonly unknown[] = [];
    const { rows } = await this.#known(name, query, run, {
      counts: false,
      ids: ({ ids = [] }) => ids.slice(window.from, window.to),
      find: async (ask) => {
        const [row] = await ask(statement);
        own = (row?.[1] ?? []) as unknown[];
        return { ids: (row?.[0] ?? []) as string[] };
      },
      isWorth: () => true,
    });
    return rows ?? own;
  }

  async #known(
    name: string | undefined,
    query: NodeQuery,
    run: KeptRun,
    how: {
      readonly counts: boolean;
      readonly ids: (kept: Kept) => readonly string[] | undefined;
      readonly find: (ask: KeptRun['shared']) => Promise<Found>;
      readonly isWorth: (found: Found) => boolean;
    },
  ): Promise<{ readonly found: Found; readonly rows?: readonly unknown[] }> {
    this.#asking++;
    try {
      let commit = this.applied();
      let ask = run.shared;
      const kept = name === undefined ? undefined : this.#kept.get(name);
      if (name !== undefined && kept !== undefined) {
        const ids = how.ids(kept);
        const seen = this.#last;
        const checked = checkedOf((await run.shared(checkStatement(query, kept.commit, ids)))[0]);
        const rows = this.#holds(kept, checked, seen) ? inOrder(ids ?? [], checked.rows) : undefined;
        if (rows !== undefined) {
          this.#used(name, kept);
          return { found: kept, rows };
        }
        this.#forget(name);
        commit = checked.last;
        ask = run.fresh;
      }
      const reads = new ReadSet();
      // Values are read anew with each page: of those in it only what moves them counts.
      const types = query.types ?? query.from?.step.types;
      reads.list({ ...query, ...(types === undefined ? {} : { types }) }, commit, how.counts)([]);
      const found = await how.find(ask);
      if (name !== undefined && how.isWorth(found)) this.#keep(name, { ...found, reads, commit });
      return { found };
    } finally {
      this.#asking--;
    }
  }

  #holds(kept: Kept, { last, news, guard }: Checked, seen: number): boolean {
    if (last < seen) {
      // Another database is in the place of that.
      this.#clear();
      return false;
    }
    this.#last = Math.max(this.#last, last);
    if (Date.now() > kept.until || (kept.guard !== undefined && kept.guard !== guard)) return false;
    this.#recent.heard(news);
    for (let number = kept.commit + 1; number <= last; number++) {
      const effects = this.#recent.effects(number);
      if (effects === undefined || kept.reads.concerns(effects, number)) return false;
    }
    kept.commit = Math.max(kept.commit, last);
    kept.guard = guard;
    return true;
  }

  #used(name: string, kept: Kept): void {
    if (this.#kept.get(name) !== kept) return;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
  }

  #keep(name: string, found: Found & Pick<Kept, 'reads' | 'commit'>): void {
    this.#forget(name);
    this.#kept.set(name, { ...found, until: Date.now() + HOLDS, guard: undefined });
    this.#ids += found.ids?.length ?? 0;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT && this.#ids <= MOST_IDS) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#ids -= this.#kept.get(name)?.ids?.length ?? 0;
    this.#kept.delete(name);
  }

  #clear(): void {
    this.#kept.clear();
    this.#recent.clear();
    this.#ids = 0;
    this.#last = 0;
  }
}

function checkedOf(row: Values | undefined): Checked {
  const [last, news, guard, rows] = row ?? [];
  return {
    last: Number(last ?? 0),
    news: news ?? [],
    guard: guard ?? 0,
    rows: (rows ?? []) as unknown[],
  };
}

/** Undefined: some are not there any more. */
function inOrder(ids: readonly string[], rows: readonly unknown[]): readonly unknown[] | undefined {
  const byId = new Map(rows.map((row) => [(row as { readonly id: unknown }).id, row]));
  return byId.size === ids.length ? ids.map((id) => byId.get(id)) : undefined;
}
