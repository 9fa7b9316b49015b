/** The mark of a database that `svc graph copy` is filling: a node of the engine's own, see bulk-writer.ts. */
import { GraphError, unfinishedCopy } from '../../errors.js';
import type { Database } from '../connection/database.js';
import { FAR } from '../connection/limits.js';
import { isLost, isTransient } from '../connection/errors.js';
import { META } from '../connection/names.js';

export const COPY_MARK = 'copy';
export const MARK = `MATCH (c:${META} {name: '${COPY_MARK}'})`;

/** Throws when the database is not all there yet. */
export async function refuseUnfinished(database: Database): Promise<void> {
  let found: readonly unknown[];
  try {
    found = await database.run({ text: `${MARK} RETURN 1`, params: {} }, { deadline: FAR });
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    const { cause } = error;
    // The first statement of an engine that starts: whoever starts it may wait and try again.
    if (isLost(cause) || isTransient(cause)) throw new GraphError('unreachable', error.message, undefined, { cause });
    throw error;
  }
  if (found.length > 0) throw unfinishedCopy('The Neo4j database');
}
