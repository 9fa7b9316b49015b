/**
 * Quotes and backslashes that are escaped by a backslash, as outside of the RFC's format: rewritten on their way to the
 * parser, which knows doubled quotes alone. Only within quotes: `C:\temp` without them is what it looks like.
 */
const BACKSLASH = 0x5c;
const LF = 0x0a;
const CR = 0x0d;

export class Backslashes {
  readonly #quote: number;
  readonly #delimiterEnd: number;
  #quoted = false;
  /** A quote here would begin a value. */
  #atStart = true;
  /** A quote or backslash within quotes whose meaning the next byte decides. */
  #pending: number | undefined;

  constructor({ quoteChar, delimiter }: { readonly quoteChar: string; readonly delimiter: string }) {
    this.#quote = quoteChar.charCodeAt(0);
    this.#delimiterEnd = Buffer.from(delimiter).at(-1) ?? LF;
  }

  async *through(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const piece of bytes) yield this.#rewritten(piece);
    if (this.#pending !== undefined) yield Buffer.of(this.#pending);
  }

  /** UTF-8 has no ASCII byte within another character, so that bytes are all there is to look at. */
  #rewritten(piece: Buffer): Buffer {
    const quote = this.#quote;
    const out = Buffer.allocUnsafe(2 * piece.length + 1);
    let end = 0;
    for (const byte of piece) {
      const pending = this.#pending;
      if (pending !== undefined) {
        this.#pending = undefined;
        if (byte === quote) {
          out[end++] = quote;
          out[end++] = quote;
          continue;
        }
        out[end++] = pending;
        if (pending === BACKSLASH && byte === BACKSLASH) continue;
        if (pending === quote) {
          this.#quoted = false;
          this.#atStart = false;
        }
      }
      if (this.#quoted) {
        if (byte === quote || byte === BACKSLASH) this.#pending = byte;
        else out[end++] = byte;
        continue;
      }
      out[end++] = byte;
      if (byte === quote && this.#atStart) this.#quoted = true;
      this.#atStart = byte === LF || byte === CR || byte === this.#delimiterEnd;
    }
    return out.subarray(0, end);
  }
}
