/** What can be wrong with the configuration. */
export type ProblemKind =
  | 'bad_line'
  | 'bad_value'
  | 'duplicate'
  | 'encoding'
  | 'file_mode'
  | 'not_read'
  | 'unknown_setting'
  | 'unknown_variable'
  | 'unreadable'
  | 'unwritable';

/** Something to tell the operator. The message is one line, names the place and never holds a secret. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  /** Name of the setting, where there is one. */
  readonly name?: string;
  /** Line of the settings file, from 1. */
  readonly line?: number;
}

/** The configuration cannot be used. `problems` holds everything that is wrong, `message` has a line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(
    readonly problems: readonly Problem[],
    options?: ErrorOptions,
  ) {
    super(problems.map((problem) => problem.message).join('\n'), options);
  }
}
