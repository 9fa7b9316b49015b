import { RE2JS, RE2JSException } from 're2js';
import { plainPattern, type PlainPattern } from './plain-pattern.js';

/** Steps that V8 may take for a text at worst: some milliseconds. */
const MOST_STEPS = 1_000_000;

/** An expression that cannot be used; the message says why. */
export class JavaPatternError extends Error {
  override readonly name = 'JavaPatternError';
}

/**
 * A regular expression in Java's syntax that is matched against whole texts.
 *
 * Expressions come from users, and texts from everybody, so they run in re2js, whose time is linear in the text whatever the
 * expression. It reads Java's syntax except for back references (refused) and look-around, of which the common use is kept:
 * look-aheads at the very beginning (`(?=.*\d)(?!admin).*`) are matched one by one. Plain expressions run in V8, many times as fast, on texts
 * that are short enough for the time it may take.
 */
export class JavaPattern {
  private constructor(
    private readonly whole: RE2JS,
    private readonly conditions: readonly { readonly start: RE2JS; readonly negative: boolean }[],
    private readonly plain: PlainPattern | undefined,
  ) {}

  /** Throws `JavaPatternError`. */
  static compile(source: string): JavaPattern {
    try {
      const { aheads, rest } = splitLookAheads(source);
      const whole = RE2JS.compile(translate(rest));
      const conditions = aheads.map(({ source, negative }) => ({ start: RE2JS.compile(translate(source)), negative }));
      return new JavaPattern(whole, conditions, plainPattern(source));
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      throw new JavaPatternError(error.message);
    }
  }

  /** Capture groups. */
  get groups(): number {
    return this.whole.groupCount();
  }

  matches(text: string): boolean {
    const plain = this.#plainFor(text);
    return plain === undefined ? this.#holds(text) && this.whole.testExact(text) : plain.test(text);
  }

  /** Text of the first group, null where that took no part; undefined: the text does not match. */
  firstGroup(text: string): string | null | undefined {
    const plain = this.#plainFor(text);
    if (plain !== undefined) {
      const found = plain.exec(text);
      return found === null ? undefined : (found[1] ?? null);
    }
    if (!this.#holds(text)) return undefined;
    const matcher = this.whole.matcher(text);
    return matcher.matches() ? matcher.group(1) : undefined;
  }

  #plainFor({ length }: string): RegExp | undefined {
    const { plain } = this;
    return plain !== undefined && length ** plain.repetitions <= MOST_STEPS ? plain.regexp : undefined;
  }

  #holds(text: string): boolean {
    for (const { start, negative } of this.conditions) {
      if (start.matcher(text).lookingAt() === negative) return false;
    }
    return true;
  }
}

interface LookAhead {
  readonly source: string;
  readonly negative: boolean;
}

/** Takes look-ahead groups off the beginning of an expression, where each is a condition of its own. */
function splitLookAheads(format: string): { readonly aheads: readonly LookAhead[]; readonly rest: string } {
  const aheads: LookAhead[] = [];
  let rest = format.startsWith('^') ? format.slice(1) : format;
  // An alternative to the whole would not be bound by the conditions.
  while (/^\(\?[=!]/.test(rest)) {
    const end = groupEnd(rest);
    if (end === undefined || hasAlternative(rest.slice(end + 1))) break;
    aheads.push({ source: rest.slice(3, end), negative: rest.charAt(2) === '!' });
    rest = rest.slice(end + 1);
  }
  return aheads.length === 0 ? { aheads, rest: format } : { aheads, rest };
}

/** Position of the bracket that closes the group at the beginning. */
function groupEnd(source: string): number | undefined {
  return scan(source, (char, depth, i) => (char === ')' && depth === 0 ? i : undefined));
}

function hasAlternative(source: string): boolean {
  return scan(source, (char, depth) => (char === '|' && depth === 0 ? true : undefined)) === true;
}

/** Visits the characters outside escapes and classes with the depth of groups after them, until one gives a result. */
function scan<T>(source: string, visit: (char: string, depth: number, at: number) => T | undefined): T | undefined {
  let depth = 0;
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const char = source.charAt(i);
    if (char === '\\') i++;
    else if (inClass) inClass = char !== ']';
    else {
      if (char === '[') inClass = true;
      if (char === '(') depth++;
      if (char === ')') depth--;
      const result = visit(char, depth, i);
      if (result !== undefined) return result;
    }
  }
  return undefined;
}

const POSIX = new Map(
  [
    'Lower',
    'Upper',
    'Alpha',
    'Digit',
    'Alnum',
    'Punct',
    'Graph',
    'Print',
    'Blank',
    'Cntrl',
    'Space',
    'XDigit',
    'ASCII',
  ].map((name) => [name, name.toLowerCase()]),
);

/** Rewrites what Java writes differently: `\uXXXX`, and POSIX classes such as `\p{Alpha}`. */
function translate(source: string): string {
  let result = '';
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const char = source.charAt(i);
    if (char !== '\\') {
      if (char === '[') inClass = true;
      if (char === ']') inClass = false;
      result += char;
      continue;
    }
    const escape = /^\\(?:u([0-9A-Fa-f]{4})|([pP])\{(\w+)\})/.exec(source.slice(i, i + 40));
    const posix = escape?.[3] === undefined ? undefined : POSIX.get(escape[3]);
    if (escape?.[1] !== undefined) {
      result += `\\x{${escape[1]}}`;
      i += escape[0].length - 1;
    } else if (escape !== null && posix !== undefined) {
      const text = `[:${escape[2] === 'P' ? '^' : ''}${posix}:]`;
      result += inClass ? text : `[${text}]`;
      i += escape[0].length - 1;
    } else {
      result += source.slice(i, i + 2);
      i++;
    }
  }
  return result;
}
