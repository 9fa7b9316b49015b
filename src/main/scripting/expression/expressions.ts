/** Expressions by their source: read once, kept, evaluated (scripting.md 3). */
import type { ScriptContext } from '../context.js';
import { ScriptError, ScriptSyntaxError, type Position } from '../errors.js';
import { callableNamed } from '../functions/coming.js';
import type { Awaitable, ScriptValue } from '../values.js';
import { SizedCache } from '../sized-cache.js';
import { compile, type Compiled, type FunctionLibrary } from './compiler.js';
import { positionAt, syntaxError } from './lexer.js';
import { parseExpression } from './parser.js';

/** Characters of sources that are kept compiled; a compiled one takes some ten times as many bytes. */
const MOST_KEPT = 8 * 1024 * 1024;
const NONE: NonNullable<Known['unknown']> = [];
const START: Position = { line: 1, column: 1 };

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
   * The value of an expression. What cannot be read is logged, and null (scripting.md 8.4); `origin` is where in the user's text
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
      throw new ScriptError(422, `${context.title}:${place(refused.position, origin)}: ${refused.message}.`);
    }
    for (const { name, at } of unknown) {
      if (!context.run.engine.hasFunction(name, context)) {
        return unreadable(syntaxError(`Unknown function: ${name}`, source, at), context, origin);
      }
    }
    return evaluate === undefined ? null : evaluate(context);
  }

  /** Why a source has no value wherever it stands; `isFunction`: whether users have a function of this name. Undefined: it has one. */
  problemIn(source: string, isFunction: (name: string) => boolean): string | undefined {
    const { error, refused, warning, unknown = [] } = this.read(source);
    if (error !== undefined) return error.message;
    const other = refused ?? warning;
    if (other !== undefined) {
      return `${other.message} (line ${String(other.position.line)}, column ${String(other.position.column)})`;
    }
    const missing = unknown.find(({ name }) => !isFunction(name));
    return missing === undefined
      ? undefined
      : syntaxError(`Unknown function: ${missing.name}`, source, missing.at).message;
  }

  private add(source: string, context: ScriptContext, origin: Position): Known {
    const known = this.read(source);
    this.known.set(source, known);
    const { warning } = known;
    if (warning !== undefined) {
      context.run.warn(`${context.title}:${place(warning.position, origin)}: ${warning.message}`);
    }
    return known;
  }

  private read(source: string): Known {
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
  context.run.warn(`${context.title}:${place(error.position, origin)}: ${error.message}`);
  return null;
}

/** Where a place of the source is in the text that holds it. */
function place({ line, column }: Position, origin: Position): string {
  const inText = line === 1 ? column + origin.column - 1 : column;
  return `${String(line + origin.line - 1)}:${String(inText)}`;
}

/** Expressions with the functions of the library. */
export const expressions = new Expressions(callableNamed);
