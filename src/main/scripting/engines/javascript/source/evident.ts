/** What can be said of a source that no engine can read, or only by another meaning than its author had: is it JavaScript, and what does it lack? */
import { Parser, tokTypes, type Token } from 'acorn';
import { ScriptSyntaxError, type Position } from '../../../language/errors.js';
import { LONGEST_SOURCE } from './tree.js';

const PAIRS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['${', '}'],
]);
const CLOSING: ReadonlySet<string> = new Set(PAIRS.values());

/** The first bracket of a JavaScript source that has no other one; undefined: there is none, or the source has worse faults before. */
export function unbalanced(source: string): ScriptSyntaxError | undefined {
  if (source.length > LONGEST_SOURCE) return undefined;
  const open: { readonly bracket: string; readonly position: Position }[] = [];
  const lacking = ({ bracket, position }: (typeof open)[number]): ScriptSyntaxError =>
    new ScriptSyntaxError(`The ${bracket} that opens here has no ${PAIRS.get(bracket) ?? ''} that closes it`, position);
  try {
    for (const token of Parser.tokenizer(source, { ecmaVersion: 'latest', sourceType: 'module', locations: true })) {
      const bracket = bracketOf(token);
      const position = positionOf(token);
      if (PAIRS.has(bracket)) open.push({ bracket, position });
      if (!CLOSING.has(bracket)) continue;
      const last = open.pop();
      if (last === undefined) return new ScriptSyntaxError(`There is nothing that this ${bracket} closes`, position);
      if (PAIRS.get(last.bracket) !== bracket) return lacking(last);
    }
  } catch {
    // A text or comment without an end, for example: V8 says so.
    return undefined;
  }
  const last = open.at(-1);
  return last === undefined ? undefined : lacking(last);
}

/** Empty: it is none. */
function bracketOf({ type }: Token): string {
  switch (type) {
    case tokTypes.parenL:
    case tokTypes.parenR:
    case tokTypes.bracketL:
    case tokTypes.bracketR:
    case tokTypes.braceL:
    case tokTypes.braceR:
    case tokTypes.dollarBraceL:
      return type.label;
    default:
      return '';
  }
}

function positionOf({ loc }: Token): Position {
  return { line: loc?.start.line ?? 1, column: (loc?.start.column ?? 0) + 1 };
}

/** Blanks and comments before the first word of JavaScript. */
const BEFORE = /^(?:\s+|\/\/[^\n]*(?:\n|$)|\/\*[^]*?\*\/)*/;
/** What no expression begins with, unless by mistake. */
const STATEMENT = new RegExp(
  [
    String.raw`return\b(?=\s*(?:[;\w$'"\x60([{!-]|$))`,
    String.raw`(?:let|const|var|function|class|throw|async|await|import|export)\s+[\w$([{'"\x60*]`,
    String.raw`(?:for|while|switch)\s*\(`,
    String.raw`(?:do|try)\s*\{`,
    String.raw`\$\.\w`,
  ]
    .map((one) => `(?:${one})`)
    .join('|'),
  'y',
);

/**
 * Why a source that is read as an expression is none: it is evidently JavaScript, which stands in braces (docs/interface/scripting.md 1). Undefined: it
 * may be an expression.
 */
export function evidentlyJavaScript(source: string): ScriptSyntaxError | undefined {
  const begin = BEFORE.exec(source)?.[0].length ?? 0;
  const lines = source.slice(0, begin).split('\n');
  const position = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  if (source[begin] === '{') return inBraces(source, position);
  STATEMENT.lastIndex = begin;
  if (!STATEMENT.test(source)) return undefined;
  return new ScriptSyntaxError(
    'This is JavaScript without its braces: it has to begin with { and to end with }',
    position,
  );
}

/** It begins with a brace; had it ended with one, and nothing before, it would not be read as an expression. */
function inBraces(source: string, position: Position): ScriptSyntaxError | undefined {
  if (source.trimStart().startsWith('{') && source.trimEnd().endsWith('}')) return undefined;
  return (
    unbalanced(source) ??
    new ScriptSyntaxError('JavaScript has to begin with { and to end with }, without comments around them', position)
  );
}
