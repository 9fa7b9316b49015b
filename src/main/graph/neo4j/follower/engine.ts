/** The Neo4j engine of a thread that reads beside the main thread of its process (docs/design/threads.md 16). */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { Arrivals } from '../../commits/arrivals.js';
import type { Touched } from '../../commits/commit.js';
import type { CypherFacts, CypherStatement } from '../../cypher.js';
import { writerElsewhere } from '../../errors.js';
import type { DatabaseNotes, GraphEngine, GraphFigures, ReadTransaction, TransactionOptions } from '../../graph.js';
import type { Neo4jSeat } from '../../seats/seat.js';
import { effectsOfTouched } from '../../optimistic/touched.js';
import type { Query } from '../../query.js';
import { Clock, Own } from '../../seats/clock.js';
import { Reader, refused } from '../../seats/reader.js';
import { Telling } from '../../seats/telling.js';
import { noticesOf, touchedOf } from '../../seats/told-changes.js';
import { Database } from '../connection/database.js';
import { closed } from '../connection/errors.js';
import { FAR, type Limits } from '../connection/limits.js';
import { META } from '../connection/names.js';
import { DEFAULT_TIMEOUT, logError, type Neo4jOptions } from '../connection/options.js';
import { Shown } from '../connection/shown.js';
import { Neo4jNotes } from '../instances/notes.js';
import { Catalog, type Pair } from '../query/catalog.js';
import { explained } from '../query/cypher.js';
import { explainedQuery } from '../query/explain.js';
import { Gaps } from '../query/gaps.js';
import { KEEPS, type Knowledge } from '../query/knowledge.js';
import { Reading } from '../reading/reading.js';
import { States } from '../reading/states.js';
import { KnownIndexes } from './known-indexes.js';
import type { CommitNews, FollowerMessage, SeatNews } from './messages.js';

/** The last commit. Read without the lock: what it names may be there in parts only. */
const LAST = { text: `MATCH (m:${META} {name: 'writer'}) RETURN m.commit`, params: {} };
/** Milliseconds that the word of a commit is waited for whose number was read. */
const WORD = 500;

/** Settings of a thread that reads, as those of the main thread; `poolSize` is its share of the connections. */
export type Neo4jFollowerOptions = Pick<
  Neo4jOptions,
  | 'url'
  | 'user'
  | 'password'
  | 'database'
  | 'poolSize'
  | 'connectTimeout'
  | 'acquireTimeout'
  | 'queryTimeout'
  | 'statements'
  | 'observer'
  | 'onError'
>;

export class Neo4jFollower extends Reader implements GraphEngine {
  readonly engine = 'neo4j';
  readonly keeps = KEEPS;
  readonly notes: DatabaseNotes;
  readonly #port: MessagePort;
  readonly #clock: Clock;
  readonly #own: Own;
  readonly #database: Database;
  readonly #catalog = new Catalog();
  readonly #indexes: KnownIndexes;
  readonly #gaps: Gaps;
  readonly #knowledge: Knowledge;
  readonly #states: States;
  readonly #reading: Reading;
  protected readonly telling: Telling;
  readonly #arrivals = new Arrivals();
  readonly #timeout: number;
  /** The last message that was taken. */
  #serial = -1;
  #number = 0;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor({ port, clock, own, shown }: Neo4jSeat, options: Neo4jFollowerOptions) {
    super();
    const onError = options.onError ?? logError;
    this.#timeout = options.queryTimeout ?? DEFAULT_TIMEOUT;
    this.#port = port;
    this.#clock = new Clock(clock);
    this.#own = new Own(own);
    this.#database = new Database(options, new Shown(shown));
    const run = this.#database.run.bind(this.#database);
    const limits = (): Limits => ({ deadline: Date.now() + DEFAULT_TIMEOUT });
    this.#indexes = new KnownIndexes((key) => {
      port.postMessage({ what: 'parts', key } satisfies FollowerMessage);
    });
    this.#gaps = new Gaps((statement) => run(statement, limits()), onError);
    this.#knowledge = {
      indexed: (key) => this.#indexes.ready(key),
      parts: (key) => this.#indexes.parts(key),
      gapless: (type, key) => this.#gaps.gapless(type, key),
      relTypes: (types) => this.#catalog.relTypes(types),
      sharing: (relType) => this.#catalog.sharing(relType),
    };
    this.#states = new States((statement, bookmarks) => run(statement, limits(), false, bookmarks), {
      take: () => {
        this.#take();
      },
      // Who is not told in time reads again, and in the end leaves it to the main thread.
      reached: (number) => this.#arrivals.reached(number, { timeout: WORD }).catch(() => undefined),
    });
    this.#database.onBookmarks = (bookmarks) => {
      this.#states.told(bookmarks);
    };
    this.#reading = new Reading({
      database: this.#database,
      catalog: this.#catalog,
      knowledge: this.#knowledge,
      texts: this.#indexes,
      states: this.#states,
      timeout: this.#timeout,
      hold: () => Promise.reject(writerElsewhere('The main thread can read beside no writer.')),
    });
    this.telling = new Telling(onError);
    // Before all others, which read by it.
    this.telling.watch({
      concerns: () => false,
      changed: (changes) => {
        if (changes !== 'everything') return undefined;
        this.#gaps.forget();
        return this.#catalog.load((statement) => run(statement, limits()));
      },
    });
    const notes = new Neo4jNotes(this.#database);
    this.notes = {
      get: (name) => notes.get(name),
      claim: async (name) => {
        const known = await notes.get(name);
        if (known === undefined) throw writerElsewhere();
        return known;
      },
      set: refused,
    };
    port.on('message', (message: SeatNews) => {
      this.#hear(message);
      this.#heard();
    });
    // Whatever keeps the thread is its server.
    port.unref();
  }

  /** Connects, and reads what is there; closes the driver when that fails. */
  async start(): Promise<void> {
    try {
      this.#take();
      const limits = { deadline: Date.now() + DEFAULT_TIMEOUT };
      await this.#catalog.load((statement) => this.#database.run(statement, limits));
      const [row] = await this.#database.run(LAST, limits);
      const last = Number(row?.[0] ?? 0);
      this.#number = Math.max(this.#number, last - 1);
      this.#states.start(last - 1);
      this.#take();
      this.#arrivals.arrived(this.#number);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Takes in what the main thread has told. */
  #take(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.#port) as { readonly message: SeatNews } | undefined;
      if (received === undefined) break;
      this.#hear(received.message);
    }
    this.#heard();
  }

  #hear(news: SeatNews): void {
    this.#own.take(news.size);
    // Whoever begins after this is shown is not to be content with less.
    this.#clock.raise(news.serial);
    this.#serial = news.serial;
    switch (news.what) {
      case 'commit':
        this.#known(news.pairs);
        this.#number = Math.max(this.#number, news.number);
        this.#committed(news);
        this.telling.add(news.changes);
        break;
      case 'foreign':
        this.#known(news.pairs);
        this.#number = Math.max(this.#number, news.number);
        this.telling.add(news.changes === 'everything' ? undefined : news.changes);
        break;
      case 'reached':
        this.#number = Math.max(this.#number, news.number);
        break;
      case 'indexes':
        this.#gaps.forget();
        this.#indexes.set(news.facts);
        break;
      case 'missed':
        this.#indexes.set(news.facts);
        this.telling.add(undefined);
        break;
      case 'closed':
        this.#isClosed = true;
        break;
    }
  }

  #committed({ number, transaction, changes }: CommitNews): void {
    const touched = (): readonly Touched[] | 'everything' =>
      changes === undefined ? 'everything' : touchedOf(noticesOf(changes));
    this.#states.heard(number, transaction, changes?.ids.length ?? 1, () => {
      const all = touched();
      return all === 'everything' ? all : effectsOfTouched(all);
    });
    this.#reading.lists.heard(number, touched);
  }

  #known(pairs: readonly Pair[]): void {
    for (const pair of pairs) this.#catalog.add(...pair);
  }

  /** Tells those who keep something. */
  #heard(): void {
    this.telling.tell();
    const number = this.#number;
    const { settling } = this.telling;
    if (settling === undefined) this.#arrivals.arrived(number);
    else
      void settling.then(() => {
        this.#arrivals.arrived(number);
      });
  }

  get #isOver(): boolean {
    return this.#closing !== undefined || this.#isClosed;
  }

  current(): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    if (!this.#clock.isAt(this.#serial)) {
      const { number } = this.#clock;
      this.#take();
      if (this.#clock.isAfter(this.#serial) && !this.#isOver) {
        // Too much was left in the port for more to be told.
        this.#serial = number;
        this.telling.add(undefined);
        this.#heard();
      }
    }
    return this.telling.settling;
  }

  async read<T>(work: (tx: ReadTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.#isOver) throw closed();
    return this.#reading.read(work, options);
  }

  get commitNumber(): number {
    return this.#number;
  }

  async reached(number: number, options: Pick<TransactionOptions, 'timeout' | 'signal'> = {}): Promise<void> {
    if (this.#isOver) throw closed();
    this.#take();
    await this.#arrivals.reached(number, { ...options, timeout: options.timeout ?? this.#timeout });
  }

  figures(): GraphFigures {
    return { waitingWriters: 0 };
  }

  async forget(): Promise<void> {
    this.#gaps.forget();
  }

  async explainCypher(statement: CypherStatement): Promise<CypherFacts> {
    if (this.#isOver) throw closed();
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
    this.telling.close();
    await this.#reading.done();
    this.#port.close();
    await this.#database.close();
  }
}
