/** An engine with transactions that stay open. */
import type { Membership, Messages, Stillness } from '../commits/between-instances.js';
import { type CacheFacts, Caches } from '../commits/caches.js';
import type { ColumnKeeper } from '../columns.js';
import type { Commit, Journal, JournalWriter, Origin } from '../commits/commit.js';
import type { CypherFacts, CypherStatement } from '../cypher.js';
import { GraphError } from '../errors.js';
import type {
  Adoption,
  Cleared,
  DatabaseNotes,
  Graph,
  GraphEngine,
  GraphFigures,
  IndexPart,
  Kept,
  OpenOptions,
  OpenTransaction,
  PromptReads,
  ReadTransaction,
  Steps,
  TransactionObserver,
  TransactionOptions,
  WriteTransaction,
} from '../graph.js';
import type { Seat } from '../seats/seat.js';
import type { Watcher } from '../commits/notice.js';
import type { Query } from '../query.js';
import type { Change, IndexDefinition, TextIndexDefinition } from '../types.js';
import { CommitLog } from './commit-log.js';
import { GatheredMemory } from './memory.js';
import { OpenedTransaction } from './transaction.js';

export interface OpenableOptions {
  /** Default time limit of a transaction, milliseconds; 0: none. */
  readonly timeout: number;
  /** Operations from which on the engine is told that a transaction is large; absent: it makes no difference to it. */
  readonly large?: number | undefined;
  /** For tests: what a transaction may gather, and how many changes are remembered for those that are open. */
  readonly gathered?: number | undefined;
  readonly remembered?: number | undefined;
  readonly observer?: TransactionObserver | undefined;
}

export class OpenableGraph implements Graph {
  readonly engine: string;
  readonly notes: DatabaseNotes;
  readonly caches: Caches;
  readonly columns?: ColumnKeeper;
  readonly membership?: Membership;
  readonly stillness?: Stillness;
  readonly messages?: Messages;
  readonly adoption?: (newId: () => string) => Adoption;
  readonly isReader?: boolean;
  readonly seat?: () => Seat;
  readonly explainCypher?: (statement: CypherStatement) => Promise<CypherFacts>;
  readonly #engine: GraphEngine;
  readonly #log: CommitLog;
  readonly #timeout: number;
  readonly #large: number;
  readonly #open = new Set<OpenedTransaction>();
  readonly #memory: GatheredMemory;
  readonly #observer: TransactionObserver | undefined;
  #closing: Promise<void> | undefined;

  constructor(engine: GraphEngine, { timeout, gathered, remembered, large = Infinity, observer }: OpenableOptions) {
    this.engine = engine.engine;
    this.notes = engine.notes;
    this.#engine = engine;
    this.caches = new Caches(engine);
    for (const one of engine.keeps) this.caches.add(one);
    this.#timeout = timeout;
    this.#large = large;
    this.#observer = observer;
    this.#memory = new GatheredMemory(gathered);
    if (engine.isReader !== undefined) this.isReader = engine.isReader;
    if (engine.seat !== undefined) this.seat = engine.seat.bind(engine);
    if (engine.columns !== undefined) this.columns = engine.columns;
    if (engine.membership !== undefined) this.membership = engine.membership;
    if (engine.stillness !== undefined) this.stillness = engine.stillness;
    if (engine.messages !== undefined) this.messages = engine.messages;
    if (engine.adoption !== undefined) this.adoption = engine.adoption.bind(engine);
    if (engine.explainCypher !== undefined) this.explainCypher = engine.explainCypher.bind(engine);
    this.#log = new CommitLog(remembered);
    // Before all others: whoever hears of a commit may begin a transaction.
    engine.onCommit((changes) => {
      this.#log.isCommitted(changes);
    });
    if (engine.follow !== undefined) engine.follow(this.#log);
    else {
      // There are no other instances: this is what it does itself without a list of changes.
      engine.watch({
        concerns: () => false,
        changed: (changes) => {
          if (changes === 'everything') this.#log.foreign(changes);
        },
      });
    }
  }

  open(options: OpenOptions): OpenTransaction {
    if (this.#closing !== undefined) throw closed();
    const transaction = new OpenedTransaction(
      {
        engine: this.#engine,
        log: this.#log,
        shared: this.#engine.follow !== undefined && this.#engine.isReader !== true,
        isReader: this.#engine.isReader === true,
        timeout: this.#timeout,
        large: this.#large,
        memory: this.#memory,
        ended: (one) => this.#open.delete(one),
        observer: this.#observer,
      },
      options,
    );
    this.#open.add(transaction);
    return transaction;
  }

  read<T>(work: (tx: ReadTransaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    const took = this.#observer?.read;
    if (took === undefined) return this.#engine.read(work, options);
    const since = performance.now();
    const reading = this.#engine.read(work, options);
    const ended = (): void => {
      took(performance.now() - since);
    };
    // Beside whoever waits for it, who must not wait a turn longer.
    reading.then(ended, ended);
    return reading;
  }

  now<T>(work: (reads: PromptReads) => T | undefined): T | undefined {
    if (this.#closing !== undefined) return undefined;
    const took = this.#observer?.read;
    if (took === undefined) return this.#engine.now?.(work);
    const since = performance.now();
    const result = this.#engine.now?.(work);
    if (result !== undefined) took(performance.now() - since);
    return result;
  }

  write<T>(work: (tx: WriteTransaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const log = this.#log;
    if (this.#closing !== undefined) return Promise.reject(closed());
    let number = 0;
    const writing = this.#engine.write(
      (tx) =>
        work(tx).then((value) => {
          number = log.add(tx);
          return value;
        }),
      options,
    );
    const since = performance.now();
    writing.then(
      () => {
        this.#observer?.wrote(performance.now() - since, false);
      },
      () => {
        // Whoever began to read meanwhile may wait for it.
        log.isLost(number);
        this.#observer?.wrote(performance.now() - since, true);
      },
    );
    return writing;
  }

  onCommit(listener: (changes: readonly Change[], commit: Commit) => void): () => void {
    return this.#engine.onCommit(listener);
  }

  get commitNumber(): number {
    return this.#engine.commitNumber;
  }

  get keeps(): readonly CacheFacts[] {
    return this.#engine.keeps;
  }

  current(): Promise<void> | undefined {
    return this.#engine.current();
  }

  reached(number: number, options?: Pick<TransactionOptions, 'timeout' | 'signal'>): Promise<void> {
    return this.#engine.reached(number, options);
  }

  journal(name: string, writer: JournalWriter): Journal {
    return this.#engine.journal(name, writer);
  }

  durable(): Promise<void> {
    return this.#engine.durable();
  }

  watch(watcher: Watcher): () => void {
    return this.#engine.watch(watcher);
  }

  setIndexes(definitions: readonly IndexDefinition[], texts?: readonly TextIndexDefinition[]): Promise<void> {
    return this.#engine.setIndexes(definitions, texts);
  }

  indexesReady(): Promise<void> {
    return this.#engine.indexesReady();
  }

  reindex(part: IndexPart, types: readonly string[] | undefined, steps: Steps): Promise<void> {
    return this.#engine.reindex(part, types, steps);
  }

  async clear(kept: Kept, steps: Steps, origin?: Origin): Promise<Cleared | undefined> {
    if (this.#closing !== undefined) throw closed();
    try {
      return await this.#engine.clear(kept, steps, origin);
    } finally {
      // The next unit has to ask the database for the lock first.
      if (this.#engine.follow !== undefined) this.#log.foreign('everything');
    }
  }

  figures(): GraphFigures {
    return this.#engine.figures();
  }

  forget(): Promise<void> {
    return this.#engine.forget();
  }

  explain(query: Query): Promise<string[]> {
    return this.#engine.explain(query);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#open].map((one) => one.ended()));
    await this.#engine.close();
  }
}

function closed(): GraphError {
  return new GraphError('closed', 'The graph is closed.');
}
