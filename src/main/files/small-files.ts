/** Content of small files that are asked for often, in memory up to a bound; the least recently used goes first. */
export class SmallFiles {
  readonly #contents = new Map<string, Buffer>();
  readonly #coming = new Map<string, Promise<Buffer>>();
  #bytes = 0;

  /** `capacity` in bytes; 0: nothing is kept. */
  constructor(private readonly capacity: number) {}

  /** Files up to this size are kept. */
  get largest(): number {
    return Math.min(256 * 1024, this.capacity >> 4);
  }

  get(name: string): Buffer | undefined {
    const content = this.#contents.get(name);
    if (content === undefined) return undefined;
    // The order of a Map is that of insertion: what is used moves to the end.
    this.#contents.delete(name);
    this.#contents.set(name, content);
    return content;
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
    this.#contents.set(name, content);
    this.#bytes += content.length;
    for (const [oldest, old] of this.#contents) {
      if (this.#bytes <= this.capacity) return;
      this.#contents.delete(oldest);
      this.#bytes -= old.length;
    }
  }
}
