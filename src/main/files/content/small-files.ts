interface Kept {
  readonly content: Buffer;
  /** Asked for since it was last considered to go. */
  used: boolean;
}

/** Content of small files that are asked for often, in memory up to a bound; what was not asked for lately goes first. */
export class SmallFiles {
  /** In the order in which they are considered to go: a look-up changes no order, which costs more than the look-up. */
  readonly #contents = new Map<string, Kept>();
  readonly #coming = new Map<string, Promise<Buffer>>();
  #bytes = 0;

  /** `capacity` in bytes; 0: nothing is kept. */
  constructor(private readonly capacity: number) {}

  /** Files up to this size are kept. */
  get largest(): number {
    return Math.min(256 * 1024, this.capacity >> 4);
  }

  get(name: string): Buffer | undefined {
    const kept = this.#contents.get(name);
    if (kept === undefined) return undefined;
    kept.used = true;
    return kept.content;
  }

  /** What `make` makes is kept; many who ask at once wait for one. */
  load(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const coming = this.#coming.get(name);
    if (coming !== undefined) return coming;
    const loading = make()
      .then((content) => {
        this.#set(name, content);
        return content;
      })
      .finally(() => {
        this.#coming.delete(name);
      });
    this.#coming.set(name, loading);
    return loading;
  }

  #set(name: string, content: Buffer): void {
    if (content.length > this.largest || this.#contents.has(name)) return;
    this.#contents.set(name, { content, used: false });
    this.#bytes += content.length;
    for (const [oldest, kept] of this.#contents) {
      if (this.#bytes <= this.capacity) return;
      this.#contents.delete(oldest);
      // What was used gets another round, behind all others.
      if (kept.used && oldest !== name) this.#contents.set(oldest, { content: kept.content, used: false });
      else this.#bytes -= kept.content.length;
    }
  }
}
