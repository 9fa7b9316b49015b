/** One statement as the log may show it: its text has no values, they are bound as parameters. */
export interface LoggedStatement {
  readonly text: string;
  readonly milliseconds: number;
  /** It took `slow` or longer. */
  readonly slow: boolean;
}

/**
 * Hears of the statements an engine runs. Which of them are passed on can change at any time: `log.cypher.debug` and
 * `log.querytime.threshold` need no restart.
 */
export class StatementLog {
  /** Pass on every statement, not only slow ones. */
  all = false;
  /** Milliseconds from which a statement is slow. */
  slow = Infinity;

  /** Told of each, with its milliseconds, whatever is passed on. */
  onEach: ((text: string, milliseconds: number) => void) | undefined;

  constructor(private readonly heard: (statement: LoggedStatement) => void) {}

  /** A statement that began at `since` (`performance.now()`) has ended. */
  ran(text: string, since: number): void {
    this.took(text, performance.now() - since);
  }

  /** A statement has ended elsewhere, which took so many milliseconds. */
  took(text: string, milliseconds: number): void {
    this.onEach?.(text, milliseconds);
    const slow = milliseconds >= this.slow;
    if (slow || this.all) this.heard({ text, milliseconds, slow });
  }
}
