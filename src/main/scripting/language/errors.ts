import type { ErrorToken } from '../../schema/index.js';

/** All that callers are told of an exception in a script (docs/interface/script-runtime.md 3.1). */
export const GENERAL_MESSAGE = 'Server-side scripting error';

/** What a script did wrong, or said is wrong, as its caller is to be told (docs/interface/script-runtime.md 3.1). */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
  constructor(
    /** Status of the answer. */
    readonly status: number,
    message: string,
    readonly tokens: readonly ErrorToken[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** What went wrong, for the log, for scripts that catch it, and for those who may see the source. */
  get detail(): string {
    return this.message;
  }
}

/** An exception of a script: its caller is told nothing of it but that there was one. */
export class ScriptFailure extends ScriptError {
  /** `what`: `TypeError: x is null` */
  constructor(private readonly what: string) {
    super(422, GENERAL_MESSAGE);
  }

  override get detail(): string {
    return this.what;
  }
}

/** What a script answers on purpose (`assert`, `error`): nothing is wrong with it, and its author has nothing to mend. */
export class Refusal extends ScriptError {}

/** More scripts want to run than may wait for it, or one has waited for long; answers tell when to try again. */
export class TooManyScriptsError extends ScriptError {
  constructor() {
    super(503, 'Too many scripts are running. Please try again later.');
  }
}

/** Where in a script something is; lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A script that cannot be read, with the place in it. */
export class ScriptSyntaxError extends Error {
  override readonly name = 'ScriptSyntaxError';
  constructor(
    /** Without the place. */
    readonly reason: string,
    readonly position: Position,
  ) {
    super(`${reason} (line ${String(position.line)}, column ${String(position.column)})`);
  }
}
