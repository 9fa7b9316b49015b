/**
 * The text of `svc.conf`: reading it, and changing it without losing what its owner wrote into it (specification,
 * Configuration 2; docs/interface/operations.md 1.1).
 *
 * - A line is `name = value`; `:` may stand for `=`. Spaces around both are dropped.
 * - A line whose first character is `#` or `!` is a comment. There are no comments behind a value.
 * - A backslash at the end of a line joins the next line to it; that line's indentation is dropped.
 * - `\n \t \r \f \\ \= \: \# \! \uXXXX` and a backslash before a space are escapes. Any other backslash stays as it is,
 *   so that a regular expression that nobody doubled the backslashes of is still read as meant.
 * - There is no `include` and no `${...}`: such text is a value like any other.
 */

/** One entry as the file has it. */
export interface ConfEntry {
  readonly kind: 'entry';
  /** Name in the file's case. */
  readonly name: string;
  readonly value: string;
  /** Number of its first line, from 1. */
  readonly line: number;
  /** The file's own text, with line ends. */
  readonly raw: string;
}

/** Blank lines and comments, and lines that make no sense. */
export interface ConfText {
  readonly kind: 'text';
  readonly raw: string;
}

/** A line that is neither entry nor comment. The reason never repeats the line: it may hold a secret. */
export interface BadLine {
  readonly line: number;
  readonly reason: string;
}

export interface ConfDocument {
  readonly parts: readonly (ConfEntry | ConfText)[];
  readonly badLines: readonly BadLine[];
}

const SEPARATOR = /^(?:[^\\=:]|\\[^])*?(?=[=:])/;

/** Reads a file's text. Never throws: what cannot be read is in `badLines`. */
export function parseConf(text: string): ConfDocument {
  const parts: (ConfEntry | ConfText)[] = [];
  const badLines: BadLine[] = [];
  // Lines with their ends; the last one may have none.
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  let index = 0;
  while (index < lines.length) {
    const start = index;
    let raw = lines[index++] ?? '';
    let content = withoutEnd(raw).trimStart();
    if (content === '' || content.startsWith('#') || content.startsWith('!')) {
      parts.push({ kind: 'text', raw });
      continue;
    }
    while (continues(content) && index < lines.length) {
      const next = lines[index++] ?? '';
      raw += next;
      content = content.slice(0, -1) + withoutEnd(next).trimStart();
    }
    // A last line that ends in a lone backslash has nothing to join.
    if (continues(content)) content = content.slice(0, -1);
    const entry = parseEntry(content);
    if (typeof entry === 'string') {
      badLines.push({ line: start + 1, reason: entry });
      parts.push({ kind: 'text', raw });
    } else {
      parts.push({ kind: 'entry', ...entry, line: start + 1, raw });
    }
  }
  return { parts, badLines };
}

/** The text of an entry's line, without its end. `parseConf` reads the same name and value back. */
export function formatEntry(name: string, value: string): string {
  return `${escape(name, true)} = ${escape(value, false)}`.trimEnd();
}

/**
 * The file's text after changes: `value` answers for each entry what becomes of it: its text as it is (`undefined`),
 * no entry (`null`), or a new line. `added` are entries to put at the end. All else stays as it is, in its order.
 */
export function rewriteConf(
  document: ConfDocument,
  decide: (entry: ConfEntry) => string | null | undefined,
  added: readonly string[],
): string {
  let text = '';
  for (const part of document.parts) {
    const next = part.kind === 'entry' ? decide(part) : undefined;
    if (next === null) continue;
    text += next === undefined ? part.raw : `${next}\n`;
  }
  if (added.length > 0 && text !== '' && !/[\r\n]$/.test(text)) text += '\n';
  return text + added.map((line) => `${line}\n`).join('');
}

function withoutEnd(line: string): string {
  return line.replace(/[\r\n]+$/, '');
}

/** Whether an odd number of backslashes ends the text. */
function continues(content: string): boolean {
  let count = 0;
  while (content.charAt(content.length - 1 - count) === '\\') count++;
  return count % 2 === 1;
}

/** Name and value of a joined line, or what is wrong with it. */
function parseEntry(content: string): { name: string; value: string } | string {
  const head = SEPARATOR.exec(content)?.[0];
  if (head === undefined) return "there is no '=' between name and value";
  const rawName = head.trim();
  if (rawName === '') return "there is no name before the '='";
  if (!/^(?:\\[^]|[^\\\s])*$/.test(rawName)) return "there is a space in the name before the '='";
  const name = unescape(rawName);
  const value = unescape(trimUnescaped(content.slice(head.length + 1)));
  if (name === undefined || value === undefined) return '\\u is not followed by four hexadecimal digits';
  return { name, value };
}

/** Drops white space on both sides, except the last one that a backslash protects. */
function trimUnescaped(text: string): string {
  const trimmed = text.trim();
  return continues(trimmed) && text.trimStart().length > trimmed.length
    ? text.trimStart().slice(0, trimmed.length + 1)
    : trimmed;
}

const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f' };

function unescape(text: string): string | undefined {
  if (/(?<!\\)(?:\\\\)*\\u(?![0-9a-fA-F]{4})/.test(text)) return undefined;
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (all, hex: string | undefined, char: string | undefined) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (char === undefined) return all;
    return NAMED[char] ?? (/[\\=:#!\s]/.test(char) ? char : all);
  });
}

function escape(text: string, isName: boolean): string {
  let result = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');
  if (isName) result = result.replace(/[=:]|^[#!]/g, '\\$&').replace(/\s/g, toHex);
  // White space at the ends would be trimmed, controls and lone surrogates would not survive the file.
  return result.replace(/^\s|\s$|\p{Cc}|\p{Cs}|[\u2028\u2029\ufeff]/gu, toHex);
}

function toHex(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
