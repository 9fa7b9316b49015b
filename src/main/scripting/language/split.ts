/** Finds the scripts in a text (docs/interface/scripting.md 1.3). */
import type { Position } from './errors.js';

/** What a script is written in. `other`: a language that this server does not speak, named before the brace. */
export type ScriptLanguage =
  { readonly kind: 'expression' } | { readonly kind: 'javascript' } | { readonly kind: 'other'; readonly name: string };

/** A part of a text. The parts of a text, put together by their `text`, are the text. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly position: Position }
  | {
      readonly kind: 'script';
      /** With `${` and `}`. */
      readonly text: string;
      /** What is evaluated: an expression, or JavaScript in its braces. */
      readonly source: string;
      readonly language: ScriptLanguage;
      /** Where in the whole text `source` begins. */
      readonly position: Position;
    }
  /** A script that does not end. It is the last part. */
  | { readonly kind: 'unterminated'; readonly text: string; readonly position: Position };

const enum Char {
  Newline = 0x0a,
  DoubleQuote = 0x22,
  SingleQuote = 0x27,
  Slash = 0x2f,
  Backslash = 0x5c,
  Open = 0x7b,
  Close = 0x7d,
}

const EXPRESSION: ScriptLanguage = { kind: 'expression' };
const JAVASCRIPT: ScriptLanguage = { kind: 'javascript' };
/** `${python{ ... }}` names its language. */
const NAMED = /^([A-Za-z]\w*)\{/;

/**
 * Splits a text at its scripts. Takes time proportional to the length of the text, whatever is in it: what follows a script that
 * does not end is part of it.
 */
export function splitScripts(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const lines = new Lines(text);
  let done = 0;
  for (let start = text.indexOf('${'); start !== -1; start = text.indexOf('${', done)) {
    if (start > done) pieces.push({ kind: 'text', text: text.slice(done, start), position: lines.at(done) });
    const end = endOf(text, start + 2);
    if (end === undefined) {
      pieces.push({ kind: 'unterminated', text: text.slice(start), position: lines.at(start) });
      return pieces;
    }
    const { language, source, skipped } = scriptOf(text.slice(start + 2, end - 1));
    const position = lines.at(start + 2 + skipped);
    pieces.push({ kind: 'script', text: text.slice(start, end), source, language, position });
    done = end;
  }
  if (done < text.length) pieces.push({ kind: 'text', text: text.slice(done), position: lines.at(done) });
  return pieces;
}

/**
 * What stands between `${` and `}`: `{...}` is JavaScript, as is `js{...}`, everything else an expression. `skipped`: number of
 * characters before `source`. For sources without `${` (methods, conditions) the text is to be trimmed before.
 */
export function scriptOf(inside: string): {
  readonly language: ScriptLanguage;
  readonly source: string;
  readonly skipped: number;
} {
  if (!inside.endsWith('}')) return { language: EXPRESSION, source: inside, skipped: 0 };
  if (inside.startsWith('{')) return { language: JAVASCRIPT, source: inside, skipped: 0 };
  const name = NAMED.exec(inside)?.[1];
  if (name === undefined) return { language: EXPRESSION, source: inside, skipped: 0 };
  const source = inside.slice(name.length);
  return { language: name === 'js' ? JAVASCRIPT : { kind: 'other', name }, source, skipped: name.length };
}

/** Index behind the brace that closes a script whose inside begins at `from`. */
function endOf(text: string, from: number): number | undefined {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    switch (text.charCodeAt(i) as Char) {
      case Char.SingleQuote:
      case Char.DoubleQuote:
        i = closingQuote(text, i);
        break;
      case Char.Slash:
        if (text.charCodeAt(i + 1) === Char.Slash) {
          const end = text.indexOf('\n', i);
          if (end === -1) return undefined;
          i = end;
        }
        break;
      case Char.Open:
        depth++;
        break;
      case Char.Close:
        if (depth-- === 0) return i + 1;
        break;
      default:
    }
  }
  return undefined;
}

/** Index of the quote that ends a text in quotes; the end of the whole text when there is none. */
function closingQuote(text: string, open: number): number {
  const quote = text.charCodeAt(open);
  for (let i = open + 1; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === quote) return i;
    if (char === Char.Backslash) i++;
  }
  return text.length;
}

/** Lines and columns of growing indexes. */
export class Lines {
  private line = 1;
  private lineStart = 0;
  private seen = 0;

  constructor(private readonly text: string) {}

  at(index: number): Position {
    for (; this.seen < index; this.seen++) {
      if (this.text.charCodeAt(this.seen) !== Char.Newline) continue;
      this.line++;
      this.lineStart = this.seen + 1;
    }
    return { line: this.line, column: index - this.lineStart + 1 };
  }
}
