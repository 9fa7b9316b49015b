/** An engine with transactions that stay open. */
import type { Commit, Journal, JournalWriter } from '../commit.js';
import type { CypherFacts, CypherStatement } from '../cypher.js';
import { GraphError } from '../errors.js';
import type {
  DatabaseNotes,
  Graph,
  GraphEngine,
  Membership,
  OpenOptions,
  OpenTransaction,
  ReadTransaction,
  TransactionOptions,
  Watcher,
  WriteTransaction,
} from '../graph.js';
import type { Query } from '../query.js';
import type { Change, IndexDefinition, TextIndexDefinition } from '../types.js';
import { CommitLog } from './commit-log.js';
import { GatheredMemory } from './memory.js';
import { OpenedTransaction } from './transaction.js';

export interface OpenableOptions {
  /** All that is committed is committed through this graph. */
  readonly alone: boolean;
  /** Default time limit of a transaction, milliseconds; 0: none. */
  readonly timeout: number;
  /** For tests: what a transaction may gather, and how many changes are remembered for those that are open. */
  readonly gathered?: number | undefined;
  readonly remembered?: number | undefined;
}

export class OpenableGraph implements Graph {
  readonly engine: string;
  readonly notes: DatabaseNotes;
  readonly membership?: Membership;
  readonly explainCypher?: (statement: CypherStatement) => Promise<CypherFacts>;
  readonly #engine: GraphEngine;
  readonly #log: CommitLog | undefined;
  readonly #timeout: number;
  readonly #open = new Set<OpenedTransaction>();
  readonly #memory: GatheredMemory;
  #closing: Promise<void> | undefined;

  constructor(engine: GraphEngine, { alone, timeout, gathered, remembered }: OpenableOptions) {
    this.engine = engine.engine;
    this.notes = engine.notes;
    this.#engine = engine;
    this.#timeout = timeout;
    this.#memory = new GatheredMemory(gathered);
    if (engine.membership !== undefined) this.membership = engine.membership;
    if (engine.explainCypher !== undefined) this.explainCypher = engine.explainCypher.bind(engine);
    if (!alone) return;
    const log = new CommitLog(remembered);
    this.#log = log;
    // Before all others: whoever hears of a commit may begin a transaction.
    engine.onCommit((changes) => {
      log.isCommitted(changes);
    });
  }

  get optimistic(): boolean {
    return this.#log !== undefined;
  }

  open(options: OpenOptions): OpenTransaction {
    const locking = this.#log === undefined && options.locking === 'last' ? 'first-write' : options.locking;
    if (this.#closing !== undefined) throw closed();
    const transaction = new OpenedTransaction(
      {
        engine: this.#engine,
        log: this.#log,
        timeout: this.#timeout,
        memory: this.#memory,
        ended: (one) => this.#open.delete(one),
      },
      { ...options, locking },
    );
    this.#open.add(transaction);
    return transaction;
  }

  read<T>(work: (tx: ReadTransaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#closing === undefined ? this.#engine.read(work, options) : Promise.reject(closed());
  }

  write<T>(work: (tx: WriteTransaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const log = this.#log;
    if (this.#closing !== undefined) return Promise.reject(closed());
    if (log === undefined) return this.#engine.write(work, options);
    let number = 0;
    const writing = this.#engine.write(
      (tx) =>
        work(tx).then((value) => {
          number = log.add(tx.changes());
          return value;
        }),
      options,
    );
    if (log.isRead) {
      writing.catch(() => {
        log.isLost(number);
      });
    }
    return writing;
  }

  onCommit(listener: (changes: readonly Change[], commit: Commit) => void): () => void {
    return this.#engine.onCommit(listener);
  }

  get commitNumber(): number {
    return this.#engine.commitNumber;
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
