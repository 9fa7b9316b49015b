import { JsonLimitError } from './limit-error.js';
import { JsonSyntaxError } from './syntax-error.js';
import type { JsonObject, JsonValue } from './value.js';

/** Work between two looks at the clock; a unit is a token or sixteen characters of a long one. */
const WORK = 4000;
/** Characters of one string, word or gap looked at in one step. */
const SLICE = 16 * 1024;
/** Decoded pieces of one string joined at a time, so that no join takes long. */
const PIECES = 4096;
/** Not characters: the text is over; there is more to skip. */
const END = -1;
const SKIPPING = -2;
const HEX = /^[0-9a-fA-F]{4}$/;
const KEYWORDS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const ESCAPES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  "'": "'",
  '/': '/',
  '\\': '\\',
  '\n': '\n',
}) as Record<string, string>;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const NUMBER = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/**
 * An engine's object grows by being copied whole; with more members than this that takes longer than other requests
 * should wait.
 */
const MAX_MEMBERS = 100_000;
/** Longer literals are no numbers anyone means; BigInt and the expression need not see them. */
const MAX_NUMBER_LENGTH = 1100;

const enum At {
  Value,
  FirstElement,
  FirstName,
  Name,
  Colon,
  Separator,
  Text,
  Literal,
  End,
}

const enum Char {
  Tab = 0x09,
  LineFeed = 0x0a,
  FormFeed = 0x0c,
  Return = 0x0d,
  Space = 0x20,
  Quote = 0x22,
  Hash = 0x23,
  Apostrophe = 0x27,
  Star = 0x2a,
  Comma = 0x2c,
  Slash = 0x2f,
  Nine = 0x39,
  Colon = 0x3a,
  Semicolon = 0x3b,
  Equals = 0x3d,
  Greater = 0x3e,
  Open = 0x5b,
  Backslash = 0x5c,
  Close = 0x5d,
  OpenBrace = 0x7b,
  CloseBrace = 0x7d,
  ByteOrderMark = 0xfeff,
}

type Container = JsonValue[] | JsonObject;

/** What a `JsonReader` takes; see `JsonParseOptions`. */
export interface JsonReaderOptions {
  readonly maxDepth: number;
  readonly restArrays: boolean;
  readonly primitives: boolean;
  readonly distinctNames?: boolean;
  readonly maxText?: number;
  readonly maxValues: number;
  readonly maxObjects: number;
}

/**
 * A lenient JSON parser that can stop after any step and go on later. Keeps its own stack instead of calling itself,
 * and no step takes longer than a fraction of a millisecond whatever the text.
 */
export class JsonReader {
  private at: At = At.Value;
  private pos = 0;
  private container: Container | undefined;
  private readonly outer: Container[] = [];
  /** Names waiting for their values, one for each open object. */
  private readonly names: string[] = [];
  /** Members read so far of each open object or array, and of the innermost one. */
  private readonly counts: number[] = [];
  private count = 0;
  private value: JsonValue = null;
  /** Where the string or literal being read began. */
  private start = 0;
  private asName = false;
  private quote: number = Char.Quote;
  private pieces: string[] = [];
  private joined: string[] = [];
  private work = 0;

  /** Elements and members read so far, whatever they are, and those that are objects or lists. */
  values = 0;
  containers = 0;
  private objects = 0;

  constructor(
    private readonly text: string,
    private readonly options: JsonReaderOptions,
  ) {
    if (text.charCodeAt(0) === Char.ByteOrderMark) this.pos = 1;
  }

  /** What was read; meaningful once `run` has returned true. */
  get result(): JsonValue {
    return this.value;
  }

  /** Reads on until done (true) or `performance.now()` passes `until` (false). Throws `JsonSyntaxError`, `JsonLimitError`. */
  run(until: number): boolean {
    for (;;) {
      for (this.work = 0; this.work < WORK; this.work++) {
        if (this.step()) return true;
      }
      if (performance.now() > until) return false;
    }
  }

  private step(): boolean {
    if (this.at === At.Text) {
      this.readText();
      return false;
    }
    if (this.at === At.Literal) {
      this.readLiteral();
      return false;
    }
    const code = this.skipToToken();
    if (code === SKIPPING) return false;
    switch (this.at) {
      case At.FirstElement:
      case At.Value:
        this.readValue(code);
        return false;
      case At.FirstName:
      case At.Name:
        this.readName(code);
        return false;
      case At.Colon:
        this.readColon(code);
        return false;
      case At.Separator:
        this.readSeparator(code);
        return false;
      default:
        if (code !== END) throw this.error('Unexpected text after the end', code);
        return true;
    }
  }

  /** The code of the next character that means something, `END`, or `SKIPPING` when there is more to skip. */
  private skipToToken(): number {
    const { text } = this;
    const limit = Math.min(text.length, this.pos + SLICE);
    while (this.pos < limit) {
      const code = text.charCodeAt(this.pos);
      if (code === Char.Space || code === Char.LineFeed || code === Char.Return || code === Char.Tab) this.pos++;
      else if (code === Char.Hash) {
        this.skipLine();
        return SKIPPING;
      } else if (code === Char.Slash) {
        this.skipComment();
        return SKIPPING;
      } else return code;
    }
    this.work += SLICE >> 4;
    return this.pos < text.length ? SKIPPING : END;
  }

  private skipLine(): void {
    const end = this.text.indexOf('\n', this.pos);
    this.pos = end < 0 ? this.text.length : end + 1;
  }

  private skipComment(): void {
    const next = this.text.charCodeAt(this.pos + 1);
    if (next === Char.Slash) {
      this.skipLine();
      return;
    }
    if (next !== Char.Star) throw this.error('Expected a value', Char.Slash);
    const end = this.text.indexOf('*/', this.pos + 2);
    if (end < 0) throw this.error('Comment without end', Char.Slash);
    this.pos = end + 2;
  }

  private readValue(code: number): void {
    const inArray = Array.isArray(this.container);
    switch (code) {
      case Char.OpenBrace:
        if (++this.objects > this.options.maxObjects) throw new JsonLimitError('objects', this.options.maxObjects);
        this.open(Object.create(null) as JsonObject, At.FirstName);
        return;
      case Char.Open:
        this.open([], At.FirstElement);
        return;
      case Char.Quote:
      case Char.Apostrophe:
        this.beginText(code, false);
        return;
      case Char.Close:
        if (!inArray) break;
        // `[1,]` leaves out an element, `[]` does not.
        if (this.at === At.Value) this.add(null);
        this.pos++;
        this.close();
        return;
      case Char.Comma:
      case Char.Semicolon:
        if (!inArray) break;
        this.add(null);
        this.at = At.Separator;
        return;
      default:
        if (isTerminator(code)) break;
        this.beginLiteral(false);
        return;
    }
    throw this.error('Expected a value', code);
  }

  private readName(code: number): void {
    if (code === Char.CloseBrace && this.at === At.FirstName) {
      this.pos++;
      this.close();
    } else if (code === Char.Quote || code === Char.Apostrophe) this.beginText(code, true);
    else if (isTerminator(code)) throw this.error('Expected a name', code);
    else this.beginLiteral(true);
  }

  private readColon(code: number): void {
    if (code !== Char.Colon && code !== Char.Equals) throw this.error("Expected ':'", code);
    this.pos++;
    if (code === Char.Equals && this.text.charCodeAt(this.pos) === Char.Greater) this.pos++;
    this.at = At.Value;
  }

  private readSeparator(code: number): void {
    const inArray = Array.isArray(this.container);
    if (code === Char.Comma || code === Char.Semicolon) {
      this.pos++;
      this.at = inArray ? At.Value : At.Name;
    } else if (code === (inArray ? Char.Close : Char.CloseBrace)) {
      this.pos++;
      this.close();
    } else throw this.error(inArray ? "Expected ',' or ']'" : "Expected ',' or '}'", code);
  }

  private open(container: Container, next: At): void {
    const { maxDepth } = this.options;
    if (this.outer.length + (this.container === undefined ? 0 : 1) >= maxDepth) {
      throw this.error(`Nested deeper than ${String(maxDepth)} levels`);
    }
    this.pos++;
    this.containers++;
    if (this.container !== undefined) {
      this.outer.push(this.container);
      this.counts.push(this.count);
    }
    this.count = 0;
    this.container = container;
    this.at = next;
  }

  private close(): void {
    const closed = this.container;
    this.container = this.outer.pop();
    this.count = this.counts.pop() ?? 0;
    if (closed !== undefined) this.finish(closed);
  }

  /** A value is complete. */
  private finish(value: JsonValue): void {
    if (this.container === undefined) {
      this.value = value;
      this.at = At.End;
      if (value !== null && typeof value !== 'object' && !this.options.primitives) {
        throw this.error('Expected an object or an array');
      }
      return;
    }
    this.add(value);
    this.at = At.Separator;
  }

  private add(value: JsonValue): void {
    const { container, options } = this;
    if (++this.values > options.maxValues) throw new JsonLimitError('values', options.maxValues);
    if (Array.isArray(container)) {
      if (!options.restArrays || (value !== null && !Array.isArray(value))) container.push(value);
    } else if (container !== undefined) container[this.names.pop() ?? ''] = value;
  }

  private finishWord(text: string, value: JsonValue): void {
    if (!this.asName) {
      this.finish(value);
      return;
    }
    if (++this.count > MAX_MEMBERS) throw this.error(`Object with more than ${String(MAX_MEMBERS)} members`);
    const { container } = this;
    if (this.options.distinctNames === true && container !== undefined && text in container)
      throw this.error(`Two members are named ${JSON.stringify(clip(text))}`);
    this.names.push(text);
    this.at = At.Colon;
  }

  private beginText(quote: number, asName: boolean): void {
    this.start = this.pos++;
    this.quote = quote;
    this.asName = asName;
    this.at = At.Text;
    this.readText();
  }

  /** A quoted string, a bounded part at a time. */
  private readText(): void {
    const { text, quote } = this;
    const stop = Math.min(text.length, this.pos + SLICE);
    let from = this.pos;
    let i = from;
    while (i < stop) {
      const code = text.charCodeAt(i);
      if (code === quote) {
        this.work += (i - this.pos) >> 4;
        this.pos = i + 1;
        this.endText(text.slice(from, i));
        return;
      }
      if (code !== Char.Backslash) {
        i++;
        continue;
      }
      if (i > from) this.pieces.push(text.slice(from, i));
      this.pieces.push(this.escaped(i + 1));
      from = i = this.pos;
      if (this.pieces.length >= PIECES) this.joinPieces();
      this.work++;
    }
    if (i >= text.length) {
      this.pos = this.start;
      throw this.error('String without end');
    }
    if (this.options.maxText !== undefined && i - this.start > this.options.maxText) {
      this.pos = this.start;
      throw this.error(`Text of more than ${String(this.options.maxText)} characters`);
    }
    this.pieces.push(text.slice(from, i));
    this.pos = i;
    this.work += SLICE >> 4;
  }

  private endText(rest: string): void {
    let word = rest;
    if (this.pieces.length > 0 || this.joined.length > 0) {
      this.pieces.push(rest);
      this.joinPieces();
      word = this.joined.length === 1 ? (this.joined[0] ?? '') : this.joined.join('');
      this.joined = [];
    }
    this.finishWord(word, word);
  }

  private joinPieces(): void {
    this.joined.push(this.pieces.join(''));
    this.pieces = [];
  }

  /** The character an escape stands for; `at` is behind the backslash. Moves `pos` behind the escape. */
  private escaped(at: number): string {
    const { text } = this;
    const char = text.charAt(at);
    this.pos = at + 1;
    const plain = ESCAPES[char];
    if (plain !== undefined) return plain;
    const hex = text.slice(at + 1, at + 5);
    if (char === 'u' && HEX.test(hex)) {
      this.pos = at + 5;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    this.pos = at - 1;
    throw this.error(
      at >= text.length ? 'String without end' : `Invalid escape ${JSON.stringify(text.slice(at - 1, at + 1))}`,
    );
  }

  private beginLiteral(asName: boolean): void {
    this.start = this.pos;
    this.asName = asName;
    this.at = At.Literal;
    this.readLiteral();
  }

  /** A word without quotes: number, keyword, or text up to the next character with a meaning. */
  private readLiteral(): void {
    const { text } = this;
    const stop = Math.min(text.length, this.pos + SLICE);
    let i = this.pos;
    while (i < stop && !isTerminator(text.charCodeAt(i))) i++;
    this.work += (i - this.pos) >> 4;
    this.pos = i;
    if (i === stop && i < text.length) return;
    const word = text.slice(this.start, i);
    this.finishWord(word, this.asName ? word : this.literal(word));
  }

  private literal(word: string): JsonValue {
    const first = word.charCodeAt(0);
    if (first <= Char.Nine) {
      const number = word.length <= MAX_NUMBER_LENGTH ? NUMBER.exec(word) : null;
      return number === null ? word : this.number(word, number[1] === undefined && number[2] === undefined);
    }
    if (word.length > 5) return word;
    const keyword = KEYWORDS.get(word) ?? KEYWORDS.get(word.toLowerCase());
    return keyword === undefined ? word : keyword;
  }

  private number(word: string, isInteger: boolean): JsonValue {
    const value = Number(word);
    if (!isInteger || Number.isSafeInteger(value)) {
      if (Number.isFinite(value)) return value;
      this.pos = this.start;
      throw this.error(`Number ${clip(word)} is out of range`);
    }
    const exact = BigInt(word);
    if (exact >= MIN_INT64 && exact <= MAX_INT64) return exact;
    this.pos = this.start;
    throw this.error(`Integer ${clip(word)} does not fit into 64 bits`);
  }

  /** `found` is the code of the character that should not be there. */
  private error(message: string, found?: number): JsonSyntaxError {
    const before = this.text.slice(0, this.pos);
    const lines = before.match(/\n/g)?.length ?? 0;
    const column = this.pos - (before.lastIndexOf('\n') + 1);
    const what =
      found === undefined
        ? ''
        : found === END
          ? ', but the text ends'
          : `, but found ${JSON.stringify(this.text.charAt(this.pos))}`;
    return new JsonSyntaxError(`${message}${what}`, lines + 1, column + 1);
  }
}

function clip(word: string): string {
  return word.length > 40 ? `${word.slice(0, 40)}...` : word;
}

/** Ends a word without quotes. */
function isTerminator(code: number): boolean {
  switch (code) {
    case END:
    case Char.Tab:
    case Char.LineFeed:
    case Char.FormFeed:
    case Char.Return:
    case Char.Space:
    case Char.Quote:
    case Char.Hash:
    case Char.Comma:
    case Char.Slash:
    case Char.Colon:
    case Char.Semicolon:
    case Char.Equals:
    case Char.Open:
    case Char.Backslash:
    case Char.Close:
    case Char.OpenBrace:
    case Char.CloseBrace:
      return true;
    default:
      return false;
  }
}
