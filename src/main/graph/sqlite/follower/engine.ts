/** The SQLite engine of a thread that reads beside the main thread of its process (docs/design/threads.md). */
import type { MessagePort } from 'node:worker_threads';
import { Arrivals } from '../../commits/arrivals.js';
import { writerElsewhere } from '../../errors.js';
import type {
  DatabaseNotes,
  GraphEngine,
  GraphFigures,
  PromptReads,
  ReadTransaction,
  TransactionOptions,
} from '../../graph.js';
import type { SqliteSeat } from '../../seats/seat.js';
import type { Query } from '../../query.js';
import { LoopGuard } from '../connection/loop-guard.js';
import { Names } from '../connection/names.js';
import { Counters } from '../indexes/counters.js';
import { noteIn } from '../notes.js';
import type { SqliteOptions } from '../options.js';
import { explained } from '../reading/explain.js';
import { Prompt } from '../reading/prompt.js';
import { RunningReads } from '../reading/running-reads.js';
import { Scans } from '../scans/scans.js';
import { Store } from '../reading/store.js';
import { closed, KEEPS } from '../reading/stored-nodes.js';
import { Writer } from '../writing/writer.js';
import { Clock, Own } from '../../seats/clock.js';
import { Following } from './following.js';
import { type FollowerMessage, Inbox } from './messages.js';
import { FollowerScope } from './scope.js';
import { States } from './states.js';
import { Reader, refused } from '../../seats/reader.js';
import { Telling } from '../../seats/telling.js';
import { NothingUncommitted, StateColumns, StateIndexes } from './twins.js';

const DEFAULT_TIMEOUT = 30_000;
const LOOP_BUDGET = 2;
/** Page cache of threads for long reads, in megabytes. */
const SCAN_CACHE = 4;
/** Characters of nodes in memory: a quarter of the main thread's. */
const CACHED = 16_000_000;
/** Milliseconds between two looks of somebody who waits for a commit. */
const LOOK = 2;

/** Settings of a thread that reads, as those of the main thread. */
export interface FollowerOptions extends Pick<
  SqliteOptions,
  | 'queryTimeout'
  | 'readerThreads'
  | 'loopBudget'
  | 'packFrom'
  | 'partsMegabytes'
  | 'partsExcept'
  | 'statements'
  | 'observer'
  | 'onError'
> {
  /** Characters of nodes that are kept in memory (16,000,000). */
  readonly cachedText?: number;
}

export class FollowerGraph extends Reader implements GraphEngine {
  readonly engine = 'sqlite';
  readonly keeps = KEEPS;
  readonly notes: DatabaseNotes;
  readonly #port: MessagePort;
  readonly #store: Store;
  readonly #prompt: Prompt;
  readonly #states: States;
  readonly #following: Following;
  protected readonly telling: Telling;
  readonly #arrivals = new Arrivals();
  readonly #timeout: number;
  readonly #reads = new RunningReads();
  #closing: Promise<void> | undefined;

  constructor({ file, port, clock: time, own: shared }: SqliteSeat, options: FollowerOptions) {
    super();
    const { statements } = options;
    const onError = options.onError ?? logError;
    this.#timeout = options.queryTimeout ?? DEFAULT_TIMEOUT;
    this.#port = port;
    const guard = new LoopGuard(options.loopBudget ?? LOOP_BUDGET);
    const own = new Own(shared);
    const names = new Names();
    const indexes = new StateIndexes();
    const scans = new Scans(file, options.readerThreads ?? 1, SCAN_CACHE, statements);
    this.telling = new Telling(onError);
    const inbox = new Inbox(port, (bytes) => {
      own.take(bytes);
    });
    let writer: Writer | undefined;
    this.#states = new States({
      file,
      guard,
      statements,
      clock: new Clock(time),
      own,
      inbox,
      indexVersion: () => indexes.version,
      onError,
      reads: (connection) => {
        if (writer === undefined) writer = new Writer(connection);
        else writer.connection = connection;
        connection.onDamage ??= (error) => {
          this.#say({ what: 'damaged', message: error.message });
        };
      },
      took: (messages, number, connection) => {
        this.#following.took(messages, number, connection);
        this.#arrived(number);
      },
    });
    const reads = writer as unknown as Writer;
    reads.check = () => {
      this.#states.hold();
    };
    this.#store = new Store(reads, reads.connection, guard, names, new Counters(), scans, options.cachedText ?? CACHED);
    // An index of parts takes as much memory as all else here.
    this.#store.parts.set({ ...options, partsElsewhere: true });
    this.#prompt = new Prompt(this.#store);
    const columns = new StateColumns(reads);
    this.#store.commit = new NothingUncommitted();
    this.#store.snapshots = this.#states;
    this.#store.index = indexes;
    this.#store.texts = indexes;
    this.#store.columns = columns;
    this.#following = new Following(this.#store, indexes, this.telling, () => this.#states);
    scans.onDamage = (error) => {
      this.#say({ what: 'damaged', message: error.message });
    };
    scans.onDamagedColumns = () => {
      columns.damaged();
      this.#say({ what: 'columns damaged' });
    };
    scans.onSeen = () => {
      this.#states.refresh();
    };
    this.notes = {
      get: async (name) => {
        this.#states.refresh();
        return noteIn(reads, name);
      },
      claim: async (name) => {
        this.#states.refresh();
        const known = noteIn(reads, name);
        if (known === undefined) throw writerElsewhere();
        return known;
      },
      set: refused,
    };
  }

  #say(message: FollowerMessage): void {
    this.#port.postMessage(message);
  }

  #arrived(number: number): void {
    const { settling } = this.telling;
    if (settling === undefined) this.#arrivals.arrived(number);
    else
      void settling.then(() => {
        this.#arrivals.arrived(number);
      });
  }

  /** Reads what is there. */
  start(): void {
    this.#states.refresh();
  }

  get #isClosed(): boolean {
    return this.#closing !== undefined || this.#following.isClosed;
  }

  current(): Promise<void> | undefined {
    if (this.#isClosed) return undefined;
    try {
      this.#states.refresh();
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    return this.telling.settling;
  }

  async read<T>(work: (tx: ReadTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.#isClosed) throw closed();
    const scope = new FollowerScope(options, options.timeout ?? this.#timeout, this.#states);
    return this.#reads.run(this.#store, scope, work);
  }

  now<T>(work: (reads: PromptReads) => T | undefined): T | undefined {
    if (this.#isClosed) return undefined;
    this.#states.refresh();
    return work(this.#prompt);
  }

  get commitNumber(): number {
    return this.#states.number;
  }

  async reached(number: number, options: Pick<TransactionOptions, 'timeout' | 'signal'> = {}): Promise<void> {
    if (this.#isClosed) throw closed();
    this.#states.refresh();
    const reached = this.#arrivals.reached(number, { ...options, timeout: options.timeout ?? this.#timeout });
    if (this.#states.number >= number) return reached;
    const timer = setInterval(() => {
      this.#states.refresh();
    }, LOOK);
    await reached.finally(() => {
      clearInterval(timer);
    });
  }

  figures(): GraphFigures {
    const { count, size, hits, misses } = this.#store.cache;
    return { waitingWriters: 0, nodeCache: { count, size, hits, misses } };
  }

  async forget(): Promise<void> {
    this.#store.forget();
  }

  async explain(query: Query): Promise<string[]> {
    return explained(this.#store, query);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#arrivals.close();
    this.telling.close();
    await this.#reads.over();
    await this.#store.scans.close();
    this.#states.close();
    this.#port.close();
  }
}

function logError(error: unknown): void {
  process.stderr.write(`graph: ${error instanceof Error ? error.message : String(error)}\n`);
}
