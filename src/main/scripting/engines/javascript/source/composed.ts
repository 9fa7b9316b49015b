/** What of a script is evaluated, and how: as a text, or as a function, which an isolate keeps, so that it is read once. */
import { Parser, type AnyNode } from 'acorn';
import { ScriptSyntaxError } from '../../../language/errors.js';
import { SizedCache } from '../../../language/sized-cache.js';
import { edited } from './edits.js';
import type { EvaluatedSource } from './evaluated.js';
import { freePrefix, mayImport, mayThrowOthers, rewrite, type Rewritten } from './rewrite.js';
import { mayAwait } from './top-level-await.js';
import { parseJavaScript } from './tree.js';

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
/** Characters of sources that are kept composed. */
const MOST_KEPT = 4 * 1024 * 1024;
export const NO_SHIFTS: EvaluatedSource['shifts'] = [];

/** A source as it is evaluated. */
export interface Composed {
  /** Undefined: nothing in it had to be changed. */
  readonly read: Rewritten | undefined;
  readonly prefix: string;
  readonly whole: string;
  /** As in `HandedScript`. */
  readonly isFunction: boolean;
  /** As in `EvaluatedSource`. */
  readonly offset: number;
  readonly shifts: EvaluatedSource['shifts'];
}

const wrappedOnes = new SizedCache<Composed>(MOST_KEPT);
const plainOnes = new SizedCache<Composed>(MOST_KEPT);

/** `wrapped` as in `JavaScriptOptions`. Throws `ScriptError` for what imports too much. */
export function composed(source: string, wrapped: boolean): Composed {
  const known = wrapped ? wrappedOnes : plainOnes;
  let made = known.get(source);
  if (made === undefined) known.set(source, (made = compose(source, wrapped)));
  return made;
}

function compose(source: string, wrapped: boolean): Composed {
  const isAsked = mayImport(source) || mayAwait(source) || mayThrowOthers(source);
  const read = isAsked ? readImports(source) : undefined;
  const { text = source, prefix = '', shifts = NO_SHIFTS } = read ?? {};
  const same = { read, prefix, shifts };
  if (read?.awaits === true) return { ...same, ...waitingWhole(read, wrapped), isFunction: false };
  const isFunction = wrapped && read?.isImporting !== true && isBody(source);
  if (!isFunction) {
    const body = wrapped || isAsked ? undefined : bodyWithValue(source);
    if (body !== undefined) {
      const whole = STRICT + functionOf(body.text);
      return { ...same, whole, isFunction: true, offset: STRICT.length + BEGIN.length, shifts: body.shifts };
    }
    return { ...same, whole: wholeOf(text, wrapped), isFunction, offset: offsetIn(wrapped) };
  }
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
export function readImports(source: string): Rewritten | undefined {
  if (source.length > LONGEST_MARKED && !mayImport(source) && !mayAwait(source)) return undefined;
  try {
    const read = rewrite(source, false);
    return read.text === source && !read.awaits ? undefined : read;
  } catch (error) {
    if (error instanceof ScriptSyntaxError) return undefined;
    throw error;
  }
}

/** What is evaluated of a source that waits at its top, as it would be if it could be read. */
export function waitingOf(source: string): Pick<Composed, 'whole' | 'offset'> {
  return waitingWhole({ text: source, prefix: freePrefix(source) }, true);
}

/** Comments of web pages, which only V8 takes for comments. */
function hasWebComments(source: string): boolean {
  return source.includes('<!--') || source.includes('-->');
}

/** Whether a source is the inside of one function, and does not end it to go on behind it; longer ones are not looked at. */
function isBody(source: string): boolean {
  if (source.length > LONGEST_BODY || hasWebComments(source)) return false;
  try {
    const text = functionOf(source);
    const [first, ...others] = parseJavaScript(text).body;
    if (first?.type !== 'ExpressionStatement' || others.length > 0) return false;
    return first.expression.type === 'ArrowFunctionExpression' && first.expression.end === text.length - 1;
  } catch (error) {
    // V8 says what is wrong with it.
    if (error instanceof ScriptSyntaxError) return false;
    throw error;
  }
}

/**
 * A source as the inside of a function that answers what the source does: its last statement is an expression. Undefined: it is no
 * such one, or has what means something else in a function.
 */
function bodyWithValue(source: string): { readonly text: string; readonly shifts: Composed['shifts'] } | undefined {
  if (source.length > LONGEST_BODY || hasWebComments(source)) return undefined;
  let statements: readonly AnyNode[];
  try {
    statements = Parser.parse(source, { ecmaVersion: 'latest', sourceType: 'module' }).body;
  } catch {
    // V8 says what is wrong with it, or it is sloppier than this.
    return undefined;
  }
  let last = statements.at(-1);
  if (last?.type === 'BlockStatement') last = last.body.at(-1);
  if (last?.type !== 'ExpressionStatement') return undefined;
  const { start } = last.expression;
  // In front of brackets, too, which are not the expression's own.
  const at = last.start;
  if (at > start) return undefined;
  return edited(source, [{ at, end: at, text: 'return ' }], () => undefined);
}
