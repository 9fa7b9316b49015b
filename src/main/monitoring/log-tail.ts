/** The last lines of the log, in memory, and who wants to hear of those that come (docs/interface/monitoring.md 6). */
import { onLogLine } from '../../shared/log.js';

const MOST_LINES = 1000;
/** Characters of a line that are kept. */
const LONGEST = 10_000;

/** Who listens. */
export interface LogListener {
  line(text: string): void;
  end(): void;
}

export class LogTail {
  readonly #lines: string[] = [];
  readonly #listeners = new Set<LogListener>();

  /** To be made before the first line is written. */
  constructor() {
    onLogLine((line) => {
      const text = line.length > LONGEST ? `${line.slice(0, LONGEST)}[...]` : line.trimEnd();
      this.#lines.push(text);
      // Not one by one: taking the first out moves all others.
      if (this.#lines.length > 2 * MOST_LINES) this.#lines.splice(0, MOST_LINES);
      for (const listener of this.#listeners) listener.line(text);
    });
  }

  /** Events of the log, the oldest first, without their last line ends. */
  last(count: number): readonly string[] {
    return count <= 0 ? [] : this.#lines.slice(-Math.min(count, MOST_LINES));
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Hears of each event from now on. Returns the remover. */
  listen(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Streams end: they would not by themselves. Their clients may come back. */
  endStreams(): void {
    for (const listener of [...this.#listeners]) listener.end();
  }
}
