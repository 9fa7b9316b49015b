import { GraphError, type GraphEntity } from '../../graph/index.js';
import { jsonString } from '../../../shared/json/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';

/** Where finished text goes when a result is too large to be held. */
export interface Sink {
  /** Resolves when more may come. */
  write(text: string): Promise<void>;
  /**
   * What is to be written is a long text of an object, or of so many characters and nobody else's; it has to be kept until it has
   * left. Throws to refuse it.
   */
  keeps(what: GraphEntity | number): void;
  /** A long text that was kept has left. */
  leaves(what: GraphEntity | number): void;
}

/** Characters of a text from which on it is made into JSON piece by piece, as it leaves. */
export const LONG_TEXT = 16 * 1024;

/** Line ends with the indentation of each level. */
const LINES: string[] = ['\n'];
/** Text kept before it is handed to the sink, and most that is handed to it at a time. */
const FLUSH_AT = 64 * 1024;

/** Line end and indentation of a level; empty when not indented. */
export function newlineOf(indent: boolean, level: number): string {
  if (!indent) return '';
  let line = LINES[level];
  if (line === undefined) {
    for (let i = LINES.length; i <= level; i++) LINES[i] = `${LINES[i - 1] ?? ''}\t`;
    line = LINES[level] ?? '';
  }
  return line;
}

/**
 * JSON text being built. Small results stay one string; with a sink, large ones leave in pieces, and the loop is
 * given back every few milliseconds.
 */
export class JsonOut {
  text = '';
  /** What comes before `text`: JSON, and long texts that are to become JSON strings. */
  #before: (string | { readonly long: string; readonly what: GraphEntity | number })[] = [];
  /** What comes before `text` while texts of their own are written, around each other. */
  #around: string[] = [];
  /** Grows when something leaves, or cannot be told from what is before it. */
  #joined = 0;
  private readonly slice = new TimeSlice();
  /** Milliseconds that objects below others took, and when the last pause ended. */
  private worked = 0;
  private since = performance.now();

  constructor(
    /** Tabs and line ends (`json.indentation`). */
    readonly indent: boolean,
    private readonly sink?: Sink,
    /** Milliseconds that may be worked on objects below others; 0: no limit. What the sink waits for does not count. */
    private readonly limit = 0,
  ) {}

  /** Line end and indentation of a level; empty when not indented. */
  newline(level: number): string {
    return newlineOf(this.indent, level);
  }

  /** All that was written and has not left is `text`. */
  get whole(): boolean {
    return this.#before.length === 0;
  }

  /** Whether `long` may be called: there is somewhere for it to leave to. */
  get takesLong(): boolean {
    return this.sink !== undefined;
  }

  /** Appends a long text as a JSON string. It is a value of `entity`; absent: nobody else's. */
  long(text: string, entity?: GraphEntity): void {
    const what = entity ?? text.length;
    this.sink?.keeps(what);
    this.#join();
    this.#before.push(this.text, { long: text, what });
    this.text = '';
  }

  /** True when `pause` has something to do; asked once an object. */
  get due(): boolean {
    return this.#full || this.slice.due;
  }

  /**
   * Hands text to the sink and lets the loop run. Throws `GraphError` (query_timeout) when objects below others, of which
   * `below` says that the last one is one, take longer than they may: there can be as many ways through a graph as one likes.
   */
  async pause(below = false): Promise<void> {
    if (below && this.limit > 0) {
      this.worked += performance.now() - this.since;
      if (this.worked > this.limit) throw tooLong(this.limit);
    }
    if (this.#full) await this.flush();
    if (this.slice.due) await this.slice.pause();
    this.since = performance.now();
  }

  /** What `write` writes, to be kept as a text of its own; undefined: it is too long, and a part of it has left. */
  async copied(write: () => Promise<void>): Promise<string | undefined> {
    const joined = this.#joined;
    this.#around.push(this.text);
    this.text = '';
    await write();
    if (joined !== this.#joined) return undefined;
    const { text } = this;
    // One piece from here on: else it would be put together from its parts each time.
    text.charCodeAt(text.length - 1);
    this.text = (this.#around.pop() ?? '') + text;
    return text;
  }

  /** Ends all texts that are being kept. */
  #join(): void {
    this.#joined++;
    if (this.#around.length === 0) return;
    this.text = this.#around.join('') + this.text;
    this.#around = [];
  }

  /** Hands all that was written to the sink, in pieces. */
  async flush(): Promise<void> {
    this.#join();
    const parts = [...this.#before, this.text].reverse();
    this.#before = [];
    this.text = '';
    // What has left is in memory no more, although more of it is on its way.
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      if (typeof part === 'string') {
        for (let at = 0; at < part.length;) at = await this.#piece(part, at, plain);
      } else {
        await this.#write('"');
        for (let at = 0; at < part.long.length;) at = await this.#piece(part.long, at, withoutQuotes);
        await this.#write('"');
        this.sink?.leaves(part.what);
      }
    }
  }

  /** Hands on what stands at `from`; returns where the next piece begins. */
  async #piece(text: string, from: number, make: (piece: string) => string): Promise<number> {
    let to = Math.min(text.length, from + FLUSH_AT);
    // The halves of a character stay together.
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to--;
    await this.#write(make(text.slice(from, to)));
    if (this.slice.due) await this.slice.pause();
    return to;
  }

  async #write(text: string): Promise<void> {
    await this.sink?.write(text);
  }

  get #full(): boolean {
    return this.sink !== undefined && (this.#before.length > 0 || this.text.length >= FLUSH_AT);
  }
}

function plain(text: string): string {
  return text;
}

function withoutQuotes(text: string): string {
  return jsonString(text).slice(1, -1);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function tooLong(limit: number): GraphError {
  const advice = 'Ask for less of them (_outputNestingDepth, _pageSize, another view).';
  return new GraphError(
    'query_timeout',
    `The related objects of the answer took longer than ${String(limit)} ms. ${advice}`,
  );
}
