/** Says in one line what is wrong and ends the process. */
export class StartError extends Error {
  constructor(
    message: string,
    /** See `exit-codes.ts`. */
    readonly code: number,
  ) {
    super(message);
  }
}
