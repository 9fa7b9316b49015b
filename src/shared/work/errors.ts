/** Why work in a pool came to nothing, apart from what the work itself says. */
export type WorkErrorCode =
  /** Too much waits. */
  | 'busy'
  /** It took longer than it may. */
  | 'time'
  /** It took more memory than a thread has. */
  | 'memory'
  /** Its thread ended under it, also when it was run once more where that was asked for. */
  | 'died'
  /** Whoever asked for it has gone, or the server ends. */
  | 'gone';

/** Work in a pool came to nothing. `message` is a sentence for users without names of files or settings' values. */
export class WorkError extends Error {
  override readonly name = 'WorkError';
  constructor(
    readonly code: WorkErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
