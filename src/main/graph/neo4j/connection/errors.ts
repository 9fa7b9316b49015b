/** Errors of the driver and the server as errors of the graph: one line each, without credentials or values. */
import neo4j from 'neo4j-driver';
import { GraphError } from '../../errors.js';

/** Code of an error of the driver, `Neo.ClientError...` or a word of the driver; empty for anything else. */
export function codeOf(error: unknown): string {
  return error instanceof neo4j.Neo4jError ? error.code : '';
}

/** Whether the same statement may succeed when sent again. One that needs too much memory would need it again. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof neo4j.Neo4jError) || error.code.includes('OutOfMemory')) return false;
  return neo4j.isRetryableError(error) || isPassing(error);
}

/** Whether it is of something that Neo4j ends by itself: a change of its indexes, a database that is being started, a deadlock. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof neo4j.Neo4jError)) return false;
  return SCHEMA_MOVES.test(error.message) || PASSES.some((part) => error.code.endsWith(part));
}

/** Whether the connection is gone, so that nobody knows what became of the last statement. */
export function isLost(error: unknown): boolean {
  if (['ServiceUnavailable', 'SessionExpired'].includes(codeOf(error))) return true;
  // The driver has no code for a server that accepts connections and says nothing.
  return error instanceof neo4j.Neo4jError && error.message.includes('acquisition timed out');
}

/** What Neo4j says of a statement that it could not plan because indexes were being made. */
const SCHEMA_MOVES = /frequent schema changes/;
/**
 * Ends of codes. An index is not found, or not full yet, by a statement that was planned before it was dropped or made anew; a node is not
 * found when it is deleted while a statement looks at it.
 */
const PASSES = [
  '.DatabaseUnavailable',
  '.DeadlockDetected',
  '.EntityNotFound',
  '.IndexNotFound',
  '.LockAcquisitionTimeout',
  '.Outdated',
];
const ID_TAKEN = /`?id`? = '([^']*)'/;

/** The error to throw for one of the driver; others are passed on. */
export function graphError(error: unknown): unknown {
  if (!(error instanceof neo4j.Neo4jError)) return error;
  const { code } = error;
  const because = { cause: error };
  const is = (part: string): boolean => code.includes(part);
  if (is('ConstraintValidationFailed')) {
    const id = ID_TAKEN.exec(error.message)?.[1];
    return new GraphError('already_taken', `There is already a node ${id ?? 'with this id'}.`, id, because);
  }
  // The second is said to one that waits for a lock when it is ended, nearly always by its time limit.
  if (is('TransactionTimedOut') || is('LockClientStopped')) {
    return new GraphError('query_timeout', 'The query took longer than allowed.', undefined, because);
  }
  if (is('Security.AuthenticationRateLimit')) {
    return unavailable('Neo4j refuses to log in for a while after too many failed attempts.', error);
  }
  if (is('Security.Forbidden')) {
    return new GraphError('not_writable', 'Neo4j does not let this user write.', undefined, because);
  }
  if (is('Security.'))
    return new GraphError('unavailable', 'Neo4j refuses the user name or the password.', undefined, because);
  if (is('DatabaseNotFound')) return unavailable('Neo4j has no database of the configured name.', error);
  if (is('NotALeader') || is('ForbiddenOnReadOnlyDatabase') || is('ReadOnly') || is('Statement.AccessMode')) {
    return new GraphError(
      'not_writable',
      'This Neo4j server or database is read-only: in a cluster connect with neo4j://, which leads to the leader.',
      undefined,
      because,
    );
  }
  if (is('DatabaseUnavailable')) return unavailable('The database is not available.', error);
  if (isLost(error)) return unavailable('Neo4j cannot be reached.', error);
  if (is('MemoryPool')) return unavailable('Neo4j is out of memory for transactions.', error);
  if (isTransient(error)) return unavailable(`Neo4j could not do it now (${code}).`, error);
  return unavailable(`Neo4j failed (${code}).`, error);
}

function unavailable(message: string, cause: Error): GraphError {
  return new GraphError('unavailable', message, undefined, { cause });
}

/** The one case in which an error does not mean that nothing was written. */
export function unknownOutcome(cause: unknown): GraphError {
  const text = 'Neo4j was lost while it committed and does not come back: the change may have been made or not.';
  return new GraphError('unavailable', text, undefined, { cause });
}

export function closed(): GraphError {
  return new GraphError('closed', 'The graph is closed.');
}

export function ended(): GraphError {
  return new GraphError('closed', 'The transaction has ended.');
}

export function aborted(): GraphError {
  return new GraphError('aborted', 'The transaction was cancelled.');
}

export function timedOut(): GraphError {
  return new GraphError('query_timeout', 'The transaction took longer than allowed.');
}
