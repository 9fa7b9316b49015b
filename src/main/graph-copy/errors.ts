import { GraphError, type GraphErrorCode } from '../graph/index.js';

/** Why a copy ended, besides what goes wrong in a database. */
export type CopyErrorCode =
  | GraphErrorCode
  /** The command makes no sense. */
  | 'usage'
  /** The target holds something and nobody said that it may go. */
  | 'not_empty'
  /** The source is not what it was when the copy began. */
  | 'source_changed'
  /** Source and target are not the same in the end. */
  | 'differs'
  | 'interrupted';

/** One line for the operator, without credentials. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
  constructor(
    readonly code: CopyErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The result of work on one side, or an error that says which side it was and what to do. */
export async function onSide<T>(side: string, work: () => Promise<T>, advice = ''): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    throw new CopyError(error.code, `${side}: ${error.message}${advice}`, { cause: error });
  }
}
