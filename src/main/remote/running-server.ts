/** What a command of `svc` asks of a running server, whatever the way to it. */
import type { JsonObject, JsonValue } from '../../shared/json/index.js';

/** Why it cannot be asked, or what it refused. One line. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  constructor(
    message: string,
    /** The command line is wrong, not the server. */
    readonly isUsage = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What is shown of a job (docs/interface/imports.md 4). */
export interface JobView {
  readonly status: string;
  readonly ended: string | null;
  readonly phase?: string;
  readonly phaseObjects?: number;
  readonly phaseTotal?: number | null;
  /** Milliseconds. */
  readonly timeLeft?: number | null;
  readonly processedObjects: number;
  readonly objectsPerSecond: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly problems: readonly string[];
  readonly problemCount: number;
  readonly result?: JsonValue;
  readonly exception?: { readonly message: string };
}

export interface RunningServer {
  /** For messages: its address, or the folder of its database. */
  readonly name: string;
  /** Runs a maintenance command as an administrator; its results. Throws `RemoteError` for what it refuses. */
  maintenance(command: string, input: JsonObject): Promise<readonly JsonValue[]>;
  job(id: number): Promise<JobView>;
  /** Asks a job to end. */
  abort(id: number): Promise<void>;
}
