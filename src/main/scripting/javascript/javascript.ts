/** Users' JavaScript (scripting.md 5): runs a source in an isolate, with `$` for everything outside of it. */
import { logger } from '../../../shared/log.js';
import type { Config } from '../../config/index.js';
import type { ScriptContext } from '../context.js';
import { ScriptSyntaxError } from '../errors.js';
import type { ScriptRun } from '../run.js';
import type { ScriptValue } from '../values.js';
import { computingBound } from './computing.js';
import { placeOf, ScriptFailure, type EvaluatedSource } from './failures.js';
import { modulesOf } from './modules/modules.js';
import { mayImport, rewrite, type Rewritten } from './modules/rewrite.js';
import { Isolates, type Limits } from './isolates.js';
import { Session } from './session.js';
import { syntaxErrorIn } from './syntax.js';
import type { Position } from '../errors.js';

const log = logger('scripting.javascript');

/** In front of a script, on its first line. The second statement is there as the first one is a value too. */
const STRICT = '"use strict";void 0;';
const WRAPPED = `${STRICT}(() => {`;

export interface JavaScriptOptions {
  /**
   * The source answers by `return`; otherwise by the value of its last expression. Absent: as the setting
   * `application.scripting.js.wrapinmainfunction` says, which counts for all but methods, functions and function properties.
   */
  readonly wrapped?: boolean | undefined;
  /** What it is called in messages: `Project.close`. */
  readonly name: string;
}

/** The isolates of one instance of the service, and the runs that use them. */
export class JavaScript {
  readonly isolates: Isolates;
  private readonly sessions = new WeakMap<ScriptRun, Session>();
  private readonly limits: () => Limits;

  constructor(private readonly config: Config) {
    this.limits = () => ({
      memory: config.get('application.scripting.js.memory'),
      cpu: config.get('application.scripting.js.timeout.cpu'),
      total: config.get('application.scripting.js.timeout.total'),
      isolates: config.get('application.scripting.js.isolates'),
      computing: computingBound(config.get('application.scripting.js.computing')),
      waiting: config.get('application.scripting.js.queue.length'),
      patience: config.get('application.scripting.js.queue.timeout'),
    });
    this.isolates = new Isolates(this.limits);
  }

  async run(source: string, context: ScriptContext, options: JavaScriptOptions): Promise<ScriptValue> {
    const wrapped = options.wrapped ?? this.config.get('application.scripting.js.wrapinmainfunction');
    const prefix = wrapped ? WRAPPED : STRICT;
    const evaluated: EvaluatedSource = { name: options.name, context, source, offset: prefix.length };
    const whole = (inside: string): string => (wrapped ? `${prefix}${inside}\n})()` : `${prefix}${inside}`);
    const text = whole(source);
    const session = this.session(context);
    const isInside = session.isBusy;
    try {
      const read = mayImport(source) ? readImports(source) : undefined;
      if (read === undefined) return await session.evaluate(evaluated, text);
      // What is loaded belongs to this session, which must not end meanwhile.
      const release = session.hold();
      try {
        const { numbers, definitions } = await modulesOf(session.crossing).load(read, undefined, context);
        return await session.evaluate(evaluated, whole(read.text), [read.prefix, numbers, definitions]);
      } finally {
        release();
      }
    } catch (error) {
      if (error instanceof ScriptFailure) {
        if (error.unread === evaluated) await findPlace(error, evaluated, text);
        // The script around it may expect it.
        if (!isInside) log.warn(`${error.place}: ${error.detail}`);
      }
      throw error;
    }
  }

  private session(context: ScriptContext): Session {
    const known = this.sessions.get(context.run);
    if (known !== undefined && !known.isOver) return known;
    const session: Session = new Session(
      {
        isolates: this.isolates,
        limits: this.limits,
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

/** Undefined: it imports nothing, or cannot be read, which V8 finds as well. */
function readImports(source: string): Rewritten | undefined {
  try {
    const read = rewrite(source, false);
    return read.text === source ? undefined : read;
  } catch (error) {
    if (error instanceof ScriptSyntaxError) return undefined;
    throw error;
  }
}

/** The place of a syntax error is found by reading the source once more. */
async function findPlace(error: ScriptFailure, evaluated: EvaluatedSource, text: string): Promise<void> {
  error.unread = undefined;
  const position = await syntaxErrorIn(text);
  if (position === undefined) return;
  error.place = placeOf(evaluated, inSource(position, evaluated.offset));
}

/** The place of the first syntax error of a source; undefined: it can be read. `wrapped` as in `JavaScriptOptions`. */
export async function unreadableAt(source: string, wrapped: boolean): Promise<Position | undefined> {
  const prefix = wrapped ? WRAPPED : STRICT;
  const position = await syntaxErrorIn(wrapped ? `${prefix}${source}\n})()` : `${prefix}${source}`);
  return position === undefined ? undefined : inSource(position, prefix.length);
}

/** The same place without what stands in front of the source. */
function inSource({ line, column }: Position, offset: number): Position {
  return { line, column: line === 1 ? column - offset : column };
}

/** One an instance, by its settings. */
const instances = new WeakMap<Config, JavaScript>();

export function javaScriptOf(config: Config): JavaScript {
  let known = instances.get(config);
  if (known === undefined) instances.set(config, (known = new JavaScript(config)));
  return known;
}

/**
 * Runs JavaScript; the braces around it may be there or not. The answer is the value of the last expression, or what is returned when it
 * is wrapped; undefined is null, promises are waited for. Scripts of one `ScriptRun` that run inside of each other share one context.
 * Throws `ScriptError`: 422 `Server-side scripting error` for exceptions and syntax errors, which are logged with their place; what functions
 * of the library throw as it is; what a limit ended with a message that says so; 503 when too many scripts run.
 */
export function runJavaScript(
  source: string,
  context: ScriptContext,
  options: JavaScriptOptions,
): Promise<ScriptValue> {
  return javaScriptOf(context.run.parts.config).run(source, context, options);
}
