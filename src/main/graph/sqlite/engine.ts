/** The SQLite engine: one directory, one writer, readers beside it. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type {
  Cleared,
  GraphEngine,
  GraphFigures,
  IndexPart,
  Kept,
  PromptReads,
  ReadTransaction,
  Steps,
  TransactionOptions,
  WriteTransaction,
} from '../graph.js';
import type { Seat } from '../seats/seat.js';
import type { Watcher } from '../commits/notice.js';
import { Emptying } from './whole/emptying.js';
import { Arrivals } from '../commits/arrivals.js';
import { GraphError } from '../errors.js';
import type { Query } from '../query.js';
import type { Commit, Journal, JournalWriter, Origin } from '../commits/commit.js';
import type { Change, IndexDefinition, TextIndexDefinition } from '../types.js';
import { Columns } from './columns/columns.js';
import { COLUMN_FOLDER } from './columns/state.js';
import { Checkpoints } from './whole/checkpoints.js';
import { Connection, markTime, prepareWriter } from './connection/connection.js';
import { Counters } from './indexes/counters.js';
import { type DirectoryLock, type OpenedFiles, openingError } from './files.js';
import { GroupCommit } from './writing/group-commit.js';
import { Journals } from './journals.js';
import { Names } from './connection/names.js';
import { SqliteNotes } from './notes.js';
import { IndexRepair } from './indexes/index-repair.js';
import { PropertyIndex } from './indexes/property-index.js';
import { explained } from './reading/explain.js';
import { Prompt } from './reading/prompt.js';
import { RunningReads } from './reading/running-reads.js';
import { FAR, ReadScope } from './reading/read-scope.js';
import { Scans } from './scans/scans.js';
import { lastRows, opened as noteOpened, saveCounters } from './kept.js';
import { LoopGuard } from './connection/loop-guard.js';
import { NUMBER, Snapshots } from './reading/snapshots.js';
import { WritingStore } from './writing/writing-store.js';
import { closed, KEEPS } from './reading/stored-nodes.js';
import { WalSync } from './whole/wal-sync.js';
import { TextIndexes } from './indexes/text-indexes.js';
import type { ThreadOptions } from './writing/writer-thread.js';
import type { SqliteOptions } from './options.js';
import { Writer } from './writing/writer.js';
import { Writes } from './writes.js';
import type { Committed } from './writing/batch.js';
import { NoteKeeper } from './whole/note.js';
import { Room } from './whole/room.js';
import { Seats } from './follower/seats.js';

export const DEFAULT_TIMEOUT = 30_000;
const LOOP_BUDGET = 2;
/** Page cache of the writer's thread, in megabytes, at most: most indexes grow at their right edge. */
const THREAD_CACHE = 16;

function logError(error: unknown): void {
  process.stderr.write(`graph: ${error instanceof Error ? error.message : String(error)}\n`);
}

export class SqliteGraph implements GraphEngine {
  readonly engine = 'sqlite';
  readonly keeps = KEEPS;
  readonly notes: SqliteNotes;
  readonly columns: Columns;
  readonly #store: WritingStore;
  readonly #prompt: Prompt;
  readonly #lock: DirectoryLock;
  readonly #sync: WalSync;
  readonly #commit: GroupCommit;
  readonly #index: PropertyIndex;
  readonly #texts: TextIndexes;
  readonly #checkpoints: Checkpoints;
  readonly #journals: Journals;
  readonly #listeners = new Set<(changes: readonly Change[], commit: Commit) => void>();
  readonly #emptying: Emptying;
  readonly #arrivals = new Arrivals();
  readonly #note: NoteKeeper;
  readonly #room: Room;
  readonly #seats: Seats;
  readonly #timeout: number;
  readonly #onError: (error: unknown) => void;
  #setting: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  readonly #reads = new RunningReads();

  constructor(options: SqliteOptions, { file, lock, notice }: OpenedFiles) {
    this.#timeout = options.queryTimeout ?? DEFAULT_TIMEOUT;
    this.#onError = options.onError ?? logError;
    const cacheMegabytes = options.cacheMegabytes ?? 64;
    const { statements } = options;
    this.#lock = lock;
    if (notice !== undefined) this.#onError(new GraphError('log_damaged', notice));
    const opened: Connection[] = [];
    try {
      const guard = new LoopGuard(options.loopBudget ?? LOOP_BUDGET);
      const connection = new Connection(file, { cacheMegabytes, guard, statements });
      opened.push(connection);
      prepareWriter(connection);
      // Before anything else is written: a new log begins with it.
      markTime(connection);
      const names = new Names();
      const counters = new Counters();
      names.load(connection);
      counters.load(connection);
      noteOpened(connection, names);
      const reader = new Connection(file, {
        readonly: true,
        cacheMegabytes: Math.min(cacheMegabytes, 8),
        guard,
        statements,
      });
      opened.push(reader);
      this.#sync = new WalSync(file + '-wal');
      const scans = new Scans(file, options.readerThreads ?? 1, Math.min(cacheMegabytes, 16), statements);
      scans.onDamage = (error) => {
        this.#damaged(error);
      };
      const writer = new Writer(connection);
      this.#store = new WritingStore(writer, reader, guard, names, counters, scans);
      this.#store.parts.set(options);
      this.#commit = new GroupCommit(
        writer,
        names,
        this.#sync,
        {
          ending: (unit, ending) => this.#journals.ending(unit, ending),
          committing: (apart, batch) => {
            this.#store.snapshots.committing(apart);
            this.#seats.committing(batch);
          },
          failed: () => {
            this.#seats.lost();
          },
          committed: (commit) => {
            this.#committed(commit);
          },
          broken: this.#onError,
        },
        this.#store.pace,
        this.#threadOptions(file, options),
        { hold: options.writerTimeout },
      );
      this.#prompt = new Prompt(this.#store);
      this.#commit.load();
      this.#seats = new Seats({
        file,
        names,
        number: () => this.#commit.number,
        stored: () => Number(reader.get(NUMBER, [])?.[0] ?? 0),
        committing: () => this.#commit.committing,
        mostLeft: options.mostLeft,
        told: (message) => {
          if (message.what === 'damaged') this.#damaged(new Error(message.message));
          else this.columns.damaged();
        },
      });
      scans.onSeen = () => {
        this.#seats.seen();
      };
      this.#arrivals.arrived(this.commitNumber);
      this.#journals = new Journals(writer, reader, this.#commit);
      this.notes = new SqliteNotes(writer, reader, this.#commit);
      lastRows(connection, this.#store.lastRow);
      this.columns = new Columns({
        file,
        folder: join(options.path, COLUMN_FOLDER),
        cacheMegabytes: Math.min(cacheMegabytes, 8),
        writer,
        reader,
        names,
        commit: this.#commit,
        lastRow: () => this.#store.lastRow.node,
        onError: this.#onError,
      });
      this.columns.load();
      this.#store.columns = this.columns;
      // Those at the end may have been deleted: their numbers are not given again.
      this.#store.lastRow.node = Math.max(this.#store.lastRow.node, this.columns.lastRow);
      scans.onDamagedColumns = () => {
        this.columns.damaged();
      };
      this.#store.commit = this.#commit;
      this.#store.snapshots = new Snapshots({
        file,
        guard,
        statements,
        indexVersion: () => this.#index.version,
        number: () => this.#commit.number,
        onError: this.#onError,
      });
      this.#index = new PropertyIndex(writer, names, this.#commit, this.#onError);
      this.#store.index = this.#index;
      const changed = (): void => {
        this.#seats.indexes();
      };
      this.#index.onChange = changed;
      this.#texts = new TextIndexes(writer, reader, names, this.#commit, this.#onError);
      this.#store.texts = this.#texts;
      this.#texts.onChange = changed;
      this.#emptying = new Emptying(this.#store, this.#texts, this.columns, this.#onError);
      this.#note = new NoteKeeper(options.path, {
        frames: () => this.#checkpoints.frames(),
        commit: () => this.#commit.number,
        durable: () => this.#commit.durable(),
      });
      this.#room = new Room({
        folder: options.path,
        writer: connection,
        largestLog: options.largestLog,
        shorten: () => this.#checkpoints.shorten(),
        onError: this.#onError,
      });
      connection.onFull = () => {
        this.#room.full();
      };
      this.#commit.room = this.#room;
      const { note, room } = { note: this.#note, room: this.#room };
      this.#checkpoints = new Checkpoints(file, connection, this.#commit, this.#sync, note, room, this.#onError);
      this.#checkpoints.onExclusive = () => {
        this.#store.snapshots.dropAll();
      };
      this.#checkpoints.letGo = () => this.#seats.letGo();
      for (const one of opened) {
        one.onDamage = (error) => {
          this.#damaged(error);
        };
      }
    } catch (error) {
      for (const connection of opened) connection.close();
      lock.release();
      throw openingError(options.path, error);
    }
  }

  /** Absent where there is no second processor for a second thread. */
  #threadOptions(
    file: string,
    { threadFrom: from, largeFrom, cacheMegabytes, statements }: SqliteOptions,
  ): ThreadOptions | undefined {
    if (from === undefined && availableParallelism() < 2) return undefined;
    const megabytes = Math.min(cacheMegabytes ?? THREAD_CACHE, THREAD_CACHE);
    return { file, cacheMegabytes: megabytes, onError: this.#onError, from, largeFrom, statements };
  }

  /** What must be durable before the graph is used. */
  async start(): Promise<void> {
    await this.#commit.started();
    await this.#sync.settled();
    await this.#note.start();
    await this.#room.look();
    this.#index.load();
    this.#texts.load();
  }

  /** What is written into a damaged database makes it worse, and may be lost with it. */
  #damaged(error: Error): void {
    if (this.#sync.failure !== undefined) return;
    const what =
      'is written any more. Stop the server, look at the database with `svc graph check`, restore it from a backup';
    this.#onError(
      this.#sync.failed(new GraphError('damaged', `${error.message} Nothing ${what}.`, undefined, { cause: error })),
    );
  }

  #committed(commit: Committed): void {
    this.#seats.committed(commit);
    if (commit.isWhole) this.#emptying.counted(commit);
    this.#store.snapshots.committed(commit);
    this.#store.committed(commit);
    this.#store.counters.apply(commit.delta);
    for (const one of commit.commits) {
      for (const listener of this.#listeners) {
        try {
          listener(one.changes, one);
        } catch (error) {
          // A listener's error is its own: the commit has happened.
          this.#onError(error);
        }
      }
    }
    if (commit.isWhole) this.#emptying.tell();
    this.#arrivals.arrived(this.commitNumber);
    this.columns.committed(commit.delta);
    this.#checkpoints.committed();
    this.#note.committed();
    this.#room.committed();
  }

  async read<T>(work: (tx: ReadTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.#closing !== undefined) throw closed();
    const scope = new ReadScope(
      options,
      options.timeout ?? this.#timeout,
      options.snapshot === true ? this.#store.snapshots : undefined,
    );
    return this.#reads.run(this.#store, scope, work);
  }

  now<T>(work: (reads: PromptReads) => T | undefined): T | undefined {
    return this.#closing === undefined ? work(this.#prompt) : undefined;
  }

  async write<T>(work: (tx: WriteTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.#closing !== undefined) throw closed();
    const timeout = options.timeout ?? this.#timeout;
    const { signal } = options;
    return this.#commit.run(
      (unit) => {
        const deadline = timeout > 0 ? Date.now() + timeout : FAR;
        const check = (): void => {
          unit.check();
        };
        const small = options.small === true;
        return work(new Writes(this.#store, { unit, deadline, signal, renewed: () => deadline, check, small }));
      },
      { timeout, signal, origin: options.origin, large: options.large },
    );
  }

  onCommit(listener: (changes: readonly Change[], commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  get commitNumber(): number {
    return this.#commit.number;
  }

  reached(number: number, options: Pick<TransactionOptions, 'timeout' | 'signal'> = {}): Promise<void> {
    return this.#arrivals.reached(number, { ...options, timeout: options.timeout ?? this.#timeout });
  }

  current(): Promise<void> | undefined {
    return this.#seats.isCurrent ? undefined : this.#hear();
  }

  /** Another thread has shown what the writer's thread has committed. */
  #hear(): Promise<void> | undefined {
    const coming = this.#commit.hear();
    if (coming === undefined || this.#seats.isCurrent) return undefined;
    return coming.then(() => this.current());
  }

  seat(): Seat {
    if (this.#closing !== undefined) throw closed();
    return this.#seats.open();
  }

  journal(name: string, writer: JournalWriter): Journal {
    return this.#journals.open(name, writer);
  }

  watch(watcher: Watcher): () => void {
    return this.#emptying.watch(watcher);
  }

  figures(): GraphFigures {
    const { count, size, hits, misses } = this.#store.cache;
    return { waitingWriters: this.#commit.waiting, nodeCache: { count, size, hits, misses } };
  }

  async setIndexes(definitions: readonly IndexDefinition[], texts: readonly TextIndexDefinition[] = []): Promise<void> {
    if (this.#closing !== undefined) throw closed();
    // One after the other: what was asked for last counts.
    this.#setting = this.#setting
      .catch(() => undefined)
      .then(async () => {
        await this.#index.set(definitions);
        await this.#texts.set(texts);
      });
    await this.#setting;
  }

  durable(): Promise<void> {
    return this.#commit.durable();
  }

  async indexesReady(): Promise<void> {
    await this.#index.settled();
    await this.#texts.settled();
  }

  async reindex(part: IndexPart, types: readonly string[] | undefined, steps: Steps): Promise<void> {
    if (this.#closing !== undefined) throw closed();
    if (part === 'texts') await this.#texts.reindex(types, steps);
    else await this.#index.settled();
    const repair = new IndexRepair(this.#store.writer, this.#store.names, this.#commit, this.#store.counters);
    if (part === 'nodes') await repair.values(this.#index.pairs, types, steps);
    if (part === 'relationships') await repair.rights(types, steps);
    // Lists may have been made by what was wrong.
    await this.forget();
  }

  clear(kept: Kept, steps: Steps, origin?: Origin): Promise<Cleared | undefined> {
    return this.#closing === undefined ? this.#emptying.clear(kept, steps, origin) : Promise.reject(closed());
  }

  forget(): Promise<void> {
    this.#store.forget();
    this.#seats.forget();
    return Promise.resolve();
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
    await this.#seats.close();
    const { writer, reader, counters, scans, snapshots } = this.#store;
    await this.#reads.over();
    await this.#index.stop();
    await this.#texts.stop();
    await this.columns.stop();
    let failure: unknown;
    try {
      await this.#commit.drained();
      await this.#room.close();
      saveCounters(writer.connection, counters);
      await this.#sync.settled();
    } catch (error) {
      failure = error;
    }
    await this.#commit.close();
    await scans.close();
    snapshots.close();
    reader.close();
    await this.#note.close();
    try {
      await this.#checkpoints.close();
    } catch (error) {
      failure ??= error;
    }
    this.#sync.close();
    writer.connection.close();
    this.#checkpoints.closeFile();
    await this.#room.keep().catch(this.#onError);
    this.#lock.release();
    if (failure !== undefined) throw failure as Error;
  }
}
