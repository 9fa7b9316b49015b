/** Expressions by their source: read once, kept, evaluated (docs/interface/scripting.md 2). */
import type { ScriptContext } from '../../run/run.js';
import { ScriptError, ScriptSyntaxError, type Position } from '../../language/errors.js';
import { tellNotes } from '../../run/notes.js';
import { placed, placeText, START, within, type Place } from '../../language/place.js';
import type { Awaitable, ScriptValue } from '../../language/values.js';
import { SizedCache } from '../../language/sized-cache.js';
import { evidentlyJavaScript } from '../javascript/source/evident.js';
import { compile, failedAt, type Compiled } from './compiler.js';
import type { FunctionLibrary } from '../../run/function/function.js';
import type { Evaluator } from './evaluator.js';
import { positionAt, syntaxError } from '../../language/expression/lexer.js';
import { parseExpression } from '../../language/expression/parser.js';

/** Characters of sources that are kept compiled; a compiled one takes some ten times as many bytes. */
const MOST_KEPT = 8 * 1024 * 1024;
const NONE: NonNullable<Known['unknown']> = [];

/** A source that was read, with what is known of it. */
export interface Known extends Partial<Compiled> {
  /** The source cannot be read. */
  readonly error?: ScriptSyntaxError;
  /** It can be read, but no value is possible. */
  readonly refused?: { readonly position: Position; readonly message: string };
  /** What could not be read, and was left out. */
  readonly warning?: { readonly position: Position; readonly message: string };
}

export class Expressions {
  private readonly known = new SizedCache<Known>(MOST_KEPT);

  constructor(private readonly library: FunctionLibrary) {}

  /**
   * The value of an expression. What cannot be read is logged, and null (docs/interface/script-runtime.md 3.4); `origin` is where in the user's text
   * the source begins, for messages. Answers, and throws `ScriptError`, at once where nothing has to be waited for.
   */
  evaluate(source: string, context: ScriptContext, origin: Position = START): Awaitable<ScriptValue> {
    return this.evaluateKnown(this.know(source, context, origin), source, context, origin);
  }

  /** The source read, for `evaluateKnown`. */
  know(source: string, context: ScriptContext, origin: Position): Known {
    return this.known.get(source) ?? this.add(source, context, origin);
  }

  /** The same as `evaluate` of a source that was read before. */
  evaluateKnown(known: Known, source: string, context: ScriptContext, origin: Position): Awaitable<ScriptValue> {
    const { evaluate, unknown = NONE, refused, error } = known;
    if (error !== undefined) return unreadable(error, context, origin);
    if (refused !== undefined) {
      throw placed(new ScriptError(422, `${refused.message}.`), placeIn(context, refused.position, origin));
    }
    for (const { name, at } of unknown) {
      if (!context.run.engine.hasFunction(name, context)) {
        return unreadable(syntaxError(`Unknown function: ${name}`, source, at), context, origin);
      }
    }
    return evaluate === undefined ? null : located(evaluate, source, context, origin);
  }

  /** Why a source has no value wherever it stands; `isFunction`: whether users have a function of this name. Undefined: it has one. */
  problemIn(source: string, isFunction: (name: string) => boolean): ScriptSyntaxError | undefined {
    const { error, refused, warning, unknown = [] } = this.read(source);
    if (error !== undefined) return error;
    const other = refused ?? warning;
    if (other !== undefined) return new ScriptSyntaxError(other.message, other.position);
    const missing = unknown.find(({ name }) => !isFunction(name));
    return missing === undefined ? undefined : syntaxError(`Unknown function: ${missing.name}`, source, missing.at);
  }

  private add(source: string, context: ScriptContext, origin: Position): Known {
    const known = this.read(source);
    this.known.set(source, known);
    const { warning } = known;
    if (warning !== undefined) {
      context.run.warn(`${placeText(placeIn(context, warning.position, origin))}: ${warning.message}`);
    }
    return known;
  }

  private read(source: string): Known {
    const foreign = evidentlyJavaScript(source);
    if (foreign !== undefined) return { refused: { position: foreign.position, message: foreign.reason } };
    try {
      const script = parseExpression(source);
      const { stopped, refused } = script;
      return {
        ...compile(script, this.library),
        ...(refused && { refused: { position: positionAt(source, refused.at), message: refused.message } }),
        ...(stopped !== undefined && {
          warning: {
            position: positionAt(source, stopped),
            message: `${String.fromCodePoint(source.codePointAt(stopped) ?? 0)} cannot stand in an expression: what follows is not read`,
          },
        }),
      };
    } catch (error) {
      if (error instanceof ScriptSyntaxError) return { error };
      throw error;
    }
  }
}

function unreadable(error: ScriptSyntaxError, context: ScriptContext, origin: Position): null {
  context.run.warn(`${placeText(placeIn(context, error.position, origin))}: ${error.reason}`);
  return null;
}

function placeIn({ title }: ScriptContext, position: Position, origin: Position): Place {
  return { title, position: within(position, origin) };
}

/** Evaluates, and says where in the user's text it was that something failed, or was noted. */
function located(
  evaluate: Evaluator,
  source: string,
  context: ScriptContext,
  origin: Position,
): Awaitable<ScriptValue> {
  let value: Awaitable<ScriptValue>;
  try {
    value = evaluate(context);
  } catch (error) {
    return failed(error, source, context, origin);
  }
  const { run } = context;
  if (value instanceof Promise) {
    return value.then(
      (known) => {
        if (run.notes !== undefined) tell(source, context, origin);
        return known;
      },
      (error: unknown) => failed(error, source, context, origin),
    );
  }
  if (run.notes !== undefined) tell(source, context, origin);
  return value;
}

function failed(error: unknown, source: string, context: ScriptContext, origin: Position): never {
  if (context.run.notes !== undefined) tell(source, context, origin);
  throw placed(error, placeIn(context, positionAt(source, failedAt(error) ?? 0), origin));
}

function tell(source: string, context: ScriptContext, origin: Position): void {
  tellNotes(context.run, ({ at = 0 }) => placeIn(context, positionAt(source, at), origin));
}
