/** Cuts an expression into tokens (docs/interface/scripting.md 2.1). */
import { ScriptSyntaxError, type Position } from '../errors.js';

export type Token =
  | { readonly kind: 'name' | 'number' | 'text'; readonly text: string; readonly at: number; readonly end: number }
  | { readonly kind: 'mark'; readonly text: Mark; readonly at: number; readonly end: number };
export type Mark = '(' | ')' | '[' | ']' | ',' | ';';

export interface Tokens {
  readonly tokens: readonly Token[];
  /** Index of the first character that no token begins with; undefined: all was read. */
  readonly stopped: number | undefined;
}

/** Tokens of one expression. */
export const MOST_TOKENS = 1000;

const NAME = /[\p{L}_.][\p{L}\p{Nd}_.!-]*/uy;
const NUMBER = /[-\d][\d.]*/y;
const BLANKS = /\s+/y;
const MARKS: ReadonlySet<string> = new Set(['(', ')', '[', ']', ',', ';'] satisfies Mark[]);
/** What a backslash makes of a character; every other one stands for itself. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
]);

/** Throws `ScriptSyntaxError` for texts that do not end, and for too many tokens. */
export function tokensOf(source: string): Tokens {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  for (;;) {
    at += take(BLANKS)?.length ?? 0;
    const first = source[at];
    if (first === undefined) return { tokens, stopped: undefined };
    if (tokens.length >= MOST_TOKENS) {
      throw syntaxError(`The expression has more than ${String(MOST_TOKENS)} words and marks`, source, at);
    }
    if (isMark(first)) {
      tokens.push({ kind: 'mark', text: first, at, end: ++at });
      continue;
    }
    if (first === "'" || first === '"') {
      const { text, end } = quoted(source, at);
      tokens.push({ kind: 'text', text, at, end });
      at = end;
      continue;
    }
    const name = take(NAME);
    const text = name ?? take(NUMBER);
    if (text === undefined) return { tokens, stopped: at };
    const end = at + text.length;
    tokens.push({ kind: name === undefined ? 'number' : 'name', text, at, end });
    at = end;
  }
}

function isMark(char: string): char is Mark {
  return MARKS.has(char);
}

function quoted(source: string, open: number): { readonly text: string; readonly end: number } {
  const quote = source[open];
  let text = '';
  let from = open + 1;
  for (let i = from; i < source.length; i++) {
    const char = source[i];
    if (char === quote) return { text: text + source.slice(from, i), end: i + 1 };
    if (char !== '\\' || i + 1 >= source.length) continue;
    const escaped = String.fromCodePoint(source.codePointAt(i + 1) ?? 0);
    text += source.slice(from, i) + (ESCAPES.get(escaped) ?? escaped);
    i += escaped.length;
    from = i + 1;
  }
  throw syntaxError('The text that begins here has no closing quote', source, open);
}

/** Line and column of an index, for messages. */
export function positionAt(source: string, at: number): Position {
  let line = 1;
  let start = 0;
  for (let next = source.indexOf('\n'); next !== -1 && next < at; next = source.indexOf('\n', start)) {
    line++;
    start = next + 1;
  }
  return { line, column: at - start + 1 };
}

export function syntaxError(message: string, source: string, at: number): ScriptSyntaxError {
  return new ScriptSyntaxError(message, positionAt(source, at));
}
