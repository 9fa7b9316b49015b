/** The Neo4j engine: one lock for all writers of all instances, reads beside it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { CypherFacts, CypherStatement } from '../cypher.js';
import { GraphError } from '../errors.js';
import { Arrivals } from '../commits/arrivals.js';
import { Neo4jAdoption } from './adoption.js';
import type {
  Cleared,
  GraphEngine,
  GraphFigures,
  IndexPart,
  Kept,
  ReadTransaction,
  Steps,
  TransactionOptions,
  WriteTransaction,
} from '../graph.js';
import type { Seat } from '../seats/seat.js';
import type { Watcher } from '../commits/notice.js';
import type { Query } from '../query.js';
import {
  type Commit,
  type CommitFollower,
  type Journal,
  type JournalWriter,
  type Origin,
  SYSTEM_ORIGIN,
} from '../commits/commit.js';
import type { Change, IndexDefinition, TextIndexDefinition } from '../types.js';
import { Catalog } from './query/catalog.js';
import { Commits } from './instances/commits.js';
import { explainedQuery } from './query/explain.js';
import { KEEPS, type Knowledge } from './query/knowledge.js';
import { refuseUnfinished } from './bulk/copy-mark.js';
import { explained } from './query/cypher.js';
import { Database, ignored } from './connection/database.js';
import { aborted, closed } from './connection/errors.js';
import { Fresh } from './connection/fresh.js';
import { Gaps } from './query/gaps.js';
import { Indexes } from './indexes/indexes.js';
import { Journals } from './instances/journals.js';
import { FAR, type Limits, within } from './connection/limits.js';
import { Neo4jMembership } from './instances/membership.js';
import { Neo4jStillness } from './instances/stillness.js';
import { Neo4jMessages } from './instances/messages.js';
import { Neo4jNotes } from './instances/notes.js';
import { Notices } from './instances/notices.js';
import { DEFAULT_TIMEOUT, logError, type Neo4jOptions } from './connection/options.js';
import { Queue } from './connection/queue.js';
import { Reading } from './reading/reading.js';
import { Seats } from './follower/seats.js';
import { setUp } from './indexes/setup.js';
import { Shown } from './connection/shown.js';
import { States } from './reading/states.js';
import { clear } from './writing/clearing.js';
import { together } from './writing/together.js';
import { guarded, Unit } from './writing/unit.js';
import { Writes } from './writing/writes.js';

/** Milliseconds the first indexes are waited for: those of a large database are made beside the traffic. */
const FIRST_INDEXES = 10_000;
/** Milliseconds that work in the background is waited for at the end. */
const PARTING = 5000;
/** Changes nothing; but who runs a statement of his own may have changed anything. */
const NOTHING: CypherStatement = { text: 'RETURN 1', parameters: {}, mostRows: 1, mostText: 100 };
/** Milliseconds that the writers' lock is waited for, and held, by who reads. */
const HELD = 2000;

export class Neo4jGraph implements GraphEngine {
  readonly engine = 'neo4j';
  readonly keeps = KEEPS;
  readonly notes: Neo4jNotes;
  readonly #database: Database;
  readonly #catalog = new Catalog();
  readonly #fresh = new Fresh();
  readonly #queue = new Queue();
  /** Held from the moment a writer has the lock of the database, not while it waits for it. */
  readonly #writing = new Queue();
  readonly #indexes: Indexes;
  readonly #knowledge: Knowledge;
  readonly #gaps: Gaps;
  readonly #reading: Reading;
  readonly #seats: Seats;
  readonly #journals: Journals;
  readonly #listeners = new Set<(changes: readonly Change[], commit: Commit) => void>();
  #number = 0;
  readonly #timeout: number;
  readonly #onError: (error: unknown) => void;
  readonly #instance = randomUUID();
  readonly #notices: Notices;
  readonly #commits: Commits;
  readonly #states: States;
  readonly membership: Neo4jMembership;
  readonly stillness: Neo4jStillness;
  readonly messages: Neo4jMessages;
  readonly #arrivals = new Arrivals();
  #first = true;
  #closing: Promise<void> | undefined;

  constructor(options: Neo4jOptions) {
    this.#timeout = options.queryTimeout ?? DEFAULT_TIMEOUT;
    this.#onError = options.onError ?? logError;
    const shown = new Shown();
    this.#database = new Database(options, shown);
    this.#indexes = new Indexes(this.#database, this.#onError, options.indexGrace, options.partsFrom);
    this.membership = new Neo4jMembership(this.#database, this.#instance);
    this.stillness = new Neo4jStillness(this.#database, this.membership.name);
    this.messages = new Neo4jMessages(this.#database, this.#instance, this.#onError);
    this.#commits = new Commits(this.#database);
    this.#states = new States((statement, bookmarks) =>
      this.#database.run(statement, { deadline: Date.now() + DEFAULT_TIMEOUT }, false, bookmarks),
    );
    this.#database.onBookmarks = (bookmarks) => {
      this.#states.told(bookmarks);
    };
    this.#notices = new Notices({
      database: this.#database,
      instance: this.#instance,
      // Another instance may have made the first relationship of a type.
      refresh: async (deadline) => {
        const before = new Set(this.#catalog.all);
        await this.#catalog.load((statement) => this.#database.run(statement, { deadline }));
        // It may have ended before it made their indexes.
        this.#indexes.relationships(this.#catalog.all.filter((relType) => !before.has(relType)));
      },
      alone: (work) => this.#writing.run(work),
      onError: this.#onError,
      isBehind: (number) => {
        this.#number = Math.max(this.#number, number);
        return this.#commits.isBehind(number);
      },
      messages: (last) => this.messages.reached(last),
      telling: (number) => {
        this.#number = Math.max(this.#number, number);
      },
      news: (changes) => {
        this.#seats.foreign(this.#number, changes);
      },
      told: (number) => {
        this.#arrivals.arrived(number);
        this.#seats.reached(number);
      },
      look: () => this.#commits.look(),
      stillness: this.stillness,
    });
    const run = this.#database.run.bind(this.#database);
    this.#journals = new Journals(this.#database);
    this.notes = new Neo4jNotes(this.#database);
    const limits = (): Limits => ({ deadline: Date.now() + DEFAULT_TIMEOUT });
    this.#gaps = new Gaps((statement) => run(statement, limits()), this.#onError);
    this.#knowledge = {
      indexed: (key) => this.#indexes.ready(key),
      parts: (key) => this.#indexes.parts(key),
      gapless: (type, key) => this.#gaps.gapless(type, key),
      relTypes: (types) => this.#catalog.relTypes(types),
      sharing: (relType) => this.#catalog.sharing(relType),
    };
    this.#reading = new Reading({
      database: this.#database,
      catalog: this.#catalog,
      knowledge: this.#knowledge,
      texts: this.#indexes,
      states: this.#states,
      timeout: this.#timeout,
      hold: () => this.#hold(),
    });
    this.#seats = new Seats({
      catalog: this.#catalog,
      facts: () => this.#indexes.facts,
      parts: (key) => this.#indexes.parts(key),
      shown: shown.memory,
    });
    this.#indexes.onFacts = () => {
      this.#seats.indexes();
    };
  }

  /** Connects and prepares the database; closes the driver when that fails. `unfinished`: it may be half of a copy. */
  async start({ unfinished = false } = {}): Promise<void> {
    try {
      if (!unfinished) await refuseUnfinished(this.#database);
      const reached = await setUp(this.#database, this.#catalog);
      this.#number = Number(reached.commit);
      this.#arrivals.arrived(this.#number);
      this.#commits.start(this.#number);
      this.#states.start(this.#number);
      this.#notices.start(reached.notice);
      await this.#indexes.load();
      this.#indexes.relationships(this.#catalog.all);
    } catch (error) {
      await this.#database.close();
      throw error;
    }
  }

  async read<T>(work: (tx: ReadTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.#closing !== undefined) throw closed();
    return this.#reading.read(work, options);
  }

  /** Has the writer's lock until the answer is called, for `HELD` at most; does not have it when that takes too long. */
  async #hold(): Promise<() => void> {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await new Promise<void>((resolve) => {
      const holding = (): Promise<void> => {
        resolve();
        return released;
      };
      this.write(holding, { timeout: HELD }).catch(ignored).finally(resolve);
    });
    return release;
  }

  async write<T>(work: (tx: WriteTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.#closing !== undefined) throw closed();
    const { signal } = options;
    if (signal?.aborted === true) throw aborted();
    const timeout = options.timeout ?? this.#timeout;
    // From now on: who waits behind others must not wait for ever.
    const limits: Limits = { deadline: timeout > 0 ? Date.now() + timeout : FAR, signal };
    return this.#queue.run(async () => {
      const unit = await Unit.begin(this.#database, this.#instance, this.#commits.known, limits);
      return this.#writing.run(() => this.#write(work, unit, limits, options.origin));
    }, limits);
  }

  async #write<T>(
    work: (tx: WriteTransaction) => Promise<T>,
    unit: Unit,
    limits: Limits,
    origin = SYSTEM_ORIGIN,
  ): Promise<T> {
    const writes = new Writes({
      unit,
      fresh: this.#fresh,
      catalog: this.#catalog,
      knowledge: this.#knowledge,
      texts: this.#indexes,
      run: (statement) => unit.run(statement),
      raw: (statement) => unit.runRaw(statement),
      check: () => {
        unit.check();
      },
      indexed: (key) => this.#indexes.holds(key),
    });
    const isForeign = (): boolean => writes.unlisted === 'anything';
    let value: T;
    let commit: Commit | undefined;
    let noticed = false;
    try {
      value = await guarded(
        async () => {
          // What others changed before is known to this work; nobody else writes meanwhile.
          await this.#notices.catchUp(unit.notice, limits.deadline, true);
          this.#states.locked(unit.number);
          this.#commits.hear(unit.news.since, unit.number - 1, unit.news.rows);
          return work(writes);
        },
        unit,
        limits,
      );
      unit.check();
      const changes = writes.changes();
      // Only then it is known whether it has written something.
      if (changes.length === 0) await writes.flush();
      else commit = { number: unit.number, time: Date.now(), origin, changes };
      if (commit !== undefined || unit.dirty) {
        const notice = this.#notices.of(changes, writes.newPairs.length > 0, isForeign());
        noticed = notice !== undefined;
        // One that begins just now misses the word of it, and takes it for a change of everything.
        const left = this.membership.isAlone ? undefined : this.#commits.leave(unit.number, changes, isForeign());
        const records = commit && (await this.#journals.ending(commit));
        unit.check();
        await together(writes, unit, [records, notice, left]);
      }
      unit.end();
    } catch (error) {
      unit.end(error instanceof GraphError ? error : undefined);
      await unit.rollback();
      throw error;
    }
    if (!unit.dirty) await unit.rollback();
    else {
      const changed = isForeign() ? 'everything' : writes.changes();
      const transaction = await this.#states.committing(unit.number, changed, () => unit.commit());
      this.#reading.lists.committed(unit.number, changed);
      this.#commits.committed(unit.number, commit === undefined ? writes.changes() : undefined);
      if (noticed && !isForeign()) this.#notices.seen(unit.notice + 1n);
      this.#number = Math.max(this.#number, unit.number);
      for (const [type, relType] of writes.newPairs) this.#catalog.stored(type, relType);
      this.#seats.committed(unit.number, transaction, changed);
      this.#committed(writes, commit);
      if (isForeign()) await this.#everythingMayHaveChanged(unit.notice + 1n);
    }
    return value;
  }

  /** What a statement of somebody else has written is news here as on other instances. */
  async #everythingMayHaveChanged(notice: bigint): Promise<void> {
    this.#gaps.forget();
    // What fails is tried again with the next look.
    await this.#notices.catchUp(notice, Date.now() + DEFAULT_TIMEOUT).catch(this.#onError);
  }

  #committed(writes: Writes, commit: Commit | undefined): void {
    if (writes.newPairs.length > 0) {
      this.#indexes.relationships([...new Set(writes.newPairs.map(([, relType]) => relType))]);
    }
    if (commit === undefined) return;
    for (const listener of this.#listeners) {
      try {
        listener(commit.changes, commit);
      } catch (error) {
        // A listener's error is its own: the commit has happened.
        this.#onError(error);
      }
    }
    this.#arrivals.arrived(commit.number);
  }

  get commitNumber(): number {
    return this.#number;
  }

  /** Other threads may have shown by now what those who keep something here are being told of. */
  current(): Promise<void> | undefined {
    return this.#seats.isEmpty ? undefined : this.#notices.telling;
  }

  seat(): Seat {
    if (this.#closing !== undefined) throw closed();
    return this.#seats.open();
  }

  reached(number: number, options: Pick<TransactionOptions, 'timeout' | 'signal'> = {}): Promise<void> {
    return this.#arrivals.reached(number, { ...options, timeout: options.timeout ?? this.#timeout });
  }

  follow(follower: CommitFollower): void {
    this.#commits.follow(follower);
  }

  journal(name: string, writer: JournalWriter): Journal {
    return this.#journals.open(name, writer);
  }

  onCommit(listener: (changes: readonly Change[], commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  watch(watcher: Watcher): () => void {
    return this.#notices.watch(watcher);
  }

  figures(): GraphFigures {
    return { waitingWriters: Math.max(0, this.#queue.length - 1) };
  }

  async setIndexes(definitions: readonly IndexDefinition[], texts: readonly TextIndexDefinition[] = []): Promise<void> {
    if (this.#closing !== undefined) throw closed();
    this.#gaps.forget();
    this.#indexes.set(definitions, texts);
    // Neo4j cannot plan statements while its schema changes all the time, as it does once, in a new database.
    if (this.#first) await Promise.race([this.#indexes.settled(), pause(FIRST_INDEXES, undefined, { ref: false })]);
    this.#first = false;
  }

  /** A commit that the server has acknowledged is. */
  async durable(): Promise<void> {}

  async indexesReady(): Promise<void> {
    await this.#indexes.settled();
  }

  /** Neo4j keeps its indexes itself, in the transactions that write: only what is missing or has failed is made anew, and full-text indexes. */
  async reindex(part: IndexPart, types: readonly string[] | undefined, steps: Steps): Promise<void> {
    if (this.#closing !== undefined) throw closed();
    steps.begin(`waiting for the indexes of ${part}`);
    if (part === 'relationships') this.#indexes.relationships(this.#catalog.all);
    await this.#indexes.renew(part === 'texts', types);
    this.#gaps.forget();
    await steps.done(0);
  }

  adoption(newId: () => string): Neo4jAdoption {
    const unlimited = { timeout: 0 };
    return new Neo4jAdoption({
      read: (work) => this.read(work, unlimited),
      write: (work) => this.write(work, unlimited),
      newId,
    });
  }

  async clear(kept: Kept, steps: Steps, origin?: Origin): Promise<Cleared> {
    const work = async (tx: WriteTransaction): Promise<Cleared> => {
      const cleared = await clear(this.#database, this.#catalog, kept, steps);
      await tx.cypherWrite?.(NOTHING);
      return cleared;
    };
    return this.write(work, { timeout: 0, origin }).catch(async (error: unknown) => {
      // A part of it may be gone.
      await this.forget().catch(this.#onError);
      throw error;
    });
  }

  async forget(): Promise<void> {
    await this.write(async (tx) => {
      await tx.cypherWrite?.(NOTHING);
    });
  }

  explainCypher(statement: CypherStatement): Promise<CypherFacts> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    return explained(this.#database, statement, { deadline: this.#timeout > 0 ? Date.now() + this.#timeout : FAR });
  }

  explain(query: Query): Promise<string[]> {
    return explainedQuery(query, this.#knowledge, this.#database);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#arrivals.close();
    this.stillness.stop();
    await this.#reading.done();
    await this.#seats.close();
    await within(this.#notices.stop(), { deadline: Date.now() + PARTING }).catch(ignored);
    await this.#queue.drained();
    await within(this.messages.stop(), { deadline: Date.now() + PARTING }).catch(ignored);
    await within(this.#indexes.stop(), { deadline: Date.now() + PARTING }).catch(ignored);
    // Nothing depends on it: what stays after a crash ends by itself.
    await this.membership.leave().catch(() => undefined);
    await this.#database.close();
  }
}
