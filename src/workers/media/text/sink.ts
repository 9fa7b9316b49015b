/** Where text of a document goes: so much of it, and no more. */

/** Thrown when enough text is there: what reads a document stops. */
export class Enough extends Error {
  override readonly name = 'Enough';
}

export class TextSink {
  readonly #parts: string[] = [];
  #length = 0;

  /** At most `limit` characters are kept. */
  constructor(private readonly limit: number) {}

  /** Characters that are there. */
  get length(): number {
    return this.#length;
  }

  /** How much more is wanted. */
  get room(): number {
    return this.limit - this.#length;
  }

  /** More text, as it is. Throws `Enough`. */
  add(text: string): void {
    if (text === '') return;
    const some = text.length > this.room ? text.slice(0, this.room) : text;
    this.#parts.push(some);
    this.#length += some.length;
    if (this.room <= 0) throw new Enough();
  }

  /** Text that stands for itself, with the end of a line behind it. Throws `Enough`. */
  line(text: string): void {
    if (text === '') return;
    this.add(text);
    this.add('\n');
  }

  text(): string {
    return this.#parts.join('');
  }
}
