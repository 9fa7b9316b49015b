/** The driver, and how one statement is run: time limits, cancelling, repeating, the log of statements. */
import neo4j, { type BookmarkManager, type Driver, type Plan, type Record as Row, type Session } from 'neo4j-driver';
import { graphError, isLost, isPassing, isTransient } from './errors.js';
import { isCancelled, type Limits, serverTimeout, within } from './limits.js';
import type { Neo4jOptions } from './options.js';
import { Shown } from './shown.js';
import type { Statement, Values } from './statement.js';

export { FAR } from './limits.js';

/** Rows fetched at once; the driver asks for more while the last are read. */
const FETCH = 1000;
const BATCH = 256;
/** Times a statement that only reads is sent again after errors that may pass. */
const REPEATS = 3;
/** The same for errors that do pass, as Neo4j goes on with what it does: for so many milliseconds. */
const PASSING = 5000;
const MOST_PAUSE = 400;
/** Milliseconds that each of statements that run together may take, and their commit. */
const EACH = 100;
const COMMIT = 60_000;

/** Sending a statement again that only reads and of which nothing has been seen. */
class Repeats {
  #until: number | undefined;
  #attempts = 0;
  #repeats = 0;

  /** Resolves when the statement is to be sent again after this error; throws when that would not help. */
  async next(error: unknown, limits: Limits): Promise<void> {
    const pause = Math.min(++this.#attempts * 50, MOST_PAUSE);
    this.#until ??= Date.now() + PASSING;
    const mayPass = isTransient(error) || isLost(error);
    const again = isPassing(error) ? Date.now() + pause < this.#until : mayPass && this.#repeats++ < REPEATS;
    if (!again || isCancelled(limits) || Date.now() + pause > limits.deadline) throw graphError(error);
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random() / 2)));
  }
}

export class Database {
  readonly driver: Driver;
  /** In a cluster a read must not come before what was written; one server needs no telling. */
  readonly #bookmarks: BookmarkManager | undefined;
  readonly #options: Neo4jOptions;
  /** Hears of the bookmarks that come with answers. */
  onBookmarks: ((bookmarks: readonly string[]) => void) | undefined;

  /** `shown`: what all threads of this process have shown. */
  constructor(options: Neo4jOptions, shown = new Shown()) {
    this.#options = options;
    this.#bookmarks = options.url.startsWith('neo4j')
      ? neo4j.bookmarkManager({
          bookmarksSupplier: () => Promise.resolve(shown.bookmarks),
          bookmarksConsumer: (bookmarks) => {
            shown.take([...bookmarks]);
            return Promise.resolve();
          },
        })
      : undefined;
    this.driver = neo4j.driver(options.url, neo4j.auth.basic(options.user, options.password), {
      useBigInt: true,
      telemetryDisabled: true,
      fetchSize: FETCH,
      userAgent: 'svc',
      maxConnectionPoolSize: options.poolSize ?? 50,
      connectionTimeout: options.connectTimeout ?? 5000,
      connectionAcquisitionTimeout: options.acquireTimeout ?? 10_000,
      maxConnectionLifetime: 3_600_000,
      // Hints about unknown names would be sent with every row of a schema that has not been used yet.
      notificationFilter: { minimumSeverityLevel: 'OFF' },
    });
  }

  session(write: boolean, fetchSize = FETCH, bookmarks?: readonly string[]): Session {
    const { database } = this.#options;
    return this.driver.session({
      ...(database === undefined ? {} : { database }),
      fetchSize,
      ...(bookmarks === undefined ? {} : { bookmarks: [...bookmarks] }),
      defaultAccessMode: write ? neo4j.session.WRITE : neo4j.session.READ,
      ...(this.#bookmarks === undefined ? {} : { bookmarkManager: this.#bookmarks }),
    });
  }

  /** Tells the log of a statement that began at `since`. */
  ran(statement: Statement, since: number): void {
    this.#options.statements?.ran(statement.text, since);
  }

  /**
   * Runs a statement as a transaction of its own; one that only reads is repeated when that may help. `bookmarks`: once all that they
   * name is applied.
   */
  async run(statement: Statement, limits: Limits, write = false, bookmarks?: readonly string[]): Promise<Values[]> {
    const repeats = new Repeats();
    for (;;) {
      try {
        return await this.#once(statement, limits, write, bookmarks);
      } catch (error) {
        if (write) throw graphError(error);
        await repeats.next(error, limits);
      }
    }
  }

  async #once(
    statement: Statement,
    limits: Limits,
    write: boolean,
    bookmarks: readonly string[] | undefined,
  ): Promise<Values[]> {
    // Not kept for the next statement, though making one costs a fifth of a short read: a session keeps all results.
    const session = this.session(write, FETCH, bookmarks);
    const since = performance.now();
    try {
      const result = session.run(statement.text, statement.params, { timeout: serverTimeout(limits) });
      const { records } = await within(result, limits);
      this.onBookmarks?.(session.lastBookmarks());
      return records.map(values);
    } finally {
      // Ends what is still running on the server; nobody needs to wait for that.
      session.close().catch(ignored);
      this.ran(statement, since);
    }
  }

  /** Rows in batches of at most 256. The time limit is on waiting for Neo4j, not on a slow consumer. */
  async *stream(statement: Statement, renewed: () => Limits): AsyncGenerator<Values[]> {
    const repeats = new Repeats();
    const first = renewed();
    for (;;) {
      let begun = false;
      try {
        for await (const batch of this.#batches(statement, renewed)) {
          begun = true;
          yield batch;
        }
        return;
      } catch (error) {
        if (begun) throw graphError(error);
        await repeats.next(error, first);
      }
    }
  }

  async *#batches(statement: Statement, renewed: () => Limits): AsyncGenerator<Values[]> {
    const session = this.session(false);
    const since = performance.now();
    try {
      const tx = unfinished(session);
      const rows = tx.run(statement.text, statement.params)[Symbol.asyncIterator]();
      for (;;) {
        const limits = renewed();
        const batch: Values[] = [];
        let done = false;
        while (batch.length < BATCH && !done) {
          const next = await within(rows.next(), limits);
          if (next.done === true) done = true;
          else batch.push(values(next.value));
        }
        // For the bookmark alone; on its way while the last rows are used.
        const committing = done ? within(tx.commit(), limits) : undefined;
        committing?.catch(ignored);
        if (batch.length > 0) yield batch;
        if (committing === undefined) continue;
        await committing;
        this.onBookmarks?.(session.lastBookmarks());
        return;
      }
    } finally {
      session.close().catch(ignored);
      this.ran(statement, since);
    }
  }

  /** Operators of the plan Neo4j makes of a statement, the last step first. */
  async plan(statement: Statement): Promise<string[]> {
    const session = this.session(false);
    try {
      const text = statement.text.startsWith('CYPHER')
        ? statement.text.replace(/^CYPHER \S+/, '$& EXPLAIN')
        : `EXPLAIN ${statement.text}`;
      const { summary } = await session.run(text, statement.params);
      const lines: string[] = [];
      const visit = (plan: Plan): void => {
        const details = plan.arguments['Details'];
        lines.push(plan.operatorType + (typeof details === 'string' ? ` ${details}` : ''));
        plan.children.forEach(visit);
      };
      if (summary.plan !== false) visit(summary.plan);
      return lines;
    } catch (error) {
      throw graphError(error);
    } finally {
      session.close().catch(ignored);
    }
  }

  /** Runs statements without results as one transaction, which may wait `patience` ms for the locks of others. */
  async runTogether(texts: readonly string[], patience: number): Promise<void> {
    const session = this.session(true);
    const since = performance.now();
    const limit = patience + texts.length * EACH;
    const limits = { deadline: Date.now() + limit };
    try {
      // The server ends it by itself if it never hears that we have given up.
      const tx = unfinished(session, limit + COMMIT);
      for (const text of texts) await within(tx.run(text), limits);
      await within(tx.commit(), { deadline: Date.now() + COMMIT });
    } catch (error) {
      throw graphError(error);
    } finally {
      session.close().catch(ignored);
      this.ran({ text: texts.join('; '), params: {} }, since);
    }
  }

  async close(): Promise<void> {
    await this.driver.close();
  }
}

/**
 * A transaction for one result that may not be read to its end. The driver resets the connection of a session that is closed
 * within one; a result without, between two of its batches, leaves it to the next session as it is, which then fails or waits.
 * `timeout` in ms; absent: what the database has by its settings.
 */
export function unfinished(session: Session, timeout?: number): ReturnType<Session['beginTransaction']> {
  const tx = session.beginTransaction(timeout === undefined ? {} : { timeout });
  // What runs in it is told as well.
  tx.then(ignored, ignored);
  return tx;
}

export function values(row: Row): Values {
  const { length } = row;
  if (length === 1) return [row.get(0)];
  const all: unknown[] = [];
  for (let i = 0; i < length; i++) all.push(row.get(i));
  return all;
}

export function ignored(): void {
  // What ends a session after an error can only fail for the same reason.
}
