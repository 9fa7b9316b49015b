/** What `${…}` stands for in a template (docs/interface/security.md 7.4). */

/** A piece of a template: text as it is, or what stands in `${…}`. */
export interface Piece {
  readonly text: string;
  readonly isScript: boolean;
}

/** The end of `${` that begins at `start`: braces and texts within it count. -1: it has none. */
function endOf(text: string, start: number): number {
  let depth = 0;
  let quote = '';
  for (let i = start + 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (quote !== '') {
      if (char === '\\') i++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'" || char === '`') quote = char;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return i;
  }
  return -1;
}

export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (let start = text.indexOf('${'); start !== -1; start = text.indexOf('${', from)) {
    const end = endOf(text, start);
    if (end === -1) break;
    pieces.push({ text: text.slice(from, start), isScript: false });
    pieces.push({ text: text.slice(start + 2, end).trim(), isScript: true });
    from = end + 1;
  }
  pieces.push({ text: text.slice(from), isScript: false });
  return pieces;
}

/** What stands in `${…}`, each once. */
export function variablesOf(text: string): readonly string[] {
  return [...new Set(piecesOf(text).flatMap((piece) => (piece.isScript ? [piece.text] : [])))];
}

/** Whether it is a name and nothing more. */
export const isName = (variable: string): boolean => /^[\p{L}_$][\p{L}\p{N}_$.]*$/u.test(variable);

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? char);

/** The text with the values; what has none stays as it is written. */
export function filled(text: string, values: Readonly<Record<string, string>>, html: boolean): string {
  return piecesOf(text)
    .map((piece) => {
      if (!piece.isScript) return piece.text;
      const value = values[piece.text] ?? '';
      const shown = value === '' ? `\${${piece.text}}` : value;
      return html ? escaped(shown) : shown;
    })
    .join('');
}
