/** Transactions that read: what they need of the engine, and that its end waits for them. */
import type { ReadTransaction, TransactionOptions } from '../../graph.js';
import { Running } from '../../running.js';
import type { Database } from '../connection/database.js';
import { aborted, ended } from '../connection/errors.js';
import { FAR, type Limits } from '../connection/limits.js';
import { LookUps, SameStatements } from '../connection/sharing.js';
import type { Catalog } from '../query/catalog.js';
import { readAlone } from '../query/cypher.js';
import type { Knowledge } from '../query/knowledge.js';
import { KeptLists } from '../kept/kept-lists.js';
import { ofOneState } from './one-state.js';
import { type ReadContext, Reads } from './reads.js';
import type { States } from './states.js';

export interface ReadingParts {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly knowledge: Knowledge;
  readonly texts: ReadContext['texts'];
  readonly states: States;
  /** Default time limit, milliseconds; 0: none. */
  readonly timeout: number;
  /** Keeps others from writing until the answer is called, if that can be had soon. */
  readonly hold: () => Promise<() => void>;
}

export class Reading {
  readonly #lookUps: LookUps;
  readonly #same: SameStatements;
  /** Of statements that are to see all that answers have told of. */
  readonly #sameFresh: SameStatements;
  /** What is kept of lists, to be told of commits. */
  readonly lists: KeptLists;
  readonly #running = new Running();

  constructor(private readonly parts: ReadingParts) {
    const { database, states } = parts;
    const run = database.run.bind(database);
    this.#lookUps = new LookUps(run);
    this.#same = new SameStatements(run);
    this.#sameFresh = new SameStatements((statement, limits) => run(statement, limits, false, states.bookmarks));
    this.lists = new KeptLists(() => states.applied);
  }

  /** See `Graph.read`. */
  async read<T>(work: (tx: ReadTransaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    const { database, catalog, knowledge, texts, states, hold } = this.parts;
    const timeout = options.timeout ?? this.parts.timeout;
    const cancelled = options.cancelled ?? ((): boolean => options.signal?.aborted === true);
    const renewed = (): Limits => ({ deadline: timeout > 0 ? Date.now() + timeout : FAR, cancelled });
    const limits = renewed();
    let over = false;
    const check = (): void => {
      if (over) throw ended();
      if (cancelled()) throw aborted();
    };
    this.#running.begin();
    try {
      check();
      const context: ReadContext = {
        catalog,
        knowledge,
        texts,
        run: (statement) => database.run(statement, limits),
        raw: (statement) => readAlone(database, statement, limits),
        shared: (statement) => this.#same.rows(statement, limits),
        kept: { lists: this.lists, fresh: (statement) => this.#sameFresh.rows(statement, limits) },
        lookUp: (id) => this.#lookUps.node(id, limits),
        stream: (statement) => database.stream(statement, renewed),
        check,
      };
      if (options.snapshot !== true) return await work(new Reads(context));
      return await ofOneState({ states, context, hold }, work, options);
    } finally {
      over = true;
      this.#running.end();
    }
  }

  /** Resolves when nobody reads. */
  done(): Promise<void> {
    return this.#running.over();
  }
}
