/** What the registry of services knows of one (contract, `configured.services`; docs/interface/operations.md 5.1). */

/** `ended`: it had something to do at the start alone. `off`: the setting leaves it out. `absent`: nothing of this version needs it. */
export type ServiceState = 'running' | 'stopped' | 'failed' | 'ended' | 'off' | 'absent';

/** One service: a file, and a line in the table (table.ts). */
export interface Service {
  /** As `configured.services` names it. */
  readonly name: string;
  /** Nothing would answer without it: it runs whatever the setting says, and is never stopped alone. */
  readonly vital?: boolean;
  /** Services that have to run before it. */
  readonly needs?: readonly string[];
  /** It rests while the instance is in maintenance mode. */
  readonly restsInMaintenance?: boolean;
  /** Without one there is nothing to start: `absent`, or `ended` where it did its work before. */
  readonly runs?: Running;
  /** Where there is nothing to start: what became of it. */
  readonly otherwise?: 'ended' | 'absent';
}

/** What starts and stops. Both are called in turns, never twice in a row. */
export interface Running {
  start(): void | Promise<void>;
  stop(): void | Promise<void>;
}

/** What somebody asked of a service that cannot be. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  constructor(
    /** Of HTTP. */
    readonly status: 404 | 409 | 422 | 503,
    message: string,
  ) {
    super(message);
  }
}
