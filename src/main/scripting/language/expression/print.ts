/** Writes an expression so that it parses to the same tree. */
import type { Expression, Literal, Script } from './ast.js';

/** Marks are spaced in one way; what could not be read is left out. */
export function printExpression({ items }: Pick<Script, 'items'>): string {
  return list(items, '; ');
}

function list(items: readonly Expression[], separator = ', '): string {
  return items.map(print).join(separator);
}

const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

function print(one: Expression): string {
  switch (one.kind) {
    case 'literal':
      return literal(one);
    case 'path': {
      const text = one.parts.join('.') + default_(one.otherwise);
      // With a dot behind it a word like `true` is a name.
      return WORDS.has(text) ? `${text}.` : text;
    }
    case 'member':
      return `${subject(one.of)}.${one.parts.join('.')}${default_(one.otherwise)}`;
    case 'call':
      return `${one.name}(${list(one.args)})`;
    case 'method':
      return `${one.of?.kind === 'path' && one.of.otherwise === undefined ? print(one.of) : subject(one.of)}.${one.name}(${list(one.args)})`;
    case 'group':
      return `(${list(one.items)})`;
    case 'index':
      return `${one.of === null ? '' : print(one.of)}[${print(one.index)}]`;
  }
}

/** A dot right behind a name, number or text would be read as a part of it. */
function subject(of: Expression | null): string {
  if (of === null) return '';
  const text = print(of);
  return text.endsWith(')') || text.endsWith(']') ? text : `${text} `;
}

function default_(otherwise: string | undefined): string {
  return otherwise === undefined ? '' : `!${otherwise}`;
}

function literal({ value, written }: Literal): string {
  if (written !== undefined) return written;
  if (typeof value !== 'string') return String(value);
  return `'${value.replace(/[\\'\n\r\t]/g, (char) => SPECIAL.get(char) ?? `\\${char}`)}'`;
}

const SPECIAL: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
