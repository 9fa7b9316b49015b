/** Programs of the server, as functions call them; the outside runs them (outside/programs/host-scripts.ts). */
export interface HostParameter {
  readonly value: string;
  /** It is not shown in the log. */
  readonly masked: boolean;
}

export interface HostCall {
  /** Name of the setting that names the program. */
  readonly key: string;
  readonly parameters: readonly HostParameter[];
  /** What is logged: 0 nothing, 1 the path, 2 path and parameters. */
  readonly logging: number;
  readonly signal: AbortSignal;
}

/** How a program ended. */
export interface HostEnd {
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

export interface Programs {
  /**
   * What a program writes, as it comes; whoever stops reading ends it. `ended` is told how it ended, before the last. Throws
   * `ScriptError` 422 when there is no such program, when it takes too long or writes too much, and 503 when too many run.
   */
  output(call: HostCall, ended: (end: HostEnd) => void): AsyncGenerator<Buffer, void>;
  /** Bytes that are taken of what a program writes into a text. */
  readonly most: number;
}
