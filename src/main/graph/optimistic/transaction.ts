/**
 * A transaction that stays open. It gathers until its end, or becomes the writer before: when it is to, or when going on gathering
 * would cost too much.
 */
import { turnOf } from '../commits/commit.js';
import { GraphError, writerElsewhere } from '../errors.js';
import type {
  Graph,
  OpenOptions,
  OpenTransaction,
  ReadTransaction,
  TransactionObserver,
  TransactionOptions,
  WriteTransaction,
} from '../graph.js';
import type { Change } from '../types.js';
import type { CommitLog, LogReader } from './commit-log.js';
import { Delegation, type Target } from './delegation.js';
import { Gathering } from './gathering.js';
import type { GatheringHost } from './gathered.js';
import type { GatheredMemory, GatheredShare } from './memory.js';
import { applyAll } from './operations.js';
import { Levels } from './savepoints.js';

/** Operations that are applied and taken back for the reads of one transaction: the writer's time. */
const MOST_WHAT_IF = 10_000;

/** The engine beneath, and what all its transactions share. */
export interface TransactionParts {
  readonly engine: Pick<Graph, 'read' | 'write' | 'explainCypher'>;
  readonly log: CommitLog;
  /** Others commit as well; the log hears of that when a unit begins. */
  readonly shared: boolean;
  /** Nothing can be written here. */
  readonly isReader?: boolean;
  /** Default time limit, milliseconds; 0: none. */
  readonly timeout: number;
  /** Operations from which on the engine is told that it is large. */
  readonly large: number;
  readonly memory: GatheredMemory;
  readonly ended: (transaction: OpenedTransaction) => void;
  /** Told of commits; what was computed before is no time of the transaction's. */
  readonly observer?: TransactionObserver | undefined;
}

const CHANGED = 'what it has read was changed by others';

/** Thrown to take back what was applied for a read. */
class TakenBack extends Error {}

export class OpenedTransaction extends Delegation implements OpenTransaction, GatheringHost, LogReader {
  /** The last unit that was committed when it began. */
  readonly begin: number;
  readonly #parts: TransactionParts;
  readonly #options: OpenOptions;
  readonly #limits: TransactionOptions;
  readonly #gathering = new Gathering(this);
  readonly #allowed = new Set<number>();
  readonly #levels = new Levels();
  readonly #memory: GatheredShare;
  /** Its unit, once it is the writer. */
  #unit: WriteTransaction | undefined;
  #locking: Promise<void> | undefined;
  /** Lets the unit go on to its end. */
  #settle: ((error?: Error) => void) | undefined;
  #unitEnded: Promise<number> | undefined;
  #whatIfCost = 0;
  /** It has read what was not committed yet; then no unit may have been lost since. */
  #sawPending = false;
  readonly #lostBefore: number;
  #conflictWith = 0;
  /** Set with the first write. */
  #deadline: number | undefined;
  #over = false;
  #tellEnd: (() => void) | undefined;

  constructor(parts: TransactionParts, options: OpenOptions) {
    super(parts.engine.explainCypher !== undefined);
    this.#parts = parts;
    this.#options = options;
    this.#memory = parts.memory.open();
    const { timeout, signal, cancelled } = options;
    this.#limits = {
      ...(timeout === undefined ? {} : { timeout }),
      ...(signal === undefined ? {} : { signal }),
      ...(cancelled === undefined ? {} : { cancelled }),
      asker: () => turnOf(options.origin?.()),
    };
    const { log } = parts;
    this.begin = log.committed;
    this.#lostBefore = log.lost;
    if (options.locking === 'last') log.open(this);
  }

  get #gathers(): boolean {
    return this.#options.locking === 'last';
  }

  get isWriter(): boolean {
    return this.#locking !== undefined;
  }

  async isCurrent(): Promise<boolean> {
    if (!this.#gathers || this.#unit !== undefined) return true;
    const { log, shared, engine } = this.#parts;
    if (this.#conflict(log.committed) !== undefined) return false;
    if (!shared || this.#over) return true;
    try {
      await engine.write(() => {
        this.#confirm();
        return Promise.resolve();
      }, this.#limits);
      return true;
    } catch (error) {
      if (error instanceof GraphError && error.code === 'conflict') return false;
      throw error;
    }
  }

  /** Resolves when it has ended, or can write nothing any more; who has written nothing is not waited for. */
  async ended(): Promise<void> {
    if (this.#over || this.#deadline === undefined) return;
    const ended = new Promise<void>((resolve) => {
      this.#tellEnd = resolve;
    });
    const left = Math.max(0, this.#deadline - Date.now());
    const timer = Number.isFinite(left) ? setTimeout(() => this.#tellEnd?.(), left) : undefined;
    await ended;
    clearTimeout(timer);
  }

  get committed(): number {
    return this.#parts.log.committed;
  }

  // Reads and writes: where they go.

  #check(): void {
    if (this.#over) throw new GraphError('closed', 'The transaction has ended.');
    if (this.#options.signal?.aborted === true) throw new GraphError('aborted', 'The transaction was cancelled.');
    if (this.#deadline !== undefined && Date.now() > this.#deadline) throw this.#late();
  }

  #late(): GraphError {
    const { timeout = this.#parts.timeout } = this.#options;
    return new GraphError('query_timeout', `The transaction took longer than ${String(timeout)} ms.`);
  }

  /** Reads in the unit, in what is gathered, or, before the first write of one that does not gather, what is committed. */
  protected async reading<T>(work: (tx: Target) => Promise<T>): Promise<T> {
    this.#check();
    if (this.#locking === undefined && this.#options.locking === 'now') await this.lock();
    if (this.#locking !== undefined) await this.#locking;
    if (this.#unit !== undefined) return work(this.#unit);
    // What reads asks for nothing else.
    return this.#gathers ? work(this.#gathering) : this.read((tx) => work(tx as Target));
  }

  protected async writing<T>(work: (tx: Target) => Promise<T>): Promise<T> {
    this.#check();
    if (this.#parts.isReader === true) throw writerElsewhere();
    this.#startClock();
    if (!this.#gathers || this.#memory.isFull) await this.#become();
    const target = await this.target();
    if (target !== this.#gathering) return work(target);
    const result = await work(target);
    if (!this.#over) this.#memory.is(this.#gathering.overlay.bytes);
    return result;
  }

  protected async target(): Promise<Target> {
    this.#check();
    if (this.#locking !== undefined) await this.#locking;
    return this.#unit ?? this.#gathering;
  }

  #startClock(): void {
    if (this.#deadline !== undefined) return;
    const { timeout = this.#parts.timeout } = this.#options;
    this.#deadline = timeout > 0 ? Date.now() + timeout : Infinity;
  }

  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    return this.#parts.engine.read(work, this.#limits);
  }

  async whatIf<T>(remember: (since: number) => void, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    const { operations, weight } = this.#gathering.overlay;
    this.#whatIfCost += weight;
    if (this.#whatIfCost > MOST_WHAT_IF) return this.directly(work);
    let found: { readonly value: T } | undefined;
    try {
      await this.#parts.engine.write(async (tx) => {
        this.#confirm();
        await applyAll(tx, operations);
        const { log } = this.#parts;
        this.#sawPending ||= log.ordered > log.committed;
        remember(log.ordered);
        found = { value: await work(tx) };
        throw new TakenBack();
      }, this.#unitOptions());
    } catch (error) {
      if (error instanceof TakenBack && found !== undefined) return found.value;
      throw error;
    }
    throw new GraphError('closed', 'The transaction has ended.');
  }

  async directly<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    await this.#become();
    if (this.#unit === undefined) throw new GraphError('closed', 'The transaction has ended.');
    return work(this.#unit);
  }

  /** Of a unit; what it waits for its turn does not count. */
  #unitOptions(): TransactionOptions {
    return { ...this.#limits, origin: this.#options.origin?.() };
  }

  // Becoming the writer, and the end.

  lock(): Promise<void> {
    if (this.#parts.isReader === true) return Promise.reject(writerElsewhere());
    this.#startClock();
    return this.#gathers && this.#locking === undefined ? Promise.resolve() : this.#become();
  }

  #become(): Promise<void> {
    if (this.#over) return Promise.reject(new GraphError('closed', 'The transaction has ended.'));
    return (this.#locking ??= new Promise<void>((resolve, reject) => {
      const held = this.#unitOf(async (tx) => {
        if (this.#gathers) await this.#levels.applyIn(tx, this.#gathering.overlay.operations);
        this.#unit = tx;
        resolve();
        await new Promise<void>((settle, fail) => {
          this.#settle = (error) => {
            if (error === undefined) settle();
            else fail(error);
          };
        });
      });
      this.#unitEnded = held;
      held.catch(reject);
    }));
  }

  /** Runs work as the one writer once it is certain that what was read holds; answers the number of the unit. */
  async #unitOf(work: (tx: WriteTransaction) => Promise<void>, large = false): Promise<number> {
    const { engine, log } = this.#parts;
    let number = 0;
    try {
      await engine.write(
        async (tx) => {
          this.#confirm();
          await work(tx);
          // A unit that was lost may be known by now.
          this.#confirmPending();
          number = log.add(tx);
        },
        { ...this.#unitOptions(), large },
      );
    } catch (error) {
      log.isLost(number);
      throw error;
    }
    return number;
  }

  /** To be called by who has the writer. Throws `conflict`. */
  #confirm(): void {
    if (this.#options.holds?.() === false) throw conflict('the schema was changed');
    const { log } = this.#parts;
    if (!this.#gathers) return;
    const reason = this.#conflict(log.ordered);
    if (reason !== undefined) throw conflict(reason);
    this.#confirmPending();
  }

  #confirmPending(): void {
    if (this.#sawPending && this.#parts.log.lost !== this.#lostBefore) {
      throw conflict('what it has read was not written');
    }
  }

  /** What of the units up to this one concerns what was read. */
  #conflict(upTo: number): string | undefined {
    const { log } = this.#parts;
    if (log.forgotten > this.begin) return 'it took too long, beside others that changed much';
    for (const unit of log.after(this.begin)) {
      if (unit.number > upTo || this.#allowed.has(unit.number)) continue;
      if (!this.#gathering.reads.concerns(unit.effects, unit.number)) continue;
      this.#conflictWith = unit.number;
      return CHANGED;
    }
    return undefined;
  }

  async commit(last?: (tx: WriteTransaction) => Promise<void>): Promise<number> {
    const since = performance.now();
    let failed = true;
    let number = 0;
    try {
      number = await this.#commit(last);
      failed = false;
      return number;
    } finally {
      if (failed || number > 0) this.#parts.observer?.wrote(performance.now() - since, failed);
    }
  }

  async #commit(last?: (tx: WriteTransaction) => Promise<void>): Promise<number> {
    try {
      this.#check();
      if (this.#levels.isOpen) throw new GraphError('closed', 'The transaction ended before a savepoint in it did.');
      if (this.#locking !== undefined) await this.#locking;
      if (this.#unit !== undefined) return await this.#commitUnit(this.#unit, last);
      const { operations, weight } = this.#gathering.overlay;
      if (operations.length === 0) {
        // Who wanted to write nothing has nothing to agree with others on; what was there already has to be there still.
        if (this.#deadline !== undefined && !(await this.isCurrent())) throw conflict(CHANGED);
        return 0;
      }
      return await this.#unitOf(async (tx) => {
        await applyAll(tx, operations);
        await last?.(tx);
      }, weight >= this.#parts.large);
    } finally {
      this.#end();
    }
  }

  async #commitUnit(
    tx: WriteTransaction,
    last: ((tx: WriteTransaction) => Promise<void>) | undefined,
  ): Promise<number> {
    try {
      await last?.(tx);
      this.#settle?.();
    } catch (error) {
      this.#settle?.(error instanceof Error ? error : new Error(String(error)));
    }
    return (await this.#unitEnded) ?? 0;
  }

  async rollBack(): Promise<void> {
    if (this.#over) return;
    this.#end();
    await this.#locking?.catch(() => undefined);
    this.#settle?.(new TakenBack());
    await this.#unitEnded?.catch(() => undefined);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#memory.is(0);
    if (this.#gathers) this.#parts.log.close(this);
    this.#tellEnd?.();
    this.#parts.ended(this);
  }

  allow(committed: number): void {
    this.#allowed.add(committed);
  }

  refresh(): void {
    this.#gathering.reads.refresh(this.committed);
  }

  async conflictSeen(): Promise<void> {
    await this.#parts.log.seen(this.#conflictWith);
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.#check();
    if (!this.#gathers) await this.lock();
    if (this.#locking !== undefined) await this.#locking;
    return this.#unit === undefined ? this.#levels.run(this.#gathering.overlay, work) : this.#unit.savepoint(work);
  }

  changes(): readonly Change[] {
    return (this.#unit ?? this.#gathering).changes();
  }
}

/** `why` begins with a lower-case letter. */
function conflict(why: string): GraphError {
  return new GraphError('conflict', `The transaction conflicts with others: ${why}. Nothing was written; try again.`);
}
