/**
 * What is looked for in a full-text index, as users write it: words, of which any may be there, `"several words"` side by
 * side, `*` and `?` for letters, `word~` and `word~1` for words that differ in so many letters, `+must` and `-must not`,
 * `AND`, `OR`, `NOT`, parentheses, `\` before a sign that is meant as it is. Both engines read it alike, but the words of a
 * text are not quite the same: SQLite ends one at every sign that is no letter or digit, Neo4j by the rules of Unicode
 * (`3.14`, `don't`, `snake_case`, `example.com` are one word each; each Chinese character is one). Patterns, and words that
 * letters may differ of, are refused by SQLite where they stand for too many words; Neo4j takes the 50 most alike of the latter.
 */
import { GraphError } from '../errors.js';

export type TextQuery =
  /** These words, side by side. */
  | { readonly op: 'words'; readonly text: string }
  /** Words that begin with these letters, in lower case. */
  | { readonly op: 'prefix'; readonly word: string }
  /** Letters in lower case, `*` for any letters and `?` for one. */
  | { readonly op: 'pattern'; readonly text: string }
  /** A word in lower case, and how many letters may differ. */
  | { readonly op: 'like'; readonly word: string; readonly edits: number }
  | { readonly op: 'all'; readonly must: TextQuery[]; readonly may: TextQuery[]; readonly not: TextQuery[] };

const MAX_LENGTH = 4000;
const MAX_DEPTH = 8;
const MAX_CLAUSES = 64;
/** Patterns and words of which letters may differ: each is looked for among all words of the index. */
const MAX_OPEN = 8;
const MAX_OPEN_LETTERS = 100;
/** Words side by side, and all words that are given in full. */
const MAX_PHRASE = 50;
const MAX_PLAIN_WORDS = 128;
const MAX_EDITS = 2;
const HAS_WORD = /[\p{L}\p{N}]/u;
const WORD = /[\p{L}\p{N}]+/gu;
/** What words consist of by every tokenizer's rules: with any other sign it might be several. */
const ONE_WORD = /^[\p{L}\p{N}\p{M}]*$/u;

/** Throws `GraphError` `invalid_query` that says what is wrong and where. Undefined: it asks for no word at all. */
export function parseTextQuery(text: string): TextQuery | undefined {
  if (text.length > MAX_LENGTH) throw wrong(`is longer than ${String(MAX_LENGTH)} characters`);
  const parser = new Parser([...text.toWellFormed().replaceAll('\0', ' ')]);
  return parser.all();
}

function wrong(what: string): GraphError {
  return new GraphError('invalid_query', `What is looked for ${what}.`);
}

type Sign = 'must' | 'not' | undefined;

interface Clause {
  readonly sign: Sign;
  /** Undefined: no word in it. */
  readonly query: TextQuery | undefined;
}

class Parser {
  #at = 0;
  #depth = 0;
  #count = 0;
  #open = 0;
  #plain = 0;

  constructor(private readonly signs: readonly string[]) {}

  all(): TextQuery | undefined {
    const query = this.#clauses();
    if (this.#at < this.signs.length) throw this.#wrong('has a closing parenthesis without an opening one');
    return query;
  }

  #wrong(what: string): GraphError {
    return wrong(`${what} (character ${String(this.#at + 1)})`);
  }

  #clauses(): TextQuery | undefined {
    const clauses: { sign: Sign; query: TextQuery | undefined }[] = [];
    let and = false;
    let operator: string | undefined;
    for (;;) {
      this.#space();
      const sign = this.signs[this.#at];
      if (sign === undefined || sign === ')') break;
      const word = this.#operator();
      if (word === 'AND' || word === 'OR') {
        if (clauses.length === 0 || operator !== undefined) throw this.#wrong(`has ${word} where a word is expected`);
        operator = word;
        and = word === 'AND';
        const last = clauses[clauses.length - 1];
        if (and && last !== undefined) last.sign ??= 'must';
        continue;
      }
      const one = this.#clause(word === 'NOT');
      clauses.push({ sign: one.sign ?? (and ? 'must' : undefined), query: one.query });
      and = false;
      operator = undefined;
    }
    if (operator !== undefined) throw this.#wrong(`ends with ${operator}`);
    return combined(clauses);
  }

  #space(): void {
    while (/\s/u.test(this.signs[this.#at] ?? '')) this.#at++;
  }

  #operator(): string | undefined {
    const match = /^(AND|OR|NOT)(?=[\s()"]|$)|^(&&|\|\|)/u.exec(this.signs.slice(this.#at, this.#at + 4).join(''));
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match[1] ?? (match[2] === '&&' ? 'AND' : 'OR');
  }

  #clause(negated: boolean): Clause {
    this.#space();
    if (++this.#count > MAX_CLAUSES) throw this.#wrong(`has more than ${String(MAX_CLAUSES)} parts`);
    let sign: Sign = negated ? 'not' : undefined;
    const first = this.signs[this.#at];
    if (!negated && (first === '+' || first === '-' || first === '!')) {
      this.#at++;
      sign = first === '+' ? 'must' : 'not';
    }
    const next = this.signs[this.#at];
    if (next !== undefined && /\s/u.test(next)) throw this.#wrong(`has a blank behind ${first ?? ''}`);
    switch (next) {
      case undefined:
      case ')':
        throw this.#wrong('lacks a word');
      case '(':
        return { sign, query: this.#group() };
      case '"':
        return { sign, query: this.#phrase() };
      default:
        return { sign, query: this.#word() };
    }
  }

  #group(): TextQuery | undefined {
    if (++this.#depth > MAX_DEPTH) throw this.#wrong(`is nested more than ${String(MAX_DEPTH)} levels deep`);
    this.#at++;
    const query = this.#clauses();
    if (this.signs[this.#at] !== ')') throw this.#wrong('lacks a closing parenthesis');
    this.#at++;
    this.#depth--;
    this.#noBoost();
    return query;
  }

  #phrase(): TextQuery | undefined {
    let text = '';
    for (this.#at++; this.signs[this.#at] !== '"'; this.#at++) {
      if (this.signs[this.#at] === '\\') this.#at++;
      const sign = this.signs[this.#at];
      if (sign === undefined) throw this.#wrong('lacks a closing quotation mark');
      text += sign;
    }
    this.#at++;
    if (this.signs[this.#at] === '~') throw this.#wrong('has a distance of words, which is not supported');
    this.#noBoost();
    return this.#words(text);
  }

  #words(text: string): TextQuery | undefined {
    const count = text.match(WORD)?.length ?? 0;
    if (count > MAX_PHRASE) throw this.#wrong(`has more than ${String(MAX_PHRASE)} words side by side`);
    this.#plain += count;
    if (this.#plain > MAX_PLAIN_WORDS) throw this.#wrong(`has more than ${String(MAX_PLAIN_WORDS)} words`);
    return count === 0 ? undefined : { op: 'words', text };
  }

  #noBoost(): void {
    if (this.signs[this.#at] === '^') throw this.#wrong('has a weight of a word, which is not supported');
  }

  #word(): TextQuery | undefined {
    let [text, plain] = ['', ''];
    let isPattern = false;
    for (; ; this.#at++) {
      let sign = this.signs[this.#at];
      if (sign === undefined || /[\s()"~^]/u.test(sign)) break;
      const escaped = sign === '\\';
      if (escaped) sign = this.signs[++this.#at];
      if (sign === undefined) throw this.#wrong('ends with a backslash');
      text += sign;
      if (!escaped && (sign === '*' || sign === '?')) isPattern = true;
      else plain += sign;
    }
    if (this.signs[this.#at] === '~') {
      if (isPattern || text === '') throw this.#wrong('has a tilde that follows no plain word');
      return this.#like(text);
    }
    this.#noBoost();
    if (!isPattern) return this.#words(text);
    if (!HAS_WORD.test(text)) throw this.#wrong('has a word without a letter or a digit');
    this.#anotherOpen(plain, text.length);
    const pattern = text.toLowerCase().replace(/\*+/gu, '*');
    return /^[^*?]*\*$/u.test(pattern)
      ? { op: 'prefix', word: pattern.slice(0, -1) }
      : { op: 'pattern', text: pattern };
  }

  #anotherOpen(plain: string, length: number): void {
    if (!ONE_WORD.test(plain)) throw this.#wrong('has a word with *, ? or ~ and signs that are no letters or digits');
    if (length > MAX_OPEN_LETTERS)
      throw this.#wrong(`has a word with *, ? or ~ of more than ${String(MAX_OPEN_LETTERS)} letters`);
    if (++this.#open > MAX_OPEN) throw this.#wrong(`has more than ${String(MAX_OPEN)} words with *, ? or ~`);
  }

  #like(word: string): TextQuery | undefined {
    this.#anotherOpen(word, word.length);
    const digits = /^~([0-9.]*)/u.exec(this.signs.slice(this.#at, this.#at + 6).join(''))?.[1] ?? '';
    this.#at += 1 + digits.length;
    const edits = digits === '' ? MAX_EDITS : Number(digits);
    if (!Number.isInteger(edits) || edits > MAX_EDITS)
      throw this.#wrong(`has more than ${String(MAX_EDITS)} letters that may differ`);
    this.#noBoost();
    return HAS_WORD.test(word) ? { op: 'like', word: word.toLowerCase(), edits } : undefined;
  }
}

function combined(clauses: readonly Clause[]): TextQuery | undefined {
  const all = { op: 'all' as const, must: [] as TextQuery[], may: [] as TextQuery[], not: [] as TextQuery[] };
  for (const { sign, query } of clauses) {
    if (query === undefined) continue;
    if (sign === 'must') all.must.push(query);
    else if (sign === 'not') all.not.push(query);
    else all.may.push(query);
  }
  const [only] = all.must.length === 1 && all.may.length === 0 ? all.must : all.may;
  if (all.not.length === 0 && all.must.length + all.may.length === 1) return only;
  // What must not be there alone finds nothing.
  return all.must.length + all.may.length === 0 ? undefined : all;
}
