/** What a command of the AdminShell is. */
import type { ConsoleKey } from '../texts/console.js';

/** Work of the server: the maintenance command and its input. */
export interface Work {
  readonly maintenance: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A text of the page, with what stands in it. */
export interface Said {
  readonly key: ConsoleKey;
  readonly values?: Readonly<Record<string, string | number>>;
  /** Nothing was done, and the line is to be mended. */
  readonly isFault?: boolean;
}

export interface Command {
  readonly name: string;
  /** Arguments as users read them. */
  readonly usage: string;
  readonly meaning: ConsoleKey;
  /** How many arguments there must be. */
  readonly min: number;
  readonly max: number;
  /** What the command does; absent: the page shows help. Throws `RefusedError`. */
  readonly begin?: (args: readonly string[]) => Work | Said | Promise<Said>;
}
