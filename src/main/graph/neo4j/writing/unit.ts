/**
 * One write transaction on the server. It begins by taking the lock all writers of all instances share, so that what
 * the work reads cannot change under it, and a look-up is enough to keep values unique.
 */
import { randomUUID } from 'node:crypto';
import type { Integer, Session, Transaction } from 'neo4j-driver';
import type { CypherStatement } from '../../cypher.js';
import { GraphError } from '../../errors.js';
import { integer } from '../connection/codec.js';
import { newsBetween } from '../instances/commits.js';
import { collect, parametersOf, type RawResult } from '../query/cypher.js';
import { type Database, ignored, values } from '../connection/database.js';
import { aborted, ended, graphError, isLost, isTransient, timedOut, unknownOutcome } from '../connection/errors.js';
import { FAR, type Limits, serverTimeout, within } from '../connection/limits.js';
import { META } from '../connection/names.js';
import type { Statement, Values } from '../connection/statement.js';

/** Positions in the order of creation that a transaction takes at once. */
const BLOCK = 1_000_000n;
/** Setting the lock's own property takes the lock before `seq` is read. */
const LOCK =
  `MATCH (m:${META} {name: 'writer'}) SET m.lock = $tx WITH m SET m.seq = m.seq + $block, m.commit = m.commit + 1 ` +
  `WITH m MERGE (i:${META} {name: $instance}) SET i.tx = $tx WITH m, m.commit - 1 AS last ` +
  `CALL { WITH last ${newsBetween('$known', 'last')} } RETURN m.seq - $block, m.notice, m.commit, news`;
/** `asked` takes the lock before `tx` is read. */
const OUTCOME = `MERGE (i:${META} {name: $instance}) SET i.asked = timestamp() WITH i RETURN i.tx`;
/** Milliseconds a commit may take, at most and at least. */
const COMMIT = 30_000;
const LEAST_COMMIT = 5000;
/** Milliseconds in which the database must say what became of a commit. */
const OUTCOME_KNOWN = 15_000;
const OUTCOME_PAUSE = 200;
const FIRST_PAUSE = 20;

export class Unit {
  readonly #session: Session;
  readonly #tx: Transaction;
  readonly #id: string;
  #next: bigint;
  #last: bigint;
  #reason: GraphError | undefined;
  /** Number of the last notice of any instance before this transaction (notices.ts). */
  readonly notice: bigint;
  /** The commit number that this transaction gets. */
  readonly number: number;
  /** What others have committed since the commit `known`; see `Commits`. */
  readonly news: { readonly since: number; readonly rows: unknown };
  ended = false;
  /** Something was written. */
  dirty = false;

  private constructor(
    private readonly database: Database,
    private readonly limits: Limits,
    private readonly instance: string,
    opened: {
      readonly session: Session;
      readonly tx: Transaction;
      readonly id: string;
      readonly base: bigint;
      readonly notice: bigint;
      readonly number: bigint;
      readonly news: Unit['news'];
    },
  ) {
    this.#session = opened.session;
    this.#tx = opened.tx;
    this.#id = opened.id;
    this.notice = opened.notice;
    this.number = Number(opened.number);
    this.news = opened.news;
    this.#next = opened.base;
    this.#last = opened.base + BLOCK;
  }

  /**
   * Begins and waits for the lock. Until it is had nothing has been done, so this much is repeated after errors that
   * may pass; the work itself never is, it may have had effects elsewhere. `known`: the last commit that was heard of.
   */
  static async begin(database: Database, instance: string, known: number, limits: Limits): Promise<Unit> {
    for (let pause = FIRST_PAUSE; ; pause *= 2) {
      const session = database.session(true);
      try {
        const id = randomUUID();
        const timeout = limits.deadline === FAR ? 0 : serverTimeout(limits) + 1000;
        const tx = session.beginTransaction({ timeout });
        const statement = { text: LOCK, params: { tx: id, instance, block: BLOCK, known: integer(BigInt(known)) } };
        const since = performance.now();
        const result = await within(tx.run(statement.text, statement.params), limits);
        database.ran(statement, since);
        const [row] = result.records;
        const [base, notice, number, rows] = (row === undefined ? [] : values(row)) as [
          bigint?,
          bigint?,
          bigint?,
          unknown?,
        ];
        if (base === undefined || notice === undefined || number === undefined)
          throw new GraphError('unavailable', 'The database was emptied by another client.');
        const news = { since: known, rows };
        return new Unit(database, limits, instance, { session, tx: await tx, id, base, notice, number, news });
      } catch (error) {
        session.close().catch(ignored);
        const again = (isTransient(error) || isLost(error)) && Date.now() + pause < limits.deadline && pause < 2000;
        if (!again) throw graphError(error);
        await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
      }
    }
  }

  /** The next position in the order of creation. */
  position(): Integer {
    if (this.#next === this.#last) {
      // More than the block: the lock is ours, so the next block is free as well. Sent ahead of what follows.
      this.#last += BLOCK;
      this.run({
        text: `MATCH (m:${META} {name: 'writer'}) SET m.seq = m.seq + $block`,
        params: { block: BLOCK },
      }).catch(ignored);
    }
    return integer(this.#next++);
  }

  check(): void {
    if (this.ended) throw this.#reason ?? ended();
  }

  /** The first reason stays: a transaction that ran into its time limit says so to its own work. */
  end(reason?: GraphError): void {
    if (this.ended) return;
    this.ended = true;
    this.#reason = reason;
  }

  async run(statement: Statement): Promise<Values[]> {
    this.check();
    const since = performance.now();
    try {
      const result = await within(this.#tx.run(statement.text, statement.params), this.limits);
      return result.records.map(values);
    } catch (error) {
      // The server has given up the whole transaction; nothing more can be done in it.
      const reason = graphError(error);
      this.end(reason instanceof GraphError ? reason : undefined);
      throw reason;
    } finally {
      this.database.ran(statement, since);
    }
  }

  /** A statement of somebody else; when it fails the transaction is over. */
  async runRaw(statement: CypherStatement): Promise<RawResult> {
    this.check();
    const since = performance.now();
    try {
      return await collect(this.#tx.run(statement.text, parametersOf(statement)), this.limits, statement);
    } catch (error) {
      this.end(error instanceof GraphError ? error : undefined);
      throw error;
    } finally {
      this.database.ran({ text: statement.text, params: {} }, since);
    }
  }

  /**
   * The bookmarks of the commit; none when its answer was lost. Throws when nothing was written, or when nobody can tell, which the
   * message says.
   */
  async commit(): Promise<readonly string[]> {
    // What takes long here is a connection that says nothing any more.
    const deadline = Math.max(Math.min(this.limits.deadline, Date.now() + COMMIT), Date.now() + LEAST_COMMIT);
    try {
      await within(this.#tx.commit(), { deadline });
      return this.#session.lastBookmarks();
    } catch (error) {
      const silent = error instanceof GraphError && error.code === 'query_timeout';
      if (!silent && !isLost(error)) throw graphError(error);
      if (!(await this.#wasCommitted())) throw graphError(error);
      return [];
    } finally {
      this.#session.close().catch(ignored);
    }
  }

  /**
   * After a lost connection: the database knows the last transaction of this instance, which has one at a time. Asking
   * takes the lock that an open transaction still has, so that the answer is final.
   */
  async #wasCommitted(): Promise<boolean> {
    const until = Date.now() + OUTCOME_KNOWN;
    for (;;) {
      try {
        const limits = { deadline: Math.min(until, Date.now() + 5000) };
        const statement = { text: OUTCOME, params: { instance: this.instance } };
        const [row] = await this.database.run(statement, limits, true);
        return row?.[0] === this.#id;
      } catch (error) {
        if (Date.now() + OUTCOME_PAUSE > until) throw unknownOutcome(error);
        await new Promise((resolve) => setTimeout(resolve, OUTCOME_PAUSE));
      }
    }
  }

  /** Closing the session resets the connection, which ends a running statement and undoes the transaction. */
  async rollback(): Promise<void> {
    await within(this.#session.close(), { deadline: Date.now() + 5000 }).catch(ignored);
  }
}

/** The work, or the time limit or signal that ends it; `unit` refuses everything from then on. */
export async function guarded<T>(work: () => Promise<T>, unit: Unit, limits: Limits): Promise<T> {
  const { deadline, signal } = limits;
  let timer: NodeJS.Timeout | undefined;
  let cancel: (() => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    const stop = (reason: GraphError): void => {
      unit.end(reason);
      reject(reason);
    };
    cancel = () => {
      stop(aborted());
    };
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener('abort', cancel);
    if (deadline < FAR) {
      timer = setTimeout(
        () => {
          stop(timedOut());
        },
        Math.max(0, deadline - Date.now()),
      );
    }
  });
  try {
    return await Promise.race([work(), stopped]);
  } finally {
    clearTimeout(timer);
    if (cancel !== undefined) signal?.removeEventListener('abort', cancel);
  }
}
