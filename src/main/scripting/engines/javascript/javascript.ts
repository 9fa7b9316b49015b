/** Users' JavaScript (docs/interface/scripting.md 3): runs a source in an isolate, with `$` for everything outside of it. */
import type { Config } from '../../../config/index.js';
import { type Position, ScriptFailure } from '../../language/errors.js';
import { placed, START, within } from '../../language/place.js';
import type { ScriptRun, ScriptContext } from '../../run/run.js';
import type { FunctionLibrary } from '../../run/function/function.js';
import type { Awaitable, ScriptValue } from '../../language/values.js';
import { computingBound } from './isolates/computing.js';
import { inSource } from './failures.js';
import type { EvaluatedSource } from './source/evaluated.js';
import { modulesOf } from './modules.js';
import { composed, NO_SHIFTS, readImports, waitingOf } from './source/composed.js';
import type { Rewritten } from './source/rewrite.js';
import { mayAwait } from './source/top-level-await.js';
import { Isolates, type Limits } from './isolates/isolates.js';
import type { HandedScript } from './handed.js';
import { Session } from './session.js';
import { NOT_PLAIN, plainValue } from './plain/plain.js';
import { NOT_RUN, type Together } from './together.js';
import { syntaxErrorIn, type SyntaxProblem } from './syntax.js';
import { unbalanced } from './source/evident.js';

export interface JavaScriptOptions {
  /**
   * The source answers by `return`; otherwise by the value of its last expression. Absent: as the setting
   * `application.scripting.js.wrapinmainfunction` says, which counts for all but methods, functions and function properties.
   */
  readonly wrapped?: boolean | undefined;
  /** Where the source begins in what its user wrote; absent: at its first character. */
  readonly origin?: Position | undefined;
}

/** Scripts that one visit of an isolate runs, at most. */
const MOST_TOGETHER = 1000;

/** A script, and what runs it. */
interface PreparedScript extends HandedScript {
  readonly imports: Rewritten | undefined;
  readonly prefix: string;
}

/** One of several scripts. */
export interface SeriesScript {
  readonly source: string;
  /** Where it begins in what its user wrote. */
  readonly origin: Position;
  readonly context: ScriptContext;
}

/** Several scripts that run one after the other. */
export interface ScriptSeries {
  /** What the next one comes to; throws, or rejects, as `JavaScript.run` does. To be asked when it is its turn. */
  next(): Awaitable<ScriptValue>;
  /** Some of them have an isolate that waits for the next one to be asked for: whoever asks waits for nobody else before. */
  readonly isRunning: boolean;
  /** Nobody asks any more: to be called whatever has happened. */
  end(): void;
}

/** The isolates of one instance of the service, and the runs that use them. */
export class JavaScript {
  readonly isolates: Isolates;
  private readonly sessions = new WeakMap<ScriptRun, Session>();
  /** Runs whose scripts follow each other. */
  private readonly lingering = new WeakSet<ScriptRun>();
  private readonly limits: () => Limits;

  /** `functions`: names in the library, as they are enumerated. */
  constructor(
    private readonly config: Config,
    private readonly library: FunctionLibrary,
    functions: readonly string[],
  ) {
    this.limits = () => ({
      memory: config.get('application.scripting.js.memory'),
      cpu: config.get('application.scripting.js.timeout.cpu'),
      total: config.get('application.scripting.js.timeout.total'),
      isolates: config.get('application.scripting.js.isolates'),
      computing: computingBound(config.get('application.scripting.js.computing')),
      waiting: config.get('application.scripting.js.queue.length'),
      patience: config.get('application.scripting.js.queue.timeout'),
    });
    this.isolates = new Isolates(this.limits, functions);
  }

  /**
   * Runs JavaScript; the braces around it may be there or not. The answer is the value of the last expression, or what is returned when it
   * is wrapped; undefined is null, promises are waited for. Scripts of one `ScriptRun` that run inside of each other share one context.
   * Throws `ScriptError`: 422 `Server-side scripting error` for exceptions and syntax errors, with their place (place.ts); what functions
   * of the library throw as it is; what a limit ended with a message that says so; 503 when too many scripts run.
   */
  async run(source: string, context: ScriptContext, options: JavaScriptOptions): Promise<ScriptValue> {
    const { origin = START } = options;
    return this.#evaluate(this.#prepared({ source, origin, context }, options.wrapped));
  }

  /**
   * The value of a script that answers by its last expression and needs no isolate; `NOT_PLAIN`: it is to be run. Where the run has a context, its
   * scripts may have changed what others do in it.
   */
  plainly(source: string, context: ScriptContext): ScriptValue | typeof NOT_PLAIN {
    if (this.#wraps || this.sessions.get(context.run)?.isOver === false) return NOT_PLAIN;
    return plainValue(source, context, this.library);
  }

  #prepared({ source, origin, context }: SeriesScript, wrapped = this.#wraps): PreparedScript {
    const { read, prefix, whole, isFunction, offset, shifts } = composed(source, wrapped);
    const evaluated: EvaluatedSource = { title: context.title, context, source, origin, offset, shifts };
    const imports = read?.isImporting === true ? read : undefined;
    const modules = isFunction || read === undefined ? null : [prefix, [], []];
    return { source: evaluated, text: whole, isFunction, modules, imports, prefix };
  }

  get #wraps(): boolean {
    return this.config.get('application.scripting.js.wrapinmainfunction');
  }

  async #evaluate(script: PreparedScript): Promise<ScriptValue> {
    const { source, imports, prefix } = script;
    const { context } = source;
    const session = this.session(context);
    try {
      if (imports === undefined) return await session.evaluate(script);
      // What is loaded belongs to this session, which must not end meanwhile.
      const release = session.hold();
      try {
        const { numbers, definitions } = await modulesOf(session.crossing).load(imports, undefined, context);
        return await session.evaluate({ ...script, modules: [prefix, numbers, definitions] });
      } finally {
        release();
      }
    } catch (error) {
      throw await told(error, script, session);
    }
  }

  /**
   * Scripts that run one after the other, with nothing between them that other scripts could see. `scriptAt` is asked for each when it is about to
   * run, or one of those before it is: its context is as it is then.
   */
  series(count: number, scriptAt: (index: number) => SeriesScript): ScriptSeries {
    let together: { readonly from: number; readonly session: Session; readonly scripts: Together } | undefined;
    let next = 0;
    const begin = (from: number): typeof together => {
      const scripts: PreparedScript[] = [];
      for (let i = from; i < Math.min(count, from + MOST_TOGETHER); i++) {
        const script = this.#prepared(scriptAt(i));
        if (script.imports !== undefined) break;
        scripts.push(script);
      }
      const [first] = scripts;
      if (first === undefined || scripts.length < 2) return undefined;
      const session = this.session(first.source.context);
      const begun = session.evaluateTogether(scripts);
      return begun === undefined ? undefined : { from, session, scripts: begun };
    };
    const take = (index: number): Awaitable<ScriptValue> => {
      if (together === undefined && !isAlone) {
        const { source, context } = scriptAt(index);
        const value = this.plainly(source, context);
        if (value !== NOT_PLAIN) return value;
        together = begin(index);
      }
      if (together === undefined) return this.#evaluate(this.#prepared(scriptAt(index)));
      const { from, session, scripts } = together;
      const script = scripts.scripts[index - from] as PreparedScript | undefined;
      const again = (): Awaitable<ScriptValue> => {
        isAlone ||= scripts.isBroken;
        together = undefined;
        return take(index);
      };
      if (script === undefined) return again();
      const failed = async (error: unknown): Promise<never> => {
        throw await told(error, script, session);
      };
      try {
        const taken = scripts.take(index - from);
        if (!(taken instanceof Promise)) return taken === NOT_RUN ? again() : taken;
        return taken.then((value) => (value === NOT_RUN ? again() : value), failed);
      } catch (error) {
        return failed(error);
      }
    };
    let isAlone = false;
    return {
      next: () => take(next++),
      get isRunning() {
        return together?.scripts.isRunning === true;
      },
      end: () => {
        together?.scripts.leave();
      },
    };
  }

  private session(context: ScriptContext): Session {
    const known = this.sessions.get(context.run);
    if (known !== undefined && !known.isOver) return known;
    const session: Session = new Session(
      {
        isolates: this.isolates,
        limits: this.limits,
        library: this.library,
        lingers: () => this.lingering.has(context.run),
        adopt: ({ run }, by) => this.sessions.set(run, by),
        ended: () => {
          if (this.sessions.get(context.run) === session) this.sessions.delete(context.run);
        },
      },
      context,
    );
    this.sessions.set(context.run, session);
    return session;
  }

  /**
   * Keeps the JavaScript of a run for further scripts of it, and functions of its scripts callable, until the answer is called. Without it
   * both end with the outermost script.
   */
  hold(context: ScriptContext): () => void {
    return this.session(context).hold();
  }

  /**
   * Of a run that has several scripts one after the other: they have one context, unless they wait for long between each other, until the answer is
   * called.
   */
  linger(run: ScriptRun): () => void {
    if (this.lingering.has(run)) return () => undefined;
    this.lingering.add(run);
    return () => {
      this.lingering.delete(run);
      this.sessions.get(run)?.rest();
    };
  }

  /** Ends all that runs, and runs nothing more. */
  close(): Promise<void> {
    return this.isolates.close();
  }
}

/** An error of a script as its caller is told it: one of its syntax is given its place. */
async function told(error: unknown, { source, text }: PreparedScript, session: Session): Promise<unknown> {
  const unread = error instanceof Error ? session.unread.get(error) : undefined;
  if (!(error instanceof Error) || unread?.source !== source) return error;
  session.unread.delete(error);
  const read = await unreadable(error, source, text);
  return placed(read, unread.place ?? { title: source.title });
}

/** A syntax error with its place, which is found by reading the source once more. V8 tells of a missing bracket where it misses it. */
async function unreadable(error: Error, evaluated: EvaluatedSource, whole: string): Promise<Error> {
  const { source, title, origin } = evaluated;
  const missing = unbalanced(source);
  if (missing !== undefined) {
    return placed(new ScriptFailure(`SyntaxError: ${missing.reason}`), {
      title,
      position: within(missing.position, origin),
    });
  }
  const behind = await unreadableWaiting(source);
  if (behind !== undefined) {
    return placed(new ScriptFailure(`SyntaxError: ${behind.reason}`), {
      title,
      position: within(behind.position, origin),
    });
  }
  const problem = await syntaxErrorIn(whole);
  return problem === undefined ? error : placed(error, inSource(evaluated, problem.position));
}

/** What is wrong with a source that may wait at its top and cannot be read: V8 would say that it must not wait. */
async function unreadableWaiting(source: string): Promise<SyntaxProblem | undefined> {
  if (!mayAwait(source) || readImports(source) !== undefined) return undefined;
  const { whole, offset } = waitingOf(source);
  const problem = await syntaxErrorIn(whole);
  if (problem === undefined) return undefined;
  const { position = START } = inSource({ title: '', offset, origin: START, shifts: NO_SHIFTS }, problem.position);
  return { ...problem, position };
}

/** The first syntax error of a source; undefined: it can be read. `wrapped` as in `JavaScriptOptions`. */
export async function syntaxProblemOf(source: string, wrapped: boolean): Promise<SyntaxProblem | undefined> {
  const { whole, offset, shifts } = composed(source, wrapped);
  const problem = await syntaxErrorIn(whole);
  if (problem === undefined) return undefined;
  const found = unbalanced(source) ?? (await unreadableWaiting(source));
  if (found !== undefined) return found;
  const { position = START } = inSource({ title: '', offset, origin: START, shifts }, problem.position);
  return { ...problem, position };
}

/** Its place. */
export async function unreadableAt(source: string, wrapped: boolean): Promise<Position | undefined> {
  return (await syntaxProblemOf(source, wrapped))?.position;
}
