/** The scripting room's door: methods over REST, lifecycle methods, function properties. */
import type { Door, GraphNode, WriteTransaction } from '../../graph/index.js';
import type { EvaluatedTemplate, TemplateReader } from '../../files/index.js';
import type { Lifecycle, MethodDefinition, ObjectTransaction } from '../../schema/index.js';
import { runAside } from '../run/transaction/aside.js';
import type { Caller, OwnTransaction } from '../run/caller.js';
import { Callbacks } from './callbacks.js';
import { repeating } from '../run/transaction/ending.js';
import { Engine, isJavaScript } from './engine.js';
import { javaScriptOf } from '../engines/javascript/javascript.js';
import { ScriptsOfImports } from './import-scripts.js';
import { HostScripts } from '../outside/programs/host-scripts.js';
import { logFailure, logMistake } from '../run/failed-scripts.js';
import { FunctionProperties } from './function-properties.js';
import { localizationsOf } from '../functions/text/localizations.js';
import { LifecycleMethods } from './lifecycle.js';
import { scriptTitle, titleOf } from '../run/methods.js';
import { placeOf } from '../language/place.js';
import { scriptRequest } from '../run/names/request-objects.js';
import { type RunOptions, ScriptRun, type ScriptingParts, type ScriptContext } from '../run/run.js';
import { Stores } from '../run/stores/stores.js';
import { ScriptThreads } from '../run/limits/threads.js';
import { ScriptTransaction, type TransactionWays } from '../run/transaction/transaction.js';
import type { ScriptMap, ScriptValue } from '../language/values.js';

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

/** Logs what a script did wrong, for work whose caller only answers it. What failed outside of scripts, its commit for example, is his. */
async function telling<T>(work: Promise<T>, title: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (placeOf(error) !== undefined) logMistake(error, title);
    throw error;
  }
}

export class Scripting {
  readonly engine = new Engine();
  readonly lifecycle: Lifecycle;
  readonly functions: FunctionProperties;
  /** What the rooms to the right call when something has happened. */
  readonly callbacks = new Callbacks(this);
  readonly imports = new ScriptsOfImports(this);
  /** By transaction: what it sets off belongs to the same run. */
  private readonly runs = new WeakMap<WriteTransaction, ScriptRun>();

  readonly parts: ScriptingParts;

  constructor(parts: Omit<ScriptingParts, 'stores' | 'programs' | 'threads' | 'aside' | 'inTransaction'>) {
    this.parts = {
      ...parts,
      stores: new Stores(),
      programs: new HostScripts(parts.config),
      threads: new ScriptThreads(parts.config),
      aside: (outer, caller, work) => runAside(outer, caller, this.runs, work),
      inTransaction: (...args) => this.inTransaction(...args),
    };
    // From the start: what is committed here, other instances have to hear of.
    localizationsOf(this.parts);
    this.lifecycle = new LifecycleMethods(this);
    this.functions = new FunctionProperties(this);
  }

  /** Locale of what runs without a request: the server's. */
  readonly locale = Intl.DateTimeFormat().resolvedOptions().locale.replace('-', '_');

  /** Ends all JavaScript that still runs; what it has not committed is taken back. */
  stop(): Promise<void> {
    return javaScriptOf(this.parts.config).close();
  }

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
   * Calls a method for a request, once for each of what `given` gives, in one transaction: it is committed when all of them
   * answered. What its scripts wrote into the answer is to be released. Throws `ScriptError` and what the rules of the schema say.
   */
  async call(
    method: MethodDefinition,
    self: GraphNode | undefined,
    given: () => readonly ScriptMap[],
    caller: Caller,
    options: RunOptions,
  ): Promise<{ readonly values: readonly ScriptValue[]; readonly run: ScriptRun }> {
    const working = repeating({
      // Mails and headers that are being written belong to the options.
      begin: (locking) => this.open({ ...options }, { locking, reason: titleOf(method), actor: caller.actor }),
      isOver: () => options.request?.exchange.aborted === true,
      work: async (run) => {
        if (method.returnRawResult && options.request !== undefined) run.response.takeBody();
        const context = this.context(run, caller, method.name);
        const entity = self === undefined ? null : run.entities.asBefore(self);
        const values: ScriptValue[] = [];
        // Scripts may change what they are given.
        for (const one of given()) {
          run.checkTime(run.begun);
          const value = await this.engine.run(method, entity, one, context);
          // JavaScript that answers nothing answers the empty text (docs/interface/scripting.md 4.5).
          values.push(value === null && isJavaScript(method.source.trim()) ? '' : value);
        }
        return { values, run };
      },
    });
    return telling(working, scriptTitle(method, self ?? null));
  }

  /** The text of a file whose content is evaluated when it is read (docs/interface/scripting.md 7.2). Throws what its scripts throw. */
  async evaluateTemplate(file: GraphNode, source: string, reader: TemplateReader): Promise<EvaluatedTemplate> {
    const { exchange, origin } = reader;
    // Its own transaction would wait for the one of the script that reads it, and a template that reads itself never end.
    const asking = (origin as Partial<ScriptContext> | undefined)?.run;
    const title = String(file.properties['path'] ?? file.properties['name'] ?? file.id);
    const evaluate = async (run: ScriptRun): Promise<EvaluatedTemplate> => {
      const context: ScriptContext = {
        ...this.context(run, reader, title),
        self: run === asking ? run.entities.of(file) : run.entities.asBefore(file),
      };
      const text = await this.engine.nested(context, () => this.engine.replace(source, context));
      return {
        text,
        applyTo: (answer) => {
          run.response.applyTo(answer);
        },
      };
    };
    if (asking !== undefined) return evaluate(asking);
    const options = { locale: this.locale, ...(exchange === undefined ? {} : { request: scriptRequest(exchange) }) };
    const working = repeating({
      begin: (locking) => this.open({ ...options }, { locking, reason: 'template', actor: reader.actor }),
      isOver: () => exchange?.aborted === true,
      work: evaluate,
    });
    return telling(working, title);
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
