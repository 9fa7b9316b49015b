/** What a thread that reads knows of indexes, which the main thread keeps: it makes none, and has the main thread make those that pay. */
import { type GraphError, writerElsewhere } from '../../errors.js';
import type { IndexFacts, Indexes } from '../indexes/indexes.js';
import type { TextIndex } from '../indexes/text-indexes.js';

/** Milliseconds after which the main thread is asked again for an index of parts. */
const AGAIN = 60_000;

export class KnownIndexes implements Pick<Indexes, 'ready' | 'parts' | 'text' | 'lost'> {
  #ready: ReadonlySet<string> = new Set();
  #parts: ReadonlySet<string> = new Set();
  #texts: ReadonlyMap<string, TextIndex | undefined> = new Map();
  /** When the main thread was asked for an index of parts, by key. */
  readonly #asked = new Map<string, number>();

  constructor(private readonly ask: (key: string) => void) {}

  set({ ready, parts, texts }: IndexFacts): void {
    this.#ready = new Set(ready);
    this.#parts = new Set(parts);
    this.#texts = new Map(texts);
    for (const key of this.#asked.keys()) if (!this.#ready.has(key)) this.#asked.delete(key);
  }

  ready(key: string): boolean {
    return this.#ready.has(key);
  }

  parts(key: string): boolean {
    if (!this.#ready.has(key)) return false;
    if (this.#parts.has(key)) return true;
    const now = Date.now();
    if (now - (this.#asked.get(key) ?? -Infinity) > AGAIN) {
      this.#asked.set(key, now);
      this.ask(key);
    }
    return false;
  }

  /** As in the main thread where it can be used; what is to be said of any other the main thread knows. */
  text(name: string): TextIndex | undefined {
    if (this.#texts.has(name)) return this.#texts.get(name);
    throw writerElsewhere('The main thread knows of this full-text index.');
  }

  /** The main thread finds that out as well, and makes it again. */
  lost(): GraphError {
    return writerElsewhere('The main thread makes this full-text index again.');
  }
}
