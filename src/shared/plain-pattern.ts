/** An expression so plain that V8 matches it as re2js does, and in a time that is known. */
export interface PlainPattern {
  /** Matches whole texts. */
  readonly regexp: RegExp;
  /** Repetitions without end in it: V8 takes the length of the text to the power of their number, at worst. */
  readonly repetitions: number;
}

/** Repetitions with an end have at most this one. */
const MOST_REPEATED = 100;
const MOST_REPETITIONS = 3;

const CLASSES: Readonly<Record<string, string>> = {
  d: '0-9',
  w: '0-9A-Za-z_',
  s: '\\t\\n\\f\\r ',
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\\n', t: '\\t', r: '\\r', f: '\\f' };

/**
 * The expression for V8, where it consists of characters, classes, groups and repetitions of single characters only; undefined for
 * anything else: nested repetitions, anchors, flags, look-around.
 */
export function plainPattern(source: string): PlainPattern | undefined {
  const read = new Reader(source);
  const text = read.alternatives(0);
  if (text === undefined || !read.atEnd || read.repetitions > MOST_REPETITIONS) return undefined;
  return { regexp: new RegExp(`^(?:${text})$`, 'u'), repetitions: read.repetitions };
}

class Reader {
  #at = 0;
  repetitions = 0;

  constructor(private readonly source: string) {}

  get atEnd(): boolean {
    return this.#at === this.source.length;
  }

  /** Up to the end, or to the bracket that closes a group. */
  alternatives(depth: number): string | undefined {
    let text = '';
    for (;;) {
      if (this.atEnd) return depth === 0 ? text : undefined;
      const char = this.#peek();
      if (char === ')') return depth === 0 ? undefined : text;
      if (char === '|') {
        this.#at++;
        text += '|';
        continue;
      }
      const part = char === '(' ? this.#group(depth) : this.#repeated();
      if (part === undefined) return undefined;
      text += part;
    }
  }

  #peek(): string {
    return String.fromCodePoint(this.source.codePointAt(this.#at) ?? 0);
  }

  #next(): string {
    const char = this.#peek();
    this.#at += char.length;
    return char;
  }

  #group(depth: number): string | undefined {
    const head = /^\((?:\?:)?(?!\?)/.exec(this.source.slice(this.#at, this.#at + 4))?.[0];
    if (head === undefined || depth > 10) return undefined;
    this.#at += head.length;
    const text = this.alternatives(depth + 1);
    if (text === undefined) return undefined;
    this.#at++;
    // What repeats groups may take long.
    return this.#repetition() === '' ? `${head}${text})` : undefined;
  }

  #repeated(): string | undefined {
    const atom = this.#atom();
    const repetition = atom === undefined ? undefined : this.#repetition();
    return atom === undefined || repetition === undefined ? undefined : atom + repetition;
  }

  #repetition(): string | undefined {
    const found = /^(?:[*+?]|\{(\d{1,3})(,(\d{0,3}))?\})\??/.exec(this.source.slice(this.#at, this.#at + 12))?.[0];
    const next = this.source.charAt(this.#at + (found?.length ?? 0));
    // Another one behind it, or a bracket that is none of a repetition.
    if (next === '*' || next === '+' || next === '?' || next === '{') return undefined;
    if (found === undefined) return '';
    this.#at += found.length;
    const numbers = found.match(/\d+/g) ?? [];
    if (numbers.some((one) => Number(one) > MOST_REPEATED)) return undefined;
    if (numbers.length === 2 && Number(numbers[0]) > Number(numbers[1])) return undefined;
    if (/^[*+]|,\}/.test(found)) this.repetitions++;
    // Ends that leave a choice: each is a repetition, though a short one.
    else if (numbers.length === 2) this.repetitions++;
    return found;
  }

  #atom(): string | undefined {
    const char = this.#next();
    if (char === '.') return '[^\\n]';
    if (char === '[') return this.#class();
    if (char === '\\') {
      if (this.atEnd) return undefined;
      const escaped = this.#next();
      const lower = escaped.toLowerCase();
      const known = CLASSES[lower];
      if (known !== undefined) return `[${escaped === lower ? '' : '^'}${known}]`;
      return CONTROLS[escaped] ?? punctuation(escaped);
    }
    return /[*+?{}()|^$\]]/.test(char) ? undefined : literal(char);
  }

  #class(): string | undefined {
    let text = '[';
    if (this.source.charAt(this.#at) === '^') {
      this.#at++;
      text += '^';
    }
    let count = 0;
    /** The last one may begin a range. */
    let from: string | undefined;
    for (;;) {
      if (this.atEnd) return undefined;
      const char = this.#next();
      if (char === ']') return count === 0 ? undefined : `${text}]`;
      if (char === '[' || char === '&' || char === '^') return undefined;
      if (char === '-') {
        const to = this.atEnd ? ']' : this.#next();
        if (from === undefined || !/[0-9A-Za-z]/.test(from) || !/[0-9A-Za-z]/.test(to) || from > to) return undefined;
        text += `-${to}`;
        from = undefined;
        continue;
      }
      count++;
      if (char !== '\\') {
        from = char;
        text += literal(char);
        continue;
      }
      if (this.atEnd) return undefined;
      const escaped = this.#next();
      const one = CLASSES[escaped] ?? CONTROLS[escaped] ?? punctuation(escaped);
      if (one === undefined) return undefined;
      from = undefined;
      text += one;
    }
  }
}

/** A character that stands for itself. */
function literal(char: string): string {
  return /[-\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char === '-' ? 'x2d' : char}` : char;
}

/** An escaped character that stands for itself; undefined: the escape means something else. */
function punctuation(char: string): string | undefined {
  return /^[!-/:-@[-`{-~]$/.test(char) ? literal(char) : undefined;
}
