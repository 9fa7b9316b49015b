/** Users' JavaScript (docs/interface/scripting.md 3): runs a source in an isolate, with `$` for everything outside of it. */
import type { Config } from '../../../config/index.js';
import { type Position, ScriptFailure, ScriptSyntaxError } from '../../language/errors.js';
import { placed, START, within } from '../../language/place.js';
import type { ScriptRun, ScriptContext } from '../../run/run.js';
import type { FunctionLibrary } from '../../run/function/function.js';
import { SizedCache } from '../../language/sized-cache.js';
import type { ScriptValue } from '../../language/values.js';
import { computingBound } from './isolates/computing.js';
import { inSource } from './failures.js';
import type { EvaluatedSource } from './source/evaluated.js';
import { modulesOf } from './modules.js';
import { mayAwait } from './source/top-level-await.js';
import { freePrefix, mayImport, mayThrowOthers, rewrite, type Rewritten } from './source/rewrite.js';
import { Isolates, type Limits } from './isolates/isolates.js';
import { Session } from './session.js';
import { syntaxErrorIn, type SyntaxProblem } from './syntax.js';
import { parseJavaScript } from './source/tree.js';
import { unbalanced } from './source/evident.js';

/** In front of a script, on its first line. The second statement is there as the first one is a value too. */
const STRICT = '"use strict";void 0;';
const BEGIN = '(() => {';
/** The function whose inside a source is. */
const functionOf = (source: string, begin = BEGIN): string => `${begin}${source}\n})`;
/** What is evaluated: `wrapped` as in `JavaScriptOptions`. */
const wholeOf = (source: string, wrapped: boolean): string => STRICT + (wrapped ? `${functionOf(source)}()` : source);
/** Where a source begins in that. */
const offsetIn = (wrapped: boolean): number => STRICT.length + (wrapped ? BEGIN.length : 0);

/** Characters of a source that is read on the loop to see whether it is the body of a function: a millisecond or two. */
const LONGEST_BODY = 20_000;
/** Characters of a source that is read for what it throws, once: ten milliseconds. */
const LONGEST_MARKED = 100_000;
const NO_SHIFTS: EvaluatedSource['shifts'] = [];
const bodies = new SizedCache<boolean>(2_000_000);

export interface JavaScriptOptions {
  /**
   * The source answers by `return`; otherwise by the value of its last expression. Absent: as the setting
   * `application.scripting.js.wrapinmainfunction` says, which counts for all but methods, functions and function properties.
   */
  readonly wrapped?: boolean | undefined;
  /** Where the source begins in what its user wrote; absent: at its first character. */
  readonly origin?: Position | undefined;
}

/** The isolates of one instance of the service, and the runs that use them. */
export class JavaScript {
  readonly isolates: Isolates;
  private readonly sessions = new WeakMap<ScriptRun, Session>();
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
    const wrapped = options.wrapped ?? this.config.get('application.scripting.js.wrapinmainfunction');
    const { origin = START } = options;
    const { title } = context;
    const { read, prefix, whole, isFunction, offset, shifts } = composed(source, wrapped);
    const evaluated: EvaluatedSource = { title, context, source, origin, offset, shifts };
    const session = this.session(context);
    try {
      if (isFunction) return await session.evaluate(evaluated, whole, { isFunction });
      if (read?.isImporting !== true) {
        const modules = read === undefined ? null : [prefix, [], []];
        return await session.evaluate(evaluated, whole, { modules });
      }
      // What is loaded belongs to this session, which must not end meanwhile.
      const release = session.hold();
      try {
        const { numbers, definitions } = await modulesOf(session.crossing).load(read, undefined, context);
        const modules = [prefix, numbers, definitions];
        return await session.evaluate(evaluated, whole, { modules });
      } finally {
        release();
      }
    } catch (error) {
      const unread = error instanceof Error ? session.unread.get(error) : undefined;
      if (!(error instanceof Error) || unread?.source !== evaluated) throw error;
      session.unread.delete(error);
      const told = await unreadable(error, evaluated, whole);
      throw placed(told, unread.place ?? { title });
    }
  }

  private session(context: ScriptContext): Session {
    const known = this.sessions.get(context.run);
    if (known !== undefined && !known.isOver) return known;
    const session: Session = new Session(
      {
        isolates: this.isolates,
        limits: this.limits,
        library: this.library,
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

  /** Ends all that runs, and runs nothing more. */
  close(): Promise<void> {
    return this.isolates.close();
  }
}

/** A source as it is evaluated. */
interface Composed {
  /** Undefined: nothing in it had to be changed. */
  readonly read: Rewritten | undefined;
  readonly prefix: string;
  readonly whole: string;
  /** As in `Session.evaluate`. */
  readonly isFunction: boolean;
  /** As in `EvaluatedSource`. */
  readonly offset: number;
  readonly shifts: EvaluatedSource['shifts'];
}

function composed(source: string, wrapped: boolean): Composed {
  const isAsked = mayImport(source) || mayAwait(source) || mayThrowOthers(source);
  const read = isAsked ? readImports(source) : undefined;
  const { text = source, prefix = '', shifts = NO_SHIFTS } = read ?? {};
  const same = { read, prefix, shifts };
  if (read?.awaits === true) return { ...same, ...waitingWhole(read, wrapped), isFunction: false };
  const isFunction = wrapped && read?.isImporting !== true && isBody(source);
  if (!isFunction) return { ...same, whole: wholeOf(text, wrapped), isFunction, offset: offsetIn(wrapped) };
  const begin = read === undefined ? BEGIN : `((${prefix}w) => {`;
  return { ...same, whole: STRICT + functionOf(text, begin), isFunction, offset: STRICT.length + begin.length };
}

/** The same as `wholeOf` for what waits at its top, with the place where the source begins. */
function waitingWhole(
  { text, prefix }: Pick<Rewritten, 'text' | 'prefix'>,
  wrapped: boolean,
): Pick<Composed, 'whole' | 'offset'> {
  const begin = `${STRICT}(async () => {let ${prefix}v;`;
  return { whole: `${begin}${text}\n${wrapped ? '' : `;return ${prefix}v;`}})()`, offset: begin.length };
}

/** Undefined: it needs no change and does not wait, or cannot be read, which V8 finds as well. */
function readImports(source: string): Rewritten | undefined {
  if (source.length > LONGEST_MARKED && !mayImport(source) && !mayAwait(source)) return undefined;
  try {
    const read = rewrite(source, false);
    return read.text === source && !read.awaits ? undefined : read;
  } catch (error) {
    if (error instanceof ScriptSyntaxError) return undefined;
    throw error;
  }
}

/** Whether a source is the inside of one function, and does not end it to go on behind it; longer ones are not looked at. */
function isBody(source: string): boolean {
  // Comments of web pages, which only V8 takes for comments.
  if (source.length > LONGEST_BODY || source.includes('<!--') || source.includes('-->')) return false;
  let known = bodies.get(source);
  if (known === undefined) bodies.set(source, (known = holdsOneFunction(functionOf(source))));
  return known;
}

function holdsOneFunction(text: string): boolean {
  try {
    const [first, ...others] = parseJavaScript(text).body;
    if (first?.type !== 'ExpressionStatement' || others.length > 0) return false;
    return first.expression.type === 'ArrowFunctionExpression' && first.expression.end === text.length - 1;
  } catch (error) {
    // V8 says what is wrong with it.
    if (error instanceof ScriptSyntaxError) return false;
    throw error;
  }
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
  const { whole, offset } = waitingWhole({ text: source, prefix: freePrefix(source) }, true);
  const problem = await syntaxErrorIn(whole);
  if (problem === undefined) return undefined;
  const { position = START } = inSource({ title: '', offset, origin: START, shifts: NO_SHIFTS }, problem.position);
  return { ...problem, position };
}

/** The place of the first syntax error of a source; undefined: it can be read. `wrapped` as in `JavaScriptOptions`. */
export async function unreadableAt(source: string, wrapped: boolean): Promise<Position | undefined> {
  const { whole, offset, shifts } = composed(source, wrapped);
  const problem = await syntaxErrorIn(whole);
  if (problem === undefined) return undefined;
  const found = unbalanced(source) ?? (await unreadableWaiting(source));
  return found?.position ?? inSource({ title: '', offset, origin: START, shifts }, problem.position).position;
}
