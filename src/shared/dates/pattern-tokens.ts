/** One letter run or literal of a date pattern. */
export type PatternToken =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'field'; readonly letter: FieldLetter; readonly count: number };

/**
 * Letters are Java's. The two dialects differ in three: `u` is the number of the weekday in `simple`
 * (SimpleDateFormat) and the year in `zoned` (DateTimeFormatter); `S` counts milliseconds in `simple` and is a fraction
 * of the second in `zoned`; `V`, `x` and `O` exist in `zoned` only. (`u` of `zoned` becomes `y` here.)
 */
export type PatternDialect = 'simple' | 'zoned';

const LETTERS = 'GyYMLwWDdFEuaHkKhmsSzZX' as const;
const ZONED_LETTERS = 'VxO' as const;
export type FieldLetter =
  | ('G' | 'y' | 'Y' | 'M' | 'L' | 'w' | 'W' | 'D' | 'd' | 'F' | 'E' | 'u' | 'a' | 'H' | 'k' | 'K' | 'h' | 'm')
  | ('s' | 'S' | 'z' | 'Z' | 'X' | 'V' | 'x' | 'O');

/** A pattern that cannot be compiled. */
export class DatePatternError extends Error {
  override readonly name = 'DatePatternError';
}

const MAX_LENGTH = 200;

/** Splits a pattern; refuses unknown letters and open quotes. */
export function tokenize(pattern: string, dialect: PatternDialect): readonly PatternToken[] {
  if (pattern.length > MAX_LENGTH) throw new DatePatternError(`longer than ${String(MAX_LENGTH)} characters`);
  const tokens: PatternToken[] = [];
  let literal = '';
  const endLiteral = (): void => {
    if (literal !== '') tokens.push({ kind: 'literal', text: literal });
    literal = '';
  };
  let at = 0;
  while (at < pattern.length) {
    const char = pattern.charAt(at);
    if (char === "'") {
      const quoted = quotedText(pattern, at);
      literal += quoted.text;
      at = quoted.end;
    } else if (/[A-Za-z]/.test(char)) {
      endLiteral();
      let end = at + 1;
      while (pattern.charAt(end) === char) end++;
      tokens.push({ kind: 'field', letter: fieldLetter(char, dialect), count: end - at });
      at = end;
    } else {
      literal += char;
      at++;
    }
  }
  endLiteral();
  if (tokens.length === 0) throw new DatePatternError('is empty');
  return tokens;
}

/** The text in quotes that begins at `at`; two quotes are one, inside and outside. */
function quotedText(pattern: string, at: number): { readonly text: string; readonly end: number } {
  if (pattern.charAt(at + 1) === "'") return { text: "'", end: at + 2 };
  let text = '';
  for (let i = at + 1; i < pattern.length; i++) {
    const char = pattern.charAt(i);
    if (char !== "'") text += char;
    else if (pattern.charAt(i + 1) === "'") {
      text += "'";
      i++;
    } else return { text, end: i + 1 };
  }
  throw new DatePatternError('has a quote that does not end');
}

function fieldLetter(char: string, dialect: PatternDialect): FieldLetter {
  if (dialect === 'zoned' && char === 'u') return 'y';
  const known = dialect === 'zoned' ? LETTERS + ZONED_LETTERS : LETTERS;
  if (!known.includes(char)) throw new DatePatternError(`has the unknown letter ${char}`);
  return char as FieldLetter;
}
