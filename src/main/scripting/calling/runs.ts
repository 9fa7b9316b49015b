/** Runs of scripts and their transactions, whatever has set them off. */
import type { Door, WriteTransaction } from '../../graph/index.js';
import type { ObjectTransaction } from '../../schema/index.js';
import { runAside } from '../run/transaction/aside.js';
import type { Caller, OwnTransaction } from '../run/caller.js';
import { repeating } from '../run/transaction/ending.js';
import { Engine } from './engine.js';
import { HostScripts } from '../outside/programs/host-scripts.js';
import { logFailure } from '../run/failed-scripts.js';
import { type RunOptions, ScriptRun, type ScriptingParts, type ScriptContext } from '../run/run.js';
import { Stores } from '../run/stores/stores.js';
import { ScriptThreads } from '../run/limits/threads.js';
import { ScriptTransaction, type TransactionWays } from '../run/transaction/transaction.js';

/** What the work answers, unless the signal is aborted before. The signal may live on: nothing of this stays with it. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    void work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}

/** What the room is given; the other parts it makes itself. */
export type GivenParts = Omit<ScriptingParts, 'stores' | 'programs' | 'threads' | 'pages' | 'aside' | 'inTransaction'> &
  Partial<Pick<ScriptingParts, 'stores' | 'programs' | 'threads'>>;

export class Runs {
  readonly engine = new Engine();
  /** By transaction: what it sets off belongs to the same run. */
  private readonly runs = new WeakMap<WriteTransaction, ScriptRun>();

  readonly parts: ScriptingParts;

  constructor(parts: GivenParts) {
    this.parts = {
      stores: new Stores(),
      programs: new HostScripts(parts.config),
      threads: new ScriptThreads(parts.config),
      ...parts,
      pages: { current: undefined, methods: undefined },
      aside: (outer, caller, work) => runAside(outer, caller, this.runs, work),
      inTransaction: (...args) => this.inTransaction(...args),
    };
  }

  /** Locale of what runs without a request: the server's. */
  readonly locale = Intl.DateTimeFormat().resolvedOptions().locale.replace('-', '_');

  /** A run in a transaction of its own. */
  open(options: RunOptions, ways: TransactionWays = {}): ScriptRun {
    return this.#owned(ScriptTransaction.open(this.parts, ways), options);
  }

  /** A run that can only read, and that nobody has to end. */
  openForReading(): ScriptRun {
    return new ScriptRun(this.parts, this.engine, ScriptTransaction.forReading(this.parts), { locale: this.locale });
  }

  /** The run that scripts of a transaction share; undefined: none has run. */
  runIn(objects: ObjectTransaction): ScriptRun | undefined {
    return this.runs.get(objects.tx);
  }

  /** The run that a transaction belongs to: of the script that writes it, or one of its own, which its caller ends. */
  runOf(objects: ObjectTransaction): ScriptRun {
    let run = this.runs.get(objects.tx);
    if (run === undefined) {
      const transaction = ScriptTransaction.within(this.parts, objects);
      run = new ScriptRun(this.parts, this.engine, transaction, { locale: this.locale });
      run.isGuest = true;
      this.runs.set(objects.tx, run);
    }
    return run;
  }

  #owned(transaction: ScriptTransaction, options: RunOptions): ScriptRun {
    const run = new ScriptRun(this.parts, this.engine, transaction, options);
    transaction.onBegin = (tx) => {
      this.runs.set(tx, run);
    };
    return run;
  }

  /** The context of a script that begins in a run. */
  context(run: ScriptRun, { actor, access }: Caller, title: string): ScriptContext {
    return { run, actor, access, self: null, parameters: null, constants: new Map(), title };
  }

  /**
   * Runs work of the service itself in a transaction of its own; false when it failed, which is logged. `quietly`: what it
   * writes sets off no `afterCreate` and the like. `door`: where it did not come from a script.
   */
  async inBackground(
    title: string,
    caller: Caller,
    work: (context: ScriptContext) => Promise<unknown>,
    quietly: boolean,
    door?: Door,
  ): Promise<boolean> {
    try {
      await this.inTransaction(title, caller, work, { quietly, door });
      return true;
    } catch (error) {
      logFailure(error, title);
      return false;
    }
  }

  /** Runs work in a transaction of its own, which is committed unless it throws. */
  async inTransaction<T>(
    title: string,
    caller: Caller,
    work: (context: ScriptContext) => Promise<T>,
    { quietly = false, locale = this.locale, signal, once = false, door }: OwnTransaction = {},
  ): Promise<T> {
    return repeating({
      begin: (locking) => this.open({ locale, signal }, { quietly, locking, door, reason: title, actor: caller.actor }),
      once,
      isOver: () => signal?.aborted === true,
      work: (run) => {
        const working = work(this.context(run, caller, title));
        return signal === undefined ? working : unlessAborted(signal, working);
      },
    });
  }
}
