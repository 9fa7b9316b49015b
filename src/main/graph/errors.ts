/** What can go wrong in a graph, by a stable code. The http room turns codes into statuses. */
export type GraphErrorCode =
  | 'not_found'
  | 'already_taken'
  | 'query_timeout'
  /** Others have waited for the writer for too long. */
  | 'writer_timeout'
  | 'aborted'
  | 'closed'
  /** This graph only reads: whatever writes belongs to the main thread (docs/design/threads.md). Nothing is written. */
  | 'writer_elsewhere'
  /** Another transaction has changed what this one depends on; nothing of it is written. */
  | 'conflict'
  /** `TransactionOptions.small`: it is not, and is to compute beside others. Nothing of it is written. */
  | 'large'
  | 'locked'
  | 'too_new'
  | 'not_writable'
  | 'storage_full'
  | 'invalid_query'
  | 'unavailable'
  /** The file of the database is damaged, or gone. */
  | 'damaged'
  /** The log of the database is damaged, or gone. */
  | 'log_damaged'
  /** A log without its database, or a database of another time than its log. */
  | 'log_mismatch'
  /** `svc graph copy` has begun to fill it. */
  | 'unfinished'
  /** Only when opening: the server of the database does not answer yet, and trying again may help. */
  | 'unreachable';

export class GraphError extends Error {
  override readonly name = 'GraphError';
  constructor(
    readonly code: GraphErrorCode,
    message: string,
    /** The id or key the error is about. */
    readonly subject?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Errors of this kind so far: scripts may catch one, and what they make then is not to be shown. */
export const elsewhereErrors = { count: 0 };

/** The error of writing where it is only read, or of asking there for what only the main thread has. */
export function writerElsewhere(message = 'Only the main thread can write.'): GraphError {
  elsewhereErrors.count++;
  return new GraphError('writer_elsewhere', message);
}

/** Whether the main thread could do what has failed here. */
export function isElsewhere(error: unknown): boolean {
  return error instanceof GraphError && error.code === 'writer_elsewhere';
}

/** The error of opening a database that `svc graph copy` has begun to fill; `what` begins the sentence. */
export function unfinishedCopy(what: string): GraphError {
  return new GraphError(
    'unfinished',
    `${what} is an unfinished copy: finish it with \`svc graph copy\` and --resume, or begin anew with --overwrite.`,
  );
}

/** The error of asking for a full-text index that is not there yet. */
export function textIndexBeingBuilt(name: string): GraphError {
  return new GraphError('unavailable', `The full-text index ${name} is being built.`);
}

/** The error of asking for one that nobody has set. */
export function noTextIndex(name: string): GraphError {
  return new GraphError('not_found', `There is no full-text index ${name}.`, name);
}
